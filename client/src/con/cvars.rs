//! The table of all cvars, a sentence each.

use super::cvar::{
    CvarDef, Domain,
    flag::{ARCHIVE as A, CHEAT as C, INIT as I, LATCH as L, READ_ONLY as R, SECRET, SERVER, USERINFO as U},
};

const fn text(name: &'static str, default: &'static str, flags: u16, help: &'static str) -> CvarDef {
    CvarDef { name, default, flags, domain: Domain::Text, help }
}

const fn number(
    name: &'static str,
    default: &'static str,
    (min, max): (f32, f32),
    flags: u16,
    help: &'static str,
) -> CvarDef {
    CvarDef { name, default, flags, domain: Domain::Number { min, max }, help }
}

const fn integer(
    name: &'static str,
    default: &'static str,
    (min, max): (i32, i32),
    flags: u16,
    help: &'static str,
) -> CvarDef {
    CvarDef { name, default, flags, domain: Domain::Integer { min, max }, help }
}

const fn switch(name: &'static str, default: &'static str, flags: u16, help: &'static str) -> CvarDef {
    integer(name, default, (0, 1), flags, help)
}

/// Every cvar of the program. Names and defaults are those that players' configs know.
pub const TABLE: &[CvarDef] = &[
    // Time and network
    integer("com_maxfps", "125", (0, 1000), A, "Frames per second at most; 0 is no limit."),
    integer("com_maxfpsUnfocused", "60", (0, 1000), A, "The same while another window has the focus."),
    integer("com_maxfpsMinimized", "20", (0, 1000), A, "The same while minimised."),
    number("timescale", "1", (0.0, 100.0), C, "Speed of the game's clock, for demos."),
    integer("fixedtime", "0", (0, 5000), C, "Milliseconds that every frame takes, whatever the clock says; 0 is off."),
    switch("timedemo", "0", 0, "Plays demos as fast as frames can be drawn, 50 ms apart, and reports."),
    integer("cl_timeNudge", "0", (-30, 30), 0, "Shows others this many milliseconds later (or, negative, earlier)."),
    integer("cl_maxpackets", "125", (15, 125), A, "Packets per second to the server at most."),
    integer("cl_packetdup", "1", (0, 5), A, "How many packets repeat each usercmd, against loss."),
    switch("cl_lanForcePackets", "1", A, "Ignores cl_maxpackets on a LAN."),
    integer("cl_commandRate", "0", (0, 500), A, "Usercmds per second, whatever the display does; 0 is one per frame."),
    integer("cl_timeout", "200", (5, 3600), 0, "Seconds of silence after which the connection is given up."),
    switch("cl_nodelta", "0", 0, "Asks for complete snapshots only."),
    integer("cl_shownet", "0", (-2, 4), 0, "Prints what server messages hold: 1 sizes, 2 sections and fields, 3 entities, 4 arrays."),
    switch("cl_showSend", "0", 0, "Prints what goes to the server."),
    switch("cl_showTimeDelta", "0", 0, "Prints every correction of the server clock."),
    switch("cl_freezeDemo", "0", 0, "Holds a demo still."),
    switch("showpackets", "0", 0, "Prints every datagram."),
    switch("showdrop", "0", 0, "Prints dropped and out-of-order datagrams."),
    integer("net_delay", "0", (0, 2000), 0, "Adds this many milliseconds to each way, to try a bad line."),
    integer("net_jitter", "0", (0, 1000), 0, "Varies net_delay by up to this many milliseconds."),
    number("net_loss", "0", (0.0, 100.0), 0, "Loses this many percent of the datagrams, each way."),
    number("net_reorder", "0", (0.0, 100.0), 0, "Delivers this many percent of the datagrams late, each way."),
    number("net_duplicate", "0", (0.0, 100.0), 0, "Delivers this many percent of the datagrams twice, each way."),
    integer("net_seed", "1", (0, i32::MAX), 0, "The dice of net_jitter, net_loss and friends: same seed, same line."),
    text("net_delayUp", "", 0, "net_delay towards the server, where it shall differ."),
    text("net_lossUp", "", 0, "net_loss towards the server, where it shall differ."),
    integer("net_qport", "0", (0, 65535), I, "Number that tells clients behind one address apart; 0 chooses one."),
    integer("rate", "25000", (1000, 90000), A | U, "Bytes per second that the server may send."),
    integer("snaps", "40", (1, 125), A | U, "Snapshots per second that the server should send."),
    integer("protocol", "0", (0, 100), 0, "Protocol to connect with; 0 asks the server."),
    text("rconPassword", "", SECRET, "Password for rcon."),
    text("rconAddress", "", 0, "Server that rcon speaks to while not connected."),
    integer("cl_allowDownload", "1", (0, 15), A, "Fetches missing paks: 1 yes, 2 not by HTTP, 4 not in the protocol."),
    text("cl_currentServerAddress", "", R, "The server one is on."),
    // Who one is
    text("name", "UnnamedPlayer", A | U, "The name others see."),
    text("model", "sarge", A | U, "Player model, and skin after a slash."),
    text("headmodel", "sarge", A | U, "Head model, and skin after a slash."),
    text("team_model", "sarge", A | U, "Player model in team games."),
    text("team_headmodel", "sarge", A | U, "Head model in team games."),
    integer("color1", "4", (0, 9), A | U, "Colour of the rail's core."),
    integer("color2", "5", (0, 9), A | U, "Colour of the rail's spiral."),
    integer("handicap", "100", (1, 100), A | U, "Percent of health and damage to play with."),
    text("sex", "male", A | U, "male, female or neuter."),
    integer("teamtask", "0", (0, 7), U, "What one does for the team: 1 offence, 2 defence."),
    text("password", "", U | SECRET, "Password of a private server."),
    switch("cl_anonymous", "0", A | U, "Asks not to be listed by name."),
    text("cl_guid", "", U | R, "Who one is to the server, without saying who."),
    switch("cl_guidServerUniq", "1", A, "A different cl_guid for every server."),
    switch("cg_predictItems", "1", A | U, "Picks items up at once instead of after the server's word."),
    switch("teamoverlay", "0", U | R, "Follows cg_drawTeamOverlay."),
    switch("cg_scorePlums", "1", A | U, "Shows points where they were made."),
    switch("cg_smoothClients", "0", A | U, "Lets the server smooth others' motion."),
    integer("cg_delag", "1", (0, 127), A | U, "Lets the server aim back in time for one's shots: 1 all, else bits by weapon."),
    integer("cg_cmdTimeNudge", "0", (0, 999), A | U, "Milliseconds added to that."),
    // Input
    number("sensitivity", "5", (0.0001, 1000.0), A, "Degrees per mouse count, times m_yaw."),
    number("cl_mouseAccel", "0", (0.0, 100.0), A, "How much faster a faster mouse turns."),
    switch("cl_mouseAccelStyle", "0", A, "0 the old curve, 1 a power curve above cl_mouseAccelOffset."),
    number("cl_mouseAccelOffset", "5", (0.001, 50000.0), A, "Where the power curve begins."),
    number("m_pitch", "0.022", (-10.0, 10.0), A, "Up and down per count; negative inverts."),
    number("m_yaw", "0.022", (-10.0, 10.0), A, "Left and right per count."),
    number("m_forward", "0.25", (-10.0, 10.0), A, "Walking by mouse, without cl_freelook."),
    number("m_side", "0.25", (-10.0, 10.0), A, "Sidestepping by mouse, while +strafe."),
    switch("m_filter", "0", A, "Averages two frames of mouse motion."),
    switch("cl_freelook", "1", A, "The mouse looks up and down."),
    switch("cl_run", "1", A, "Runs unless +speed is held."),
    number("cl_yawspeed", "140", (0.0, 10000.0), A, "Degrees per second of +left and +right."),
    number("cl_pitchspeed", "140", (0.0, 10000.0), A, "Degrees per second of +lookup and +lookdown."),
    number("cl_anglespeedkey", "1.5", (0.0, 100.0), 0, "How much faster +speed turns."),
    switch("in_mouse", "1", A, "Takes the mouse."),
    switch("in_joystick", "1", A, "Takes gamepads."),
    number("joy_threshold", "0.15", (0.0, 1.0), A, "How far a stick must move to count."),
    number("j_pitch", "0.022", (-10.0, 10.0), A, "Looking by stick: up and down."),
    number("j_yaw", "-0.022", (-10.0, 10.0), A, "Looking by stick: left and right."),
    number("j_forward", "-0.25", (-10.0, 10.0), A, "Walking by stick."),
    number("j_side", "0.25", (-10.0, 10.0), A, "Sidestepping by stick."),
    number("j_up", "0", (-10.0, 10.0), A, "Swimming up by stick."),
    integer("j_pitch_axis", "3", (0, 15), A, "Which axis looks up and down."),
    integer("j_yaw_axis", "2", (0, 15), A, "Which axis looks left and right."),
    integer("j_forward_axis", "1", (0, 15), A, "Which axis walks."),
    integer("j_side_axis", "0", (0, 15), A, "Which axis sidesteps."),
    integer("j_up_axis", "4", (0, 15), A, "Which axis swims up."),
    text("cl_consoleKeys", "~ ` 0x7e 0x60", A, "Keys that open the console."),
    // Console
    number("con_notifytime", "3", (0.0, 60.0), A, "Seconds that new lines stay at the top of the screen."),
    integer("con_notifylines", "3", (0, 16), A, "How many of them."),
    number("con_scale", "1", (0.5, 4.0), A, "Size of the console's letters."),
    switch("con_autoclear", "1", A, "Forgets a half-typed line when the console closes."),
    switch("con_autochat", "1", A, "Console lines without a slash are chat."),
    number("scr_conspeed", "3", (0.1, 100.0), A, "Screen heights per second at which the console slides."),
    switch("cl_noprint", "0", 0, "Prints nothing at all."),
    integer("developer", "0", (0, 2), 0, "Prints what only developers want to know."),
    // The game
    number("cg_fov", "90", (1.0, 160.0), A, "Width of the view in degrees, on a 4:3 screen."),
    number("cg_zoomfov", "22.5", (1.0, 160.0), A, "The same while +zoom is held."),
    switch("cg_fovAspect", "1", A, "Keeps the height of the view and widens it on wide screens."),
    number("cg_zoomSensitivity", "1", (0.0, 10.0), A, "Further factor for the mouse while zoomed."),
    integer("cg_viewsize", "100", (30, 100), A, "Percent of the screen that the view fills."),
    integer("cg_drawGun", "1", (0, 3), A, "The weapon in view: 0 none, 1 right, 2 left, 3 centred."),
    number("cg_gunX", "0", (-100.0, 100.0), C, "Moves the weapon forward."),
    number("cg_gunY", "0", (-100.0, 100.0), C, "Moves the weapon to the left."),
    number("cg_gunZ", "0", (-100.0, 100.0), C, "Moves the weapon up."),
    integer("cg_autoswitch", "1", (0, 4), A, "Takes a picked-up weapon: 1 always, 2 if new, 3 if better, 4 new and better."),
    text("cg_weaponOrder", "/1/2/4/3/6/7/8/5/9/", A, "Weapons from worst to best, for cg_autoswitch."),
    switch("cg_switchonempty", "1", A, "Takes another weapon when the ammunition is out."),
    switch("cg_draw2D", "1", A, "Everything flat over the view."),
    switch("cg_drawStatus", "1", A, "Health, armour and ammunition."),
    switch("cg_drawTimer", "0", A, "Time since the match began."),
    switch("cg_drawFPS", "0", A, "Frames per second."),
    integer("cg_drawSpeed", "0", (0, 2), A, "Speed in units per second: 1 in the corner, 2 in the middle."),
    switch("cg_drawPing", "0", A, "Ping in milliseconds."),
    switch("cg_drawSnapshot", "0", A, "Time and number of the snapshot."),
    integer("cg_drawCrosshair", "4", (0, 99), A, "Which crosshair; 0 is none."),
    switch("cg_drawCrosshairNames", "1", A, "The name of the player under the crosshair."),
    switch("cg_crosshairHealth", "1", A, "The crosshair's colour tells health."),
    number("cg_crosshairSize", "24", (1.0, 200.0), A, "Size of the crosshair."),
    number("cg_crosshairX", "0", (-320.0, 320.0), A, "Moves it to the right."),
    number("cg_crosshairY", "0", (-240.0, 240.0), A, "Moves it down."),
    switch("cg_crosshairPulse", "1", A, "Lets it grow when something is picked up."),
    integer("cg_crosshairColor", "7", (0, 9), A, "Its colour, if it does not tell health."),
    switch("cg_lagometer", "1", A, "The picture of the connection."),
    switch("cg_drawAmmoWarning", "1", A, "Warns when ammunition runs low."),
    switch("cg_drawAttacker", "1", A, "Shows who hit last."),
    switch("cg_drawIcons", "1", A, "Pictures in the status bar."),
    switch("cg_draw3dIcons", "1", A, "Models instead of pictures there."),
    switch("cg_drawRewards", "1", A, "Medals."),
    switch("cg_drawFriend", "1", A, "A mark over team-mates."),
    integer("cg_drawTeamOverlay", "0", (0, 3), A, "Team-mates' state: 1 top right, 2 bottom right, 3 bottom left."),
    integer("cg_teamChatTime", "3000", (0, 60000), A, "Milliseconds that team chat stays."),
    integer("cg_teamChatHeight", "0", (0, 8), A, "Lines of team chat."),
    switch("cg_teamChatsOnly", "0", A, "Drops chat to all in team games."),
    switch("cg_forceModel", "0", A, "All players wear one's own model."),
    switch("cg_simpleItems", "0", A, "Items as pictures."),
    switch("cg_marks", "1", A, "Holes and burns on walls."),
    integer("cg_brassTime", "2500", (0, 60000), A, "Milliseconds that shells lie about."),
    switch("cg_gibs", "1", A, "Bodies can burst."),
    switch("com_blood", "1", A, "Blood."),
    integer("cg_shadows", "1", (0, 3), A, "Shadows of players: 0 none, 1 blobs."),
    integer("cg_railTrailTime", "400", (0, 10000), A, "Milliseconds that a rail stays."),
    switch("cg_oldRail", "1", A, "A rail without spiral."),
    switch("cg_oldRocket", "1", A, "The first rocket explosion."),
    switch("cg_oldPlasma", "1", A, "Plasma without sparks."),
    switch("cg_noProjectileTrail", "0", A, "Missiles without smoke."),
    number("cg_trueLightning", "0", (0.0, 1.0), A, "How far one's own lightning follows the aim at once."),
    integer("cg_projectileNudge", "0", (0, 200), A, "Shows missiles this many milliseconds ahead."),
    number("cg_runpitch", "0.002", (-1.0, 1.0), A, "How far running tilts the view forward."),
    number("cg_runroll", "0.005", (-1.0, 1.0), A, "How far running tilts the view to the side."),
    number("cg_bobpitch", "0.002", (-1.0, 1.0), A, "How far steps rock the view."),
    number("cg_bobroll", "0.002", (-1.0, 1.0), A, "How far steps roll the view."),
    number("cg_bobup", "0.005", (-1.0, 1.0), C, "How far steps lift the view."),
    integer("cg_bob", "1", (0, 6), A, "Which of these: 0 none, 1 all, 2 pitch, 3 roll, 4 height."),
    number("cg_kickScale", "1", (0.0, 1.0), A, "How much a hit shakes the view."),
    switch("cg_footsteps", "1", C, "Sounds of steps."),
    number("cg_swingSpeed", "0.3", (0.0, 10.0), C, "How fast bodies turn after their heads."),
    switch("cg_thirdPerson", "0", 0, "Looks from behind."),
    number("cg_thirdPersonRange", "40", (0.0, 1000.0), C, "How far behind."),
    number("cg_thirdPersonAngle", "0", (-360.0, 360.0), C, "From which side."),
    number("cg_centertime", "3", (0.0, 60.0), C, "Seconds that text in the middle stays."),
    switch("cg_drawGhosts", "0", 0, "Shows one's predicted, unpredicted and last known self at once."),
    switch("cg_nopredict", "0", 0, "Waits for the server instead of predicting one's own movement."),
    integer("cg_showmiss", "0", (0, 2), 0, "Prints every prediction miss: 1 misses, 2 also the times."),
    integer("cg_errordecay", "100", (0, 500), 0, "Milliseconds over which a prediction error is smoothed away."),
    integer("cg_smoothOthers", "0", (0, 500), A, "Milliseconds over which others' jumps are smoothed away; hits follow the truth."),
    integer("cg_extrapolate", "0", (0, 200), A, "Milliseconds that others go on when snapshots are missing."),
    integer("cg_obituaryOutput", "3", (0, 4), A, "Where deaths are told."),
    integer("cg_levelTimerDirection", "0", (0, 1), A, "The timer counts 0 up or 1 down."),
    text("cg_forceTeamModel", "", A, "Model that all team-mates wear."),
    text("cg_forceEnemyModel", "", A, "Model that all opponents wear."),
    switch("cg_hitSound", "1", A, "A sound for every hit."),
    switch("cg_chatBeep", "1", A, "A sound for chat."),
    switch("cg_teamChatBeep", "1", A, "A sound for team chat."),
    text("clan", "", A, "Clan tag, put before the name."),
    // Rules that the server tells
    switch("sv_cheats", "0", R | SERVER, "The server allows cheats."),
    switch("g_synchronousClients", "0", R | SERVER, "The server moves players in its own frames."),
    switch("pmove_fixed", "0", R | SERVER, "Movement runs in steps of pmove_msec."),
    integer("pmove_msec", "8", (1, 33), R | SERVER, "Length of these steps."),
    switch("pmove_float", "0", R | SERVER, "OpenArena: positions are not rounded."),
    integer("sv_fps", "20", (1, 1000), R | SERVER, "Server frames per second."),
    text("fs_game", "", R | SERVER, "Game folder of the server."),
    // Demos
    switch("cl_autoRecordDemo", "0", A, "Records every match."),
    text("nextdemo", "", 0, "Command to run when a demo ends."),
    text("activeAction", "", 0, "Command to run once, when the game is entered."),
    text("com_errorMessage", "", R, "Why the last connection ended."),
    // Picture
    switch("r_fullscreen", "0", A, "Fills the screen."),
    integer("r_customwidth", "1280", (64, 16384), A, "Width of the window."),
    integer("r_customheight", "720", (64, 16384), A, "Height of the window."),
    switch("r_swapInterval", "0", A, "Waits for the display."),
    number("r_gamma", "1", (0.5, 3.0), A, "Brightness curve."),
    integer("r_picmip", "0", (0, 16), A | L, "Halves textures this many times."),
    integer("r_lodbias", "0", (-10, 10), A, "Coarser models, by levels."),
    number("r_subdivisions", "4", (1.0, 64.0), A | L, "How far curves may be off, in units."),
    integer("r_ext_max_anisotropy", "4", (1, 16), A | L, "Sharper textures at flat angles."),
    integer("r_ext_multisample", "0", (0, 8), A | L, "Samples per pixel."),
    switch("r_fastsky", "0", A, "A black sky and no portals."),
    switch("r_dynamiclight", "1", A, "Lights that move."),
    switch("r_vertexLight", "0", A | L, "Lights without lightmaps."),
    integer("r_speeds", "0", (0, 2), 0, "Prints what a frame costs."),
    // Sound
    number("s_volume", "0.8", (0.0, 1.0), A, "Loudness."),
    number("s_musicvolume", "0.25", (0.0, 1.0), A, "Loudness of music."),
    switch("s_doppler", "1", A, "Passing sounds change pitch."),
    switch("s_muteWhenUnfocused", "1", A, "Silence while another window has the focus."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::con::cvar::Cvars;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_defaults_fit() {
        let names: BTreeSet<String> = TABLE.iter().map(|d| d.name.to_ascii_lowercase()).collect();
        assert_eq!(names.len(), TABLE.len());
        for def in TABLE {
            let fits = match def.domain {
                Domain::Text => true,
                Domain::Number { min, max } => {
                    def.default.parse::<f32>().is_ok_and(|n| (min..=max).contains(&n))
                }
                Domain::Integer { min, max } => {
                    def.default.parse::<i32>().is_ok_and(|n| (min..=max).contains(&n))
                }
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
