//! What a server may set: the checked part of configstring 1.
//!
//! Everything not named here is ignored, whatever the server sends, so no server can change the
//! player's own settings.

use shared::base::{info::Info, text::number};

/// The values of systeminfo that this client follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemInfo {
    /// Goes into every message, so that the server knows which level the client is in.
    pub server_id: i32,
    pub is_pure: bool,
    /// The paks that may be used on a pure server, highest priority first; empty if unknown.
    pub paks: Vec<Pak>,
    /// The paks that the level needs, with the game folder in their names.
    pub referenced_paks: Vec<Pak>,
    /// Folder of the game's own files; empty for the base game.
    pub game: String,
    pub has_cheats: bool,
    /// Speed of the game; 1 normally.
    pub timescale: f32,
    pub synchronous_clients: bool,
    pub pmove_fixed: bool,
    pub pmove_msec: i32,
    pub pmove_float: bool,
    /// Server frames per second, if the server tells.
    pub server_fps: Option<i32>,
    /// Values that were refused, with the reason; for the console.
    pub refused: Vec<String>,
}

/// A pak as a server names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pak {
    /// Without `.pk3`; empty where the server names none.
    pub name: String,
    pub checksum: i32,
}

impl SystemInfo {
    pub fn parse(text: &str) -> Self {
        let info = Info::parse(text);
        let is_set = |key: &str| info.number(key) != 0;
        let mut refused = Vec::new();
        let game = info.get("fs_game");
        let game = if is_safe_folder(game) {
            game.to_owned()
        } else {
            refused.push(format!("fs_game \"{game}\" is not the name of a folder"));
            String::new()
        };
        Self {
            server_id: info.number("sv_serverid"),
            is_pure: is_set("sv_pure"),
            paks: paks(info.get("sv_paks"), info.get("sv_pakNames")),
            referenced_paks: paks(
                info.get("sv_referencedPaks"),
                info.get("sv_referencedPakNames"),
            ),
            game,
            has_cheats: is_set("sv_cheats"),
            timescale: timescale(info.get("timescale")),
            synchronous_clients: is_set("g_synchronousClients"),
            pmove_fixed: is_set("pmove_fixed"),
            pmove_msec: match info.number("pmove_msec") {
                0 => 8,
                msec => msec.clamp(8, 33),
            },
            pmove_float: is_set("pmove_float"),
            server_fps: Some(info.number("sv_fps")).filter(|fps| (1..=1000).contains(fps)),
            refused,
        }
    }
}

/// Both lists are split at blanks; the shorter one decides, unless there are no names at all.
fn paks(checksums: &str, names: &str) -> Vec<Pak> {
    let checksums = checksums.split_ascii_whitespace().map(number);
    let names: Vec<&str> = names.split_ascii_whitespace().collect();
    if names.is_empty() {
        let unnamed = |checksum| Pak {
            name: String::new(),
            checksum,
        };
        return checksums.map(unnamed).collect();
    }
    checksums
        .zip(names)
        .map(|(checksum, name)| Pak {
            name: name.to_owned(),
            checksum,
        })
        .collect()
}

fn timescale(text: &str) -> f32 {
    let value = text.trim().parse().unwrap_or(1.0_f32);
    if value.is_finite() && value > 0.0 {
        value.clamp(0.01, 100.0)
    } else {
        1.0
    }
}

fn is_safe_folder(name: &str) -> bool {
    let is_forbidden = |c: char| matches!(c, '/' | '\\' | ':') || c < ' ';
    name != "."
        && name != ".."
        && !name.contains(is_forbidden)
        && !name.ends_with(['.', ' '])
        && name.len() < 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_list_of_a_pure_server() {
        let info = SystemInfo::parse(
            "\\sv_serverid\\453\\sv_pure\\1\\sv_paks\\-5 6 \\sv_pakNames\\pak1 pak0 \
             \\sv_referencedPaks\\-5 \\sv_referencedPakNames\\baseoa/pak1 \\timescale\\1",
        );
        assert_eq!((info.server_id, info.is_pure), (453, true));
        let pak = |name: &str, checksum| Pak {
            name: name.to_owned(),
            checksum,
        };
        assert_eq!(info.paks, [pak("pak1", -5), pak("pak0", 6)]);
        assert_eq!(info.referenced_paks, [pak("baseoa/pak1", -5)]);
        assert!(info.refused.is_empty());
    }

    #[test]
    fn names_may_be_missing_or_too_few() {
        let info = SystemInfo::parse(
            "\\sv_paks\\1 2 3\\sv_referencedPaks\\4 5\\sv_referencedPakNames\\a/b",
        );
        assert_eq!(info.paks.len(), 3);
        assert_eq!(info.referenced_paks.len(), 1);
    }

    #[test]
    fn nothing_outside_the_list_has_an_effect() {
        let odd = "\\cl_maxpackets\\1\\fs_homepath\\/tmp\\sensitivity\\0\\name\\x\\bind\\y";
        assert_eq!(SystemInfo::parse(odd), SystemInfo::parse(""));
        for name in [".", "..", "a/b", "c:", "x. "] {
            let info = SystemInfo::parse(&format!("\\fs_game\\{name}"));
            assert_eq!((info.game.as_str(), info.refused.len()), ("", 1), "{name}");
        }
        assert_eq!(
            SystemInfo::parse("\\fs_game\\excessiveplus").game,
            "excessiveplus"
        );
        let odd_numbers = SystemInfo::parse("\\timescale\\nan\\sv_fps\\-4\\pmove_msec\\900");
        assert_eq!(
            (
                odd_numbers.timescale,
                odd_numbers.server_fps,
                odd_numbers.pmove_msec
            ),
            (1.0, None, 33)
        );
    }
}
