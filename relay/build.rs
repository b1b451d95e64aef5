//! Writes the table of the page's files, for a relay that carries the page inside it.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=STRAFE_PAGE");
    let mut table = "&[\n".to_owned();
    if env::var_os("CARGO_FEATURE_EMBED").is_some() {
        let folder = env::var_os("STRAFE_PAGE").map(PathBuf::from).ok_or_else(|| {
            io::Error::other("the feature `embed` takes the built page from the folder that STRAFE_PAGE names; `cargo xtask release` does all of it")
        })?;
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files = fs::read_dir(&folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()?;
        files.sort();
        for file in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let path = file.canonicalize()?;
            // Writing to a String cannot fail.
            let _ = writeln!(table, "({name:?}, include_bytes!({path:?}) as &[u8]),");
        }
    }
    table.push(']');
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(PathBuf::from(out).join("page.rs"), table)
}
