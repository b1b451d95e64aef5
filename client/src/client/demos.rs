//! Demos: finding them, playing them, recording them.

use super::Client;
use crate::{
    assets::RawId,
    cl::demo_kind,
    output::{DEMO_ENDINGS, Request, has_demo_ending},
    session::Session,
};

/// A demo that is looked for in the paks; its possible names in the order of preference.
#[derive(Clone)]
pub(super) struct DemoSearch {
    name: String,
    files: Vec<RawId>,
}

impl Client {
    /// Asks for a demo: the player's own files come first, then those in paks.
    pub(crate) fn find_demo(&mut self, name: &str) {
        if name.is_empty() {
            return self.print("demo NAME: plays demos/NAME.dm_68 or the like\n");
        }
        self.request(Request::ReadDemo {
            name: name.to_owned(),
        });
    }

    /// The player's own files were looked through.
    pub(super) fn demo_read(&mut self, name: String, bytes: Option<Vec<u8>>) {
        if let Some(bytes) = bytes {
            return self.play_demo(&name, bytes);
        }
        let endings = if has_demo_ending(&name) {
            &[""]
        } else {
            &DEMO_ENDINGS[..]
        };
        let files = endings
            .iter()
            .map(|ending| self.assets.register_file(&format!("demos/{name}{ending}")))
            .collect();
        self.demo_search = Some(DemoSearch { name, files });
    }

    pub(super) fn run_demo_search(&mut self) {
        let Some(search) = self.demo_search.take() else {
            return;
        };
        for &file in &search.files {
            if let Some(bytes) = self.assets.file(file).cloned() {
                return self.play_demo(&search.name, bytes.to_vec());
            }
            if !self.assets.is_missing(file) {
                self.demo_search = Some(search);
                return;
            }
        }
        let name = search.name;
        self.print(&format!(
            "demo {name}: there is no demos/{name} with .dm_71, .dm_68 or the like, neither in your folder nor in the paks\n"
        ));
    }

    fn play_demo(&mut self, name: &str, bytes: Vec<u8>) {
        self.disconnect("");
        self.error = None;
        if let Some(refusal) = demo_kind::refusal(name, &bytes) {
            let text = format!("demo {name}: {refusal}");
            self.print(&format!("^3{text}\n"));
            self.error = Some(text);
            return self.demo_ended(None);
        }
        self.console.set_open(false, true);
        self.session = Some(Session::play(name, bytes, self.now, &self.cvars));
    }

    /// A demo is over: says what a timedemo measured, and goes on with `nextdemo`.
    pub(super) fn demo_ended(&mut self, report: Option<&str>) {
        if let Some(report) = report {
            self.print(report);
        }
        let next = self.cvars.text("nextdemo").to_owned();
        if !next.is_empty() {
            self.cvars.force("nextdemo", "");
            self.buffer.append(&format!("{next}\n"));
        }
    }

    pub(crate) fn record_demo(&mut self, name: &str) {
        let result = match &mut self.session {
            Some(session) => session.record(name),
            None => Err("not on a server".to_owned()),
        };
        match result {
            Ok(name) => self.print(&format!("recording to {name}\n")),
            Err(reason) => self.print(&format!("{reason}\n")),
        }
    }

    pub(crate) fn stop_recording(&mut self) {
        let recording = self.session.as_mut().and_then(Session::stop_recording);
        if !self.store_recording(recording) {
            self.print("not recording\n");
        }
    }

    /// Keeps a recording that has ended; false if there is none.
    pub(super) fn store_recording(&mut self, recording: Option<(String, Vec<u8>)>) -> bool {
        let Some((name, bytes)) = recording else {
            return false;
        };
        self.print(&format!("stopped recording {name}\n"));
        self.request(Request::StoreBytes { name, bytes });
        true
    }
}
