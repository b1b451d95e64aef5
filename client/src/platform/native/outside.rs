//! What the surroundings say: lines typed into the terminal, and its wish to end the program.

use super::{places, terminal};
use crate::{app::wake::Wake, event::Event};
use shared::base::text;
use std::{
    fs::File,
    io::{BufRead, BufWriter, IsTerminal, Write},
    sync::mpsc::{Receiver, Sender, channel},
};

#[derive(Debug)]
pub struct Outside {
    events: Receiver<Event>,
    log: Option<Log>,
}

/// `qconsole.log` while it is written; `None` inside once that has failed.
#[derive(Debug)]
struct Log(Option<BufWriter<File>>);

impl Outside {
    /// Begins to listen to signals, and to the terminal if there is one.
    pub fn listen(wake: Wake) -> Self {
        let (sender, events) = channel();
        end_on_signal(sender.clone(), wake.clone());
        if std::io::stdin().is_terminal() {
            std::thread::spawn(move || {
                for line in std::io::stdin().lock().lines() {
                    let Ok(line) = line else { return };
                    if sender.send(Event::Command(line)).is_err() {
                        return;
                    }
                    wake.wake();
                }
            });
        }
        Self { events, log: None }
    }

    pub fn poll(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// Shows what the console printed.
    pub fn print(&mut self, line: &str) {
        terminal::show(line);
    }

    /// Writes a line into the log: `logfile` 0 not at all, 1 when enough has come together, 2 at once.
    pub fn log(&mut self, line: &str, logfile: i32) {
        if logfile == 0 {
            self.log = None;
            return;
        }
        let log = self.log.get_or_insert_with(Log::open);
        let Some(file) = &mut log.0 else { return };
        let written = writeln!(file, "{}", text::printable(line)).and_then(|()| match logfile {
            1 => Ok(()),
            _ => file.flush(),
        });
        if let Err(error) = written {
            log.0 = None;
            terminal::complain(&format!("{LOG_NAME} cannot be written any more: {error}"));
        }
    }
}

impl Log {
    fn open() -> Self {
        let folder = places::data_folder();
        let path = folder.join(LOG_NAME);
        let file = std::fs::create_dir_all(&folder).and_then(|()| File::create(&path));
        if let Err(error) = &file {
            terminal::complain(&format!("{} cannot be written: {error}", path.display()));
        }
        Self(file.ok().map(BufWriter::new))
    }
}

/// In the player's own folder.
const LOG_NAME: &str = "qconsole.log";

/// Ctrl-C and the like end the program as `quit` does, so that the server hears of it.
fn end_on_signal(sender: Sender<Event>, wake: Wake) {
    let outcome = ctrlc::set_handler(move || {
        // A closed channel means that the program is ending already.
        let _ = sender.send(Event::Quit);
        wake.wake();
    });
    if let Err(error) = outcome {
        tracing::warn!("Ctrl-C will end the program without a goodbye: {error}");
    }
}
