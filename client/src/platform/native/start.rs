//! The way in on a desktop: the command line, then the window or the headless run.

use super::{headless, offscreen, replay, store, terminal};
use crate::{
    app::{StartOptions, window},
    assets::Limits,
    client::browsing::is_address,
    output::has_demo_ending,
};
use clap::Parser;
use std::{path::PathBuf, process::ExitCode};

/// Strafe, a Quake 3 client.
#[derive(Parser)]
#[command(name = "strafe", version, about)]
struct Arguments {
    /// A folder that holds game folders such as baseq3; may be given more than once.
    #[arg(long, value_name = "DIR")]
    data: Vec<PathBuf>,
    /// Runs without window and graphics.
    #[arg(long)]
    headless: bool,
    /// How long the headless run lasts.
    #[arg(long, value_name = "N", default_value_t = 30.0, requires = "headless")]
    seconds: f64,
    /// Ends the headless run, the offscreen one or the replay with one line of JSON.
    #[arg(long)]
    json: bool,
    /// What the headless player does.
    #[arg(long, value_enum, default_value_t = headless::Play::Idle, requires = "headless")]
    input: headless::Play,
    /// Watches this player instead of playing; the JSON then tells how far the player moved.
    #[arg(long, value_name = "NAME", requires = "headless")]
    follow: Option<String>,
    /// Plays a demo as fast as possible, reports what its frames cost, and ends.
    #[arg(long, value_name = "DEMO", conflicts_with = "headless")]
    timedemo: Option<String>,
    /// Draws the timedemo into a picture of this size instead of a window.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size, requires = "timedemo")]
    offscreen: Option<[u32; 2]>,
    /// Makes a run again from its journal, as fast as possible, and tells whether the same came of it.
    #[arg(long, value_name = "JOURNAL", conflicts_with_all = ["headless", "timedemo"])]
    replay: Option<PathBuf>,
    /// Shows the replayed run in a window, where it can be paused, stepped and taken back.
    #[arg(long, requires = "replay")]
    watch: bool,
    /// Console commands, each behind a plus: +set name Ranger +connect host:port
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "+COMMAND"
    )]
    commands: Vec<String>,
}

/// Runs the program; the exit code says whether it went well.
pub fn run() -> ExitCode {
    try_run().unwrap_or_else(|reason| {
        terminal::complain(&format!("strafe: {reason}"));
        ExitCode::FAILURE
    })
}

fn try_run() -> Result<ExitCode, String> {
    let mut arguments = Arguments::parse();
    if std::env::args_os().len() == 1 {
        // Whoever says nothing wants to see the game.
        arguments.commands.push("+skirmish".to_owned());
    }
    terminal::start_log();
    if arguments.replay.is_none() && wants_newest_journal(&arguments.commands) {
        arguments.replay = store::newest_journal();
        if arguments.replay.is_none() {
            return Err("no journal was kept yet; journal 1 keeps that of a run".to_owned());
        }
    }
    let mut rerun = None;
    if let Some(journal) = &arguments.replay {
        if !arguments.watch {
            return Ok(replay::run(journal, &arguments.data, arguments.json));
        }
        rerun = Some(replay::read(journal)?);
    }
    let mut options = StartOptions {
        data: arguments.data,
        commands: command_lines(&with_link(with_demo(arguments.commands))),
        limits: if arguments.headless {
            Limits::UNSEEN
        } else {
            Limits::DESKTOP
        },
        opens_menus: !arguments.headless && arguments.timedemo.is_none(),
        // Some systems do, none tells.
        shows_keyboard: false,
        has_speaker: !arguments.headless && arguments.offscreen.is_none(),
        rerun,
    };
    if let Some(demo) = &arguments.timedemo {
        let words = [
            "+set", "timedemo", "1", "+set", "nextdemo", "quit", "+demo", demo,
        ];
        let words = words.map(str::to_owned);
        options.commands.extend(command_lines(&words));
    }
    if let Some(size) = arguments.offscreen {
        return run_offscreen(options, size, arguments.json);
    }
    if arguments.headless {
        let plan = headless::Plan {
            seconds: arguments.seconds,
            prints_json: arguments.json,
            play: arguments.input,
            follow: arguments.follow,
        };
        return headless::run(options, plan);
    }
    window::run(options)?;
    Ok(ExitCode::SUCCESS)
}

/// `+set journal 2` has the run again whose journal was kept last, as in the original.
fn wants_newest_journal(words: &[String]) -> bool {
    let wanted = ["+set", "journal", "2"];
    words.windows(wanted.len()).any(|three| three == wanted)
}

fn run_offscreen(
    options: StartOptions,
    size: [u32; 2],
    prints_json: bool,
) -> Result<ExitCode, String> {
    let (report, adapter) = offscreen::run(options, size)?;
    let [width, height] = size;
    if prints_json {
        let mut line = serde_json::json!(report);
        line["adapter"] = adapter.into();
        line["width"] = width.into();
        line["height"] = height.into();
        terminal::show_json(&line);
    } else {
        terminal::show(&format!(
            "{width}x{height} on {adapter}\n{}",
            report.text().trim_end()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// `640x360`
fn size(text: &str) -> Result<[u32; 2], String> {
    /// What some device can draw into; whether this one can is seen once it is open.
    const LARGEST: u32 = 16_384;
    let side = |text: &str| {
        text.parse()
            .ok()
            .filter(|side| (1..=LARGEST).contains(side))
    };
    text.split_once('x')
        .and_then(|(width, height)| Some([side(width)?, side(height)?]))
        .ok_or_else(|| format!("sizes look like 640x360, at most {LARGEST}x{LARGEST}"))
}

/// `strafe demo FILE` and `strafe FILE.dm_68` play a demo, as `+demo FILE` does.
fn with_demo(mut words: Vec<String>) -> Vec<String> {
    let is_demo = |word: &String| has_demo_ending(word);
    match words.first().map(String::as_str) {
        Some("demo") => words[0] = "+demo".to_owned(),
        Some(word) if !word.starts_with('+') && words.first().is_some_and(is_demo) => {
            words.insert(0, "+demo".to_owned());
        }
        _ => {}
    }
    words
}

/// `strafe quake3://host:port` joins a server, as `+connect` does: so the system hands over links that a page or a friend
/// made, and nothing but an address is taken from them.
fn with_link(words: Vec<String>) -> Vec<String> {
    let lines = words.into_iter().map(|word| {
        let scheme = ["quake3://", "strafe://"].into_iter().find(|scheme| {
            (word.get(..scheme.len())).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        let Some(scheme) = scheme else {
            return vec![word];
        };
        let server = word[scheme.len()..]
            .split(['/', '?', '#'])
            .next()
            .unwrap_or("");
        match is_address(server) {
            true => vec!["+connect".to_owned(), server.to_owned()],
            false => {
                terminal::complain(&format!("strafe: \"{word}\" is no link to a server"));
                Vec::new()
            }
        }
    });
    lines.flatten().collect()
}

/// `+set name Ranger +connect host` is two lines; words with blanks keep their quotes.
fn command_lines(words: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match (word.strip_prefix('+'), lines.last_mut()) {
            (Some(command), _) => lines.push(command.to_owned()),
            (None, Some(line)) => {
                line.push(' ');
                let needs_quotes = word.is_empty() || word.contains([' ', ';']);
                line.push_str(&if needs_quotes {
                    format!("\"{}\"", word.replace('"', ""))
                } else {
                    word.clone()
                });
            }
            (None, None) => lines.push(word.clone()),
        }
    }
    lines.iter_mut().for_each(|line| line.push('\n'));
    lines
}

#[cfg(test)]
mod tests {
    use super::{command_lines, wants_newest_journal, with_demo, with_link};

    #[test]
    fn journal_2_is_a_replay() {
        let wants = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            wants_newest_journal(&words)
        };
        assert!(wants("+set name x +set journal 2"));
        assert!(!wants("+set journal 1 +set x 2"));
    }

    #[test]
    fn a_demo_needs_no_plus() {
        let lines = |words: &[&str]| {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            command_lines(&with_demo(words))
        };
        assert_eq!(lines(&["demo", "four.dm_68"]), ["demo four.dm_68\n"]);
        assert_eq!(
            lines(&["my duel.dm_71", "+set", "timedemo", "1"]),
            ["demo \"my duel.dm_71\"\n", "set timedemo 1\n"]
        );
        assert_eq!(lines(&["live.dm_73"]), ["demo live.dm_73\n"]);
        assert_eq!(lines(&["+connect", "x.dm_68"]), ["connect x.dm_68\n"]);
    }

    #[test]
    fn a_link_joins_and_brings_nothing_else() {
        let lines = |word: &str| command_lines(&with_link(vec![word.to_owned()]));
        assert_eq!(
            lines("quake3://play.example.org:27961"),
            ["connect play.example.org:27961\n"]
        );
        assert_eq!(lines("STRAFE://[::1]:27960/"), ["connect [::1]:27960\n"]);
        for bad in [
            "quake3://",
            "quake3://x;quit",
            "strafe://a b",
            "strafe://x\n+quit",
            "quake3://\"x\"",
            "quake3://?+quit",
        ] {
            assert!(lines(bad).is_empty(), "{bad}");
        }
        assert_eq!(lines("+connect"), ["connect\n"]);
    }

    #[test]
    fn a_plus_begins_a_line() {
        let words = ["+set", "name", "Two Words", "+connect", "127.0.0.1:27960"].map(str::to_owned);
        assert_eq!(
            command_lines(&words),
            ["set name \"Two Words\"\n", "connect 127.0.0.1:27960\n"]
        );
        assert!(command_lines(&[]).is_empty());
    }
}
