//! What the menus offer: each page as a table of rows, bound to cvars, commands and keys by name.

use RowDef::{Choice, Do, Heading, Key, Page, Range, Run, Setting};

/// One row of a page's table.
#[derive(Clone, Copy, Debug)]
pub enum RowDef {
    Heading(&'static str),
    /// Leads to another page, and is called as that is.
    Page(PageId),
    /// A label, and the console commands that it runs.
    Run(&'static str, &'static str),
    /// The same, with the menus left open.
    Do(&'static str, &'static str),
    /// A label and a cvar; what it can be is told by the cvar's table.
    Setting(&'static str, &'static str),
    /// The same between two values, in steps: narrower than what the cvar allows.
    Range(&'static str, &'static str, [f32; 3]),
    /// The same among values with names.
    Choice(
        &'static str,
        &'static str,
        &'static [(&'static str, &'static str)],
    ),
    /// A label, and the command that keys are chosen for.
    Key(&'static str, &'static str),
    /// A match on the chosen map, with the chosen rules.
    StartMatch,
    /// All maps that there are, for the match.
    Maps,
    /// The other players, to vote about.
    Players,
    /// The other players, to mute.
    Mutes,
    /// Goes to the typed address.
    Join,
    /// The servers that one was on last.
    Recent,
    /// The list of servers.
    Servers,
    /// One of them in full.
    ServerFacts,
    /// All demos that there are.
    Demos,
    /// The search, for those who do not type letters just so.
    Search,
}

macro_rules! pages {
    ($($id:ident $name:literal $title:literal = $rows:expr;)*) => {
        /// The pages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum PageId {
            $($id,)*
        }

        /// All of them.
        pub const ALL: &[PageId] = &[$(PageId::$id,)*];

        impl PageId {
            /// What stands above it.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$id => $title,)*
                }
            }

            /// What `menu NAME` calls it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$id => $name,)*
                }
            }

            /// Its rows.
            pub fn items(self) -> &'static [RowDef] {
                match self {
                    $(Self::$id => $rows,)*
                }
            }
        }
    };
}

pages! {
    Start "start" "Strafe" = &[
        Page(PageId::Play),
        Page(PageId::Demos),
        Page(PageId::Settings),
        Run("Netcode lab", "lab"),
        Run("Console", "toggleconsole"),
        Run("Quit", "quit"),
    ];
    Match "match" "In the match" = &[
        Run("Resume", ""),
        Page(PageId::Team),
        Page(PageId::Vote),
        Page(PageId::Mute),
        Page(PageId::Settings),
        Do("Copy a link to this server", "copylink"),
        Do("Keep this server, or forget it", "favourite"),
        Run("Netcode lab", "lab"),
        Run("Look at the connection", "inspector"),
        Run("Console", "toggleconsole"),
        Run("Leave the match", "disconnect"),
        Run("Quit", "quit"),
    ];
    Play "play" "Play" = &[
        Page(PageId::Practice),
        Page(PageId::Servers),
        Page(PageId::Join),
        Heading("Joined before"),
        RowDef::Recent,
    ];
    Servers "servers" "Servers" = &[
        Choice("From", "ui_browserMaster", SOURCES),
        Page(PageId::Filters),
        Do("Ask again", "refreshservers"),
        RowDef::Search,
        RowDef::Servers,
    ];
    Server "server" "Server" = &[RowDef::ServerFacts];
    Filters "filters" "Which servers" = &[
        Choice("Order", "ui_browserSortKey", &[
            ("4", "Ping"),
            ("2", "Players"),
            ("0", "Name"),
            ("1", "Map"),
            ("3", "Rules"),
            ("5", "Mod"),
        ]),
        Setting("Empty servers", "ui_browserShowEmpty"),
        Setting("Full servers", "ui_browserShowFull"),
        Setting("With a password", "menu_showPrivate"),
        Choice("Rules", "ui_browserGameType", &[
            ("0", "All"),
            ("1", "Free for all"),
            ("2", "Team deathmatch"),
            ("3", "Tournament"),
            ("4", "Capture the flag"),
        ]),
        Choice("Protocol", "menu_protocol", &[("0", "All"), ("68", "68"), ("71", "71")]),
        Setting("Mod", "menu_mod"),
        Range("Patience, ms", "cl_maxPing", [100.0, 2000.0, 100.0]),
        Setting("Friends", "menu_friends"),
        Heading("Masters"),
        Setting("First", "sv_master1"),
        Setting("Second", "sv_master2"),
        Setting("Third", "sv_master3"),
        Setting("Fourth", "sv_master4"),
        Setting("Fifth", "sv_master5"),
    ];
    Demos "demos" "Demos" = &[RowDef::Demos];
    Practice "practice" "Match against bots" = &[
        RowDef::StartMatch,
        Page(PageId::Maps),
        Choice("Game", "menu_gametype", &[
            ("0", "Free for all"),
            ("1", "Tournament"),
            ("3", "Team deathmatch"),
            ("4", "Capture the flag"),
        ]),
        Setting("Bots", "menu_bots"),
        Setting("Their skill", "menu_skill"),
        Range("Frags to win", "menu_fraglimit", [0.0, 100.0, 5.0]),
        Range("Minutes", "menu_timelimit", [0.0, 60.0, 5.0]),
    ];
    Maps "maps" "Map" = &[RowDef::Maps];
    Join "join" "Join a server" = &[
        Setting("Address", "menu_address"),
        Setting("Password", "password"),
        RowDef::Join,
        Run("The last server again", "reconnect"),
        Heading("Joined before"),
        RowDef::Recent,
    ];
    Team "team" "Team" = &[
        Run("Join the game", "team free"),
        Run("Join red", "team red"),
        Run("Join blue", "team blue"),
        Run("Watch", "team spectator"),
        Run("Watch the next player", "follownext"),
    ];
    Vote "vote" "Vote" = &[
        Run("Yes", "vote yes"),
        Run("No", "vote no"),
        Heading("Call a vote"),
        Run("Begin the map again", "callvote map_restart"),
        Run("Next map", "callvote nextmap"),
        Heading("Put a player out"),
        RowDef::Players,
    ];
    Mute "mute" "Mute" = &[RowDef::Mutes];
    Settings "settings" "Settings" = &[
        RowDef::Search,
        Page(PageId::Player),
        Page(PageId::Controls),
        Page(PageId::Keys),
        Page(PageId::Pad),
        Page(PageId::View),
        Page(PageId::Graphics),
        Page(PageId::Sound),
        Page(PageId::Hud),
        Page(PageId::Crosshair),
        Page(PageId::Network),
        Page(PageId::Accessibility),
        Page(PageId::Touch),
        Page(PageId::Welcome),
    ];
    Welcome "welcome" "Welcome" = &[
        Setting("Name", "name"),
        Heading("Mouse"),
        Choice("A sensitivity from", "menu_fromGame", &[
            ("0", "Quake"),
            ("1", "CS, Apex"),
            ("2", "Valorant"),
            ("3", "Overwatch"),
            ("4", "Call of Duty"),
            ("5", "Rainbow Six"),
            ("6", "Fortnite"),
        ]),
        Setting("Its number there", "menu_fromSensitivity"),
        Do("Take it over", "takesensitivity"),
        Range("Sensitivity here", "sensitivity", [0.5, 20.0, 0.1]),
        Heading("View"),
        Range("Field of view", "cg_fov", [60.0, 140.0, 1.0]),
        Choice("Weapon in hand", "cg_drawGun", HANDS),
        Heading("Go on"),
        Do("Take the settings of Quake III or OpenArena", "exec q3config.cfg"),
        Run("Play against bots", "skirmish"),
        Run("All menus", "menu start"),
    ];
    Player "player" "Player" = &[
        Setting("Name", "name"),
        Setting("Clan", "clan"),
        Setting("Model", "model"),
        Setting("Head", "headmodel"),
        Setting("Team model", "team_model"),
        Setting("Team head", "team_headmodel"),
        Choice("Rail core", "color1", COLORS),
        Choice("Rail spiral", "color2", COLORS),
        Range("Handicap", "handicap", [5.0, 100.0, 5.0]),
        Page(PageId::CdKey),
    ];
    CdKey "cdkey" "Key of Quake III" = &[
        Setting("Key", "cl_cdkey"),
        Setting("Authorize server", "cl_authorizeServer"),
        Run("The last server again", "reconnect"),
    ];
    Controls "controls" "Mouse and motion" = &[
        Range("Mouse sensitivity", "sensitivity", [0.5, 20.0, 0.1]),
        Choice("Up and down", "m_pitch", &[("0.022", "Normal"), ("-0.022", "Inverted")]),
        Range("Acceleration", "cl_mouseAccel", [0.0, 2.0, 0.05]),
        Choice("Its curve", "cl_mouseAccelStyle", &[("0", "Straight"), ("1", "Power")]),
        Range("From this speed on", "cl_mouseAccelOffset", [0.5, 50.0, 0.5]),
        Setting("Take the mouse", "in_mouse"),
        Setting("Smooth the mouse", "m_filter"),
        Setting("Look with the mouse", "cl_freelook"),
        Range("Zoomed sensitivity", "cg_zoomSensitivity", [0.1, 2.0, 0.05]),
        Setting("Always run", "cl_run"),
        Setting("Take picked-up weapons", "cg_autoswitch"),
        Setting("Change when empty", "cg_switchonempty"),
    ];
    Keys "keys" "Keys" = &[
        Heading("Move"),
        Key("Forward", "+forward"),
        Key("Back", "+back"),
        Key("Left", "+moveleft"),
        Key("Right", "+moveright"),
        Key("Jump", "+moveup"),
        Key("Crouch", "+movedown"),
        Key("Walk", "+speed"),
        Heading("Fight"),
        Key("Fire", "+attack"),
        Key("Zoom", "+zoom"),
        Key("Next weapon", "weapnext"),
        Key("Weapon before", "weapprev"),
        Key("Gauntlet", "weapon 1"),
        Key("Machinegun", "weapon 2"),
        Key("Shotgun", "weapon 3"),
        Key("Grenade launcher", "weapon 4"),
        Key("Rocket launcher", "weapon 5"),
        Key("Lightning gun", "weapon 6"),
        Key("Railgun", "weapon 7"),
        Key("Plasma gun", "weapon 8"),
        Key("BFG", "weapon 9"),
        Key("Use item", "+button2"),
        Key("Gesture", "+button3"),
        Heading("Talk and look"),
        Key("Scores", "+scores"),
        Key("Chat", "messagemode"),
        Key("Team chat", "messagemode2"),
        Key("Vote yes", "vote yes"),
        Key("Vote no", "vote no"),
        Key("Screenshot", "screenshotJPEG"),
        Key("Prediction on and off", "toggle cg_nopredict"),
    ];
    Pad "pad" "Gamepad" = &[
        Setting("Use gamepads", "in_joystick"),
        Do("The usual keys", "bindpad"),
        Range("Turn speed", "j_yaw", [-0.06, 0.06, 0.002]),
        Range("Look speed", "j_pitch", [-0.06, 0.06, 0.002]),
        Range("Walk", "j_forward", [-0.5, 0.5, 0.05]),
        Range("Sidestep", "j_side", [-0.5, 0.5, 0.05]),
        Range("Curve", "joy_curve", [1.0, 4.0, 0.25]),
        Range("Dead zone", "joy_threshold", [0.05, 0.5, 0.05]),
        Setting("Sticks are analog", "in_joystickUseAnalog"),
        Setting("Which pad", "in_joystickNo"),
    ];
    View "view" "View" = &[
        Range("Field of view", "cg_fov", [60.0, 140.0, 1.0]),
        Range("Zoomed field of view", "cg_zoomfov", [10.0, 80.0, 2.5]),
        Choice("Weapon in hand", "cg_drawGun", HANDS),
        Setting("Wider on wide screens", "cg_fovAspect"),
        Range("Size of the view", "cg_viewsize", [30.0, 100.0, 5.0]),
        Setting("Weapon forward", "cg_gunX"),
        Setting("Weapon to the left", "cg_gunY"),
        Setting("Weapon up", "cg_gunZ"),
        Setting("From behind", "cg_thirdPerson"),
        Setting("Items as pictures", "cg_simpleItems"),
        Setting("All wear my model", "cg_forceModel"),
        Choice("Bright players", "cg_brightSkins", &[
            ("0", "None"),
            ("1", "Opponents"),
            ("2", "All others"),
        ]),
        Setting("Marks on walls", "cg_marks"),
        Setting("Bodies burst", "cg_gibs"),
        Setting("Blood", "com_blood"),
        Range("Shells lie about, ms", "cg_brassTime", [0.0, 10000.0, 500.0]),
    ];
    Graphics "graphics" "Graphics" = &[
        Heading("All at once"),
        Do("Fast", "r_picmip 2; r_ext_multisample 0; r_ext_max_anisotropy 1; r_subdivisions 12; cg_shadows 0; r_dynamiclight 0; r_flares 0; cg_marks 0; cg_brassTime 0; vid_restart"),
        Do("Even", "r_picmip 0; r_ext_multisample 0; r_ext_max_anisotropy 4; r_subdivisions 4; cg_shadows 1; r_dynamiclight 1; r_flares 0; cg_marks 1; cg_brassTime 2500; vid_restart"),
        Do("Beautiful", "r_picmip 0; r_ext_multisample 4; r_ext_max_anisotropy 16; r_subdivisions 1; cg_shadows 1; r_dynamiclight 1; r_flares 1; cg_marks 1; cg_brassTime 5000; vid_restart"),
        Heading("Each by itself"),
        Setting("Fill the screen", "r_fullscreen"),
        Choice("Window", "r_mode", &[
            ("-1", "Own size"),
            ("-2", "As the desktop"),
            ("3", "640x480"),
            ("4", "800x600"),
            ("6", "1024x768"),
            ("8", "1280x1024"),
            ("9", "1600x1200"),
        ]),
        Setting("Own width", "r_customwidth"),
        Setting("Own height", "r_customheight"),
        Setting("Without a frame", "r_noborder"),
        Setting("Wait for the display", "r_swapInterval"),
        Range("Frames per second", "com_maxfps", [30.0, 1000.0, 5.0]),
        Range("Brightness", "r_gamma", [0.5, 3.0, 0.1]),
        Choice("Texture detail", "r_picmip", &[
            ("0", "Full"),
            ("1", "Half"),
            ("2", "Quarter"),
            ("3", "Coarse"),
        ]),
        Choice("Edges", "r_ext_multisample", &[("0", "Plain"), ("4", "Smooth")]),
        Choice("Textures at flat angles", "r_ext_max_anisotropy", &[
            ("1", "Plain"),
            ("2", "2x"),
            ("4", "4x"),
            ("8", "8x"),
            ("16", "16x"),
        ]),
        Range("Coarseness of curves", "r_subdivisions", [1.0, 20.0, 1.0]),
        Choice("Shadows", "cg_shadows", &[
            ("0", "None"),
            ("1", "Blobs"),
            ("2", "Outlines"),
            ("3", "Flat"),
        ]),
        Setting("Moving lights", "r_dynamiclight"),
        Setting("Flares", "r_flares"),
        Setting("Black sky", "r_fastsky"),
        Setting("Light corners only", "r_vertexLight"),
        Run("Open the graphics anew", "vid_restart"),
    ];
    Sound "sound" "Sound" = &[
        Range("Loudness", "s_volume", [0.0, 1.0, 0.05]),
        Range("Music", "s_musicvolume", [0.0, 1.0, 0.05]),
        Setting("Level meter in the match", "s_meter"),
        Setting("Passing sounds change pitch", "s_doppler"),
        Setting("Sound for hits", "cg_hitSound"),
        Setting("Sound for chat", "cg_chatBeep"),
        Setting("Sound for team chat", "cg_teamChatBeep"),
        Setting("No taunts", "cg_noTaunt"),
        Setting("Silent in the background", "s_muteWhenUnfocused"),
        Setting("Silent while hidden", "s_muteWhenMinimized"),
    ];
    Hud "hud" "Display" = &[
        Setting("Everything over the view", "cg_draw2D"),
        Setting("Health and ammunition", "cg_drawStatus"),
        Setting("Models in the status bar", "cg_draw3dIcons"),
        Setting("Pictures beside numbers", "cg_drawIcons"),
        Setting("Time", "cg_drawTimer"),
        Setting("Time counts down", "cg_levelTimerDirection"),
        Setting("Who killed whom", "cg_obituaryOutput"),
        Setting("Chat of the team only", "cg_teamChatsOnly"),
        Setting("Frames per second", "cg_drawFPS"),
        Setting("Speed", "cg_drawSpeed"),
        Setting("Ping", "cg_drawPing"),
        Setting("Lagometer", "cg_lagometer"),
        Setting("Ammunition warning", "cg_drawAmmoWarning"),
        Setting("Who hit last", "cg_drawAttacker"),
        Setting("Medals", "cg_drawRewards"),
        Setting("Marks over team-mates", "cg_drawFriend"),
        Setting("Team-mates", "cg_drawTeamOverlay"),
        Setting("Weapons always shown", "cg_alwaysWeaponBar"),
        Setting("Style of the weapons", "cg_weaponBarStyle"),
        Setting("Points where they are made", "cg_scorePlums"),
        Range("Messages stay, s", "con_notifytime", [0.0, 20.0, 1.0]),
        Setting("Lines of messages", "con_notifylines"),
    ];
    Crosshair "crosshair" "Crosshair" = &[
        Range("Shape", "cg_drawCrosshair", [0.0, 10.0, 1.0]),
        Range("Size", "cg_crosshairSize", [4.0, 96.0, 2.0]),
        Setting("Colour tells health", "cg_crosshairHealth"),
        Choice("Colour", "cg_crosshairColor", COLORS_AND_BLACK),
        Setting("Grows with a find", "cg_crosshairPulse"),
        Setting("Names under it", "cg_drawCrosshairNames"),
        Setting("Faces with the names", "cg_drawCrosshairFace"),
        Setting("One for each weapon", "cg_differentCrosshairs"),
    ];
    Network "network" "Network" = &[
        Setting("Without prediction", "cg_nopredict"),
        Range("Others later, ms", "cl_timeNudge", [-30.0, 30.0, 1.0]),
        Setting("Usercmds repeated", "cl_packetdup"),
        Range("Packets per second", "cl_maxpackets", [15.0, 125.0, 5.0]),
        Range("Snapshots per second", "snaps", [10.0, 125.0, 5.0]),
        Range("Bytes per second", "rate", [3000.0, 90000.0, 1000.0]),
        Setting("Predict others", "cg_predictOthers"),
        Setting("Guess where others go", "cg_extrapolate"),
        Setting("Choose that delay by itself", "cl_autoNudge"),
        Range("Give up after, s", "cl_timeout", [10.0, 200.0, 10.0]),
        Setting("Take items at once", "cg_predictItems"),
        Range("Smooth others, ms", "cg_smoothOthers", [0.0, 300.0, 10.0]),
        Range("Smooth own errors, ms", "cg_errordecay", [0.0, 500.0, 10.0]),
        Setting("Fetch missing paks", "cl_allowDownload"),
        Heading("See it"),
        Setting("Lagometer", "cg_lagometer"),
        Setting("Ghosts", "cg_drawGhosts"),
        Setting("Why shots missed", "cg_showShots"),
        Setting("Report misses", "cg_showmiss"),
        Setting("Keep a journal of each run", "journal"),
        Do("Keep this run's journal now", "savejournal"),
        Do("Something was wrong: keep a report", "report"),
        Heading("A bad line"),
        Range("Delay, ms each way", "net_delay", [0.0, 500.0, 10.0]),
        Range("Jitter, ms", "net_jitter", [0.0, 100.0, 5.0]),
        Range("Loss, percent", "net_loss", [0.0, 50.0, 1.0]),
        Range("Out of order, percent", "net_reorder", [0.0, 50.0, 1.0]),
        Range("Twice, percent", "net_duplicate", [0.0, 50.0, 1.0]),
    ];
    Touch "touch" "Touch" = &[
        Range("Turn by a thumb", "touch_look", [40.0, 600.0, 10.0]),
        Range("Turn the device", "touch_gyro", [0.0, 4.0, 0.1]),
        Range("Strength of the buttons", "touch_opacity", [0.0, 1.0, 0.05]),
        Range("Size of the stick", "touch_stick", [8.0, 60.0, 2.0]),
        Heading("Place and size of each"),
        Setting("Fire", "touch_fire"),
        Setting("Jump", "touch_jump"),
        Setting("Crouch", "touch_crouch"),
        Setting("Zoom", "touch_zoom"),
        Setting("Weapon before", "touch_prev"),
        Setting("Next weapon", "touch_next"),
        Setting("Scores", "touch_scores"),
        Setting("Chat", "touch_chat"),
        Setting("Menu", "touch_menu"),
    ];
    Accessibility "accessibility" "Accessibility" = &[
        Heading("See"),
        Range("Size of the menus", "menu_scale", [0.75, 2.0, 0.25]),
        Setting("High contrast", "menu_contrast"),
        Setting("Print the chosen row", "menu_print"),
        Range("Size of the console", "con_scale", [0.5, 4.0, 0.25]),
        Choice("Colours of the teams", "cg_teamColors", &[
            ("0", "Red and blue"),
            ("1", "Orange and sky blue"),
            ("2", "Yellow and blue"),
            ("3", "Pink and green"),
        ]),
        Heading("Hear"),
        Range("Captions of sounds", "cg_captions", [0.0, 3.0, 0.5]),
        Heading("Press"),
        Choice("Crouch", "cl_toggleCrouch", PRESSES),
        Choice("Walk", "cl_toggleWalk", PRESSES),
        Choice("Zoom", "cl_toggleZoom", PRESSES),
        Choice("Scores", "cl_toggleScores", PRESSES),
        Setting("Lines are chat", "con_autochat"),
        Heading("Calm"),
        Range("Hits shake the view", "cg_kickScale", [0.0, 1.0, 0.1]),
        Choice("Walking moves the view", "cg_bob", &[("1", "Yes"), ("0", "No")]),
        Setting("Flashes of weapons", "cg_muzzleflashStyle"),
    ];
}

const PRESSES: &[(&str, &str)] = &[("0", "While held"), ("1", "On and off")];

const HANDS: &[(&str, &str)] = &[
    ("1", "Right"),
    ("2", "Left"),
    ("3", "Centre"),
    ("4", "Right, still"),
    ("0", "Hidden"),
];

const SOURCES: &[(&str, &str)] = &[
    ("1", "Internet"),
    ("0", "Own network"),
    ("7", "Favourites"),
    ("8", "Joined before"),
    ("9", "Where friends play"),
    ("2", "First master"),
    ("3", "Second master"),
    ("4", "Third master"),
    ("5", "Fourth master"),
    ("6", "Fifth master"),
];

/// Rails are not black.
const COLORS: &[(&str, &str)] = COLORS_AND_BLACK.split_at(7).0;

const COLORS_AND_BLACK: &[(&str, &str)] = &[
    ("1", "Red"),
    ("2", "Green"),
    ("3", "Yellow"),
    ("4", "Blue"),
    ("5", "Cyan"),
    ("6", "Magenta"),
    ("7", "White"),
    ("0", "Black"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::con::{cvar::Cvars, cvars};

    #[test]
    fn each_row_names_a_cvar_that_takes_its_values() {
        let mut all = Cvars::new(cvars::TABLE);
        for &page in ALL {
            for item in page.items() {
                match *item {
                    RowDef::Setting(_, name) => assert!(all.get(name).is_some(), "{name}"),
                    RowDef::Range(_, name, [min, max, step]) => {
                        assert!(min < max && step > 0.0, "{name}");
                        for value in [min, max] {
                            all.set(name, &value.to_string()).expect(name);
                            assert_eq!(all.number(name), value, "{name}");
                        }
                    }
                    RowDef::Choice(_, name, choices) => {
                        for (value, _) in choices {
                            all.set(name, value).expect(name);
                            assert_eq!(all.text(name), *value, "{name}");
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn each_page_is_reached_from_another() {
        for &page in ALL {
            let is_reached = ALL.iter().any(|other| {
                (other.items().iter()).any(|item| matches!(item, RowDef::Page(to) if *to == page))
            });
            // The server's page is reached from its row.
            let is_first = matches!(page, PageId::Start | PageId::Match | PageId::Server);
            assert!(is_reached || is_first, "{}", page.name());
        }
    }
}
