//! Source: a pak or folder that files are read from, as the platform found it.

use serde::{Deserialize, Serialize};

/// A pak or folder, numbered by the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceId(pub u32);

/// A pak or a loose folder, as the platform found it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FoundSource {
    pub id: SourceId,
    /// Game folder, such as `baseq3` or `baseoa`.
    pub game: String,
    /// Which root path it lies in; everything of a higher root is searched before a lower one.
    pub root: u8,
    /// Name without folder: `pak0.pk3` or `extra.pk3dir`; empty for the loose folder itself.
    pub name: String,
    /// The server that it was fetched from, by [`store_name`]; none for the player's own files.
    pub store: Option<String>,
    pub kind: SourceKind,
}

impl FoundSource {
    /// Whether both are the same pak or folder, whatever number it has here and there.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.game, &self.name, &self.store) == (&other.game, &other.name, &other.store)
            && self.kind.pak_size() == other.kind.pak_size()
    }
}

/// The game folder of what comes with the program; every game may use it where its own paks lack something.
pub const OWN_GAME: &str = "strafe";

/// The store of what the relay has fetched; no server has it by [`store_name`].
pub const RELAY_STORE: &str = "_relay";

/// A server's address as the name of a folder, which no other server has.
pub fn store_name(server: &str) -> String {
    /// Names of files are not much longer anywhere.
    const MAX_LETTERS: usize = 250;
    let mut name = String::new();
    for byte in server.to_ascii_lowercase().bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' => name.push(char::from(byte)),
            b'.' if !name.is_empty() => name.push('.'),
            _ => name.push_str(&format!("_{byte:02x}")),
        }
    }
    // Whoever shares the end of so long a name shares its domain.
    let excess = name.len().saturating_sub(MAX_LETTERS);
    name[excess..].trim_start_matches('.').to_owned()
}

/// The file of a fetched pak. As other clients name what they download: servers may use one name for
/// different paks.
pub fn file_name(name: &str, checksum: i32) -> String {
    let plain = |letter| if is_plain(letter) { letter } else { '_' };
    let name: String = name.chars().map(plain).collect();
    format!("{name}.{checksum:08x}.pk3")
}

/// Whether a folder of this name is possible on every system that we know.
pub fn is_folder_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(['.', ' '])
        && !name.ends_with(['.', ' '])
        && name.chars().all(is_plain)
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "._-+!() ".contains(letter)
}

/// The server's address of a [`store_name`], for people to read.
pub fn store_server(name: &str) -> String {
    if name == RELAY_STORE {
        return "the relay".to_owned();
    }
    let mut parts = name.split('_');
    let mut server = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        match u8::from_str_radix(code, 16) {
            Ok(byte) => server.push(char::from(byte)),
            Err(_) => server.push_str(code),
        }
        server.push_str(rest);
    }
    server
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_folders_of_their_own() {
        assert_eq!(store_name("127.0.0.1:27960"), "127.0.0.1_3a27960");
        for server in ["play.example.org:27960", "[::1]:27960", "a_b:1"] {
            assert_eq!(store_server(&store_name(server)), server);
        }
        let names = ["a.b", "a_b", "a:b", "a/b", "../b", "a b", "", "."].map(store_name);
        for (number, name) in names.iter().enumerate() {
            assert!(!name.starts_with('.') && !name.contains('/'), "{name}");
            assert!(!names[..number].contains(name), "{name}");
            assert_ne!(name, RELAY_STORE);
        }
        let long = ["a", "b"].map(|end| store_name(&format!("{}{end}", "x.".repeat(200))));
        assert_ne!(long[0], long[1]);
        assert!(long[0].len() <= 250 && long[0].starts_with('x'));
    }

    #[test]
    fn files_of_fetched_paks_are_possible_everywhere() {
        assert_eq!(file_name("z#map", -1), "z_map.ffffffff.pk3");
        assert!(is_folder_name("q3ut4") && is_folder_name("base oa"));
        for name in ["", ".oa", "oa.", "a/b", "a:b", "ä", " "] {
            assert!(!is_folder_name(name), "{name}");
        }
    }
}

/// A pak behind a line, of which more is known than its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarPak {
    pub size: u64,
    /// So many of its last bytes hold its directory, if somebody has looked.
    pub directory: Option<u64>,
    /// It holds files of that pak in fewer bytes, and is no pak of the game itself.
    pub lightens: Option<SourceId>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum SourceKind {
    /// A zip of this many bytes.
    Pak { size: u64 },
    /// Loose files: path below the game folder and size.
    Folder { files: Vec<(String, u64)> },
    /// A zip behind a line.
    Far(FarPak),
}

impl SourceKind {
    /// How many bytes a pak has; `None` for a folder.
    pub fn pak_size(&self) -> Option<u64> {
        match self {
            Self::Pak { size } => Some(*size),
            Self::Far(far) => Some(far.size),
            Self::Folder { .. } => None,
        }
    }
}
