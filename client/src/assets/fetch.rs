//! Which byte ranges to ask for: neighbours in a pak travel together.

use super::source::SourceId;
use serde::{Deserialize, Serialize};
use shared::base::sort::sort_by_key;
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    ops::Range,
    sync::Arc,
};

/// Ties an answer to its question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReadId(pub u32);

/// A part of a source that is needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReadRequest {
    pub id: ReadId,
    pub source: SourceId,
    /// For folders: the path below the game folder; empty for paks.
    pub path: String,
    /// Bytes of the pak, or of the loose file.
    pub range: Range<u64>,
    /// The parts of `range` that matter, by their start; who has those need not fetch what lies between.
    pub parts: Vec<Range<u64>>,
}

/// Bytes between two wanted parts that cost less than a request of their own.
const MAX_GAP: u64 = 16 << 10;
/// Parts are joined up to this size; a single part may be larger.
const MAX_JOINED: u64 = 4 << 20;
/// Browsers open about six connections; more requests would only wait, and could not be joined.
const MAX_IN_FLIGHT: usize = 6;

/// Where bytes lie: a pak (with an empty path) or a loose file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FileLocation {
    pub source: SourceId,
    pub path: String,
}

impl FileLocation {
    pub fn pak(source: SourceId) -> Self {
        Self {
            source,
            path: String::new(),
        }
    }
}

/// Bytes that arrived, as a part of the block they travelled in.
#[derive(Clone, Debug)]
pub(super) struct Part {
    block: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Part {
    pub fn size(&self) -> u64 {
        self.range.len() as u64
    }

    pub fn bytes(&self) -> &[u8] {
        &self.block[self.range.clone()]
    }
}

/// A wanted part that came to an end.
#[derive(Clone, Debug)]
pub(super) struct Arrival<T> {
    pub tag: T,
    pub result: Result<Part, String>,
}

/// The queue of wanted parts; `T` tells its owner what a part was for.
#[derive(Clone, Debug)]
pub(super) struct Fetcher<T> {
    /// By start of the range.
    wanted: HashMap<FileLocation, BTreeMap<u64, Want<T>>>,
    /// Oldest first; entries that travelled with others are skipped.
    queue: VecDeque<(FileLocation, u64)>,
    in_flight: HashMap<ReadId, Block<T>>,
    last_id: u32,
    arrived: VecDeque<Arrival<T>>,
    bytes_wanted: u64,
    bytes_arrived: u64,
}

#[derive(Clone, Debug)]
struct Want<T> {
    end: u64,
    tags: Vec<T>,
}

#[derive(Clone, Debug)]
struct Block<T> {
    range: Range<u64>,
    parts: Vec<(Range<u64>, Vec<T>)>,
}

impl<T> Default for Fetcher<T> {
    fn default() -> Self {
        Self {
            wanted: HashMap::new(),
            queue: VecDeque::new(),
            in_flight: HashMap::new(),
            last_id: 0,
            arrived: VecDeque::new(),
            bytes_wanted: 0,
            bytes_arrived: 0,
        }
    }
}

impl<T: Clone> Fetcher<T> {
    /// Asks for a part; the answer comes out of [`Fetcher::next_arrival`]. What is urgent is asked for next.
    pub fn want(&mut self, place: FileLocation, range: Range<u64>, tag: T, is_urgent: bool) {
        if range.is_empty() {
            let result = Ok(Part {
                block: Arc::default(),
                range: 0..0,
            });
            return self.arrived.push_back(Arrival { tag, result });
        }
        self.bytes_wanted += range.end - range.start;
        let wants = self.wanted.entry(place.clone()).or_default();
        let want = wants.entry(range.start).or_insert(Want {
            end: range.end,
            tags: Vec::new(),
        });
        want.end = want.end.max(range.end);
        want.tags.push(tag);
        if is_urgent {
            self.queue.push_front((place, range.start));
        } else {
            self.queue.push_back((place, range.start));
        }
    }

    /// The next request for the platform; `None` while enough are under way.
    pub fn next_read(&mut self) -> Option<ReadRequest> {
        if self.in_flight.len() >= MAX_IN_FLIGHT {
            return None;
        }
        while let Some((place, start)) = self.queue.pop_front() {
            let Some(wants) = self.wanted.get_mut(&place) else {
                continue;
            };
            let Some(block) = take_block(wants, start) else {
                continue;
            };
            if wants.is_empty() {
                self.wanted.remove(&place);
            }
            self.last_id = self.last_id.wrapping_add(1);
            let id = ReadId(self.last_id);
            let range = block.range.clone();
            let mut parts: Vec<_> = block.parts.iter().map(|(part, _)| part.clone()).collect();
            sort_by_key(&mut parts, |part| part.start);
            self.in_flight.insert(id, block);
            return Some(ReadRequest {
                id,
                source: place.source,
                path: place.path,
                range,
                parts,
            });
        }
        None
    }

    /// Takes the platform's answer; answers to nothing are ignored.
    pub fn handle_read(&mut self, id: ReadId, result: Result<Vec<u8>, String>) {
        let Some(block) = self.in_flight.remove(&id) else {
            return;
        };
        let expected = block.range.end - block.range.start;
        let result = result.and_then(|bytes| {
            if bytes.len() as u64 == expected {
                Ok(Arc::new(bytes))
            } else {
                Err(format!(
                    "{} bytes arrived where {expected} were asked for",
                    bytes.len()
                ))
            }
        });
        for (range, tags) in block.parts {
            self.bytes_arrived += (range.end - range.start) * tags.len() as u64;
            let within = (range.start - block.range.start) as usize
                ..(range.end - block.range.start) as usize;
            for tag in tags {
                let result = result.clone().map(|block| Part {
                    block,
                    range: within.clone(),
                });
                self.arrived.push_back(Arrival { tag, result });
            }
        }
    }

    pub fn next_arrival(&mut self) -> Option<Arrival<T>> {
        self.arrived.pop_front()
    }

    /// Bytes asked for so far, and how many of them arrived.
    pub fn bytes(&self) -> (u64, u64) {
        (self.bytes_wanted, self.bytes_arrived)
    }

    /// Whether anything is still to come.
    pub fn is_busy(&self) -> bool {
        !self.wanted.is_empty() || !self.in_flight.is_empty() || !self.arrived.is_empty()
    }
}

/// Takes the part at `start` out of `wants`, together with its near neighbours on both sides.
fn take_block<T>(wants: &mut BTreeMap<u64, Want<T>>, start: u64) -> Option<Block<T>> {
    let first = wants.remove(&start)?;
    let mut range = start..first.end;
    let mut parts = vec![(range.clone(), first.tags)];
    loop {
        let ends = |(&at, want): (&u64, &Want<T>)| (at, want.end);
        let after = wants.range(range.start..).next().map(ends);
        let before = wants.range(..range.start).next_back().map(ends);
        let fits = |&(at, end): &(u64, u64)| {
            let gap = at
                .saturating_sub(range.end)
                .max(range.start.saturating_sub(end));
            gap <= MAX_GAP && range.end.max(end) - range.start.min(at) <= MAX_JOINED
        };
        let Some((at, end)) = after.filter(fits).or(before.filter(fits)) else {
            break;
        };
        let Some(want) = wants.remove(&at) else { break };
        range = range.start.min(at)..range.end.max(end);
        parts.push((at..end, want.tags));
    }
    Some(Block { range, parts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str) -> FileLocation {
        FileLocation {
            source: SourceId(1),
            path: path.into(),
        }
    }

    #[test]
    fn near_parts_travel_together_and_come_back_apart() {
        let mut fetcher = Fetcher::default();
        fetcher.want(place(""), 1000..1100, "b", false);
        fetcher.want(place(""), 0..100, "a", false);
        fetcher.want(place(""), 900_000..900_010, "far", false);
        fetcher.want(place("loose"), 0..3, "loose", false);
        let first = fetcher.next_read().unwrap();
        assert_eq!(first.range, 0..1100);
        assert_eq!(first.parts, [0..100, 1000..1100]);
        assert_eq!(fetcher.next_read().unwrap().range, 900_000..900_010);
        let loose = fetcher.next_read().unwrap();
        assert_eq!(loose.path, "loose");
        assert!(fetcher.next_read().is_none());
        let bytes: Vec<u8> = (0..1100).map(|at| (at / 100) as u8).collect();
        fetcher.handle_read(first.id, Ok(bytes));
        fetcher.handle_read(loose.id, Ok(vec![1]));
        let mut seen = Vec::new();
        while let Some(arrival) = fetcher.next_arrival() {
            seen.push((
                arrival.tag,
                arrival
                    .result
                    .map(|part| (part.bytes()[0], part.bytes().len())),
            ));
        }
        let short = Err("1 bytes arrived where 3 were asked for".to_owned());
        assert_eq!(
            seen,
            [("b", Ok((10, 100))), ("a", Ok((0, 100))), ("loose", short)]
        );
        assert!(fetcher.is_busy());
    }

    #[test]
    fn the_urgent_goes_before_what_waits() {
        let mut fetcher = Fetcher::default();
        for at in 0..20 {
            fetcher.want(place("pak"), at << 20..(at << 20) + 8, at, false);
        }
        let under_way: Vec<_> = std::iter::from_fn(|| fetcher.next_read()).collect();
        assert_eq!(under_way.len(), MAX_IN_FLIGHT);
        fetcher.want(place("pak"), 90 << 20..(90 << 20) + 8, 90, true);
        fetcher.handle_read(under_way[0].id, Ok(vec![0; 8]));
        let next = fetcher.next_read().unwrap();
        assert_eq!(next.range.start, 90 << 20);
    }

    #[test]
    fn few_requests_are_under_way_and_strangers_are_ignored() {
        let mut fetcher = Fetcher::default();
        for at in 0..20 {
            fetcher.want(place(&at.to_string()), 0..8, at, false);
        }
        let asked = std::iter::from_fn(|| fetcher.next_read()).count();
        assert_eq!(asked, MAX_IN_FLIGHT);
        fetcher.handle_read(ReadId(999), Ok(vec![]));
        assert!(fetcher.next_arrival().is_none());
    }

    #[test]
    fn joined_blocks_stay_bounded() {
        let mut fetcher = Fetcher::default();
        for at in 0..8 {
            fetcher.want(place(""), at << 20..(at + 1) << 20, (), false);
        }
        let sizes: Vec<u64> = std::iter::from_fn(|| fetcher.next_read())
            .map(|read| read.range.end - read.range.start)
            .collect();
        assert_eq!(sizes, [4 << 20, 4 << 20]);
    }
}
