//! One WASM bundle: compiled, bound to JavaScript, made small, named by its content.

use crate::{setup, shell};
use anyhow::{Context, Result};
use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

/// What the page must know about a bundle to load it with a progress bar.
#[derive(Debug)]
pub struct Bundle {
    /// The graphics interface it carries, which is also the cargo feature.
    pub renderer: &'static str,
    pub script: String,
    pub wasm: String,
    /// Uncompressed bytes of the WASM file.
    pub wasm_bytes: usize,
    /// Bytes that travel: script and WASM, brotli.
    pub sent_bytes: usize,
}

/// How much work goes into size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Quick to build.
    Dev,
    /// Small to send.
    Release,
}

impl Effort {
    fn profile(self) -> &'static str {
        match self {
            Self::Dev => "web-dev",
            Self::Release => "web-small",
        }
    }
}

/// Builds the client for browsers with one graphics interface and puts it into `folder`.
pub fn build(renderer: &'static str, effort: Effort, folder: &Path) -> Result<Bundle> {
    let compiled = compile(renderer, effort)?;
    let bound = shell::target().join("web-build").join(renderer);
    fs::create_dir_all(&bound)?;
    wasm_bindgen_cli_support::Bindgen::new()
        .input_path(&compiled)
        .out_name("strafe")
        .web(true)?
        .typescript(false)
        .omit_default_module_path(true)
        .remove_name_section(effort == Effort::Release)
        .remove_producers_section(true)
        .generate(&bound)
        .with_context(|| format!("wasm-bindgen cannot process {}", compiled.display()))?;
    let bound_wasm = bound.join("strafe_bg.wasm");
    if effort == Effort::Release {
        optimise(&bound_wasm)?;
    }
    let wasm = fs::read(&bound_wasm)?;
    let script = fs::read(bound.join("strafe.js"))?;
    let wasm_name = publish(folder, &format!("strafe-{renderer}"), "wasm", &wasm, effort)?;
    let script_name = publish(folder, &format!("strafe-{renderer}"), "js", &script, effort)?;
    Ok(Bundle {
        renderer,
        wasm_bytes: wasm.len(),
        sent_bytes: wasm_name.sent_bytes + script_name.sent_bytes,
        script: script_name.name,
        wasm: wasm_name.name,
    })
}

fn compile(renderer: &str, effort: Effort) -> Result<PathBuf> {
    // The bundles share everything but a few features of wgpu; one folder serves both.
    shell::run(&mut shell::cargo(&[
        "build",
        "--quiet",
        "--package=client",
        "--bin=strafe",
        "--target=wasm32-unknown-unknown",
        &format!("--profile={}", effort.profile()),
        &format!("--features={renderer}"),
    ]))?;
    Ok(shell::target()
        .join("wasm32-unknown-unknown")
        .join(effort.profile())
        .join("strafe.wasm"))
}

/// What all browsers with WebGL2 can do; newer encodings would lock some of them out.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-mutable-globals",
    "--enable-multivalue",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

fn optimise(wasm: &Path) -> Result<()> {
    let optimiser = setup::npm_program("web", "wasm-opt")?;
    let path = wasm.to_string_lossy();
    let mut command = shell::program(&optimiser.to_string_lossy(), &["-Os", &path, "-o", &path]);
    shell::run(command.args(WASM_FEATURES).current_dir(shell::root()))
}

/// A file of the page as it was written.
pub struct Published {
    pub name: String,
    pub sent_bytes: usize,
}

/// Writes a file under a name that holds its hash, and beside it the compressed form.
pub fn publish(
    folder: &Path,
    stem: &str,
    extension: &str,
    bytes: &[u8],
    effort: Effort,
) -> Result<Published> {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let name = format!("{stem}-{:016x}.{extension}", hasher.finish());
    fs::write(folder.join(&name), bytes)?;
    let compressed = compress(bytes, effort)?;
    let sent_bytes = compressed.len();
    fs::write(folder.join(format!("{name}.br")), compressed)?;
    Ok(Published { name, sent_bytes })
}

fn compress(mut bytes: &[u8], effort: Effort) -> Result<Vec<u8>> {
    let quality = match effort {
        Effort::Dev => 4,
        Effort::Release => 11,
    };
    let parameters = brotli::enc::BrotliEncoderParams {
        quality,
        lgwin: 24,
        ..Default::default()
    };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut bytes, &mut compressed, &parameters)
        .context("brotli cannot compress a file")?;
    Ok(compressed)
}
