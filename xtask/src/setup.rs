//! Installs what a task needs and the machine lacks; says what and why, and asks only on a terminal.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Mutex, PoisonError},
};

/// What a machine may lack, a package a row: a program or an absolute path that tells that it is there, the package, and
/// why it is needed.
pub(crate) type Needs = &'static [&'static str];

/// One row of that.
struct Need {
    proof: &'static str,
    package: &'static str,
    reason: &'static str,
}

impl Need {
    fn read(row: &'static str) -> Self {
        let (names, reason) = row.split_once(": ").expect("a row gives a reason");
        let (proof, package) = names.split_once(' ').expect("a row names two things");
        Self {
            proof,
            package,
            reason,
        }
    }

    fn is_missing(&self) -> bool {
        // Libraries lie in a folder of the processor's name; what is proven on x86-64 is asked of the loader elsewhere.
        let is_elsewhere = self.proof.contains("x86_64") && std::env::consts::ARCH != "x86_64";
        match self.proof.starts_with('/') {
            true => !is_elsewhere && !Path::new(self.proof).exists(),
            false => shell::find_program(self.proof).is_none(),
        }
    }
}

/// For compiling the native client: pkg-config finds the libraries of pads and sound.
pub(crate) const NATIVE_BUILD: Needs = &[
    "pkg-config pkg-config: finds system libraries while compiling",
    "/usr/include/libudev.h libudev-dev: game pads",
    "/usr/include/alsa/asoundlib.h libasound2-dev: sound",
];

/// For a game on this machine.
pub(crate) const LOCAL_GAME: Needs = &[
    "openarena-server openarena-server: a Quake 3 server to play on",
    "/usr/share/games/openarena/baseoa/pak0.pk3 openarena-data: free maps, models and sounds",
];

/// For tests against real servers and in a real browser.
pub(crate) const TESTS: Needs = &[
    "/usr/share/games/openarena/baseoa/z_oacmp-volume1-v3.pk3 openarena-oacmp1: more maps, which tests load and draw",
    "ioq3ded ioquake3-server: the second kind of real server in the tests",
    "/usr/lib/ioquake3/ioquake3 ioquake3: the reference client, which reads configs of ours in the tests",
    "/usr/lib/openarena/baseoa openarena: what the reference client plays there",
    "node nodejs: runs the browser tests and the golden vectors as WASM",
    "npm npm: fetches what the browser tests need",
    "nginx nginx-light: serves game files in the relay's tests",
    "chromium chromium: the browser of the end-to-end tests",
    "firefox-esr firefox-esr: the second browser of the end-to-end tests",
    "haproxy haproxy: stands before two relays in their tests",
    "Xvfb xvfb: a display for the native client's window",
    "/usr/lib/xorg/modules/input/inputtest_drv.so xserver-xorg-core: a display with a touch screen",
    "/usr/lib/xorg/modules/drivers/dummy_drv.so xserver-xorg-video-dummy: the same display's picture",
    "import imagemagick: takes a picture of the native client's window",
    "xdotool xdotool: presses keys in the native client's window",
    "/usr/share/vulkan/icd.d mesa-vulkan-drivers: Vulkan in software, for drawing in tests",
    "/usr/lib/x86_64-linux-gnu/libEGL.so.1 libegl1: OpenGL in software, for long matches",
    "/usr/lib/x86_64-linux-gnu/libxkbcommon-x11.so.0 libxkbcommon-x11-0: the keyboard of the native window",
    "/usr/lib/x86_64-linux-gnu/libXcursor.so.1 libxcursor1: the mouse pointer of the native window",
    "/usr/lib/x86_64-linux-gnu/libXi.so.6 libxi6: the mouse of the native window",
    "/usr/lib/x86_64-linux-gnu/libX11-xcb.so.1 libx11-xcb1: the native window",
];

/// For networks of our own on this machine.
pub(crate) const NAMESPACES: Needs = &["ip iproute2: network namespaces and their devices"];

/// For the page's bundle in its smallest form.
pub(crate) const SMALL_BUNDLE: Needs = &[
    "node nodejs: runs the optimiser of the page's code",
    "npm npm: fetches that optimiser",
];

/// Installs the packages that are not there yet, where apt-get exists.
pub(crate) fn packages(needs: &[Needs]) -> Result<()> {
    if std::env::consts::OS != "linux" {
        return Ok(());
    }
    let rows = needs.iter().copied().flatten();
    let needs = rows.copied().map(Need::read);
    let missing = needs.filter(Need::is_missing).collect::<Vec<_>>();
    if missing.is_empty() {
        return Ok(());
    }
    println!("Missing on this machine:");
    for need in &missing {
        println!("  {:<22} {}", need.package, need.reason);
    }
    let names = missing.iter().map(|need| need.package).collect::<Vec<_>>();
    if shell::find_program("apt-get").is_none() {
        bail!(
            "there is no apt-get here; please install with your own package tool what matches: {}",
            names.join(" ")
        );
    }
    if !agreed("Install these packages with apt-get?")? {
        bail!(
            "please install them yourself: apt-get install {}",
            names.join(" ")
        );
    }
    apt_get(&["update", "--quiet=2"]).context("cannot refresh the list of packages")?;
    let mut arguments = vec!["install", "--yes", "--quiet=2", "--no-install-recommends"];
    arguments.extend(&names);
    apt_get(&arguments)
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let is_root = shell::read(&mut shell::program("id", &["-u"]))?.trim() == "0";
    if is_root {
        return shell::run(
            shell::program("apt-get", arguments).env("DEBIAN_FRONTEND", "noninteractive"),
        );
    }
    if shell::find_program("sudo").is_none() {
        bail!(
            "installing packages needs root or sudo; as root: apt-get {}",
            arguments.join(" ")
        );
    }
    // sudo may ask for a password where somebody can answer, and must not wait where nobody can.
    let mut sudo = shell::program("sudo", &[]);
    if io::stdin().is_terminal() {
        sudo.stdin(Stdio::inherit());
    } else {
        sudo.arg("--non-interactive");
    }
    shell::run(
        sudo.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"])
            .args(arguments),
    )
}

fn agreed(question: &str) -> Result<bool> {
    if !io::stdin().is_terminal() {
        return Ok(true);
    }
    print!("{question} [Y/n] ");
    io::stdout().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(!answer.trim().to_lowercase().starts_with('n'))
}

/// Makes sure that Rust can compile for browsers.
pub(crate) fn wasm_target() -> Result<()> {
    rust_target(
        "wasm32-unknown-unknown",
        "the client as it runs in browsers",
    )
}

/// Makes sure that Rust can compile for a target.
pub(crate) fn rust_target(target: &str, reason: &str) -> Result<()> {
    let folder = shell::read(
        shell::program("rustc", &["--print=target-libdir", "--target", target])
            .current_dir(shell::root()),
    )?;
    if Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    println!("Missing: Rust's target {target} ({reason}); rustup adds it");
    if shell::find_program("rustup").is_none() {
        bail!(
            "there is no rustup here; please install the standard library of {target} with your own package tool"
        );
    }
    shell::run(shell::program("rustup", &["target", "add", target]).current_dir(shell::root()))
}

/// A program from crates.io, built once into the target folder where the machine has none.
pub(crate) fn cargo_program(name: &str) -> Result<PathBuf> {
    if let Some(path) = shell::find_program(name) {
        return Ok(path);
    }
    let root = shell::target().join("tools");
    let path = root
        .join("bin")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !path.exists() {
        println!("Missing: {name}; cargo builds it, which takes some minutes once");
        let mut install = shell::cargo(&["install", "--quiet", "--locked", "--debug"]);
        install.args(["--no-default-features", name, "--root"]);
        install
            .arg(&root)
            .arg("--target-dir")
            .arg(root.join("build"));
        shell::run(&mut install)?;
        // What it was built from is not needed again.
        let _ = std::fs::remove_dir_all(root.join("build"));
    }
    Ok(path)
}

/// A program out of an npm project of ours, installed as its lock file says.
pub(crate) fn npm_program(project: &str, name: &str) -> Result<PathBuf> {
    let folder = npm_project(project)?;
    let program = folder.join("node_modules/.bin").join(name);
    if !program.exists() {
        bail!(
            "{} is missing although npm has installed {project}",
            program.display()
        );
    }
    Ok(program)
}

/// Installs an npm project of ours as its lock file says, unless that is done already.
pub(crate) fn npm_project(project: &str) -> Result<PathBuf> {
    /// npm begins with removing what is there, which the page's builds, two at a time, may be about to use.
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = shell::root().join(project);
    let lock = std::fs::read(folder.join("package-lock.json"))
        .with_context(|| format!("cannot read {project}/package-lock.json"))?;
    let stamp = folder.join("node_modules/.installed-lock.json");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(folder);
    }
    shell::run(
        shell::program(
            "npm",
            &["ci", "--no-audit", "--no-fund", "--loglevel=error"],
        )
        .current_dir(&folder),
    )?;
    std::fs::write(stamp, lock)?;
    Ok(folder)
}

#[test]
fn every_row_can_be_read() {
    for needs in [NATIVE_BUILD, LOCAL_GAME, TESTS, NAMESPACES, SMALL_BUNDLE] {
        for row in needs {
            assert!(!Need::read(row).reason.is_empty(), "{row}");
        }
    }
}
