//! Builds with cargo and tells how far it is: one line that changes on a terminal, a line now and then elsewhere.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::{
    collections::VecDeque,
    io::{self, IsTerminal, Read, Write},
    process::{Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    time::{Duration, Instant},
};

/// How often the seconds on a terminal are counted on.
const TICK: Duration = Duration::from_secs(1);
/// How often a line is printed where it stays.
const SELDOM: Duration = Duration::from_secs(20);
/// Cargo's last lines, which tell why a build failed.
const MAX_KEPT: usize = 300;
/// Narrower than every terminal.
const WIDTH: usize = 79;

/// Runs `cargo build …`; `what` is named to whoever waits.
pub(crate) fn build(what: &str, command: &mut Command) -> Result<()> {
    let shown = shell::show(command);
    command
        .env("CARGO_TERM_PROGRESS_WHEN", "always")
        .env("CARGO_TERM_PROGRESS_WIDTH", "200")
        .env("CARGO_TERM_COLOR", "never")
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start `{shown}`"))?;
    let stderr = child.stderr.take().context("cargo has no standard error")?;
    let (sender, pieces) = channel();
    let reader = std::thread::spawn(move || read_pieces(stderr, &sender));
    let mut line = ProgressLine::new(what);
    let mut kept = VecDeque::new();
    follow(&pieces, &mut line, &mut kept);
    // Both ends of the pipe are closed by now.
    let _ = reader.join();
    let status = child.wait()?;
    line.end(status.success());
    if !status.success() {
        let is_doing = |text: &&String| text.trim_start().starts_with("Compiling ");
        for text in kept.iter().filter(|text| !is_doing(text)) {
            eprintln!("{text}");
        }
        bail!("`{shown}` failed: {status}");
    }
    Ok(())
}

/// Draws what cargo says until it says no more.
fn follow(pieces: &Receiver<String>, line: &mut ProgressLine, kept: &mut VecDeque<String>) {
    loop {
        match pieces.recv_timeout(TICK) {
            Ok(piece) => match news(&piece) {
                Some(news) => line.news = news,
                None => {
                    if kept.len() == MAX_KEPT {
                        kept.pop_front();
                    }
                    kept.push_back(piece);
                    continue;
                }
            },
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        line.draw();
    }
}

/// Cargo draws its own progress over itself, with a carriage return before each picture.
fn read_pieces(mut stream: impl Read, pieces: &Sender<String>) {
    let mut rest = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        rest.extend_from_slice(&buffer[..length]);
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let piece: Vec<u8> = rest.drain(..=end).collect();
            let piece = String::from_utf8_lossy(&piece[..end]).trim_end().to_owned();
            if !piece.is_empty() && pieces.send(piece).is_err() {
                return;
            }
        }
    }
}

/// What a line of cargo's says about how far it is; none if it says something else, such as an error.
fn news(piece: &str) -> Option<String> {
    let piece = piece.trim_start();
    if let Some(bar) = piece.strip_prefix("Building [") {
        let (_, counts) = bar.split_once("] ")?;
        let (counts, names) = counts.split_once(": ").unwrap_or((counts, ""));
        let (done, all) = counts.split_once('/')?;
        let name = names.split(", ").next().unwrap_or_default();
        let name = name.split('(').next().unwrap_or_default();
        return Some(
            format!("{done} of {all} crates {name}")
                .trim_end()
                .to_owned(),
        );
    }
    if let Some(bar) = piece.strip_prefix("Downloading [") {
        return Some(format!("downloading {}", bar.split_once("] ")?.1));
    }
    match piece.split(' ').next()? {
        "Blocking" => Some("waiting for another cargo".to_owned()),
        "Updating" => Some("reading the list of crates".to_owned()),
        _ => None,
    }
}

/// The line that tells how far a build is.
struct ProgressLine<'a> {
    what: &'a str,
    news: String,
    start: Instant,
    told: Instant,
    is_terminal: bool,
    /// How much of the terminal's line is taken.
    length: usize,
}

impl<'a> ProgressLine<'a> {
    fn new(what: &'a str) -> Self {
        let now = Instant::now();
        Self {
            what,
            news: String::new(),
            start: now,
            told: now,
            is_terminal: io::stdout().is_terminal(),
            length: 0,
        }
    }

    fn draw(&mut self) {
        let seconds = self.start.elapsed().as_secs();
        let text = format!("{}: {seconds} s, {}", self.what, self.news);
        if self.is_terminal {
            self.put(&text);
        } else if self.told.elapsed() >= SELDOM {
            self.told = Instant::now();
            println!("{text}");
        }
    }

    /// Over what stands there.
    fn put(&mut self, text: &str) {
        let text: String = text.chars().take(WIDTH).collect();
        let length = text.chars().count();
        let blank = self.length.saturating_sub(length);
        print!("\r{text}{:blank$}", "");
        self.length = length;
        // Whoever closed the terminal does not look.
        let _ = io::stdout().flush();
    }

    fn end(&mut self, is_built: bool) {
        let seconds = self.start.elapsed().as_secs_f32();
        if self.is_terminal && self.length > 0 {
            self.put("");
            print!("\r");
        }
        if !is_built {
            println!("{}: failed after {seconds:.0} s", self.what);
        } else if seconds >= 1.0 {
            println!("{}: built in {seconds:.0} s", self.what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargos_bar_is_understood() {
        for (piece, expected) in [
            (
                "    Building [=====>      ] 12/345: wgpu, naga(build)",
                Some("12 of 345 crates wgpu"),
            ),
            ("    Building [>    ] 0/9", Some("0 of 9 crates")),
            (
                " Downloading [=>  ] 3 crates, remaining bytes: 2.3MiB",
                Some("downloading 3 crates, remaining bytes: 2.3MiB"),
            ),
            (
                "    Blocking waiting for file lock on build directory",
                Some("waiting for another cargo"),
            ),
            ("   Compiling wgpu v30.0.1", None),
            ("error[E0425]: cannot find value", None),
        ] {
            assert_eq!(news(piece).as_deref(), expected, "{piece}");
        }
    }

    #[test]
    fn pieces_end_with_either_sign() {
        let (sender, pieces) = channel();
        read_pieces(&b"one\rtwo\r\n\nthree\n"[..], &sender);
        drop(sender);
        assert_eq!(pieces.iter().collect::<Vec<_>>(), ["one", "two", "three"]);
    }
}
