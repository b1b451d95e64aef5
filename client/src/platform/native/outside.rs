//! What the surroundings say: lines typed into the terminal, and its wish to end the program.

use crate::{app::wake::Wake, event::Event};
use std::{
    io::{BufRead, IsTerminal},
    sync::mpsc::{Receiver, Sender, channel},
};

#[derive(Debug)]
pub struct Outside {
    lines: Receiver<String>,
}

impl Outside {
    /// Begins to listen to signals, and to the terminal if there is one.
    pub fn listen(wake: Wake) -> Self {
        let (sender, lines) = channel();
        end_on_signal(sender.clone(), wake.clone());
        if std::io::stdin().is_terminal() {
            std::thread::spawn(move || {
                for line in std::io::stdin().lock().lines() {
                    let Ok(line) = line else { return };
                    if sender.send(line).is_err() {
                        return;
                    }
                    wake.wake();
                }
            });
        }
        Self { lines }
    }

    pub fn poll(&mut self) -> Option<Event> {
        self.lines.try_recv().ok().map(Event::Command)
    }

    /// Shows what the console printed.
    pub fn print(&mut self, line: &str) {
        println!("{line}");
    }
}

/// Ctrl-C and the like end the program as `quit` does, so that the server hears of it.
fn end_on_signal(sender: Sender<String>, wake: Wake) {
    let outcome = ctrlc::set_handler(move || {
        // A closed channel means that the program is ending already.
        let _ = sender.send("quit\n".to_owned());
        wake.wake();
    });
    if let Err(error) = outcome {
        tracing::warn!("Ctrl-C will end the program without a goodbye: {error}");
    }
}
