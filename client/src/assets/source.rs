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
    pub kind: SourceKind,
}

#[derive(Clone, Debug)]
pub enum SourceKind {
    /// A zip of this many bytes.
    Pak { size: u64 },
    /// Loose files: path below the game folder and size.
    Folder { files: Vec<(String, u64)> },
}
