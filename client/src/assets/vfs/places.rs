//! Where a file stands in its source, and how large it is.

use super::{Contents, Size, Source};
use crate::assets::{fetch::FileLocation, source::SourceId};
use shared::formats::pk3::Directory;
use std::ops::Range;

impl Source {
    pub(super) fn directory(&self) -> Option<&Directory> {
        match &self.contents {
            Contents::Pak { directory, .. } => Some(directory),
            _ => None,
        }
    }

    pub(super) fn checksum(&self) -> Option<i32> {
        match self.contents {
            Contents::Pak { checksum, .. } => Some(checksum),
            _ => None,
        }
    }

    pub(super) fn is_folder(&self) -> bool {
        matches!(self.contents, Contents::Folder(_))
    }

    /// The names of all files; of loose ones only where those are shown.
    pub(super) fn names(&self, shows_loose: bool) -> Box<dyn Iterator<Item = &str> + '_> {
        match &self.contents {
            Contents::Pak { directory, .. } => {
                Box::new(directory.entries().iter().map(|entry| &*entry.name))
            }
            Contents::Folder(folder) if shows_loose => {
                Box::new(folder.files.keys().map(String::as_str))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    pub(super) fn size_of(&self, name: &str) -> Option<Size> {
        match &self.contents {
            Contents::Pak { directory, .. } => {
                let entry = directory.find(name)?;
                Some(Size {
                    unpacked: u64::from(entry.size),
                    packed: u64::from(entry.compressed_size()),
                })
            }
            Contents::Folder(folder) => folder.files.get(name).map(|&(_, size)| Size {
                unpacked: size,
                packed: size,
            }),
            Contents::Unread { .. } | Contents::Broken => None,
        }
    }

    pub(super) fn place_of(&self, id: SourceId, name: &str) -> Option<(FileLocation, Range<u64>)> {
        match &self.contents {
            Contents::Pak { directory, .. } => {
                Some((FileLocation::pak(id), directory.find(name)?.range()))
            }
            Contents::Folder(folder) => {
                let (path, size) = folder.files.get(name)?;
                let place = FileLocation {
                    source: id,
                    path: path.clone(),
                };
                Some((place, 0..*size))
            }
            Contents::Unread { .. } | Contents::Broken => None,
        }
    }
}
