//! Makes Strafe.app on macOS, for links: the system tells applications of a link by an event, which a script hears
//! without unsafe code, so a script hears it and starts the program.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder in which the application is made.
    #[arg(long, default_value = "/Applications")]
    out: PathBuf,
    /// Builds quickly rather than well.
    #[arg(long)]
    dev: bool,
}

/// What the application is known by.
const IDENTIFIER: &str = "org.strafe.client";

/// Hears links and starts the program beside it; each link is one word of its command line, whatever it holds.
const SCRIPT: [&str; 10] = [
    "on launchStrafe(theArguments)",
    "set theProgram to POSIX path of (path to me) & \"Contents/MacOS/strafe\"",
    "do shell script quoted form of theProgram & theArguments & \" > /dev/null 2>&1 &\"",
    "end launchStrafe",
    "on run",
    "launchStrafe(\"\")",
    "end run",
    "on open location theLink",
    "launchStrafe(\" \" & quoted form of theLink)",
    "end open location",
];

/// The schemes of links that it hears, as a property list has them.
const SCHEMES: &str = "<array><dict>\
    <key>CFBundleURLName</key><string>Server of Quake III</string>\
    <key>CFBundleURLSchemes</key><array><string>quake3</string><string>strafe</string></array>\
    </dict></array>";

pub(crate) fn run(options: &Options) -> Result<()> {
    if std::env::consts::OS != "macos" {
        bail!("applications for macOS are made on macOS, with the tools that come with it");
    }
    let program = shell::build("client", "strafe", options.dev)?;
    let app = options.out.join("Strafe.app");
    if app.exists() {
        fs::remove_dir_all(&app).with_context(|| format!("cannot replace {}", app.display()))?;
    }
    shell::run(&mut script(&app))?;
    let contents = app.join("Contents");
    fs::copy(&program, contents.join("MacOS/strafe"))?;
    let icon = fs::read(shell::root().join("web/icon.png"))?;
    fs::write(contents.join("Resources/applet.icns"), icns(&icon))?;
    for mut command in finish(&app) {
        shell::run(&mut command)?;
    }
    println!("{} hears quake3:// and strafe:// links", app.display());
    Ok(())
}

fn script(app: &Path) -> Command {
    let mut command = shell::program("osacompile", &["-o"]);
    command.arg(app);
    for line in SCRIPT {
        command.args(["-e", line]);
    }
    command
}

/// Tells the system of the schemes, and signs what was changed, without which it does not start.
fn finish(app: &Path) -> [Command; 4] {
    let list = app.join("Contents/Info.plist");
    let set = |key: &str, kind: &str, value: &str| {
        let mut command = shell::program("plutil", &["-replace", key, kind, value]);
        command.arg(&list);
        command
    };
    let mut sign = shell::program("codesign", &["--force", "--deep", "--sign", "-"]);
    sign.arg(app);
    let mut register = shell::program(
        "/System/Library/Frameworks/CoreServices.framework/Frameworks/LaunchServices.framework/Support/lsregister",
        &["-f"],
    );
    register.arg(app);
    [
        set("CFBundleURLTypes", "-xml", SCHEMES),
        set("CFBundleIdentifier", "-string", IDENTIFIER),
        sign,
        register,
    ]
}

/// A picture of 512 by 512 as the system's own kind of icon.
fn icns(png: &[u8]) -> Vec<u8> {
    let part = [b"ic09".as_slice(), &length(png.len() + 8), png].concat();
    [b"icns".as_slice(), &length(part.len() + 8), &part].concat()
}

fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).unwrap_or(u32::MAX).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icon_names_its_lengths() {
        let icon = icns(b"\x89PNG");
        assert_eq!(icon, b"icns\0\0\0\x14ic09\0\0\0\x0c\x89PNG");
        let ours = fs::read(shell::root().join("web/icon.png")).unwrap();
        assert_eq!(ours[16..24], [0, 0, 2, 0, 0, 0, 2, 0], "512 by 512");
    }

    #[test]
    fn links_are_words_of_the_command_line_and_known_to_the_system() {
        let app = Path::new("/tmp/Strafe.app");
        let count = |word: &str| SCRIPT.iter().filter(|line| line.starts_with(word)).count();
        assert_eq!((count("on "), count("end ")), (3, 3));
        assert!(
            SCRIPT
                .iter()
                .any(|line| line.contains("quoted form of theLink"))
        );
        assert!(
            shell::show(&script(app))
                .starts_with("osacompile -o /tmp/Strafe.app -e on launchStrafe")
        );
        let commands = finish(app).map(|command| shell::show(&command));
        let desktop = include_str!("../../client/desktop/strafe.desktop");
        for scheme in ["quake3", "strafe"] {
            assert!(commands[0].contains(&format!("<string>{scheme}</string>")));
            assert!(desktop.contains(&format!("x-scheme-handler/{scheme}")));
        }
        assert!(
            commands[2].ends_with("--sign - /tmp/Strafe.app"),
            "{commands:?}"
        );
    }
}
