//! Downloads: paks handed out to clients over their connection, block by block, no faster than `sv_dlRate`.

use crate::{io::Request, messages::start_message, pure::Pak, server::Server, slot::SlotState};
use shared::{base::text::number, net::svc};
use std::collections::VecDeque;

/// Bytes of a block.
const BLOCK: usize = 1024;
/// Blocks that a client need not have confirmed.
const WINDOW: usize = 48;
/// Bytes that are asked of the file at once.
const CHUNK: u64 = 64 * BLOCK as u64;
/// What was not confirmed after so long is sent again.
const AGAIN_MSEC: i32 = 1000;
/// Blocks that one client gets in a frame.
const MAX_AT_ONCE: usize = 8;

/// The values of `sv_allowDownload`.
const ENABLED: i32 = 1;
const NOT_BY_UDP: i32 = 4;

/// A pak on its way to a client.
#[derive(Clone, Debug)]
pub(crate) struct Download {
    path: String,
    size: u64,
    /// Bytes that were read so far, and whether more were asked for.
    read_to: u64,
    is_reading: bool,
    /// From the oldest that is not confirmed; the empty one is the end.
    blocks: VecDeque<Vec<u8>>,
    has_end: bool,
    /// Number of the first of them.
    first: i32,
    /// How many of them were sent.
    sent: usize,
    sent_at: i32,
}

/// What a confirmation means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Confirmed {
    More,
    Complete,
    /// It is not about the block that is due.
    Wrong,
}

impl Download {
    fn new(pak: &Pak, now: i32) -> Self {
        Self {
            path: pak.path(),
            size: pak.size,
            read_to: 0,
            is_reading: false,
            blocks: VecDeque::new(),
            has_end: false,
            first: 0,
            sent: 0,
            sent_at: now,
        }
    }

    /// What to read next, if there is room for it.
    fn wanted(&mut self) -> Option<Request> {
        let has_room = self.blocks.len() < WINDOW;
        if self.is_reading || !has_room || self.read_to == self.size {
            return None;
        }
        self.is_reading = true;
        Some(Request::ReadPak {
            path: self.path.clone(),
            start: self.read_to,
            length: CHUNK.min(self.size - self.read_to) as usize,
        })
    }

    /// Takes what was read; false if it is not what was asked for.
    fn take(&mut self, bytes: &[u8]) -> bool {
        if bytes.len() as u64 != CHUNK.min(self.size - self.read_to) {
            return false;
        }
        self.is_reading = false;
        self.read_to += bytes.len() as u64;
        self.blocks.extend(bytes.chunks(BLOCK).map(<[u8]>::to_vec));
        true
    }

    /// The next block, or again the first after too long a silence.
    fn next_block(&mut self, now: i32) -> Option<svc::Download> {
        if self.read_to == self.size && !self.has_end {
            self.has_end = true;
            self.blocks.push_back(Vec::new());
        }
        let in_window = self.blocks.len().min(WINDOW);
        if self.sent == in_window && now.wrapping_sub(self.sent_at) > AGAIN_MSEC {
            self.sent = 0;
        }
        let data = self.blocks.iter().take(WINDOW).nth(self.sent)?.clone();
        let number = self.first.wrapping_add(self.sent as i32);
        self.sent += 1;
        self.sent_at = now;
        Some(svc::Download::Block {
            number,
            size: (number == 0).then_some(self.size as i32),
            data,
        })
    }

    fn confirm(&mut self, number: i32, now: i32) -> Confirmed {
        if self.sent == 0 || number != self.first {
            return Confirmed::Wrong;
        }
        let Some(block) = self.blocks.pop_front() else {
            return Confirmed::Wrong;
        };
        self.first += 1;
        self.sent -= 1;
        self.sent_at = now;
        match block.is_empty() {
            true => Confirmed::Complete,
            false => Confirmed::More,
        }
    }
}

impl Server {
    /// A client asks for a pak.
    pub(crate) fn begin_download(&mut self, client: usize, path: &str) {
        let found = self.find_pak(path);
        let now = self.now;
        let Some(slot) = &mut self.slots[client] else {
            return;
        };
        // Whoever plays already has all it needs.
        if slot.state == SlotState::Active {
            return;
        }
        let refusal = match found {
            Ok(pak) => {
                slot.download = Some(Download::new(&pak, now));
                return;
            }
            Err(refusal) => refusal,
        };
        slot.download = None;
        let mut writer = start_message(slot);
        writer.download(&svc::Download::Refused { reason: refusal });
        self.send_message(client, writer);
    }

    /// The pak that is handed out by a name, or why it is not.
    fn find_pak(&self, path: &str) -> Result<Pak, String> {
        let paks = self.level.iter().flat_map(|level| &level.paks.all);
        let mut needed = paks.filter(|pak| pak.is_referenced);
        let path: String = path.chars().take(64).collect();
        let Some(pak) = needed.find(|pak| pak.path().eq_ignore_ascii_case(&path)) else {
            return Err(format!(
                "{path} is not needed here and cannot be downloaded."
            ));
        };
        if pak.is_commercial() {
            return Err(format!(
                "{path} belongs to the game itself and cannot be downloaded."
            ));
        }
        let allowed = self.cvars.integer("sv_allowDownload");
        if allowed & ENABLED == 0 || allowed & NOT_BY_UDP != 0 {
            return Err(format!(
                "{path} cannot be downloaded: this server hands out no files."
            ));
        }
        if pak.size > i32::MAX as u64 {
            return Err(format!("{path} is too large to be downloaded."));
        }
        Ok(pak.clone())
    }

    /// A client has a block.
    pub(crate) fn confirm_block(&mut self, client: usize, block: &str) {
        let now = self.now;
        let Some(slot) = &mut self.slots[client] else {
            return;
        };
        let Some(download) = &mut slot.download else {
            return;
        };
        match download.confirm(number(block), now) {
            Confirmed::More => {}
            Confirmed::Complete => slot.download = None,
            Confirmed::Wrong => self.drop_client(client, "broken download"),
        }
    }

    /// Bytes of a pak have come.
    pub(crate) fn pak_read(&mut self, path: &str, start: u64, result: &Result<Vec<u8>, String>) {
        for client in 0..self.slots.len() {
            let download = self.slots[client]
                .as_mut()
                .and_then(|slot| slot.download.as_mut());
            let waiting =
                download.filter(|one| one.is_reading && one.path == path && one.read_to == start);
            let Some(download) = waiting else { continue };
            let problem = match result {
                Ok(bytes) if download.take(bytes) => continue,
                Ok(_) => "it has changed",
                Err(problem) => problem,
            };
            self.print(format!("{path} cannot be read: {problem}"));
            self.drop_client(client, "the server cannot read the file");
        }
    }

    /// Sends as many blocks as `sv_dlRate` allows in so many milliseconds.
    pub(crate) fn send_downloads(&mut self, msec: i32) {
        /// What was not used for so long is lost.
        const MAX_SAVED_MSEC: i64 = 100;
        let rate = i64::from(self.cvars.integer("sv_dlRate")) * 1024;
        let most = (rate * MAX_SAVED_MSEC / 1000).max(BLOCK as i64);
        let saved = self.download_bytes + rate * i64::from(msec.max(0)) / 1000;
        self.download_bytes = saved.clamp(0, most);
        for _ in 0..MAX_AT_ONCE {
            for client in 0..self.slots.len() {
                let has_room = rate <= 0 || self.download_bytes >= BLOCK as i64;
                if has_room && self.send_block(client) {
                    self.download_bytes -= BLOCK as i64;
                }
            }
        }
    }

    /// Sends the next block to a client; false if there is none.
    fn send_block(&mut self, client: usize) -> bool {
        let now = self.now;
        let Some(slot) = &mut self.slots[client] else {
            return false;
        };
        let Some(download) = &mut slot.download else {
            return false;
        };
        self.output.requests.extend(download.wanted());
        let Some(block) = download.next_block(now) else {
            return false;
        };
        let mut writer = start_message(slot);
        writer.download(&block);
        self.send_message(client, writer);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn download(size: u64) -> Download {
        let pak = Pak {
            game: "baseoa".to_owned(),
            name: "extra".to_owned(),
            size,
            ..Pak::default()
        };
        Download::new(&pak, 0)
    }

    fn number_of(block: Option<svc::Download>) -> Option<i32> {
        match block? {
            svc::Download::Block { number, .. } => Some(number),
            svc::Download::Refused { .. } => None,
        }
    }

    #[test]
    fn a_window_is_sent_and_repeated_from_what_is_missing() {
        let mut download = download(100 * BLOCK as u64);
        assert!(matches!(
            download.wanted(),
            Some(Request::ReadPak {
                start: 0,
                length: 65_536,
                ..
            })
        ));
        assert_eq!(download.wanted(), None, "once is enough");
        assert_eq!(number_of(download.next_block(0)), None);
        assert!(download.take(&[7; 65_536]));
        let sent: Vec<i32> = std::iter::from_fn(|| number_of(download.next_block(5))).collect();
        assert_eq!(sent, (0..48).collect::<Vec<_>>());
        assert_eq!(download.confirm(0, 10), Confirmed::More);
        assert_eq!(number_of(download.next_block(10)), Some(48));
        assert_eq!(number_of(download.next_block(1010)), None);
        assert_eq!(number_of(download.next_block(1011)), Some(1));
        assert_eq!(download.confirm(0, 1012), Confirmed::Wrong);
    }

    #[test]
    fn an_empty_block_ends_it() {
        let mut download = download(1500);
        assert!(download.wanted().is_some());
        assert!(!download.take(&[1; 1499]), "not what was asked for");
        assert!(download.take(&[1; 1500]));
        let lengths: Vec<usize> = std::iter::from_fn(|| match download.next_block(0)? {
            svc::Download::Block { data, size, number } => {
                assert_eq!(size, (number == 0).then_some(1500));
                Some(data.len())
            }
            svc::Download::Refused { .. } => None,
        })
        .collect();
        assert_eq!(lengths, [1024, 476, 0]);
        let confirmed = [0, 1, 2].map(|block| download.confirm(block, 0));
        assert_eq!(
            confirmed,
            [Confirmed::More, Confirmed::More, Confirmed::Complete]
        );
        assert_eq!(download.confirm(3, 0), Confirmed::Wrong);
    }
}
