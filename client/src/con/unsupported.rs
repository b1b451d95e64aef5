//! Names that players know from other clients and that have no use here, each with the reason.

/// Names, with blanks between them, beside a sentence that says what is so instead.
const ABSENT: &[(&str, &str)] = &[
    (
        "cg_deferPlayers loaddeferred",
        "Players' models load beside the game; nothing has to wait for them.",
    ),
    (
        "cg_noVoiceChats cg_noVoiceText",
        "Spoken chat needs sounds that neither Quake III Arena nor OpenArena have.",
    ),
    (
        "cg_timescaleFadeEnd cg_timescaleFadeSpeed ui_singlePlayerActive com_cameraMode",
        "That belongs to games against the computer alone.",
    ),
    (
        "cg_voteflags cg_vote_custom_commands g_enableDust g_enableBreath g_obeliskRespawnDelay",
        "The server decides that; serverinfo shows what it says.",
    ),
    (
        "cg_leiEnhancement cg_leiGoreNoise cg_leiBrassNoise cg_leiSuperGoreyAwesome",
        "Effects look and sound as they do by default.",
    ),
    ("cg_autovertex", "r_vertexLight chooses that by itself."),
    (
        "ui_smallFont ui_bigFont",
        "Those are fonts of Team Arena's menus.",
    ),
    ("com_buildScript", "Nothing is built while one plays."),
    (
        "cg_ignore cg_runpitch cg_runroll",
        "It does nothing in other clients either.",
    ),
    (
        "video stopvideo cl_aviFrameRate cl_aviMotionJpeg cl_forceavidemo cinematic r_inGameVideo",
        "Films are neither made nor shown; a demo can be played and recorded by other programs.",
    ),
    (
        "voiprecord cl_voip cl_voipProtocol cg_voipTeamOnly",
        "Voices are not sent.",
    ),
    (
        "spmap spdevmap sv_running sv_paused cl_paused",
        "map NAME begins a match; a server never pauses.",
    ),
    (
        "cl_serverStatusResendTime",
        "A server of the list that is silent for cl_maxPing is asked again, three times in all.",
    ),
    (
        "cl_mapAutoDownload cl_dlURL cl_dlDirectory cl_downloadTime",
        "Missing paks come from the server or the relay; cl_allowDownload 0 forbids that.",
    ),
    (
        "vm_game vm_ui",
        "Matches of one's own and menus are part of this program; vm_cgame chooses who shows a server's game.",
    ),
    (
        "com_protocol com_legacyprotocol com_gamename",
        "The server's answers decide; protocol NUMBER asks for one.",
    ),
    (
        "net_restart",
        "Every connection has a socket of its own; reconnect makes a new one.",
    ),
    (
        "game_restart fs_restart",
        "The server says which game is played, and it is loaded then.",
    ),
    (
        "fs_basepath fs_homepath fs_openedList touchFile",
        "path lists what is read; --data FOLDER on the command line adds folders.",
    ),
    (
        "net_socksEnabled net_socksServer",
        "SOCKS proxies are not used; a relay does that and more.",
    ),
    (
        "cl_motd cl_motdString",
        "No message of the day is asked for.",
    ),
    (
        "togglemenu r_uiFullScreen",
        "menu opens and closes the menus, as Escape does.",
    ),
    (
        "setenv changeVectors showip",
        "The system's own programs do that.",
    ),
    (
        "s_mixahead s_khz s_useOpenAL",
        "The sound library decides how far ahead it mixes.",
    ),
    (
        "r_screenshotJpegQuality",
        "screenshotJPEG writes with the image library's own quality; screenshot loses nothing.",
    ),
    (
        "r_fullbright r_lightmap r_showtris r_nocull r_novis",
        "Those look through walls or at parts of the picture, and servers forbid them.",
    ),
    (
        "g_redTeam g_blueTeam",
        "The server names the teams; serverinfo shows what it says.",
    ),
    ("cl_running", "The client always runs."),
    (
        "modelist",
        "r_mode without a value tells what it takes; -1 with r_customwidth and r_customheight is any size.",
    ),
    (
        "r_railWidth r_railSegmentLength",
        "The rings of a rail are the game's own: cg_oldRail 0 shows them.",
    ),
    (
        "r_texturebits r_colorbits r_depthbits r_stencilbits r_displayRefresh r_glDriver",
        "Colors, depth and refresh rate are the display's own.",
    ),
    (
        "r_drawSun",
        "The sun's disc, which other clients leave out by default too, is not drawn.",
    ),
    (
        "r_textureMode r_detailtextures r_intensity r_overBrightBits r_mapOverBrightBits r_ignorehwgamma",
        "Textures and light are as other clients have them by default; r_gamma brightens the picture.",
    ),
];

/// All names that have no use here.
pub fn names() -> impl Iterator<Item = &'static str> {
    ABSENT.iter().flat_map(|(names, _)| names.split(' '))
}

/// Why a name has no use here; `None` for names that nobody knows.
pub fn reason(name: &str) -> Option<&'static str> {
    let is_named = |names: &str| {
        names
            .split(' ')
            .any(|known| known.eq_ignore_ascii_case(name))
    };
    let found = ABSENT.iter().find(|(names, _)| is_named(names));
    found.map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_a_sentence() {
        for (_, reason) in ABSENT {
            assert!(reason.ends_with('.'), "{reason}");
        }
    }

    #[test]
    fn names_are_found_whatever_their_case() {
        assert!(reason("CG_deferplayers").is_some());
        assert_eq!(reason("cg_nonsense"), None);
    }
}
