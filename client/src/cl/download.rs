//! Fetches missing paks over the connection itself, block by block.

use super::systeminfo::Pak;
use shared::{base::time::ClientTime, net::svc::Download};
use std::collections::VecDeque;

/// The paks still to fetch, and the one under way.
#[derive(Clone, Debug, Default)]
pub struct Downloads {
    waiting: VecDeque<Pak>,
    current: Option<Current>,
    has_asked: bool,
    /// Bytes of the paks that came.
    fetched: usize,
}

#[derive(Clone, Debug)]
struct Current {
    pak: Pak,
    size: usize,
    /// Number of the block that must come next.
    expected: i32,
    bytes: Vec<u8>,
    /// When it was asked for, or the newest block came.
    moved_at: ClientTime,
}

/// How far the current pak is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    pub name: &'a str,
    pub size: usize,
    pub received: usize,
    /// Paks that follow.
    pub waiting: usize,
}

/// What a block means to the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing: an old or early block.
    Ignored,
    /// The command to confirm it with.
    Confirm(String),
    /// The last block: confirm it, the pak is complete.
    Complete {
        confirm: String,
        pak: Pak,
        bytes: Vec<u8>,
    },
    /// The download cannot be finished.
    Failed { pak: Pak, fault: String },
    /// Nobody asked for it.
    Unexpected,
}

impl Downloads {
    /// Takes the paks to fetch; names that could lead out of the game folder are given back.
    pub fn new(paks: &[Pak]) -> (Self, Vec<Pak>) {
        let (good, bad): (Vec<_>, Vec<_>) = paks
            .iter()
            .cloned()
            .partition(|pak| is_safe_name(&pak.name));
        let downloads = Self {
            waiting: good.into(),
            ..Self::default()
        };
        (downloads, bad)
    }

    /// Starts the next pak and gives the command for it; `None` when all are done.
    pub fn start_next(&mut self, now: ClientTime) -> Option<String> {
        let pak = self.waiting.pop_front()?;
        let command = format!("download {}.pk3", pak.name);
        self.current = Some(Current {
            pak,
            size: 0,
            expected: 0,
            bytes: Vec::new(),
            moved_at: now,
        });
        self.has_asked = true;
        Some(command)
    }

    pub fn is_running(&self) -> bool {
        self.current.is_some()
    }

    /// The server was asked for a pak, so it must be told at the end.
    pub fn has_asked(&self) -> bool {
        self.has_asked
    }

    /// Nothing has come for so long that nothing will.
    pub fn is_stalled(&self, now: ClientTime) -> bool {
        let current = self.current.as_ref();
        current.is_some_and(|current| now - current.moved_at >= STALLED_SECONDS * 1000)
    }

    /// The block that must come next; 0 while nothing is fetched.
    pub fn expected_block(&self) -> i32 {
        self.current.as_ref().map_or(0, |current| current.expected)
    }

    pub fn progress(&self) -> Option<Progress<'_>> {
        let current = self.current.as_ref()?;
        Some(Progress {
            name: &current.pak.name,
            size: current.size,
            received: current.bytes.len(),
            waiting: self.waiting.len(),
        })
    }

    pub fn handle(&mut self, now: ClientTime, download: &Download) -> Outcome {
        let Some(current) = &mut self.current else {
            return Outcome::Unexpected;
        };
        let (number, size, data) = match download {
            Download::Refused { reason } => return self.fail(one_line(reason)),
            Download::Block { number, size, data } => (*number, *size, data),
        };
        if number != current.expected {
            return Outcome::Ignored;
        }
        if let Some(size) = size {
            match usize::try_from(size) {
                Ok(size) if size <= MAX_PAK_SIZE && size <= MAX_IN_ALL - self.fetched => {
                    current.size = size;
                }
                Ok(size) if size <= MAX_PAK_SIZE => {
                    let megabytes = size.div_ceil(1 << 20);
                    return self.fail(format!(
                        "with its {megabytes} MB the level would take more than {} MB of the disk",
                        MAX_IN_ALL >> 20
                    ));
                }
                _ => return self.fail(format!("the server names a size of {size} bytes")),
            }
        }
        if current.bytes.len() + data.len() > current.size {
            return self.fail("more comes than the server said".to_owned());
        }
        current.bytes.extend_from_slice(data);
        let confirm = format!("nextdl {}", current.expected);
        current.expected += 1;
        current.moved_at = now;
        if !data.is_empty() {
            return Outcome::Confirm(confirm);
        }
        if current.bytes.len() != current.size {
            return self.fail("it ended before its size".to_owned());
        }
        match self.current.take() {
            Some(Current { pak, bytes, .. }) => {
                self.fetched += bytes.len();
                Outcome::Complete {
                    confirm,
                    pak,
                    bytes,
                }
            }
            None => Outcome::Ignored,
        }
    }

    /// Ends the running download without its pak; those that wait can follow.
    pub fn fail(&mut self, fault: String) -> Outcome {
        match self.current.take() {
            Some(current) => Outcome::Failed {
                pak: current.pak,
                fault,
            },
            None => Outcome::Unexpected,
        }
    }
}

/// What a server says, in one line that is not too long.
fn one_line(text: &str) -> String {
    const MAX_LETTERS: usize = 200;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(MAX_LETTERS).collect();
    line.trim_end_matches('.').to_owned()
}

/// One folder and a plain file name, as `baseoa/pak6-misc`.
pub fn is_safe_name(name: &str) -> bool {
    let is_plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with(['.', ' '])
            && !part.contains("..")
            && !part.contains(|c: char| matches!(c, '\\' | ':' | '"' | ';') || c.is_control())
    };
    match name.split_once('/') {
        Some((folder, file)) => {
            is_plain(folder) && is_plain(file) && !file.contains('/') && name.len() < 60
        }
        None => false,
    }
}

/// Paks are kept in memory until they are complete.
const MAX_PAK_SIZE: usize = 512 << 20;
/// No server fills a disk: all paks of a level together.
const MAX_IN_ALL: usize = 2048 << 20;
pub const STALLED_SECONDS: i32 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: ClientTime = ClientTime(5000);

    fn pak(name: &str) -> Pak {
        Pak {
            name: name.to_owned(),
            checksum: 5,
        }
    }

    fn started() -> Downloads {
        let (mut downloads, bad) = Downloads::new(&[pak("baseoa/extra")]);
        assert!(bad.is_empty());
        assert_eq!(
            downloads.start_next(NOW).as_deref(),
            Some("download baseoa/extra.pk3")
        );
        downloads
    }

    fn block(number: i32, size: Option<i32>, data: &[u8]) -> Download {
        Download::Block {
            number,
            size,
            data: data.to_vec(),
        }
    }

    #[test]
    fn blocks_are_joined_in_order_and_confirmed() {
        let mut downloads = started();
        let first = downloads.handle(NOW, &block(0, Some(5), b"abc"));
        assert_eq!(first, Outcome::Confirm("nextdl 0".to_owned()));
        assert_eq!(
            downloads.handle(NOW, &block(0, Some(5), b"abc")),
            Outcome::Ignored
        );
        assert_eq!(
            downloads.handle(NOW, &block(2, None, b"xx")),
            Outcome::Ignored
        );
        let second = downloads.handle(NOW, &block(1, None, b"de"));
        assert_eq!(second, Outcome::Confirm("nextdl 1".to_owned()));
        assert_eq!(
            downloads.progress().map(|now| (now.size, now.received)),
            Some((5, 5))
        );
        let last = downloads.handle(NOW, &block(2, None, b""));
        let complete = Outcome::Complete {
            confirm: "nextdl 2".to_owned(),
            pak: pak("baseoa/extra"),
            bytes: b"abcde".to_vec(),
        };
        assert_eq!(last, complete);
        assert!(downloads.has_asked() && !downloads.is_running());
        assert_eq!(downloads.start_next(NOW), None);
    }

    #[test]
    fn faults_end_the_download() {
        let fault = |outcome| match outcome {
            Outcome::Failed { fault, .. } => fault,
            other => panic!("{other:?}"),
        };
        let refused = Download::Refused {
            reason: "not\nfound.\n\n".to_owned(),
        };
        assert_eq!(fault(started().handle(NOW, &refused)), "not found");
        assert_eq!(
            fault(started().handle(NOW, &block(0, Some(i32::MAX), b""))),
            "the server names a size of 2147483647 bytes"
        );
        assert_eq!(
            fault(started().handle(NOW, &block(0, Some(2), b"abc"))),
            "more comes than the server said"
        );
        assert_eq!(
            fault(started().handle(NOW, &block(0, Some(2), b""))),
            "it ended before its size"
        );
        assert_eq!(
            Downloads::default().handle(NOW, &block(0, None, b"")),
            Outcome::Unexpected
        );
    }

    #[test]
    fn a_level_takes_so_much_and_no_more() {
        let (mut downloads, _) = Downloads::new(&[pak("baseoa/a"), pak("baseoa/b")]);
        downloads.fetched = MAX_IN_ALL - 4;
        downloads.start_next(NOW);
        let much = downloads.handle(NOW, &block(0, Some(5), b"abcde"));
        assert!(
            matches!(&much, Outcome::Failed { fault, .. } if fault.contains("2048 MB")),
            "{much:?}"
        );
        downloads.start_next(NOW);
        let little = downloads.handle(NOW, &block(0, Some(4), b"abcd"));
        assert_eq!(little, Outcome::Confirm("nextdl 0".to_owned()));
        downloads.handle(NOW, &block(1, None, b""));
        assert_eq!(downloads.fetched, MAX_IN_ALL);
    }

    #[test]
    fn a_fault_lets_the_next_pak_follow_and_silence_is_a_fault() {
        let (mut downloads, _) = Downloads::new(&[pak("baseoa/a"), pak("baseoa/b")]);
        downloads.start_next(NOW);
        assert_eq!(downloads.progress().map(|now| now.waiting), Some(1));
        downloads.handle(NOW + 15_000, &block(0, Some(9), b"abc"));
        assert!(!downloads.is_stalled(NOW + 34_999));
        assert!(downloads.is_stalled(NOW + 35_000));
        assert!(matches!(
            downloads.fail("silence".to_owned()),
            Outcome::Failed { .. }
        ));
        let next = downloads.start_next(NOW + 35_000);
        assert_eq!(next.as_deref(), Some("download baseoa/b.pk3"));
        assert!(!downloads.is_stalled(NOW + 35_000));
        // Blocks of the pak before still come.
        let late = downloads.handle(NOW, &block(1, None, b"def"));
        assert_eq!(late, Outcome::Ignored);
    }

    #[test]
    fn names_stay_in_their_folder() {
        let names = [
            "pak", "../x", "a/../b", "a/b/c", "/a", "a\\b/c", "c:/x", "a/", "a/b.", ".a/b",
        ];
        let (_, bad) = Downloads::new(&names.map(pak));
        assert_eq!(bad.len(), names.len());
    }
}
