//! Fetches missing paks over the connection itself, block by block.

use super::systeminfo::Pak;
use shared::net::svc::Download;
use std::collections::VecDeque;

/// The paks still to fetch, and the one under way.
#[derive(Clone, Debug, Default)]
pub struct Downloads {
    waiting: VecDeque<Pak>,
    current: Option<Current>,
    has_fetched: bool,
}

#[derive(Clone, Debug)]
struct Current {
    pak: Pak,
    size: usize,
    /// Number of the block that must come next.
    expected: i32,
    bytes: Vec<u8>,
}

/// How far the current pak is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    pub name: &'a str,
    pub size: usize,
    pub received: usize,
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
    pub fn start_next(&mut self) -> Option<String> {
        let pak = self.waiting.pop_front()?;
        let command = format!("download {}.pk3", pak.name);
        self.current = Some(Current {
            pak,
            size: 0,
            expected: 0,
            bytes: Vec::new(),
        });
        Some(command)
    }

    pub fn is_running(&self) -> bool {
        self.current.is_some()
    }

    /// At least one pak came, so the server must be told at the end.
    pub fn has_fetched(&self) -> bool {
        self.has_fetched
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
        })
    }

    pub fn handle(&mut self, download: &Download) -> Outcome {
        let Some(current) = &mut self.current else {
            return Outcome::Unexpected;
        };
        let (number, size, data) = match download {
            Download::Refused { reason } => return self.fail(reason.clone()),
            Download::Block { number, size, data } => (*number, *size, data),
        };
        if number != current.expected {
            return Outcome::Ignored;
        }
        if let Some(size) = size {
            match usize::try_from(size) {
                Ok(size) if size <= MAX_PAK_SIZE => current.size = size,
                _ => return self.fail(format!("the server names a size of {size} bytes")),
            }
        }
        if current.bytes.len() + data.len() > current.size {
            return self.fail("more comes than the server said".to_owned());
        }
        current.bytes.extend_from_slice(data);
        let confirm = format!("nextdl {}", current.expected);
        current.expected += 1;
        if !data.is_empty() {
            return Outcome::Confirm(confirm);
        }
        if current.bytes.len() != current.size {
            return self.fail("it ended before its size".to_owned());
        }
        self.has_fetched = true;
        match self.current.take() {
            Some(Current { pak, bytes, .. }) => Outcome::Complete {
                confirm,
                pak,
                bytes,
            },
            None => Outcome::Ignored,
        }
    }

    /// Ends the download without the pak.
    pub fn give_up(&mut self, fault: &str) -> Outcome {
        self.fail(fault.to_owned())
    }

    fn fail(&mut self, fault: String) -> Outcome {
        self.waiting.clear();
        match self.current.take() {
            Some(current) => Outcome::Failed {
                pak: current.pak,
                fault,
            },
            None => Outcome::Unexpected,
        }
    }
}

/// One folder and a plain file name, as `baseoa/pak6-misc`.
fn is_safe_name(name: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

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
            downloads.start_next().as_deref(),
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
        let first = downloads.handle(&block(0, Some(5), b"abc"));
        assert_eq!(first, Outcome::Confirm("nextdl 0".to_owned()));
        assert_eq!(
            downloads.handle(&block(0, Some(5), b"abc")),
            Outcome::Ignored
        );
        assert_eq!(downloads.handle(&block(2, None, b"xx")), Outcome::Ignored);
        let second = downloads.handle(&block(1, None, b"de"));
        assert_eq!(second, Outcome::Confirm("nextdl 1".to_owned()));
        assert_eq!(
            downloads.progress().map(|now| (now.size, now.received)),
            Some((5, 5))
        );
        let last = downloads.handle(&block(2, None, b""));
        let complete = Outcome::Complete {
            confirm: "nextdl 2".to_owned(),
            pak: pak("baseoa/extra"),
            bytes: b"abcde".to_vec(),
        };
        assert_eq!(last, complete);
        assert!(downloads.has_fetched() && !downloads.is_running());
        assert_eq!(downloads.start_next(), None);
    }

    #[test]
    fn faults_end_the_download() {
        let fault = |outcome| match outcome {
            Outcome::Failed { fault, .. } => fault,
            other => panic!("{other:?}"),
        };
        let refused = Download::Refused {
            reason: "not found".to_owned(),
        };
        assert_eq!(fault(started().handle(&refused)), "not found");
        assert_eq!(
            fault(started().handle(&block(0, Some(i32::MAX), b""))),
            "the server names a size of 2147483647 bytes"
        );
        assert_eq!(
            fault(started().handle(&block(0, Some(2), b"abc"))),
            "more comes than the server said"
        );
        assert_eq!(
            fault(started().handle(&block(0, Some(2), b""))),
            "it ended before its size"
        );
        assert_eq!(
            Downloads::default().handle(&block(0, None, b"")),
            Outcome::Unexpected
        );
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
