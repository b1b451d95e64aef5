//! Recording a demo of what the server sends.

use super::Session;
use crate::cl::{Connection, Feed};

#[derive(Clone)]
pub(super) struct Recording {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// Begun by itself (`cl_autoRecordDemo`); then it ends with the level.
    pub(super) is_automatic: bool,
}

impl Session {
    /// Begins to record; gives the name.
    ///
    /// # Errors
    /// Says why nothing is recorded.
    pub fn record(&mut self, name: &str) -> Result<String, String> {
        let server = self.feed.as_mut().and_then(Feed::server_mut);
        let server = server.filter(|_| self.recording.is_none());
        let connection = server.ok_or("already recording, or not on a server")?;
        if !connection.start_recording() {
            return Err("a demo can only be recorded in the game".to_owned());
        }
        let name = match name {
            "" => {
                let map = self.level.as_ref().map_or("", |level| &level.map);
                format!("{map}-{}", connection.server_time().0)
            }
            name => name.to_owned(),
        };
        let is_odd = |c: char| !c.is_ascii_alphanumeric() && c != '-';
        let stem: String = name.chars().take(48).collect();
        let stem = stem.replace(is_odd, "_");
        let name = format!("demos/{stem}.dm_{}", connection.protocol());
        self.recording = Some(Recording {
            name: name.clone(),
            bytes: Vec::new(),
            is_automatic: false,
        });
        Ok(name)
    }

    /// Records each level from its beginning; gives the name of a recording that begins.
    pub fn record_automatically(&mut self) -> Option<String> {
        let level = self.level.as_mut()?;
        if !level.is_in_game || std::mem::replace(&mut level.was_recorded, true) {
            return None;
        }
        let map = level.map.clone();
        let time = self.connection()?.server_time().0;
        let name = format!("{}-{map}-{time}", self.server);
        let name = self.record(&name).ok()?;
        if let Some(recording) = &mut self.recording {
            recording.is_automatic = true;
        }
        Some(name)
    }

    /// Recordings that have ended by themselves since the last call.
    pub fn take_recorded(&mut self) -> Vec<(String, Vec<u8>)> {
        std::mem::take(&mut self.recorded)
    }

    /// Ends the recording; gives its name and bytes.
    pub fn stop_recording(&mut self) -> Option<(String, Vec<u8>)> {
        let mut recording = self.recording.take()?;
        let rest = self.connection_mut().and_then(Connection::stop_recording);
        recording.bytes.extend(rest.unwrap_or_default());
        Some((recording.name, recording.bytes))
    }
}
