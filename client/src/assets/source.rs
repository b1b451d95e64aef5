//! Source: a pak or folder that files are read from, as the platform found it.

/// A pak or folder, numbered by the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// A pak or a loose folder, as the platform found it.
#[derive(Clone, Debug)]
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

/// A server's address as the name of a folder, which no other server has.
pub fn store_name(server: &str) -> String {
    const MOST_LETTERS: usize = 100;
    let mut name = String::new();
    for byte in server.to_ascii_lowercase().bytes().take(MOST_LETTERS) {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' => name.push(char::from(byte)),
            b'.' if !name.is_empty() => name.push('.'),
            _ => name.push_str(&format!("_{byte:02x}")),
        }
    }
    name
}

/// The server's address of a [`store_name`], for people to read.
pub fn store_server(name: &str) -> String {
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
        }
    }
}

#[derive(Clone, Debug)]
pub enum SourceKind {
    /// A zip of this many bytes.
    Pak { size: u64 },
    /// Loose files: path below the game folder and size.
    Folder { files: Vec<(String, u64)> },
}
