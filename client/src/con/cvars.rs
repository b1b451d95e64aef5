//! The table of all cvars, one row each: range, name, default, flags, help, and the field that code reads it by.

use super::cvar::{
    CvarDef, Cvars, Domain,
    flag::{ARCHIVE as A, CHEAT as C, INIT as I, READ_ONLY as R, SECRET, SERVER, USERINFO as U},
};

/// Makes the table, and a struct of those rows that name a field for the game's view.
macro_rules! cvars {
    ($(
        $kind:ident $(($min:expr, $max:expr))? $name:literal = $default:literal, $flags:expr, $help:literal
        $(=> $field:ident: $type:ty)?;
    )+) => {
        /// Every cvar of the program. Names and defaults are those that players' configs know.
        pub const TABLE: &[CvarDef] = &[$(CvarDef {
            name: $name,
            default: $default,
            flags: $flags,
            domain: domain!($kind $($min, $max)?),
            help: $help,
        }),+];

        /// What the player chose about the game's view, typed; made anew when a cvar changes.
        #[derive(Clone, Debug, PartialEq)]
        pub struct GameSettings {
            $($(#[doc = $help] pub $field: $type,)?)+
        }

        impl GameSettings {
            /// The values that cvars have now.
            pub fn read(cvars: &Cvars) -> Self {
                Self { $($($field: <$type as Typed>::read(cvars, $name),)?)+ }
            }
        }
    };
}

macro_rules! domain {
    (text) => {
        Domain::Text
    };
    (switch) => {
        Domain::Integer { min: 0, max: 1 }
    };
    (number $min:expr, $max:expr) => {
        Domain::Number {
            min: $min,
            max: $max,
        }
    };
    (integer $min:expr, $max:expr) => {
        Domain::Integer {
            min: $min,
            max: $max,
        }
    };
    (auto $min:expr, $max:expr) => {
        Domain::AutoOrInteger {
            min: $min,
            max: $max,
        }
    };
}

impl Default for GameSettings {
    fn default() -> Self {
        Self::read(&Cvars::new(TABLE))
    }
}

/// A type that the value of a cvar can be read as.
trait Typed {
    fn read(cvars: &Cvars, name: &str) -> Self;
}

impl Typed for f32 {
    fn read(cvars: &Cvars, name: &str) -> Self {
        cvars.number(name)
    }
}

impl Typed for i32 {
    fn read(cvars: &Cvars, name: &str) -> Self {
        cvars.integer(name)
    }
}

impl Typed for bool {
    fn read(cvars: &Cvars, name: &str) -> Self {
        cvars.is_on(name)
    }
}

impl Typed for String {
    fn read(cvars: &Cvars, name: &str) -> Self {
        cvars.text(name).to_owned()
    }
}

cvars! {
    // Menus
    text "menu_map" = "strafe1", A, "The map of the match that the menus begin.";
    integer(0, 4) "menu_gametype" = "0", A, "Its rules: 0 free for all, 1 tournament, 3 team deathmatch, 4 capture the flag.";
    integer(0, 15) "menu_bots" = "3", A, "How many bots it has.";
    integer(1, 5) "menu_skill" = "2", A, "How good they are.";
    integer(0, 1000) "menu_fraglimit" = "20", A, "Frags that end it; 0 for none.";
    integer(0, 1000) "menu_timelimit" = "0", A, "Minutes that end it; 0 for none.";
    text "menu_address" = "", A, "The server that the menus join.";
    text "menu_recent" = "", A, "The servers joined last, newest first.";
    number(0.5, 3.0) "menu_scale" = "1", A, "Size of the menus.";
    switch "menu_contrast" = "0", A, "Menus in black and white, with nothing dim.";
    switch "menu_print" = "0", A, "Prints the row that is chosen in the menus, for programs that read a terminal aloud.";
    switch "menu_padKeys" = "0", A, "Whether pads were given their usual keys, once.";
    switch "menu_welcomed" = "0", A, "Whether the page of the first start was shown.";
    integer(0, 6) "menu_fromGame" = "0", A, "The game that a sensitivity is taken over from: 0 Quake, 1 CS or Apex, 2 Valorant, 3 Overwatch, 4 Call of Duty, 5 Rainbow Six, 6 Fortnite.";
    number(0.001, 1000.0) "menu_fromSensitivity" = "5", A, "The sensitivity in that game.";
    // Touch
    number(10.0, 1000.0) "touch_look" = "220", A, "Degrees that a thumb turns over the height of the screen.";
    number(0.0, 4.0) "touch_gyro" = "0", A, "How much turning the device turns the view; 0 not at all, 1 as it is.";
    number(0.0, 1.0) "touch_opacity" = "0.45", A, "How much of the view the buttons for thumbs cover; 0 hides them.";
    number(8.0, 60.0) "touch_stick" = "32", A, "Size of the stick for the left thumb, in hundredths of the height.";
    text "touch_fire" = "88 60 26", A, "Fire: place across and down in hundredths of the screen, size in hundredths of the height; empty for none.";
    text "touch_jump" = "74 82 20", A, "The same for jump.";
    text "touch_crouch" = "63 70 16", A, "The same for crouch.";
    text "touch_zoom" = "73 52 15", A, "The same for zoom.";
    text "touch_prev" = "84 28 14", A, "The same for the weapon before.";
    text "touch_next" = "95 28 14", A, "The same for the next weapon.";
    text "touch_scores" = "40 8 13", A, "The same for the scores.";
    text "touch_chat" = "50 8 13", A, "The same for chat.";
    text "touch_menu" = "60 8 13", A, "The same for the menus.";
    // The list of servers
    text "sv_master1" = "dpmaster.deathmask.net", A, "A master server, which knows servers; host or host:port.";
    text "sv_master2" = "master.ioquake3.org", A, "Another master server.";
    text "sv_master3" = "master.maverickservers.com", A, "Another master server.";
    text "sv_master4" = "", A, "Another master server.";
    text "sv_master5" = "", A, "Another master server.";
    integer(0, 9) "ui_browserMaster" = "1", A, "Which servers are listed: 0 of the own network, 1 of all masters, 2 to 6 of sv_master1 to sv_master5, 7 favourites, 8 joined before, 9 where friends play.";
    integer(0, 5) "ui_browserSortKey" = "4", A, "Their order: 0 name, 1 map, 2 players, 3 rules, 4 ping, 5 mod.";
    switch "ui_browserShowEmpty" = "1", A, "Lists servers on which nobody plays.";
    switch "ui_browserShowFull" = "1", A, "Lists servers that have no place left.";
    switch "menu_showPrivate" = "1", A, "Lists servers that want a password.";
    integer(0, 4) "ui_browserGameType" = "0", A, "Lists servers of these rules only: 0 all, 1 free for all, 2 team deathmatch, 3 tournament, 4 capture the flag.";
    text "menu_mod" = "", A, "Lists servers of this mod only; empty for all.";
    integer(0, 71) "menu_protocol" = "0", A, "Lists servers of this protocol only; 0 for all.";
    text "menu_friends" = "", A, "Names of friends, or parts of them, with commas between: servers where they play are marked.";
    integer(100, 2000) "cl_maxPing" = "800", A, "Milliseconds after which a server of the list counts as silent.";
    text "server1" = "", A, "Favourite server number 1.";
    text "server2" = "", A, "Favourite server number 2.";
    text "server3" = "", A, "Favourite server number 3.";
    text "server4" = "", A, "Favourite server number 4.";
    text "server5" = "", A, "Favourite server number 5.";
    text "server6" = "", A, "Favourite server number 6.";
    text "server7" = "", A, "Favourite server number 7.";
    text "server8" = "", A, "Favourite server number 8.";
    text "server9" = "", A, "Favourite server number 9.";
    text "server10" = "", A, "Favourite server number 10.";
    text "server11" = "", A, "Favourite server number 11.";
    text "server12" = "", A, "Favourite server number 12.";
    text "server13" = "", A, "Favourite server number 13.";
    text "server14" = "", A, "Favourite server number 14.";
    text "server15" = "", A, "Favourite server number 15.";
    text "server16" = "", A, "Favourite server number 16.";
    // Time and network
    integer(0, 1000) "com_maxfps" = "125", A, "Frames per second at most; 0 is no limit.";
    integer(0, 1000) "com_maxfpsUnfocused" = "60", A, "The same while another window has the focus.";
    integer(0, 1000) "com_maxfpsMinimized" = "20", A, "The same while minimised.";
    number(0.0, 100.0) "timescale" = "1", C, "Speed of the game's clock, for demos.";
    integer(0, 5000) "fixedtime" = "0", C, "Milliseconds of a demo that every frame takes, whatever the clock says; 0 is off.";
    switch "timedemo" = "0", 0, "Plays demos as fast as frames can be drawn, 50 ms apart, and reports.";
    integer(-30, 30) "cl_timeNudge" = "0", 0, "Shows others this many milliseconds later (or, negative, earlier).";
    integer(15, 125) "cl_maxpackets" = "125", A, "Packets per second to the server at most.";
    auto(0, 5) "cl_packetdup" = "auto", A, "How many packets repeat each usercmd, against loss; auto is as many as the measured loss needs.";
    switch "cl_lanForcePackets" = "1", A, "Ignores cl_maxpackets on a LAN.";
    switch "cl_far" = "0", 0, "Treats servers on this machine and in the own network as those far away: cl_maxpackets holds.";
    integer(0, 500) "cl_commandRate" = "0", A, "Usercmds per second, whatever the display does; 0 is one per frame.";
    integer(5, 3600) "cl_timeout" = "200", 0, "Seconds of silence after which the connection is given up.";
    switch "cl_nodelta" = "0", 0, "Asks for complete snapshots only.";
    integer(-2, 4) "cl_shownet" = "0", 0, "Prints what the server sends: 1 sizes, 2 snapshots and commands as well, 3 which fields changed too, 4 to what; -1 only fields of entities, -2 only those of the player.";
    switch "cl_showSend" = "0", 0, "Prints what goes to the server.";
    switch "cl_showTimeDelta" = "0", 0, "Prints every correction of the server clock.";
    switch "cl_freezeDemo" = "0", 0, "Holds a demo still.";
    switch "showpackets" = "0", 0, "Prints every datagram.";
    switch "showdrop" = "0", 0, "Prints dropped and out-of-order datagrams.";
    integer(0, 2000) "net_delay" = "0", 0, "Adds this many milliseconds to each way, to try a bad line.";
    integer(0, 1000) "net_jitter" = "0", 0, "Varies net_delay by up to this many milliseconds.";
    number(0.0, 100.0) "net_loss" = "0", 0, "Loses this many percent of the datagrams, each way.";
    number(0.0, 100.0) "net_reorder" = "0", 0, "Delivers this many percent of the datagrams late, each way.";
    number(0.0, 100.0) "net_duplicate" = "0", 0, "Delivers this many percent of the datagrams twice, each way.";
    integer(0, 10_000_000) "net_rate" = "0", 0, "Bytes per second that get through, each way; 0 is no limit.";
    integer(0, i32::MAX) "net_seed" = "1", 0, "Seed of the chance in net_jitter, net_loss and the like; the same seed gives the same line.";
    text "net_delayUp" = "", 0, "net_delay towards the server, if it differs.";
    text "net_lossUp" = "", 0, "net_loss towards the server, if it differs.";
    text "net_jitterUp" = "", 0, "net_jitter towards the server, if it differs.";
    text "net_reorderUp" = "", 0, "net_reorder towards the server, if it differs.";
    text "net_duplicateUp" = "", 0, "net_duplicate towards the server, if it differs.";
    text "net_rateUp" = "", 0, "net_rate towards the server, if it differs.";
    integer(0, 65535) "net_qport" = "0", I, "Number that tells clients behind one address apart; 0 chooses one.";
    integer(1000, 90000) "rate" = "25000", A | U, "Bytes per second that the server may send.";
    integer(1, 125) "snaps" = "40", A | U, "Snapshots per second that the server should send.";
    integer(0, 100) "protocol" = "0", 0, "Protocol to connect with; 0 asks the server.";
    number(0.0, 1.0) "cl_autoNudge" = "0", 0, "Shows others earlier by this share of the ping; replaces cl_timeNudge unless 0.";
    integer(0, 999) "cl_packetdelay" = "0", C, "Holds own packets back for this many milliseconds.";
    number(0.0, 100.0) "net_dropsim" = "0", 0, "Loses this many percent of the received packets.";
    integer(1, 3) "net_enabled" = "3", A, "Which addresses are used: 1 IPv4, 2 IPv6, 3 both; programs, not pages.";
    text "net_ip" = "", A, "Own address to play from, if there are several; programs, not pages.";
    integer(0, 65535) "net_port" = "0", A, "Own port to play from; 0 takes a free one. Programs, not pages.";
    text "cl_cdkey" = "", SECRET, "Key of Quake III, for servers of 1.32 that ask for it; kept in a file of its own, and sent to the server that cl_authorizeServer names, to nobody while that is empty.";
    text "cl_authorizeServer" = "", A, "The authorize server that gets cl_cdkey when a game server demands it; host or host:port. Empty sends the key nowhere.";
    text "rconPassword" = "", SECRET, "Password for rcon.";
    text "rconAddress" = "", 0, "Server that rcon speaks to while not connected.";
    integer(0, 15) "cl_allowDownload" = "1", A, "Fetches missing paks: 1 yes, 2 not by HTTP, 4 not in the protocol.";
    text "cl_currentServerAddress" = "", R, "The server that is joined.";
    // Who one is
    text "name" = "UnnamedPlayer", A | U, "The name others see.";
    text "model" = "sarge", A | U, "Player model, and skin after a slash." => own_model: String;
    text "headmodel" = "sarge", A | U, "Head model, and skin after a slash." => own_head_model: String;
    text "team_model" = "sarge", A | U, "Player model in team games.";
    text "team_headmodel" = "sarge", A | U, "Head model in team games.";
    integer(0, 9) "color1" = "4", A | U, "Colour of the rail's core.";
    integer(0, 9) "color2" = "5", A | U, "Colour of the rail's spiral.";
    integer(1, 100) "handicap" = "100", A | U, "Percent of health and damage to play with.";
    text "sex" = "male", A | U, "male, female or neuter.";
    integer(0, 7) "teamtask" = "0", U, "Your task in the team: 1 offence, 2 defence.";
    text "password" = "", U | SECRET, "Password of a private server.";
    switch "cl_anonymous" = "0", A | U, "Asks not to be listed by name.";
    text "cl_guid" = "", U | R, "Tells the server that you are the same player as before, but not who you are.";
    switch "cl_guidServerUniq" = "1", A, "A different cl_guid for every server.";
    switch "cg_predictItems" = "1", A | U, "Picks items up at once instead of after the server's word." => predict_items: bool;
    switch "teamoverlay" = "0", U | R, "Follows cg_drawTeamOverlay.";
    switch "cg_scorePlums" = "1", A | U, "Shows points where they were made." => score_plums: bool;
    switch "cg_smoothClients" = "0", A | U, "Lets the server smooth others' motion." => smooth_clients: bool;
    integer(0, 127) "cg_delag" = "1", A | U, "Lets the server aim back in time for one's shots: 1 all, else bits by weapon." => delag: i32;
    integer(0, 999) "cg_cmdTimeNudge" = "0", A | U, "Milliseconds added to that.";
    // Input
    number(0.0001, 1000.0) "sensitivity" = "5", A, "Degrees per mouse count, times m_yaw.";
    number(0.0, 100.0) "cl_mouseAccel" = "0", A, "How much faster a faster mouse turns.";
    switch "cl_mouseAccelStyle" = "0", A, "0 the old curve, 1 a power curve above cl_mouseAccelOffset.";
    number(0.001, 50000.0) "cl_mouseAccelOffset" = "5", A, "Where the power curve begins.";
    number(-10.0, 10.0) "m_pitch" = "0.022", A, "Up and down per count; negative inverts.";
    number(-10.0, 10.0) "m_yaw" = "0.022", A, "Left and right per count.";
    number(-10.0, 10.0) "m_forward" = "0.25", A, "Walking by mouse, without cl_freelook.";
    number(-10.0, 10.0) "m_side" = "0.25", A, "Sidestepping by mouse, while +strafe.";
    switch "m_filter" = "0", A, "Averages two frames of mouse motion.";
    switch "cl_freelook" = "1", A, "The mouse looks up and down.";
    switch "cl_run" = "1", A, "Runs unless +speed is held.";
    number(0.0, 10000.0) "cl_yawspeed" = "140", A, "Degrees per second of +left and +right.";
    number(0.0, 10000.0) "cl_pitchspeed" = "140", A, "Degrees per second of +lookup and +lookdown.";
    number(0.0, 100.0) "cl_anglespeedkey" = "1.5", 0, "How much faster +speed turns.";
    switch "in_mouse" = "1", A, "Takes the mouse.";
    switch "in_nograb" = "0", A, "Leaves the mouse pointer free; its motion still turns the view.";
    switch "in_keyboardDebug" = "0", 0, "Prints every key.";
    switch "cl_showmouserate" = "0", 0, "Prints how fast the mouse moves.";
    integer(0, 2) "cl_debugMove" = "0", 0, "Draws the turns of each frame: 1 to the sides, 2 up and down.";
    integer(0, 16) "in_joystickNo" = "0", A, "Which pad plays: 0 all, 1 the first, and so on.";
    switch "in_joystickUseAnalog" = "1", A, "Sticks move as far as they are pushed; 0 makes them press keys such as PAD0_LEFTSTICK_UP.";
    switch "in_joystick" = "1", A, "Takes gamepads.";
    number(1.0, 4.0) "joy_curve" = "1", A, "How slowly a stick begins: 1 turns as far as it is pushed, 2 less in the middle, and so on.";
    number(0.0, 1.0) "joy_threshold" = "0.15", A, "How far a stick must move to count.";
    number(-10.0, 10.0) "j_pitch" = "0.022", A, "Looking by stick: up and down.";
    number(-10.0, 10.0) "j_yaw" = "-0.022", A, "Looking by stick: left and right.";
    number(-10.0, 10.0) "j_forward" = "-0.25", A, "Walking by stick.";
    number(-10.0, 10.0) "j_side" = "0.25", A, "Sidestepping by stick.";
    number(-10.0, 10.0) "j_up" = "0", A, "Swimming up by stick.";
    integer(0, 15) "j_pitch_axis" = "3", A, "Which axis looks up and down.";
    integer(0, 15) "j_yaw_axis" = "2", A, "Which axis looks left and right.";
    integer(0, 15) "j_forward_axis" = "1", A, "Which axis walks.";
    integer(0, 15) "j_side_axis" = "0", A, "Which axis sidesteps.";
    integer(0, 15) "j_up_axis" = "4", A, "Which axis swims up.";
    text "cl_consoleKeys" = "~ ` 0x7e 0x60", A, "Keys that open the console.";
    // Console
    number(0.0, 60.0) "con_notifytime" = "3", A, "Seconds that new lines stay at the top of the screen.";
    integer(0, 16) "con_notifylines" = "3", A, "How many of them.";
    number(0.5, 4.0) "con_scale" = "1", A, "Size of the console's letters.";
    switch "con_autoclear" = "1", A, "Forgets a half-typed line when the console closes.";
    switch "con_autochat" = "0", A, "Sends console lines that are no command as chat.";
    number(0.1, 100.0) "scr_conspeed" = "3", A, "Screen heights per second at which the console slides.";
    switch "cl_noprint" = "0", 0, "Prints nothing at all.";
    integer(0, 1000) "cl_conXOffset" = "0", 0, "Pixels that messages stand away from the left edge.";
    switch "journal" = "0", 0, "Keeps the journal of a run when it ends, for strafe --replay; savejournal keeps it at once, and to start with +set journal 2 replays the newest.";
    integer(0, 2) "logfile" = "0", 0, "Writes all that is printed to qconsole.log: 1 now and then, 2 at once. Programs, not pages.";
    switch "developer" = "0", 0, "Shows missing and defective files among the messages, not only in the console.";
    switch "timegraph" = "0", C, "Draws how long each frame took.";
    switch "debuggraph" = "0", C, "Keeps drawing the last graph.";
    integer(0, 3) "com_speeds" = "0", 0, "Prints what every frame took, in milliseconds.";
    switch "com_streamFiles" = "0", 0, "Begins a level when its map is here; other players, models and sounds come while one plays. Pages start with 1.";
    switch "cl_exactContent" = "0", A, "Fetches pictures and sounds as the game has them, not the smaller ones that a relay makes of them; from the next level on.";
    switch "com_busyWait" = "0", A, "Waits for the next frame without sleeping: more even, and costs a processor.";
    // The game
    number(1.0, 160.0) "cg_fov" = "90", A, "Width of the view in degrees, on a 4:3 screen." => fov: f32;
    number(1.0, 160.0) "cg_zoomfov" = "22.5", A, "The same while +zoom is held." => zoom_fov: f32;
    switch "cg_fovAspect" = "1", A, "Keeps the height of the view and widens it on wide screens." => fov_is_aspect_correct: bool;
    number(0.0, 10.0) "cg_zoomSensitivity" = "1", A, "Further factor for the mouse while zoomed." => zoom_sensitivity: f32;
    integer(30, 100) "cg_viewsize" = "100", A, "Percent of the screen that the view fills." => view_size: f32;
    integer(0, 4) "cg_drawGun" = "1", A, "The weapon in view: 0 none, 1 right, 2 left, 3 centred, 4 right and still." => draw_gun: i32;
    number(-100.0, 100.0) "cg_gunX" = "0", C, "Moves the weapon forward." => gun_x: f32;
    number(-100.0, 100.0) "cg_gunY" = "0", C, "Moves the weapon to the left." => gun_y: f32;
    number(-100.0, 100.0) "cg_gunZ" = "0", C, "Moves the weapon up." => gun_z: f32;
    integer(0, 4) "cg_autoswitch" = "1", A, "Takes a picked-up weapon: 1 always, 2 if new, 3 if better, 4 new and better." => autoswitch: i32;
    text "cg_weaponOrder" = "/1/2/4/3/6/7/8/5/9/", A, "Weapons from worst to best, for cg_autoswitch." => weapon_order: String;
    switch "cg_cyclegrapple" = "1", A, "The next and the previous weapon may be the hook (OpenArena)." => cycles_grapple: bool;
    switch "cg_switchonempty" = "1", A, "Takes another weapon when the ammunition is out." => switches_on_empty: bool;
    text "cg_music" = "", A, "Music instead of the level's; none is silence." => music: String;
    number(0.1, 4.0) "cg_fragmsgsize" = "1", A, "Size of the text that tells whom one has fragged; OpenArena's setting." => frag_text_size: f32;
    switch "cg_draw2D" = "1", A, "Everything flat over the view." => draw_2d: bool;
    switch "cg_drawStatus" = "1", A, "Health, armour and ammunition." => draw_status: bool;
    switch "cg_drawTimer" = "0", A, "Time since the match began." => draw_timer: bool;
    switch "cg_drawFPS" = "0", A, "Frames per second." => draw_fps: bool;
    integer(0, 2) "cg_drawSpeed" = "0", A, "Speed in units per second: 1 in the corner, 2 in the middle." => draw_speed: i32;
    integer(0, 2) "cg_drawPing" = "0", A, "Ping in milliseconds, and how packets travel: UDP, WebTransport or WebSocket. 2 adds its parts, frames of browser and server, way to the relay, way to the server, and how many milliseconds pass from a key, the mouse or a finger until the picture with it goes to the display, in the middle and at most." => draw_ping: i32;
    switch "cg_drawSnapshot" = "0", A, "Time and number of the snapshot." => draw_snapshot: bool;
    integer(0, 99) "cg_drawCrosshair" = "4", A, "Which crosshair; 0 is none." => draw_crosshair: i32;
    switch "cg_drawCrosshairFace" = "0", A, "The face of that player over his name." => draw_crosshair_face: bool;
    switch "cg_drawCrosshairNames" = "1", A, "The name of the player under the crosshair." => draw_crosshair_names: bool;
    switch "cg_crosshairHealth" = "1", A, "The crosshair's colour tells health." => crosshair_health: bool;
    number(1.0, 200.0) "cg_crosshairSize" = "24", A, "Size of the crosshair." => crosshair_size: f32;
    number(-320.0, 320.0) "cg_crosshairX" = "0", A, "Moves it to the right." => crosshair_x: f32;
    number(-240.0, 240.0) "cg_crosshairY" = "0", A, "Moves it down." => crosshair_y: f32;
    number(0.0, 1.0) "cg_crosshairColorRed" = "1", A, "How red the crosshair is, if it does not tell health." => crosshair_red: f32;
    number(0.0, 1.0) "cg_crosshairColorGreen" = "1", A, "How green the crosshair is, if it does not tell health." => crosshair_green: f32;
    number(0.0, 1.0) "cg_crosshairColorBlue" = "1", A, "How blue the crosshair is, if it does not tell health." => crosshair_blue: f32;
    switch "cg_differentCrosshairs" = "0", A, "Every weapon has a crosshair of its own: cg_ch1, cg_ch1size and so on." => different_crosshairs: bool;
    integer(0, 99) "cg_ch1" = "4", A, "Crosshair of the gauntlet." => ch1: i32;
    number(1.0, 200.0) "cg_ch1size" = "24", A, "Its size." => ch1_size: f32;
    integer(0, 99) "cg_ch2" = "4", A, "Crosshair of the machinegun." => ch2: i32;
    number(1.0, 200.0) "cg_ch2size" = "24", A, "Its size." => ch2_size: f32;
    integer(0, 99) "cg_ch3" = "4", A, "Crosshair of the shotgun." => ch3: i32;
    number(1.0, 200.0) "cg_ch3size" = "24", A, "Its size." => ch3_size: f32;
    integer(0, 99) "cg_ch4" = "4", A, "Crosshair of the grenade launcher." => ch4: i32;
    number(1.0, 200.0) "cg_ch4size" = "24", A, "Its size." => ch4_size: f32;
    integer(0, 99) "cg_ch5" = "4", A, "Crosshair of the rocket launcher." => ch5: i32;
    number(1.0, 200.0) "cg_ch5size" = "24", A, "Its size." => ch5_size: f32;
    integer(0, 99) "cg_ch6" = "4", A, "Crosshair of the lightning gun." => ch6: i32;
    number(1.0, 200.0) "cg_ch6size" = "24", A, "Its size." => ch6_size: f32;
    integer(0, 99) "cg_ch7" = "4", A, "Crosshair of the railgun." => ch7: i32;
    number(1.0, 200.0) "cg_ch7size" = "24", A, "Its size." => ch7_size: f32;
    integer(0, 99) "cg_ch8" = "4", A, "Crosshair of the plasma gun." => ch8: i32;
    number(1.0, 200.0) "cg_ch8size" = "24", A, "Its size." => ch8_size: f32;
    integer(0, 99) "cg_ch9" = "4", A, "Crosshair of the BFG." => ch9: i32;
    number(1.0, 200.0) "cg_ch9size" = "24", A, "Its size." => ch9_size: f32;
    integer(0, 99) "cg_ch10" = "4", A, "Crosshair of the hook." => ch10: i32;
    number(1.0, 200.0) "cg_ch10size" = "24", A, "Its size." => ch10_size: f32;
    integer(0, 99) "cg_ch11" = "4", A, "Crosshair of the nailgun." => ch11: i32;
    number(1.0, 200.0) "cg_ch11size" = "24", A, "Its size." => ch11_size: f32;
    integer(0, 99) "cg_ch12" = "4", A, "Crosshair of the proximity launcher." => ch12: i32;
    number(1.0, 200.0) "cg_ch12size" = "24", A, "Its size." => ch12_size: f32;
    integer(0, 99) "cg_ch13" = "4", A, "Crosshair of the chaingun." => ch13: i32;
    number(1.0, 200.0) "cg_ch13size" = "24", A, "Its size." => ch13_size: f32;
    switch "cg_crosshairPulse" = "1", A, "Lets it grow when something is picked up." => crosshair_pulses: bool;
    integer(0, 7) "cg_crosshairColor" = "7", A, "Its colour as in texts (^0 to ^7), if it does not tell health." => crosshair_color: i32;
    integer(0, 2) "cg_lagometer" = "1", A, "The picture of the connection; 2 tells the cause of each gap over it, as whylag does." => lagometer: i32;
    switch "cg_drawAmmoWarning" = "1", A, "Warns when ammunition runs low." => draw_ammo_warning: bool;
    switch "cg_drawAttacker" = "1", A, "Shows who hit last." => draw_attacker: bool;
    switch "cg_drawIcons" = "1", A, "Pictures in the status bar." => draw_icons: bool;
    switch "cg_draw3dIcons" = "1", A, "Models instead of pictures there." => draw_3d_icons: bool;
    switch "cg_drawRewards" = "1", A, "Medals." => draw_rewards: bool;
    switch "cg_drawFriend" = "1", A, "A mark over team-mates." => draw_friend: bool;
    integer(0, 3) "cg_drawTeamOverlay" = "0", A, "Team-mates' state: 1 top right, 2 bottom right, 3 bottom left." => draw_team_overlay: i32;
    integer(0, 60000) "cg_teamChatTime" = "3000", A, "Milliseconds that team chat stays." => team_chat_time_msec: i32;
    integer(0, 8) "cg_teamChatHeight" = "0", A, "Lines of team chat." => team_chat_height: i32;
    switch "cg_teamChatsOnly" = "0", A, "Drops chat to all in team games." => team_chats_only: bool;
    integer(0, 2) "cg_brightSkins" = "0", A, "Players shine in the colour of their side, whatever skins the paks have: 1 opponents, 2 all others." => bright_skins: i32;
    switch "cg_forceModel" = "0", A, "All players wear one's own model, or those of cg_forceTeamModel and cg_forceEnemyModel." => force_model: bool;
    switch "cg_simpleItems" = "0", A, "Items as pictures." => simple_items: bool;
    switch "cg_marks" = "1", A, "Holes and burns on walls." => marks: bool;
    integer(0, 60000) "cg_brassTime" = "2500", A, "Milliseconds that shells lie about." => brass_time_msec: i32;
    switch "cg_gibs" = "1", A, "Bodies can burst." => gibs: bool;
    switch "com_blood" = "1", A, "Blood." => blood: bool;
    integer(0, 3) "cg_shadows" = "1", A, "Shadows of players: 0 none, 1 blobs, 2 and 3 their outlines, flat on the floor." => shadows: i32;
    integer(-1, 10000) "cg_railTrailTime" = "-1", A, "Milliseconds that a rail stays; -1 as in the game's own client (400, in OpenArena 600)." => rail_trail_msec: i32;
    integer(-1, 1) "cg_oldRail" = "-1", A, "A rail without spiral; -1 as in the game's own client (1, in OpenArena 0)." => old_rail: i32;
    switch "cg_oldRocket" = "1", A, "A rocket explosion without further fire." => old_rocket: bool;
    switch "cg_oldPlasma" = "1", A, "Plasma without sparks." => old_plasma: bool;
    switch "cg_noProjectileTrail" = "0", A, "Missiles without smoke." => no_projectile_trail: bool;
    number(0.0, 1.0) "cg_trueLightning" = "0", A, "How far one's own lightning follows the aim at once." => true_lightning: f32;
    integer(0, 200) "cg_projectileNudge" = "0", A, "Shows others' missiles this many milliseconds further ahead (OpenArena)." => projectile_nudge_msec: i32;
    number(-1.0, 1.0) "cg_bobpitch" = "0.002", A, "How far steps rock the view." => bob_pitch: f32;
    number(-1.0, 1.0) "cg_bobroll" = "0.002", A, "How far steps roll the view." => bob_roll: f32;
    number(-1.0, 1.0) "cg_bobup" = "0.005", C, "How far steps lift the view." => bob_up: f32;
    integer(0, 6) "cg_bob" = "1", A, "How walking moves the view: 0 not, 1 pitch, roll and height, 2 pitch, 3 or 5 roll, 4 height, 6 sideways." => bob: i32;
    number(0.0, 1.0) "cg_kickScale" = "1", A, "How much a hit shakes the view." => kick_scale: f32;
    switch "cg_footsteps" = "1", C, "Sounds of steps." => footsteps: bool;
    number(0.0, 10.0) "cg_swingSpeed" = "0.3", C, "How fast bodies turn after their heads." => swing_speed: f32;
    switch "cg_animspeed" = "1", C, "Players move; 0 keeps them in their first frame." => anim_speed: f32;
    switch "cg_noplayeranims" = "0", C, "Keeps players in their first frame." => no_player_anims: bool;
    switch "cg_noTaunt" = "0", A, "Taunts are not heard." => no_taunt: bool;
    number(0.0, 1.0) "cg_tracerchance" = "0.4", C, "How many bullets are seen flying." => tracer_chance: f32;
    number(0.0, 100.0) "cg_tracerwidth" = "1", C, "Half the width of their streaks." => tracer_width: f32;
    number(0.0, 1000.0) "cg_tracerlength" = "100", C, "The length of their streaks." => tracer_length: f32;
    switch "cg_muzzleflashStyle" = "1", A, "Weapons that fire show a flash; 0 leaves only its light." => draws_flashes: bool;
    number(-360.0, 360.0) "cg_cameraOrbit" = "0", C, "Degrees that the camera behind the player goes on around him, again and again." => camera_orbit_deg: f32;
    integer(1, 10_000) "cg_cameraOrbitDelay" = "50", A, "Milliseconds from one such step to the next." => camera_orbit_delay_msec: i32;
    switch "cg_debuganim" = "0", C, "Prints animations as they begin." => debug_anim: bool;
    switch "cg_debugposition" = "0", C, "Prints players that start over elsewhere." => debug_position: bool;
    switch "cg_debugevents" = "0", C, "Prints every event." => debug_events: bool;
    switch "cg_stats" = "0", 0, "Prints the number of every frame." => stats: bool;
    switch "cg_optimizePrediction" = "1", A, "Runs only usercmds again whose result may have changed; 0 runs all of them in every frame." => keeps_predicted: bool;
    switch "cg_thirdPerson" = "0", 0, "Looks from behind." => third_person: bool;
    number(0.0, 1000.0) "cg_thirdPersonRange" = "40", C, "How far behind." => third_person_range: f32;
    number(-360.0, 360.0) "cg_thirdPersonAngle" = "0", C, "From which side." => third_person_angle: f32;
    number(0.0, 60.0) "cg_centertime" = "3", C, "Seconds that text in the middle stays." => center_time_sec: f32;
    switch "cg_drawGhosts" = "0", 0, "Shows one's predicted, unpredicted and last known self at once." => draw_ghosts: bool;
    switch "cg_showShots" = "0", 0, "Marks own shots that missed: yellow where the target was shown, red where the server had it." => show_shots: bool;
    switch "cg_nopredict" = "0", 0, "Waits for the server instead of predicting one's own movement." => no_predict: bool;
    integer(0, 2) "cg_showmiss" = "0", 0, "Prints every prediction miss and looks for its cause, which takes time: 1 misses, 2 also the states." => show_miss: i32;
    integer(0, 500) "cg_errordecay" = "100", 0, "Milliseconds over which a prediction error is smoothed away." => error_decay_msec: f32;
    switch "cg_predictOthers" = "0", A, "Shows others where they should be by now, continued from their last known motion, instead of where they were." => predict_others: bool;
    integer(0, 500) "cg_smoothOthers" = "0", A, "Milliseconds over which others' jumps are smoothed away; hits follow the truth." => smooth_others_msec: f32;
    integer(0, 200) "cg_extrapolate" = "0", A, "Milliseconds that others go on when snapshots are missing." => extrapolate_others_msec: i32;
    integer(0, 3) "cg_obituaryOutput" = "1", A, "Where deaths are told: 0 nowhere, 1 among the messages, at the right in 2 words or 3 pictures." => obituary_output: i32;
    switch "cg_alwaysWeaponBar" = "0", A, "The owned weapons are always shown." => always_weapon_bar: bool;
    integer(0, 7) "cg_weaponBarStyle" = "0", A, "How: 0 a row, 1 with bars, 2 to 4 a column at the left, 5 to 7 a row of boxes." => weapon_bar_style: i32;
    integer(0, 1) "cg_levelTimerDirection" = "0", A, "The timer counts 0 up or 1 down." => timer_counts_down: bool;
    text "cg_forceTeamModel" = "", A, "Model that all team-mates wear while cg_forceModel is 1." => team_model: String;
    text "cg_forceEnemyModel" = "", A, "Model that all opponents wear while cg_forceModel is 1." => enemy_model: String;
    switch "cg_hitSound" = "1", A, "A sound for every hit." => hit_sound: bool;
    switch "cg_chatBeep" = "1", A, "A sound for chat." => chat_beep: bool;
    switch "cg_teamChatBeep" = "1", A, "A sound for team chat." => team_chat_beep: bool;
    text "clan" = "", A, "Clan tag, put beside the name.";
    switch "ui_clantagpos" = "1", A, "Where the clan tag is: 1 before the name, 0 behind it.";
    // For everybody
    number(0.0, 3.0) "cg_captions" = "0", A, "Size of the words for sounds that matter, with the side they come from; 0 shows none." => caption_size: f32;
    integer(0, 3) "cg_teamColors" = "0", A, "Colours of the teams: 0 red and blue, 1 orange and sky blue, 2 yellow and blue, 3 pink and green; other than 0 also tints players." => team_palette: i32;
    switch "cl_toggleCrouch" = "0", A, "One press of +movedown crouches, the next one ends it.";
    switch "cl_toggleWalk" = "0", A, "One press of +speed walks, the next one ends it.";
    switch "cl_toggleZoom" = "0", A, "One press of +zoom looks closer, the next one ends it.";
    switch "cl_toggleScores" = "0", A, "One press of +scores shows the scores, the next one hides them.";
    // Rules that the server tells
    switch "sv_cheats" = "0", R | SERVER, "The server allows cheats.";
    switch "g_synchronousClients" = "0", R | SERVER, "The server moves players in its own frames.";
    switch "pmove_fixed" = "0", R | SERVER, "Movement runs in steps of pmove_msec.";
    integer(1, 33) "pmove_msec" = "8", R | SERVER, "Length of these steps.";
    switch "pmove_float" = "0", R | SERVER, "OpenArena: positions are not rounded.";
    integer(1, 1000) "sv_fps" = "20", R | SERVER, "Server frames per second.";
    auto(0, 2) "vm_cgame" = "auto", A, "Who shows the game from the next level on: 0 Strafe itself, 1 or 2 the mod's own module, auto the module where Strafe does not know the game.";
    text "fs_game" = "", R | SERVER, "Game folder of the server.";
    // Demos
    switch "cl_autoRecordDemo" = "0", A, "Records every match.";
    text "nextdemo" = "", 0, "Command to run when a demo ends.";
    text "cl_timedemoLog" = "", A, "Name of a text with the milliseconds of every frame of a timedemo.";
    text "activeAction" = "", 0, "Command to run once, when the game is entered.";
    text "cl_downloadName" = "", R, "The pak that is being fetched.";
    text "cl_downloadSize" = "0", R, "Its size in bytes.";
    text "cl_downloadCount" = "0", R, "How much of it has come.";
    text "com_errorMessage" = "", R, "Why the last connection ended.";
    // Picture
    switch "r_fullscreen" = "0", A, "Fills the screen.";
    switch "r_noborder" = "0", A, "A window without a frame around it.";
    integer(-2, 11) "r_mode" = "-1", A, "The window's size: -1 is r_customwidth by r_customheight, -2 the desktop's, 0 to 11 are 320x240 to 856x480.";
    number(0.0, 100.0) "r_railCoreWidth" = "6", A, "How wide the railgun's ray is." => rail_core_width: f32;
    text "r_windowPosition" = "", A, "Where the window was, in pixels from the left and the top.";
    integer(64, 16384) "r_customwidth" = "1280", A, "Width of the window.";
    integer(64, 16384) "r_customheight" = "720", A, "Height of the window.";
    switch "r_swapInterval" = "0", A, "Waits for the display.";
    number(0.5, 3.0) "r_gamma" = "1", A, "Brightness curve.";
    integer(0, 16) "r_picmip" = "0", A, "Halves textures this many times.";
    integer(-10, 10) "r_lodbias" = "0", A, "Coarser models, by levels.";
    number(1.0, 64.0) "r_subdivisions" = "4", A, "How far curves may be off, in units.";
    integer(1, 16) "r_ext_max_anisotropy" = "4", A, "Sharper textures at flat angles.";
    switch "r_ext_texture_filter_anisotropic" = "1", A, "Uses r_ext_max_anisotropy.";
    integer(0, 8) "r_ext_multisample" = "0", A, "Samples per pixel.";
    switch "r_fastsky" = "0", A, "A black sky and no portals.";
    switch "r_dynamiclight" = "1", A, "Lights that move.";
    switch "r_flares" = "0", A, "Lamps dazzle who looks into them." => flares: bool;
    number(0.0, 320.0) "r_flareSize" = "40", A, "Half of a far flare's side, of 640." => flare_size: f32;
    number(0.1, 1000.0) "r_flareFade" = "7", A, "How much of a flare comes or goes in a second." => flare_fade: f32;
    number(0.1, 100000.0) "r_flareCoeff" = "150", A, "The larger, the farther flares reach." => flare_reach: f32;
    switch "r_vertexLight" = "0", A, "Lights the map by its corners alone, without lightmaps.";
    switch "r_skipBackEnd" = "0", 0, "Does everything for a frame but draw it, to measure the rest.";
    switch "r_speeds" = "0", 0, "Prints how much every frame draws.";
    // Sound
    switch "s_initSound" = "1", A, "Loads and plays sounds; the speaker opens at start or by snd_restart.";
    number(0.0, 1.0) "s_volume" = "0.8", A, "Loudness.";
    number(0.0, 1.0) "s_musicvolume" = "0.25", A, "Loudness of music.";
    switch "s_doppler" = "1", A, "Passing sounds change pitch.";
    switch "s_meter" = "0", A, "A column at the right edge that tells how loud the game is, from silence below to the most above.";
    switch "s_muteWhenMinimized" = "1", A, "Silence while the window or page cannot be seen.";
    switch "s_muteWhenUnfocused" = "1", A, "Silence while another window has the focus.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_defaults_fit() {
        let names: BTreeSet<String> = TABLE.iter().map(|d| d.name.to_ascii_lowercase()).collect();
        assert_eq!(names.len(), TABLE.len());
        for def in TABLE {
            let fits = match def.domain {
                Domain::Text => true,
                Domain::AutoOrInteger { .. } => def.default == "auto",
                Domain::Number { min, max } => def
                    .default
                    .parse::<f32>()
                    .is_ok_and(|n| (min..=max).contains(&n)),
                Domain::Integer { min, max } => def
                    .default
                    .parse::<i32>()
                    .is_ok_and(|n| (min..=max).contains(&n)),
            };
            assert!(fits, "{}", def.name);
            assert!(def.help.ends_with('.'), "{}", def.name);
        }
    }

    #[test]
    fn what_the_server_rules_cannot_be_set_by_hand() {
        let mut cvars = Cvars::new(TABLE);
        assert!(cvars.set("sv_cheats", "1").is_err());
        assert!(cvars.set("pmove_fixed", "1").is_err());
    }
}
