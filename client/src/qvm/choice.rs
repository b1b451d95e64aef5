//! Choice: whether a level is shown by Strafe's own cgame or by the mod's, and why.

use crate::assets::vfs::Vfs;
use shared::{
    base::info::Info,
    bg::numbers::configstring as cs,
    types::{configstring::index, gamestate::Gamestate},
};

/// The file that every mod's cgame is called by.
pub const MODULE_NAME: &str = "vm/cgame.qvm";

/// Games whose rules Strafe knows, by what their servers call their version.
const KNOWN_VERSIONS: &[&str] = &["baseq3-1", "baseoa-1"];
/// The folders of these games.
const KNOWN_FOLDERS: &[&str] = &["", "baseq3", "baseoa", "strafe"];

/// Which cgame shows a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub runs_module: bool,
    /// For the console: which it is, and why.
    pub line: String,
}

/// What the player wants: left to the program, always Strafe's own, or always the mod's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgamePreference {
    Auto,
    Own,
    Module,
}

impl CgamePreference {
    /// From `vm_cgame`; the originals know 1 and 2 as two ways to run the same module.
    pub fn of(chosen: Option<i32>) -> Self {
        match chosen {
            None => Self::Auto,
            Some(0) => Self::Own,
            Some(_) => Self::Module,
        }
    }
}

/// Decides by what the server says of its game and what the paks hold that it allows.
pub fn choose(
    preference: CgamePreference,
    can_run: bool,
    gamestate: &Gamestate,
    folder: &str,
    vfs: &Vfs,
) -> Choice {
    let version = gamestate.configstrings.get(cs::GAME_VERSION);
    let folder = folder.to_ascii_lowercase();
    let knows_game = KNOWN_VERSIONS.contains(&version);
    let in_known_folder = KNOWN_FOLDERS.contains(&folder.as_str());
    let server = Info::parse(gamestate.configstrings.get(index::SERVERINFO));
    let game = match folder.as_str() {
        "" => server.get("gamename"),
        folder => folder,
    };
    let rules = match server.get("g_ratFlags") {
        "" => "",
        _ => " with RatMod's rules",
    };
    let own = |reason: &str| {
        let unknown = match knows_game {
            true => String::new(),
            false => format!(", although it does not know the game \"{game}\" (\"{version}\")"),
        };
        Choice {
            runs_module: false,
            line: format!("cgame: Strafe's own{rules}, {reason}{unknown}\n"),
        }
    };
    let pak = vfs.pak_of(MODULE_NAME).unwrap_or("a folder");
    let module = |reason: &str| Choice {
        runs_module: true,
        line: format!("cgame: the module of {pak}, {reason}\n"),
    };
    if preference == CgamePreference::Own {
        return own("because vm_cgame is 0");
    }
    if preference == CgamePreference::Auto && knows_game && in_known_folder {
        return own(&format!("which knows the game \"{version}\""));
    }
    let Some(found_in) = vfs.game_of(MODULE_NAME) else {
        return own("as no pak that may be used here has a module");
    };
    if !can_run {
        return own("as modules cannot run here");
    }
    if preference == CgamePreference::Module {
        return module("because vm_cgame asks for it");
    }
    if knows_game && found_in != folder && !in_known_folder {
        return own(&format!("as the mod \"{game}\" has no module of its own"));
    }
    module(&format!("as the game is \"{game}\" (\"{version}\")"))
}
