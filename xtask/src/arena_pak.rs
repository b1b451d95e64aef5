//! Makes the pak of Strafe's own arena, and says how large it is.

use crate::shell;
use anyhow::{Context, Result};
use arena::PakFile;
use shared::formats::pk3::{Directory, find_directory, tail_range};
use std::{fs, ops::Range, path::PathBuf, time::Instant};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Where the pak is written; its place in the tree, if nothing is said.
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let pak = arena::pak();
    let out = options.out.clone().unwrap_or_else(path);
    fs::write(&out, &pak).with_context(|| format!("cannot write {}", out.display()))?;
    println!(
        "{}: {} KB, made in {:.1} s",
        out.display(),
        pak.len() / 1000,
        start.elapsed().as_secs_f32()
    );
    Ok(())
}

fn path() -> PathBuf {
    shell::root().join("arena/strafe.pk3")
}

/// The pak in the tree for whoever packs it as a whole: its files are not packed, and its checksums stay the same.
pub(crate) fn stored() -> Result<Vec<u8>> {
    let path = path();
    let pak = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let part = |range: Range<u64>| -> Result<&[u8]> {
        let part = pak.get(usize::try_from(range.start)?..usize::try_from(range.end)?);
        part.with_context(|| format!("{} is cut off", path.display()))
    };
    let size = pak.len() as u64;
    let place = find_directory(size, part(tail_range(size))?)?;
    let directory = Directory::parse(&place, part(place.range.clone())?)?;
    let files = directory.entries().iter().map(|entry| {
        Ok(PakFile {
            name: entry.name.clone(),
            bytes: entry.extract(part(entry.range())?)?,
        })
    });
    Ok(arena::store(files.collect::<Result<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::formats::pk3::checksum;

    #[test]
    fn servers_see_no_difference_in_the_stored_pak() {
        let stored = stored().expect("the pak in the tree");
        let packed = fs::read(path()).expect("the same");
        assert!(stored.len() > packed.len());
        assert_eq!(
            checksum(&stored).expect("a pak"),
            checksum(&packed).expect("a pak")
        );
    }
}
