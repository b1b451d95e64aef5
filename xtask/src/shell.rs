//! Runs other programs, says what runs, and ends what was started.

use crate::progress;
use anyhow::{Context, Result, bail};
use std::{
    ffi::OsStr,
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

/// The root of the checkout.
pub(crate) fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        // Checkouts that share a target folder share this program; cargo tells which of them it runs for.
        let xtask = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = xtask.parent().expect("xtask lies inside the checkout");
        root.to_owned()
    })
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// A cargo command in the checkout that never asks for input.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = program(
        &std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()),
        arguments,
    );
    command.current_dir(root());
    command
}

/// Builds a program of ours and tells where it lies.
pub(crate) fn build(package: &str, name: &str, is_dev: bool) -> Result<PathBuf> {
    build_with(package, name, is_dev, &[], &[])
}

/// The same with more arguments for cargo and more variables for build scripts.
pub(crate) fn build_with(
    package: &str,
    name: &str,
    is_dev: bool,
    arguments: &[&str],
    variables: &[(&str, &OsStr)],
) -> Result<PathBuf> {
    let (profile, folder) = if is_dev {
        ("dev", "debug")
    } else {
        ("release", "release")
    };
    let mut command = cargo(&[
        "build",
        &format!("--package={package}"),
        &format!("--bin={name}"),
        &format!("--profile={profile}"),
    ]);
    command.args(arguments).envs(variables.iter().copied());
    progress::build(name, &mut command)?;
    Ok(target()
        .join(folder)
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// Any command, with nothing to read on its standard input.
pub(crate) fn program(name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs to the end; an error names the command and how it ended.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    let status = command
        .status()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed: {status}");
    }
    Ok(())
}

/// Runs to the end and returns what it printed.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command
        .output()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!(
            "`{shown}` failed: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A command as one would type it.
pub(crate) fn show(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The full path of a program on PATH; Debian keeps games outside of root's PATH.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/games", "/usr/lib/ioquake3", "/usr/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
        .find(|file| file.is_file())
}

/// A running program which ends with this value, also when we panic.
pub(crate) struct Running {
    pub name: &'static str,
    pub child: Child,
    /// What else is its own for as long as it runs.
    pub claim: Option<File>,
}

impl Running {
    pub(crate) fn start(name: &'static str, command: &mut Command) -> Result<Self> {
        let shown = show(command);
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {name} (`{shown}`)"))?;
        Ok(Self {
            name,
            child,
            claim: None,
        })
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only for a program that has ended already, which is what we want.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
