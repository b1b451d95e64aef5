//! The inspector in the client: when it is open, who gets its keys, and where its files go.

use super::Client;
use crate::{
    con::keys,
    inspector::{self, InspectorKey},
    output::Request,
    scene::Draw2d,
    session::Session,
    ui::{
        font::{Font, PROPORTIONAL},
        painter::Painter,
    },
};

impl Client {
    /// `inspector [hold|off|json [NAME]|pcapng [NAME]]`; alone it opens the inspector, then holds it, then closes it.
    pub(crate) fn run_inspector(&mut self, word: &str, name: &str) {
        match (word, &self.inspector) {
            ("json" | "pcapng", _) => self.export_wire(word, name),
            ("off", _) => self.close_inspector(),
            ("hold", _) => self.hold_inspector(),
            ("", None) => {
                self.open_inspector();
                if self.inspector.is_some() {
                    self.print("What is said is shown; inspector once more holds it, inspector off closes it.\n");
                }
            }
            ("", Some(inspector)) if inspector.is_held() => self.close_inspector(),
            ("", Some(_)) => self.hold_inspector(),
            _ => self.print("inspector [hold|off|json [NAME]|pcapng [NAME]]\n"),
        }
    }

    fn open_inspector(&mut self) {
        if self.session.is_none() {
            return self.print("there is no connection to look at\n");
        }
        self.inspector.get_or_insert_with(Box::default);
    }

    fn hold_inspector(&mut self) {
        self.open_inspector();
        let (now, screen) = (self.now, self.screen);
        let log = self.session.as_ref().and_then(Session::wire_log);
        if let (Some(inspector), Some(log)) = (&mut self.inspector, log) {
            inspector.hold(now, log, screen);
            self.console.set_open(false, true);
            self.release_keys();
        }
    }

    fn close_inspector(&mut self) {
        self.inspector = None;
    }

    fn export_wire(&mut self, form: &str, name: &str) {
        let log = self.session.as_ref().and_then(Session::wire_log);
        let Some(log) = log else {
            return self.print("there is no connection to look at\n");
        };
        let count = log.entries().len();
        let bytes = match form {
            "json" => inspector::json(log).into_bytes(),
            _ => inspector::pcapng(log),
        };
        let name = match name {
            "" => format!("wire-{}", self.now.0),
            name => name
                .chars()
                .filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c))
                .collect(),
        };
        let name = format!("inspections/{name}.{form}");
        self.print(&format!("{count} messages in {name}\n"));
        self.request(Request::StoreBytes { name, bytes });
    }

    /// A key goes down while the inspector is open; false if others may have it.
    pub(super) fn handle_inspector_key(&mut self, key: u16) -> bool {
        let log = self.session.as_ref().and_then(Session::wire_log);
        let (Some(inspector), Some(log)) = (&mut self.inspector, log) else {
            return false;
        };
        // What opened it lets it go on.
        let is_own = self.binds.get(key).trim() == "inspector";
        match inspector.handle_key(key, log) {
            InspectorKey::Ignored => return false,
            InspectorKey::Handled if is_own && key != keys::ENTER => self.close_inspector(),
            InspectorKey::Handled => {}
            InspectorKey::Release => inspector.release(),
        }
        true
    }

    /// Whether the inspector takes keys, letters and the mouse.
    pub(super) fn inspector_is_held(&self) -> bool {
        self.inspector
            .as_ref()
            .is_some_and(|inspector| inspector.is_held())
    }

    pub(super) fn draw_inspector(&mut self, out: &mut Vec<Draw2d>) {
        let (now, screen) = (self.now, self.screen);
        let unit = (screen[0] / 1280.0).min(screen[1] / 720.0).max(0.25);
        let session = self.session.as_ref();
        let log = session.and_then(Session::wire_log);
        let lag = session.and_then(Session::lag);
        if let (Some(inspector), Some(log)) = (&mut self.inspector, log) {
            let mut painter = Painter {
                out,
                charset: self.charset,
                title_font: Font {
                    shader: self.title_letters,
                    face: &PROPORTIONAL,
                },
                unit,
            };
            inspector.draw(&mut painter, screen, now, log, lag);
        }
    }
}
