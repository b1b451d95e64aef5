//! Builds the page: both WASM bundles, our own arena and the files around them, into target/web.

use crate::{
    arena_pak,
    bundle::{self, BuildProfile, Bundle, PageCode, Published},
    setup, shell,
};
use anyhow::{Context, Result};
use std::{
    ffi::OsString,
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    thread::ScopedJoinHandle,
};

pub(crate) const INDEX: &str = "index.html";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Quick build: bigger files, for development.
    #[arg(long)]
    pub dev: bool,
    /// Builds only this bundle.
    #[arg(long, value_parser = ["webgpu", "webgl"])]
    pub only: Option<String>,
}

/// Where the built page lies.
pub(crate) fn folder() -> PathBuf {
    shell::target().join("web")
}

pub(crate) fn run(options: &Options) -> Result<()> {
    build(options.dev, options.only.as_deref())
}

/// Builds the page, quickly or well, with both bundles or with that of one renderer alone.
pub(crate) fn build(is_dev: bool, only: Option<&str>) -> Result<()> {
    setup::wasm_target()?;
    let effort = if is_dev {
        BuildProfile::Dev
    } else {
        BuildProfile::Release
    };
    // Two builds at once would write into the same files.
    let _turn = turn()?;
    let folder = shell::target().join("web-new");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(&folder)?;
    let parts = build_parts(only, effort, &folder)?;
    for bundle in &parts.bundles {
        println!(
            "{}: {} KB of code as sent (brotli), {} KB unpacked",
            bundle.code.stem(),
            bundle.sent_bytes / 1000,
            bundle.wasm_bytes / 1000
        );
    }
    println!(
        "arena: {} KB as sent (brotli)",
        parts.arena.sent_bytes / 1000
    );
    write_page(&folder, &parts, effort)?;
    replace(&folder, &self::folder())?;
    println!("page: {}", self::folder().display());
    Ok(())
}

/// What is large in a page.
struct Parts {
    bundles: Vec<Bundle>,
    arena: Published,
    /// Unpacked.
    arena_bytes: usize,
}

/// The arena and each bundle are packed while the next one is compiled, for the compiler ends with a long step on one core.
fn build_parts(only: Option<&str>, effort: BuildProfile, folder: &Path) -> Result<Parts> {
    let wanted = |renderer: &&str| only.is_none_or(|only| only == *renderer);
    let arena = arena_pak::stored()?;
    std::thread::scope(|scope| {
        let packing = scope.spawn(|| bundle::publish(folder, "strafe", "pk3", &arena, effort));
        let mut running = Vec::new();
        let renderers = ["webgpu", "webgl"].into_iter().filter(wanted);
        for code in renderers
            .map(PageCode::Client)
            .chain([PageCode::Translator])
        {
            let compiled = bundle::compile(code, effort)?;
            running.push(scope.spawn(move || bundle::finish(&compiled, folder)));
        }
        Ok(Parts {
            bundles: running.into_iter().map(ended).collect::<Result<_>>()?,
            arena: ended(packing)?,
            arena_bytes: arena.len(),
        })
    })
}

fn ended<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    let outcome = thread.join();
    outcome.unwrap_or_else(|_| Err(anyhow::anyhow!("the packing of the page panicked")))
}

/// Waits until no other command builds the page; ends when it is dropped.
fn turn() -> Result<File> {
    let path = shell::target().join("web.lock");
    fs::create_dir_all(shell::target())?;
    let lock = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    if let Err(TryLockError::WouldBlock) = lock.try_lock() {
        println!("Another command builds the page; waiting for it …");
        lock.lock()
            .with_context(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(lock)
}

/// Puts a new page in the place of the old one while relays serve it: its parts first, then the
/// index that names them, and only then what nobody names any more goes.
fn replace(new: &Path, old: &Path) -> Result<()> {
    fs::create_dir_all(old)?;
    let mut names = files(new)?;
    names.sort_by_key(|name| name == INDEX);
    for name in &names {
        fs::rename(new.join(name), old.join(name))
            .with_context(|| format!("cannot write {}", old.join(name).display()))?;
    }
    for name in files(old)? {
        if !names.contains(&name) {
            fs::remove_file(old.join(name))?;
        }
    }
    fs::remove_dir(new)?;
    Ok(())
}

fn files(folder: &Path) -> Result<Vec<OsString>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    entries.map(|entry| Ok(entry?.file_name())).collect()
}

/// Puts the arena and the files of `web/` around the bundles; everything but index.html is named by its content.
fn write_page(folder: &Path, parts: &Parts, effort: BuildProfile) -> Result<()> {
    let source = shell::root().join("web");
    let mut page = fs::read_to_string(source.join(INDEX)).context("cannot read web/index.html")?;
    let mut renamed: Vec<(String, String)> = Vec::new();
    // In an order in which nobody is named before it has its name: page.js imports the others.
    let files = [
        ("icon", "svg"),
        ("icon", "png"),
        ("app", "webmanifest"),
        ("page", "css"),
        ("files", "js"),
        ("link", "js"),
        ("touch", "js"),
        ("page", "js"),
    ];
    for (stem, extension) in files {
        let name = format!("{stem}.{extension}");
        let bytes =
            fs::read(source.join(&name)).with_context(|| format!("cannot read web/{name}"))?;
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => rename(text, &renamed).into_bytes(),
            Err(picture) => picture.into_bytes(),
        };
        let published = bundle::publish(folder, stem, extension, &bytes, effort)?;
        renamed.push((format!("./{name}"), format!("./{}", published.name)));
    }
    page = rename(page, &renamed);
    let mut listed = serde_json::Map::new();
    let mut translator = serde_json::Value::Null;
    for bundle in &parts.bundles {
        let facts = serde_json::json!({
            "script": bundle.script, "wasm": bundle.wasm, "wasmBytes": bundle.wasm_bytes, "sentBytes": bundle.sent_bytes,
        });
        match bundle.code {
            PageCode::Client(renderer) => drop(listed.insert(renderer.to_owned(), facts)),
            PageCode::Translator => translator = facts,
        }
    }
    let about = serde_json::json!({
        "bundles": listed,
        "translator": translator,
        "arena": { "name": parts.arena.name, "bytes": parts.arena_bytes, "sentBytes": parts.arena.sent_bytes },
        "hasRelay": true,
    });
    fs::write(folder.join(INDEX), page.replace(ABOUT, &about.to_string()))?;
    Ok(())
}

/// Where index.html says what the page consists of.
const ABOUT: &str = "{{about}}";

fn rename(text: String, renamed: &[(String, String)]) -> String {
    renamed
        .iter()
        .fold(text, |text, (from, to)| text.replace(from.as_str(), to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_page_takes_the_place_of_the_old_one() {
        let root = std::env::temp_dir().join(format!("strafe-page-{}", std::process::id()));
        let (new, old) = (root.join("new"), root.join("old"));
        let write = |folder: &Path, name: &str, text: &str| {
            fs::create_dir_all(folder).expect("a folder");
            fs::write(folder.join(name), text).expect("a file");
        };
        for (name, text) in [(INDEX, "old"), ("page-1.js", "1"), ("page-2.js", "2")] {
            write(&old, name, text);
        }
        for (name, text) in [(INDEX, "new"), ("page-2.js", "2"), ("page-3.js", "3")] {
            write(&new, name, text);
        }
        replace(&new, &old).expect("replaced");
        let mut left = files(&old).expect("a folder");
        left.sort();
        assert_eq!(left, [INDEX, "page-2.js", "page-3.js"]);
        assert_eq!(fs::read(old.join(INDEX)).expect("an index"), b"new");
        assert!(!new.exists());
        fs::remove_dir_all(root).expect("removed");
    }
}
