//! What the surroundings say: lines typed into the terminal.

use crate::{app::wake::Wake, event::Event};
use std::{
    io::{BufRead, IsTerminal},
    sync::mpsc::{Receiver, channel},
};

#[derive(Debug)]
pub struct Outside {
    lines: Option<Receiver<String>>,
}

impl Outside {
    /// Begins to listen to the terminal, if there is one.
    pub fn listen(wake: Wake) -> Self {
        if !std::io::stdin().is_terminal() {
            return Self { lines: None };
        }
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
                wake.wake();
            }
        });
        Self { lines: Some(lines) }
    }

    pub fn poll(&mut self) -> Option<Event> {
        self.lines.as_ref()?.try_recv().ok().map(Event::Command)
    }

    /// Shows what the console printed.
    pub fn print(&mut self, line: &str) {
        println!("{line}");
    }
}
