//! One WASM bundle: compiled, bound to JavaScript, made small, named by its content.

use crate::{progress, setup, shell};
use anyhow::{Context, Result};
use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

/// Code of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageCode {
    /// The client with the graphics interface of this name, which is also the cargo feature.
    Client(&'static str),
    /// What a page fetches when a mod needs it.
    Translator,
}

impl PageCode {
    /// How the page's files begin.
    pub(crate) fn stem(self) -> String {
        match self {
            Self::Client(renderer) => format!("strafe-{renderer}"),
            Self::Translator => "translator".to_owned(),
        }
    }
}

/// What the page must know about a bundle to load it with a progress bar.
#[derive(Debug)]
pub(crate) struct Bundle {
    pub code: PageCode,
    pub script: String,
    pub wasm: String,
    /// Uncompressed bytes of the WASM file.
    pub wasm_bytes: usize,
    /// Bytes that travel: script and WASM, brotli.
    pub sent_bytes: usize,
}

/// How much work goes into size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildProfile {
    /// Quick to build.
    Dev,
    /// Small to send.
    Release,
}

impl BuildProfile {
    fn profile(self) -> &'static str {
        match self {
            Self::Dev => "web-dev",
            Self::Release => "web-small",
        }
    }
}

/// Code as the compiler leaves it.
pub(crate) struct Compiled {
    code: PageCode,
    effort: BuildProfile,
    path: PathBuf,
}

/// Makes a bundle of what was compiled and puts it into `folder`.
pub(crate) fn finish(compiled: &Compiled, folder: &Path) -> Result<Bundle> {
    let &Compiled {
        code,
        effort,
        path: ref compiled,
    } = compiled;
    let stem = code.stem();
    let bound = build_folder(&stem)?;
    let bytes = fs::read(compiled)?;
    let bound_wasm = bound.join(format!("{stem}_bg.wasm"));
    // To bind and to optimise takes a minute, and most pages are built of the same code as the one before.
    let optimiser = match effort {
        BuildProfile::Dev => None,
        BuildProfile::Release => optimiser()?,
    };
    let tools = (effort, optimiser.is_some(), OPTIMISATION, WASM_FEATURES);
    let made_of = format!("{:016x} {tools:?}\n", hash(&bytes));
    let note = bound.join("made-of");
    if fs::read_to_string(&note).ok().as_ref() != Some(&made_of) {
        // What is half made is nobody's.
        let _ = fs::remove_file(&note);
        bind(code, effort, bytes, &bound)
            .with_context(|| format!("wasm-bindgen cannot process {}", compiled.display()))?;
        match optimiser {
            Some(optimiser) => optimise(&optimiser, &bound_wasm)?,
            None if effort == BuildProfile::Dev => {}
            None => println!(
                "Without npm there is no wasm-opt here: the page's code stays a little larger."
            ),
        }
        fs::write(&note, made_of)?;
    }
    let wasm = fs::read(&bound_wasm)?;
    let script = fs::read(bound.join(format!("{stem}.js")))?;
    let wasm_name = publish(folder, &stem, "wasm", &wasm, effort)?;
    let script_name = publish(folder, &stem, "js", &script, effort)?;
    Ok(Bundle {
        code,
        wasm_bytes: wasm.len(),
        sent_bytes: wasm_name.sent_bytes + script_name.sent_bytes,
        script: script_name.name,
        wasm: wasm_name.name,
    })
}

/// Makes of compiled code what a browser loads, with the script that belongs to it.
fn bind(code: PageCode, effort: BuildProfile, mut bytes: Vec<u8>, folder: &Path) -> Result<()> {
    if effort == BuildProfile::Release {
        bytes.extend(name_features());
    }
    wasm_bindgen_cli_support::Bindgen::new()
        .input_bytes(&code.stem(), bytes)
        .web(true)?
        .typescript(false)
        .omit_default_module_path(true)
        .remove_name_section(effort == BuildProfile::Release)
        .remove_producers_section(true)
        .generate(folder)
}

/// The section that tells wasm-bindgen what the code makes use of; `strip` has taken it.
fn name_features() -> Vec<u8> {
    const FEATURE: &[u8] = b"reference-types";
    const SECTION: &[u8] = b"target_features";
    // All lengths are below 128, so each is one byte.
    let prefixed = |text: &[u8]| [&[text.len() as u8], text].concat();
    let features = [b"\x01+".as_slice(), &prefixed(FEATURE)].concat();
    let section = [prefixed(SECTION), features].concat();
    [b"\0".as_slice(), &prefixed(&section)].concat()
}

/// Where the stages of a bundle lie.
fn build_folder(stem: &str) -> Result<PathBuf> {
    let folder = shell::target().join("web-build").join(stem);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Compiles code for browsers.
pub(crate) fn compile(code: PageCode, effort: BuildProfile) -> Result<Compiled> {
    let (what, file, arguments) = match code {
        // These share everything but a few features of wgpu; one folder serves both.
        PageCode::Client(renderer) => (
            format!("the page's code for {renderer}"),
            "strafe.wasm",
            vec![
                "--package=client".to_owned(),
                "--bin=strafe".to_owned(),
                format!("--features={renderer}"),
            ],
        ),
        PageCode::Translator => (
            "the page's translator for mods".to_owned(),
            "translator.wasm",
            vec!["--package=translator".to_owned()],
        ),
    };
    let profile = effort.profile();
    let mut command = shell::cargo(&["build", "--target=wasm32-unknown-unknown"]);
    command.arg(format!("--profile={profile}")).args(&arguments);
    progress::build(&what, &mut command)?;
    let built = shell::target()
        .join("wasm32-unknown-unknown")
        .join(profile)
        .join(file);
    // The next one is compiled to the same place.
    let path = build_folder(&code.stem())?.join("compiled.wasm");
    fs::copy(&built, &path).with_context(|| format!("cannot copy {}", built.display()))?;
    Ok(Compiled { code, effort, path })
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

/// Small, but not by functions that hold all that they alone call: browsers compile a function well after it has run so
/// many bytes, so they would take such a one for busy after a few frames, and half a second for each.
const OPTIMISATION: [&str; 3] = [
    "-Os",
    "--converge",
    "--one-caller-inline-max-function-size=100",
];

/// Makes the code smaller.
fn optimise(optimiser: &Path, wasm: &Path) -> Result<()> {
    let path = wasm.to_string_lossy();
    let mut command = shell::program(&optimiser.to_string_lossy(), &[&path, "-o", &path]);
    shell::run(
        command
            .args(OPTIMISATION)
            .args(WASM_FEATURES)
            .current_dir(shell::root()),
    )
}

/// wasm-opt where it can be had: it comes by npm, which not everybody has.
fn optimiser() -> Result<Option<PathBuf>> {
    if let Some(found) = shell::find_program("wasm-opt") {
        return Ok(Some(found));
    }
    if shell::find_program("npm").is_none() {
        return Ok(None);
    }
    setup::npm_program("web", "wasm-opt").map(Some)
}

/// A file of the page as it was written.
pub(crate) struct Published {
    pub name: String,
    pub sent_bytes: usize,
}

/// Writes a file under a name that holds its hash, and beside it the compressed form, if that is worth it.
pub(crate) fn publish(
    folder: &Path,
    stem: &str,
    extension: &str,
    bytes: &[u8],
    effort: BuildProfile,
) -> Result<Published> {
    let name = format!("{stem}-{:016x}.{extension}", hash(bytes));
    fs::write(folder.join(&name), bytes)?;
    if extension == "png" {
        let sent_bytes = bytes.len();
        return Ok(Published { name, sent_bytes });
    }
    let compressed = compressed(&name, stem, extension, bytes, effort)?;
    let sent_bytes = compressed.len();
    fs::write(folder.join(format!("{name}.br")), compressed)?;
    Ok(Published { name, sent_bytes })
}

/// The compressed form of a file, which is kept for the next page that has the same.
fn compressed(
    name: &str,
    stem: &str,
    extension: &str,
    bytes: &[u8],
    effort: BuildProfile,
) -> Result<Vec<u8>> {
    let quality = match effort {
        BuildProfile::Dev => 4,
        BuildProfile::Release => 11,
    };
    let folder = build_folder("packed")?;
    let path = folder.join(format!("{name}.{quality}"));
    if let Ok(kept) = fs::read(&path) {
        return Ok(kept);
    }
    let compressed = compress(bytes, quality)?;
    // One form of each file is enough.
    let (beginning, end) = (format!("{stem}-"), format!(".{extension}.{quality}"));
    for entry in fs::read_dir(&folder)? {
        let entry = entry?;
        let other = entry.file_name().to_string_lossy().into_owned();
        if other.starts_with(&beginning) && other.ends_with(&end) {
            fs::remove_file(entry.path())?;
        }
    }
    // A form that was cut off would be taken for whole.
    let unfinished = folder.join(format!("{name}.{quality}.new"));
    fs::write(&unfinished, &compressed)?;
    fs::rename(unfinished, path)?;
    Ok(compressed)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn compress(mut bytes: &[u8], quality: i32) -> Result<Vec<u8>> {
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
