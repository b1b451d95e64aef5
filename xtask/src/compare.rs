//! Plays demos as fast as possible here and in the reference client, in turns, and compares the figures.

use crate::shell::{self, Running};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    time::{Duration, Instant},
};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Prints one line of JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// How often each pair runs; the best of each counts.
    #[arg(long, default_value_t = 1)]
    rounds: u32,
    /// Sizes of the picture.
    #[arg(long, value_delimiter = ',', default_value = "640x360,1280x720")]
    sizes: Vec<String>,
    /// Demos for OpenArena (.dm_71); those of ../shared/demos if none is named.
    demos: Vec<PathBuf>,
}

/// One client's figures for one demo.
#[derive(Clone, Copy, Debug)]
struct Run {
    frames: f64,
    fps: f64,
    /// From the start of the program to the demo's first picture.
    load_seconds: f64,
}

impl Run {
    fn best(self, other: Self) -> Self {
        Self {
            frames: self.frames,
            fps: self.fps.max(other.fps),
            load_seconds: self.load_seconds.min(other.load_seconds),
        }
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let strafe = shell::build("client", "strafe", false)?;
    let openarena = shell::find_program("openarena").context("openarena is not installed")?;
    let track = Track::prepare(shell::target().join("race"))?;
    let programs = Programs { strafe, openarena };
    let mut results = Vec::new();
    for demo in &demos(options)? {
        let name = demo.file_stem().unwrap_or_default().to_string_lossy();
        for size in &options.sizes {
            for draws in [true, false] {
                // Nothing is drawn, so the size makes no difference.
                if !draws && size != &options.sizes[0] {
                    continue;
                }
                let (ours, theirs) = track.race(&programs, demo, size, draws, options.rounds)?;
                if !options.json {
                    println!("{}", line(&name, size, draws, ours, theirs));
                }
                results.push(entry(&name, size, draws, ours, theirs));
            }
        }
    }
    if options.json {
        println!("{}", json!({ "races": results }));
    }
    Ok(())
}

fn demos(options: &Options) -> Result<Vec<PathBuf>> {
    if !options.demos.is_empty() {
        return Ok(options.demos.clone());
    }
    let folder = shell::root().join("../shared/demos");
    let mut demos: Vec<_> = std::fs::read_dir(&folder)
        .with_context(|| format!("name some demos, for {} is absent", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "dm_71"))
        .collect();
    demos.sort();
    Ok(demos)
}

fn line(name: &str, size: &str, draws: bool, ours: Run, theirs: Run) -> String {
    let what = if draws { size } else { "not drawn" };
    format!(
        "{name:<20} {what:>9}  {:6.0} frames  ours {:8.1} fps  reference {:8.1} fps  ratio {:5.2}  \
         load {:5.2} s and {:5.2} s  ratio {:5.2}",
        ours.frames,
        ours.fps,
        theirs.fps,
        ours.fps / theirs.fps,
        ours.load_seconds,
        theirs.load_seconds,
        ours.load_seconds / theirs.load_seconds,
    )
}

fn entry(name: &str, size: &str, draws: bool, ours: Run, theirs: Run) -> Value {
    let figures = |run: Run| {
        json!({
            "frames": run.frames,
            "fps": run.fps,
            "frame_ms": 1000.0 / run.fps,
            "load_seconds": run.load_seconds,
        })
    };
    json!({
        "demo": name,
        "size": size,
        "is_drawn": draws,
        "ours": figures(ours),
        "reference": figures(theirs),
        "ratio": ours.fps / theirs.fps,
        "load_ratio": ours.load_seconds / theirs.load_seconds,
    })
}

/// The two clients.
struct Programs {
    strafe: PathBuf,
    openarena: PathBuf,
}

/// A home for clients, and a display.
pub(crate) struct Track {
    pub home: PathBuf,
    display: String,
    _display_server: Running,
}

impl Track {
    pub(crate) fn prepare(home: PathBuf) -> Result<Self> {
        let mut command =
            shell::program("Xvfb", &["-displayfd", "1", "-screen", "0", "1920x1080x24"]);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = Running::start("Xvfb", &mut command)?;
        let output = server.child.stdout.take().context("Xvfb has no output")?;
        let mut number = String::new();
        BufReader::new(output).read_line(&mut number)?;
        ensure!(!number.trim().is_empty(), "Xvfb did not start");
        Ok(Self {
            home,
            display: format!(":{}", number.trim()),
            _display_server: server,
        })
    }

    /// The best of each, run in turns so that both see the same machine.
    fn race(
        &self,
        programs: &Programs,
        demo: &Path,
        size: &str,
        draws: bool,
        rounds: u32,
    ) -> Result<(Run, Run)> {
        let mut best: Option<(Run, Run)> = None;
        for _ in 0..rounds.max(1) {
            let theirs = self.reference(&programs.openarena, demo, size, draws)?;
            let ours = self.ours(&programs.strafe, demo, size, draws)?;
            best = Some(best.map_or((ours, theirs), |(o, t)| (ours.best(o), theirs.best(t))));
        }
        best.context("no round was run")
    }

    fn ours(&self, strafe: &Path, demo: &Path, size: &str, draws: bool) -> Result<Run> {
        let mut command = self.command(strafe);
        command
            .arg("--timedemo")
            .arg(demo)
            .args(["--offscreen", size, "--json"])
            // The reference's view is as wide on every screen.
            .args(["+set", "cg_fovAspect", "0"])
            .args(["+set", "s_initSound", "0"])
            .args(["+set", "r_skipBackEnd", if draws { "0" } else { "1" }]);
        let output = timed(&mut command)?;
        let report: Value = (output.last())
            .and_then(|line| serde_json::from_str(&line.text).ok())
            .context("strafe gave no report")?;
        let number = |key: &str| report[key].as_f64().with_context(|| format!("no {key}"));
        Ok(Run {
            frames: number("frames")?,
            fps: number("fps")?,
            load_seconds: number("first_frame_ms")? / 1000.0,
        })
    }

    fn reference(&self, openarena: &Path, demo: &Path, size: &str, draws: bool) -> Result<Run> {
        let (width, height) = size.split_once('x').context("sizes look like 640x360")?;
        let game = self.home.join(".openarena/baseoa");
        std::fs::create_dir_all(game.join("demos"))?;
        std::fs::copy(demo, game.join("demos/race.dm_71"))
            .with_context(|| format!("{} cannot be copied", demo.display()))?;
        let skips = u32::from(!draws);
        let config = format!(
            "{REFERENCE_CONFIG}seta r_customwidth {width}\nseta r_customheight {height}\nset r_skipBackEnd {skips}\n"
        );
        std::fs::write(game.join("autoexec.cfg"), config)?;
        let mut command = self.command(openarena);
        let settings = "+set cl_renderer opengl1 +set s_initsound 0 +set net_enabled 0";
        command.args(settings.split(' '));
        command.args("+set timedemo 1 +set nextdemo quit +demo race".split(' '));
        let output = timed(&mut command)?;
        let figures = output.iter().find_map(|line| {
            let (frames, fps) = demo_figures(&line.text)?;
            Some((line.at_seconds, frames, fps))
        });
        let Some((ended_at, frames, fps)) = figures else {
            let texts: Vec<_> = output.iter().map(|line| line.text.as_str()).collect();
            bail!("the reference client gave no report:\n{}", texts.join("\n"));
        };
        Ok(Run {
            frames,
            fps,
            load_seconds: ended_at - frames / fps,
        })
    }

    /// A program whose settings, caches and display are the race's own.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .stdin(Stdio::null())
            .env("DISPLAY", &self.display)
            .env("HOME", &self.home)
            .env("XDG_CONFIG_HOME", self.home.join("config"))
            .env("XDG_DATA_HOME", self.home.join("data"))
            .env("XDG_CACHE_HOME", self.home.join("cache"))
            .env("LIBGL_ALWAYS_SOFTWARE", "1");
        command
    }
}

/// The same picture as ours, and nothing that waits.
pub(crate) const REFERENCE_CONFIG: &str = "\
seta r_fullscreen 0
seta r_mode -1
seta r_picmip 0
seta r_texturebits 32
seta r_swapInterval 0
seta com_maxfps 0
seta com_maxfpsUnfocused 0
seta com_introplayed 1
seta r_textureMode GL_LINEAR_MIPMAP_LINEAR
";

/// What a program printed, and when.
pub(crate) struct TimedLine {
    pub at_seconds: f64,
    pub text: String,
}

/// A program that says nothing for so long hangs.
const MAX_SILENCE: Duration = Duration::from_secs(15 * 60);
/// So long may the reference take to end once it has told its figures; at times it never does.
const MAX_ENDING: Duration = Duration::from_secs(10);

/// The lines of a program on both ways out, in the order in which they came.
pub(crate) fn timed(command: &mut Command) -> Result<Vec<TimedLine>> {
    let began_at = Instant::now();
    let (reader, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = (command.spawn()).with_context(|| format!("{command:?} cannot be started"))?;
    // The pipe ends when nobody can write to it any more.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (outbox, inbox) = mpsc::channel();
    std::thread::spawn(move || {
        for text in BufReader::new(reader).split(b'\n') {
            // Whoever listened has given up.
            if outbox.send(text).is_err() {
                break;
            }
        }
    });
    let mut lines: Vec<TimedLine> = Vec::new();
    let mut is_at_end = false;
    loop {
        let patience = if is_at_end { MAX_ENDING } else { MAX_SILENCE };
        let text = match inbox.recv_timeout(patience) {
            Ok(text) => String::from_utf8_lossy(&text?).into_owned(),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                child.kill()?;
                child.wait()?;
                ensure!(
                    is_at_end,
                    "{command:?} said nothing for {} minutes; its last line: {}",
                    patience.as_secs() / 60,
                    lines.last().map_or("", |line| &line.text)
                );
                return Ok(lines);
            }
        };
        // The reference shows its menu then, for ever.
        if text.starts_with("ERROR: ") {
            child.kill()?;
        }
        is_at_end |= demo_figures(&text).is_some();
        lines.push(TimedLine {
            at_seconds: began_at.elapsed().as_secs_f64(),
            text,
        });
    }
    let status = child.wait()?;
    if !status.success() {
        let texts: Vec<_> = lines.into_iter().map(|line| line.text).collect();
        bail!("{command:?} failed ({status}):\n{}", texts.join("\n"));
    }
    Ok(lines)
}

/// Frames and frames a second, as in "2679 frames 40.1 seconds 66.8 fps 5.0/15.0/40.0/3.1 ms" at a demo's end.
fn demo_figures(line: &str) -> Option<(f64, f64)> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    match words[..] {
        [frames, "frames", _, _, fps, "fps", ..] => Some((frames.parse().ok()?, fps.parse().ok()?)),
        _ => None,
    }
}
