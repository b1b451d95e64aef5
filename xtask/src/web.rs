//! Builds the page: both WASM bundles and the files around them, into target/web.

use crate::{
    bundle::{self, Bundle, Effort},
    setup, shell,
};
use anyhow::{Context, Result};
use std::{fs, path::PathBuf};

#[derive(clap::Args, Default)]
pub struct Options {
    /// Quick build: bigger files, for development.
    #[arg(long)]
    pub dev: bool,
    /// Builds only this bundle.
    #[arg(long, value_parser = ["webgpu", "webgl"])]
    pub only: Option<String>,
}

/// Where the built page lies.
pub fn folder() -> PathBuf {
    shell::target().join("web")
}

pub fn run(options: &Options) -> Result<()> {
    setup::wasm_target()?;
    let effort = if options.dev {
        Effort::Dev
    } else {
        Effort::Release
    };
    let folder = folder();
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(&folder)?;
    let mut bundles = Vec::new();
    for renderer in ["webgpu", "webgl"] {
        if options.only.as_deref().is_some_and(|only| only != renderer) {
            continue;
        }
        let bundle = bundle::build(renderer, effort, &folder)?;
        println!(
            "{renderer}: {} KB of code as sent (brotli), {} KB unpacked",
            bundle.sent_bytes / 1000,
            bundle.wasm_bytes / 1000
        );
        bundles.push(bundle);
    }
    write_page(&bundles, effort)?;
    println!("page: {}", folder.display());
    Ok(())
}

/// Puts the files of `web/` around the bundles; everything but index.html is named by its content.
fn write_page(bundles: &[Bundle], effort: Effort) -> Result<()> {
    let source = shell::root().join("web");
    let folder = folder();
    let mut page =
        fs::read_to_string(source.join("index.html")).context("cannot read web/index.html")?;
    let mut renamed: Vec<(String, String)> = Vec::new();
    // In an order in which nobody is named before it has its name: page.js imports the others.
    let files = [
        ("page", "css"),
        ("files", "js"),
        ("link", "js"),
        ("page", "js"),
    ];
    for (stem, extension) in files {
        let name = format!("{stem}.{extension}");
        let text = fs::read_to_string(source.join(&name))
            .with_context(|| format!("cannot read web/{name}"))?;
        let text = rename(text, &renamed);
        let published = bundle::publish(&folder, stem, extension, text.as_bytes(), effort)?;
        renamed.push((format!("./{name}"), format!("./{}", published.name)));
    }
    page = rename(page, &renamed);
    let listed = bundles
        .iter()
        .map(|bundle| {
            let facts = serde_json::json!({
                "script": bundle.script, "wasm": bundle.wasm, "wasmBytes": bundle.wasm_bytes, "sentBytes": bundle.sent_bytes,
            });
            (bundle.renderer.to_owned(), facts)
        })
        .collect::<serde_json::Map<_, _>>();
    page = page.replace(
        "{{bundles}}",
        &serde_json::Value::Object(listed).to_string(),
    );
    fs::write(folder.join("index.html"), page)?;
    fs::copy(source.join("icon.svg"), folder.join("icon.svg"))
        .context("cannot copy web/icon.svg")?;
    Ok(())
}

fn rename(text: String, renamed: &[(String, String)]) -> String {
    renamed
        .iter()
        .fold(text, |text, (from, to)| text.replace(from.as_str(), to))
}
