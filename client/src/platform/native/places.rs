//! Where game folders lie on this machine.

use std::path::{Path, PathBuf};

/// The folders that hold game folders such as `baseq3`, lowest priority first: what the player names, else the usual places.
pub fn roots(named: &[PathBuf]) -> Vec<PathBuf> {
    if !named.is_empty() {
        return named.to_vec();
    }
    let fixed = FIXED.iter().map(PathBuf::from);
    let roots = fixed.chain(in_home()).chain([data_folder()]);
    roots.filter(|root| root.is_dir()).collect()
}

/// Where this system wants settings to be.
pub(super) fn config_folder() -> PathBuf {
    folder("APPDATA", "XDG_CONFIG_HOME", ".config")
}

/// Where this system wants paks, demos and pictures to be.
pub(super) fn data_folder() -> PathBuf {
    folder("LOCALAPPDATA", "XDG_DATA_HOME", ".local/share")
}

fn folder(windows: &str, linux: &str, linux_default: &str) -> PathBuf {
    let home = std::env::home_dir().unwrap_or_default();
    let from = |variable: &str, otherwise: &str| {
        std::env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| home.join(otherwise))
    };
    let parent = match std::env::consts::OS {
        "windows" => from(windows, "AppData/Roaming"),
        "macos" => home.join("Library/Application Support"),
        _ => from(linux, linux_default),
    };
    parent.join("strafe")
}

/// Where other clients of the family keep what belongs to the player.
pub fn in_home() -> Vec<PathBuf> {
    let home = std::env::home_dir().unwrap_or_default();
    let places = IN_HOME.iter().map(|place| home.join(place));
    places.filter(|place| place.is_dir()).collect()
}

/// Installed for everybody: Debian's packages, Quake III's own installer, shops.
const FIXED: &[&str] = &[
    "/usr/share/games/quake3",
    "/usr/share/games/openarena",
    "/usr/lib/openarena",
    "/usr/local/games/quake3",
    "/opt/quake3",
    "/Applications/Quake3",
    "/Applications/ioquake3",
    "C:/Program Files (x86)/Quake III Arena",
    "C:/Program Files/ioquake3",
    "C:/Program Files (x86)/Steam/steamapps/common/Quake 3 Arena",
    "C:/GOG Games/Quake III",
];

/// The player's own, below the home folder.
const IN_HOME: &[&str] = &[
    ".local/share/Steam/steamapps/common/Quake 3 Arena",
    ".steam/steam/steamapps/common/Quake 3 Arena",
    "Library/Application Support/Steam/steamapps/common/Quake 3 Arena",
    "Library/Application Support/Quake3",
    "Library/Application Support/OpenArena",
    "AppData/Roaming/Quake3",
    "AppData/Roaming/OpenArena",
    ".var/app/org.ioquake3.ioquake3/data/Quake3",
    ".local/share/Quake3",
    ".q3a",
    ".openarena",
];

/// Game folders in a root: those with paks, and those with a game's usual name.
pub fn games(root: &Path) -> Vec<(String, PathBuf)> {
    let mut games = entries(root)
        .filter(|path| path.is_dir())
        .filter_map(|path| Some((name_of(&path)?.to_owned(), path)))
        .filter(|(name, path)| {
            USUAL_GAMES.contains(&name.to_lowercase().as_str())
                || entries(path).any(|entry| is_pak(&entry))
        })
        .collect::<Vec<_>>();
    games.sort();
    games
}

/// Paks that servers have handed out: the server's store, the game, the file.
pub fn fetched(folder: &Path) -> Vec<(String, String, PathBuf)> {
    let mut paks = Vec::new();
    for store in entries(folder) {
        for game in entries(&store) {
            for pak in entries(&game).filter(|path| is_pak(path)) {
                if let (Some(store), Some(game)) = (name_of(&store), name_of(&game)) {
                    paks.push((store.to_owned(), game.to_owned(), pak));
                }
            }
        }
    }
    paks.sort();
    paks
}

const USUAL_GAMES: &[&str] = &["baseq3", "missionpack", "baseoa"];

pub fn is_pak(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("pk3"))
        && path.is_file()
}

/// What a file or folder is called; none where that is no text.
pub fn name_of(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

/// What lies in a folder; nothing if it cannot be read.
pub fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
}
