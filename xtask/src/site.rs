//! Writes a folder for any static host: the page without a relay, for matches against bots, also without a network.

use crate::{protocol, release, setup, shell, web};
use anyhow::{Context, Result, bail};
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder; an older site in it is replaced.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder with game folders that hold pk3 files (repeatable): they are copied into the site, and smaller copies of
    /// their pictures and sounds are made, for matches on their maps.
    #[arg(long, value_name = "DIR")]
    content: Vec<PathBuf>,
    /// Builds quickly: bigger files, for development.
    #[arg(long)]
    dev: bool,
}

/// What only a site has: it answers for the page where there is no network. A relay's page has none, because its address
/// may be `localhost:8080`, and the worker would go on to answer there for other programs.
const WORKER: &str = "worker.js";

/// Where a site has the pages on the protocol.
const PROTOCOL: &str = "protocol";

pub(crate) fn run(options: &Options) -> Result<()> {
    if !options.dev {
        setup::packages(&[setup::SMALL_BUNDLE])?;
    }
    web::build(options.dev, None)?;
    let out = options.out.clone();
    let out = out.unwrap_or_else(|| shell::target().join("site"));
    let site = write(&out, &options.content)?;
    println!(
        "site: {}, {} files, {} KB",
        out.display(),
        site.files,
        site.bytes / 1000
    );
    println!(
        "A first visit fetches {} KB, and {} KB where the host sends the .br files.",
        site.first_visit_bytes[0] / 1000,
        site.first_visit_bytes[1] / 1000
    );
    Ok(())
}

/// What a site has become.
pub(crate) struct Site {
    pub files: usize,
    pub bytes: usize,
    /// With the larger of the bundles: from hosts that pack nothing, and from those that send the `.br` files.
    pub first_visit_bytes: [usize; 2],
}

/// Makes a site of the page that was built last, with the paks of these folders.
pub(crate) fn write(out: &Path, content: &[PathBuf]) -> Result<Site> {
    clear(out)?;
    let page = web::folder();
    let mut site = Site {
        files: 0,
        bytes: 0,
        first_visit_bytes: [0; 2],
    };
    let mut put = |name: &str, bytes: &[u8]| -> Result<()> {
        site.files += 1;
        site.bytes += bytes.len();
        fs::write(out.join(name), bytes).with_context(|| format!("cannot write {name}"))
    };
    let read = |name: &str| {
        fs::read(page.join(name)).with_context(|| format!("the page in target/web lacks {name}"))
    };
    let mut names: Vec<String> = fs::read_dir(&page)
        .with_context(|| format!("cannot read {}", page.display()))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    names.sort();
    let index = String::from_utf8(read(web::INDEX)?).context("index.html is no text")?;
    let (before, about, after) = about(&index)?;
    let mut about: Value = serde_json::from_str(about).context("index.html is damaged")?;
    // Many hosts pack nothing, or not such files: the page unpacks by itself what comes by gzip.
    let mut pack = |file: &Value| -> Result<(Value, usize)> {
        let name = text(file)?;
        let packed = gzip(&read(name)?)?;
        let name = format!("{name}.gzip");
        put(&name, &packed)?;
        Ok((json!({ "name": name, "bytes": packed.len() }), packed.len()))
    };
    let mut largest = [0; 2];
    for bundle in values(&mut about["bundles"]) {
        let (packed, bytes) = pack(&bundle["wasm"])?;
        bundle["packed"] = packed;
        let script = read(text(&bundle["script"])?)?.len();
        let sent = bundle["sentBytes"].as_u64().unwrap_or_default() as usize;
        largest = [largest[0].max(bytes + script), largest[1].max(sent)];
    }
    let (packed, arena_bytes) = pack(&about["arena"]["name"])?;
    about["arena"]["packed"] = packed;
    let arena_sent = about["arena"]["sentBytes"].as_u64().unwrap_or_default() as usize;
    about["hasRelay"] = json!(false);
    if !content.is_empty() {
        about["content"] = json!("./content.json");
    }
    about["worker"] = json!(format!("./{WORKER}"));
    let mut small = 0;
    for name in names.iter().filter(|name| *name != web::INDEX) {
        let bytes = read(name)?;
        let is_large = ["-webg", ".pk3", "translator"]
            .iter()
            .any(|part| name.contains(part));
        small += if is_large || name.ends_with(".br") {
            0
        } else {
            bytes.len()
        };
        put(name, &bytes)?;
    }
    let worker = shell::root().join("web").join(WORKER);
    put(WORKER, &fs::read(worker).context("cannot read the worker")?)?;
    if !content.is_empty() {
        prepare(out, content)?;
    }
    let after = with_protocol(after)?;
    put(web::INDEX, format!("{before}{about}{after}").as_bytes())?;
    protocol::write(&out.join(PROTOCOL))?;
    site.first_visit_bytes = [
        small + largest[0] + arena_bytes,
        small + largest[1] + arena_sent,
    ];
    Ok(site)
}

/// Writes the paks, their smaller copies and the list of both.
fn prepare(out: &Path, content: &[PathBuf]) -> Result<()> {
    let mut command = Command::new(release::relay(true)?);
    command.arg("prepare").arg("--out").arg(out);
    for folder in content {
        command.arg("--content").arg(folder);
    }
    shell::run(&mut command)
}

/// Empties a folder that holds a site; one that holds anything else stays as it is.
fn clear(out: &Path) -> Result<()> {
    if out.exists() {
        let is_empty = fs::read_dir(out)
            .with_context(|| format!("cannot read {}", out.display()))?
            .next()
            .is_none();
        if !is_empty && !out.join(WORKER).is_file() {
            bail!(
                "{} holds something else than a site; please choose another folder",
                out.display()
            );
        }
        fs::remove_dir_all(out).with_context(|| format!("cannot empty {}", out.display()))?;
    }
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))
}

/// The index with a link to the pages on the protocol, below what the form offers.
fn with_protocol(index: &str) -> Result<String> {
    let (before, after) = index
        .split_once("    </form>")
        .context("index.html has no form")?;
    let link = format!("<a href=\"./{PROTOCOL}/index.html\">The protocol in pictures</a>");
    Ok(format!("{before}      {link}\n    </form>{after}"))
}

/// The index before, in and after what it says of the page's parts.
fn about(index: &str) -> Result<(&str, &str, &str)> {
    const START: &str = "id=\"about\">";
    let (before, rest) = index
        .split_once(START)
        .context("index.html does not say what the page consists of")?;
    let (about, _) = rest
        .split_once("</script>")
        .context("index.html is cut off")?;
    let from = before.len() + START.len();
    Ok((&index[..from], about, &index[from + about.len()..]))
}

fn values(object: &mut Value) -> impl Iterator<Item = &mut Value> {
    let map = object.as_object_mut();
    map.into_iter().flat_map(|map| map.values_mut())
}

fn text(value: &Value) -> Result<&str> {
    value.as_str().context("index.html names no file")
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish().context("cannot pack a file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_taken_apart_around_what_it_says() {
        let index = "<script id=\"about\">{\"a\":1}</script><p>";
        assert_eq!(
            about(index).expect("it says it"),
            ("<script id=\"about\">", "{\"a\":1}", "</script><p>")
        );
        assert!(about("<p>").is_err());
        assert!(about("<script id=\"about\">{").is_err());
    }

    #[test]
    fn only_a_site_is_replaced() {
        let folder = std::env::temp_dir().join(format!("strafe-site-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("letter.txt"), "dear").expect("a file");
        assert!(clear(&folder).is_err());
        assert!(folder.join("letter.txt").exists());
        fs::write(folder.join(WORKER), "").expect("a file");
        clear(&folder).expect("cleared");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
        fs::remove_dir(&folder).expect("removed");
    }
}
