//! Runs one mod's cgame on one demo here and in the reference client, and compares its calls and its pictures.
//!
//! The module plays here twice: on its own, and told what the reference's renderer and C library answered, so that no
//! difference of a last bit grows until the two show different sparks. Calls and pictures of the second run are to be
//! the same; in the first, the answers are what to look at. At the end Strafe's own cgame shows the demo: how
//! often its models stand, look and move as the module's is counted, and its pictures are laid beside them.

use crate::{
    compare::{REFERENCE_CONFIG, Track, timed},
    shell,
};
use anyhow::{Context, Result, ensure};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Modules that lie in the checkout, and the folders of their games.
const MODULES: &[(&str, &str)] = &[
    ("baseq3", "baseoa"),
    ("openarena", "baseoa"),
    ("ratoa", "rat"),
];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Whose cgame: baseq3, openarena or ratoa.
    #[arg(value_parser = ["baseq3", "openarena", "ratoa"])]
    module: String,
    /// A demo (.dm_71) of that mod, on a map of OpenArena.
    demo: PathBuf,
    /// A picture is taken every so many milliseconds of the demo.
    #[arg(long, default_value_t = 8000)]
    pictures: u32,
    /// More paks for both, such as the mod's own pictures.
    #[arg(long)]
    pak: Vec<PathBuf>,
}

/// So that both draw the same, and nothing that a clock decides.
const SETTINGS: &[(&str, &str)] = &[
    ("cg_drawFPS", "0"),
    ("cg_lagometer", "0"),
    ("con_notifytime", "0"),
    // Modules look at these.
    ("cl_maxpackets", "30"),
    ("snaps", "20"),
    ("sv_running", "0"),
    ("r_intensity", "1"),
    ("r_mapOverBrightBits", "2"),
    ("r_overBrightBits", "1"),
    ("r_drawSun", "0"),
    ("r_flares", "0"),
    ("r_ext_texture_filter_anisotropic", "0"),
];

/// What else the reference needs for that.
const MORE_CONFIG: &str = "\
seta r_customwidth 640
seta r_customheight 480
seta r_customPixelAspect 1
seta r_depthbits 24
seta r_stencilbits 8
seta r_ext_multisample 0
seta r_ext_compressed_textures 0
seta r_gamma 1
seta r_ignorehwgamma 0
seta r_lodbias 0
";

pub(crate) fn run(options: &Options) -> Result<()> {
    let openarena = shell::find_program("openarena").context("openarena is not installed")?;
    let known = MODULES.iter().find(|(name, _)| *name == options.module);
    let (name, game) = known.context("the module is not known")?;
    let folder = shell::target().join("calls").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let [theirs, ours, followed, sheets, own, own_sheets] =
        ["theirs", "ours", "followed", "sheets", "own", "own-sheets"].map(|part| folder.join(part));
    let data = folder.join("data");
    fs::create_dir_all(data.join(game))?;
    let module = format!("vm/tests/data/mods/{name}-cgame.qvm.gz");
    let module = shell::root().join(module);
    let pictures = options.pictures.to_string();
    calls(
        &[
            "rewrite".as_ref(),
            &module,
            &data.join(game),
            pictures.as_ref(),
        ],
        &[],
    )?;
    for pak in &options.pak {
        let name = pak.file_name().context("a pak has a name")?;
        fs::copy(pak, data.join(game).join(name))?;
    }

    let track = Track::prepare(folder.join("home"))?;
    println!("The reference client plays {}.", options.demo.display());
    reference(&track, &openarena, options, game, &data)?;
    let home = track.home.join(".openarena").join(game);
    fs::create_dir_all(&theirs)?;
    fs::rename(home.join("calls.log"), theirs.join("calls.log"))
        .context("the reference client has kept no calls")?;
    for picture in fs::read_dir(home.join("screenshots"))?.flatten() {
        fs::rename(picture.path(), theirs.join(picture.file_name()))?;
    }

    println!("Strafe plays it.");
    let paks = Path::new("/usr/share/games/openarena");
    let demo = fs::canonicalize(&options.demo)?;
    let settings: Vec<String> = (SETTINGS.iter())
        .flat_map(|(name, value)| ["+set".to_owned(), (*name).to_owned(), (*value).to_owned()])
        .collect();
    let [their_log, our_log, followed_log] =
        [&theirs, &ours, &followed].map(|folder| folder.join("calls.log"));
    calls(&["play".as_ref(), &demo, &ours, paks, &data], &settings)?;
    calls(&["compare".as_ref(), &their_log, &our_log], &[])?;
    println!("Strafe plays it with the reference's answers.");
    calls(
        &["follow".as_ref(), &their_log, &demo, &followed, paks, &data],
        &settings,
    )?;
    calls(&["compare".as_ref(), &their_log, &followed_log], &[])?;
    calls(&["pictures".as_ref(), &theirs, &followed, &sheets], &[])?;
    println!("Both side by side: {}", sheets.display());
    println!("Strafe plays it with its own cgame.");
    calls(
        &["own".as_ref(), pictures.as_ref(), &demo, &own, paks, &data],
        &settings,
    )?;
    let [our_places, own_places] = [&ours, &own].map(|folder| folder.join("places.tsv"));
    calls(&["places".as_ref(), &our_places, &own_places], &[])?;
    calls(&["pictures".as_ref(), &ours, &own, &own_sheets], &[])?;
    println!("The module's and its own: {}", own_sheets.display());
    Ok(())
}

/// One step of the client's example.
fn calls(paths: &[&Path], more: &[String]) -> Result<()> {
    // Neither the player's own settings nor what a module stored in the step before: mods set more at their first start.
    let own = shell::target().join("calls/own");
    if own.exists() {
        fs::remove_dir_all(&own)?;
    }
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["run", "--quiet", "--release", "--package", "client"])
        .args(["--example", "calls", "--"])
        .args(paths)
        .args(more)
        .env("XDG_CONFIG_HOME", own.join("config"))
        .env("XDG_DATA_HOME", own.join("data"));
    let status = command.status().context("cargo could not be started")?;
    ensure!(status.success(), "the example calls failed");
    Ok(())
}

fn reference(
    track: &Track,
    openarena: &Path,
    options: &Options,
    game: &str,
    data: &Path,
) -> Result<()> {
    let settings: String = (SETTINGS.iter())
        .map(|(name, value)| format!("seta {name} {value}\n"))
        .collect();
    for folder in ["baseoa", game] {
        let folder = track.home.join(".openarena").join(folder);
        fs::create_dir_all(folder.join("demos"))?;
        let config = format!("{REFERENCE_CONFIG}{MORE_CONFIG}{settings}");
        fs::write(folder.join("autoexec.cfg"), config)?;
    }
    let folder = track.home.join(".openarena").join(game);
    for pak in fs::read_dir(data.join(game))?.flatten() {
        fs::copy(pak.path(), folder.join(pak.file_name()))?;
    }
    fs::copy(&options.demo, folder.join("demos/calls.dm_71"))
        .with_context(|| format!("{} cannot be copied", options.demo.display()))?;
    let mut command = track.command(openarena);
    // Without a device it would know no sounds. The interpreter computes as the machine is defined.
    command.env("SDL_AUDIODRIVER", "dummy");
    let sets = [
        ("fs_game", if game == "baseoa" { "" } else { game }),
        ("cl_renderer", "opengl1"),
        ("s_useOpenAL", "0"),
        ("com_hunkmegs", "512"),
        ("net_enabled", "0"),
        ("vm_cgame", "1"),
        ("timedemo", "1"),
        ("nextdemo", "quit"),
    ];
    for (name, value) in sets {
        command.args(["+set", name, value]);
    }
    command.args(["+demo", "calls"]);
    timed(&mut command).map(drop)
}
