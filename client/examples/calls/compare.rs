//! Compare: two clients' calls of the same module, frame by frame: what differs, how often, and where first.
//!
//! Arguments are what a module decides, answers what a client does; answers are compared where the arguments were the
//! same. Handles are alike if they came of the same name; numbers of variables, files and snapshots are each client's
//! own. So are the names and limits of the graphics card, and the ping of a demo's snapshots, which nobody knows.

use crate::{
    log::{Call, Entry},
    traps::{Block, named},
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// So many examples of each kind of difference are shown.
const EXAMPLES: usize = 4;
/// How far a call that only one of the two makes is looked past.
const LOOK_AHEAD: usize = 200;

/// Numbers that are no further apart, as a share of themselves, differ by rounding.
const NEAR: f32 = 2e-4;

/// Whether a word that a call has written is each client's own.
fn is_own(number: i32, part: &str, at: usize) -> bool {
    match number {
        // Of the display all but its size.
        49 => !(40..52).contains(&at),
        // The ping.
        52 => part == "written 0" && at == 4,
        _ => false,
    }
}

/// What has come of it.
#[derive(Debug, Default)]
pub struct Report {
    pub frames: usize,
    pub calls: usize,
    /// By call and part: how often, and examples.
    pub differences: BTreeMap<String, (usize, Vec<String>)>,
    /// Frames without a difference in order and arguments.
    pub equal_frames: usize,
}

#[derive(Default)]
struct Comparison {
    /// Pairs of handles that came of the same name, by kind.
    pairs: HashSet<(char, i32, i32)>,
    /// Names of the first client's handles, to show.
    names: HashMap<(char, i32), String>,
    /// What must be added to the first client's numbers of snapshots.
    snapshot_offset: Option<i32>,
    report: Report,
    place: String,
}

/// The function of vmMain that draws the frames: it makes most of the calls.
pub fn frame_function(entries: &[Entry]) -> u32 {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for entry in entries {
        *counts.entry(entry.function).or_default() += entry.calls.len();
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map_or(0, |(function, _)| function)
}

/// Server times and calls of the frames, with what vmMain did between them; the last may be cut off.
fn frames(entries: &[Entry]) -> Vec<(i32, Vec<&Call>)> {
    let function = frame_function(entries);
    let mut frames: Vec<(i32, Vec<&Call>)> = Vec::new();
    for entry in entries {
        if entry.function == function {
            frames.push((entry.arguments[0], Vec::new()));
        }
        if let Some((_, calls)) = frames.last_mut() {
            calls.extend(&entry.calls);
        }
    }
    frames.pop();
    frames
}

/// Compares the first call, and the frames of the same server time.
pub fn compare(theirs: &[Entry], ours: &[Entry]) -> Report {
    let mut comparison = Comparison::default();
    if let (Some(a), Some(b)) = (theirs.first(), ours.first()) {
        comparison.place = "first call".to_owned();
        let [a, b] = [a, b].map(|entry| entry.calls.iter().collect::<Vec<_>>());
        comparison.entries(&a, &b);
    }
    let theirs: HashMap<i32, Vec<&Call>> = frames(theirs).into_iter().collect();
    for (time, calls) in frames(ours) {
        let Some(their_calls) = theirs.get(&time) else {
            continue;
        };
        comparison.place = format!("{time} ms");
        comparison.report.frames += 1;
        let is_equal = comparison.entries(their_calls, &calls);
        comparison.report.equal_frames += usize::from(is_equal);
    }
    comparison.report
}

impl Comparison {
    /// Whether order and arguments are the same.
    fn entries(&mut self, theirs: &[&Call], ours: &[&Call]) -> bool {
        let (mut a, mut b) = (0, 0);
        let mut is_equal = true;
        while let (Some(their), Some(our)) = (theirs.get(a), ours.get(b)) {
            if their.trap.number == our.trap.number {
                is_equal &= self.calls(their, our);
                self.report.calls += 1;
                (a, b) = (a + 1, b + 1);
                continue;
            }
            is_equal = false;
            self.differ(
                format!("order: {} / {}", their.trap.name, our.trap.name),
                format!(
                    "call {a} / {b}: {} / {}",
                    self.shown(their),
                    self.shown(our)
                ),
            );
            let (skipped_a, skipped_b) = resync(&theirs[a..], &ours[b..]);
            (a, b) = (a + skipped_a, b + skipped_b);
        }
        let (left_a, left_b) = (theirs.len() - a, ours.len() - b);
        if left_a + left_b > 0 {
            is_equal = false;
            self.differ(
                "order: the end".to_owned(),
                format!("{left_a} / {left_b} more"),
            );
        }
        is_equal
    }

    /// Whether the arguments are the same.
    fn calls(&mut self, theirs: &Call, ours: &Call) -> bool {
        let mut faults = Vec::new();
        let kinds = theirs.trap.arguments.chars();
        for (index, kind) in kinds.enumerate() {
            let (a, b) = (theirs.arguments[index], ours.arguments[index]);
            if !self.same(theirs.trap.number, index, kind, a, b) {
                let shown = match kind {
                    'f' => format!("{:?} / {:?}", f(a), f(b)),
                    _ => format!("{} / {}", self.handle(kind, a), self.handle(kind, b)),
                };
                faults.push((format!("argument {index}"), shown));
            }
        }
        for (index, (a, b)) in theirs.read.iter().zip(&ours.read).enumerate() {
            self.blocks(
                theirs.trap.number,
                &format!("read {index}"),
                (a, b),
                &mut faults,
            );
        }
        let is_equal = faults.is_empty();
        let mut answers = Vec::new();
        if is_equal {
            self.answers(theirs, ours, &mut answers);
        }
        let text = theirs.read.iter().flatten().next();
        let text = text
            .filter(|_| has_text(theirs))
            .map(|bytes| String::from_utf8_lossy(bytes));
        let mut text = text.unwrap_or_default().into_owned();
        match theirs.trap.number {
            3 => {
                let name = theirs.read[0].as_deref().unwrap_or_default();
                let name = String::from_utf8_lossy(name).into_owned();
                self.names.insert(('v', theirs.arguments[0]), name);
            }
            4 => text = self.handle('v', theirs.arguments[0]),
            _ => {}
        }
        for (part, shown) in faults {
            let key = format!("{}: {part}", theirs.trap.name);
            self.differ(key, format!("{text} {shown}"));
        }
        for (part, shown) in answers {
            let key = format!("answer of {}: {part}", theirs.trap.name);
            self.differ(key, format!("{text} {shown}"));
        }
        is_equal
    }

    fn same(&mut self, number: i32, index: usize, kind: char, a: i32, b: i32) -> bool {
        match kind {
            's' | 'm' | 'k' | 'a' => a == b && a == 0 || self.pairs.contains(&(kind, a, b)),
            'h' => (a == 0) == (b == 0),
            // Where a text stands says nothing: the reference draws more while it loads, and the module's buffers for
            // texts take turns.
            'p' if points_to_text(number, index) => (a == 0) == (b == 0),
            // The number of a snapshot.
            _ if number == 52 && index == 0 => self.snapshot(a) == b,
            _ => a == b,
        }
    }

    fn snapshot(&mut self, theirs: i32) -> i32 {
        theirs.wrapping_add(self.snapshot_offset.unwrap_or(0))
    }

    fn blocks(
        &self,
        number: i32,
        part: &str,
        (a, b): (&Option<Vec<u8>>, &Option<Vec<u8>>),
        faults: &mut Vec<(String, String)>,
    ) {
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => (a, b),
            (None, None) => return,
            _ => return faults.push((part.to_owned(), "only one is there".to_owned())),
        };
        if a.len() != b.len() {
            let shown = match a.len() + b.len() < 600 {
                true => format!("{} / {}", text(a), text(b)),
                false => format!("{} / {} bytes", a.len(), b.len()),
            };
            return faults.push((format!("{part}, length"), shown));
        }
        if is_text(a) && is_text(b) {
            if a != b {
                faults.push((part.to_owned(), format!("{} / {}", text(a), text(b))));
            }
            return;
        }
        let mut furthest = 0.0_f32;
        let mut other = Vec::new();
        for (index, (x, y)) in words(a).zip(words(b)).enumerate() {
            let at = 4 * index;
            let kind = match (number, at) {
                (41, 8) => 'm',
                (41, 108) => 'k',
                (41, 112) => 's',
                _ => ' ',
            };
            if x == y
                || is_own(number, part, at)
                || kind != ' ' && self.pairs.contains(&(kind, x, y))
            {
                continue;
            }
            let distance = (f(x) - f(y)).abs();
            let is_near = f(x).is_normal() || f(y).is_normal();
            if is_near && distance <= NEAR * f(x).abs().max(1.0) {
                furthest = furthest.max(distance);
            } else {
                let shown = match kind {
                    ' ' => format!("{x} ({:?}) / {y} ({:?})", f(x), f(y)),
                    _ => format!("{} / {}", self.handle(kind, x), self.handle(kind, y)),
                };
                other.push((at, shown));
            }
        }
        // Lists are told of as a whole.
        let is_list = matches!(number, 27 | 42);
        match other.first() {
            Some((at, shown)) if is_list => {
                faults.push((
                    part.to_owned(),
                    format!("{} words, at {at} {shown}", other.len()),
                ));
            }
            Some(_) => {
                let told = other.into_iter();
                faults.extend(told.map(|(at, shown)| (format!("{part} at {at}"), shown)));
            }
            None if furthest > 0.0 => {
                faults.push((format!("{part}, rounding"), format!("{furthest:?}")));
            }
            None => {}
        }
    }

    fn answers(&mut self, theirs: &Call, ours: &Call, faults: &mut Vec<(String, String)>) {
        let number = theirs.trap.number;
        let (a, b) = (theirs.result, ours.result);
        match theirs.trap.result {
            '-' => {}
            kind @ ('s' | 'm' | 'k' | 'a') => {
                let name = theirs.read.first().cloned().flatten().unwrap_or_default();
                let name = String::from_utf8_lossy(&name).to_lowercase();
                self.names.entry((kind, a)).or_insert(name);
                self.pairs.insert((kind, a, b));
                if (a == 0) != (b == 0) {
                    faults.push(("result".to_owned(), format!("{a} / {b}")));
                }
            }
            'f' if a != b => faults.push(("result".to_owned(), format!("{:?} / {:?}", f(a), f(b)))),
            // Whether it is there is all that may be asked without opening it.
            _ if number == 10 && theirs.arguments[1] == 0 && (a > 0) == (b > 0) => {}
            _ if a != b => faults.push(("result".to_owned(), format!("{a} / {b}"))),
            _ => {}
        }
        for (index, (x, y)) in theirs.written.iter().zip(&ours.written).enumerate() {
            let part = format!("written {index}");
            match (number, index, x, y) {
                // Its number.
                (51, 0, Some(x), Some(y)) => {
                    let [x, y] =
                        [x, y].map(|word| word.first_chunk().map_or(0, |w| i32::from_le_bytes(*w)));
                    if x != 0 && y != 0 {
                        self.snapshot_offset.get_or_insert(y.wrapping_sub(x));
                        if self.snapshot(x) != y {
                            faults.push((part, format!("{x} / {y}")));
                        }
                    }
                }
                // Nothing was written.
                (52 | 55 | 73, ..) if a == 0 || b == 0 => {}
                (27, 1, Some(points), Some(other)) => {
                    let used = used_points(theirs).min(points.len()).min(other.len());
                    let cut = |points: &Vec<u8>| Some(points[..used].to_vec());
                    self.blocks(number, &part, (&cut(points), &cut(other)), faults);
                }
                // A name that fits is not followed by anything that counts.
                (3 | 4, 0, Some(x), Some(y)) => {
                    let cut = |copy: &Vec<u8>| {
                        let end = copy[8..].iter().position(|byte| *byte == 0);
                        Some(copy[..8 + end.unwrap_or(copy.len() - 8)].to_vec())
                    };
                    self.blocks(number, &part, (&cut(x), &cut(y)), faults);
                }
                _ => self.blocks(number, &part, (x, y), faults),
            }
        }
    }

    fn differ(&mut self, key: String, shown: String) {
        let (count, examples) = self.report.differences.entry(key).or_default();
        *count += 1;
        if examples.len() < EXAMPLES {
            examples.push(format!("{}: {}", self.place, shown.trim()));
        }
    }

    fn handle(&self, kind: char, handle: i32) -> String {
        match self.names.get(&(kind, handle)) {
            Some(name) => format!("{handle} ({name}?)"),
            None => handle.to_string(),
        }
    }

    fn shown(&self, call: &Call) -> String {
        let arguments = call.arguments.iter().map(|argument| argument.to_string());
        let arguments: Vec<String> = arguments.collect();
        let texts = call.read.iter().flatten().map(|bytes| text(bytes));
        let texts: Vec<String> = texts.collect();
        format!(
            "{}({}) {}",
            call.trap.name,
            arguments.join(", "),
            texts.join(" ")
        )
    }
}

/// How many calls of each to leave out so that the next ones are of the same kind.
fn resync(theirs: &[&Call], ours: &[&Call]) -> (usize, usize) {
    let is_same = |a: usize, b: usize| match (theirs.get(a), ours.get(b)) {
        (Some(a), Some(b)) => a.trap.number == b.trap.number && a.read == b.read,
        _ => false,
    };
    for sum in 1..LOOK_AHEAD {
        for a in 0..=sum {
            let b = sum - a;
            if is_same(a, b) && is_same(a + 1, b + 1) {
                return (a, b);
            }
        }
    }
    (theirs.len(), ours.len())
}

fn used_points(call: &Call) -> usize {
    let pieces = call.written.first().cloned().flatten().unwrap_or_default();
    let pieces = pieces.chunks_exact(8).map(|piece| {
        let word = |at: usize| {
            let bytes = piece[at..at + 4].first_chunk();
            bytes.map_or(0, |bytes| i32::from_le_bytes(*bytes))
        };
        word(0) + word(4)
    });
    12 * pieces
        .max()
        .and_then(|points| usize::try_from(points).ok())
        .unwrap_or(0)
}

fn has_text(call: &Call) -> bool {
    let reads = call.trap.reads.first();
    matches!(reads, Some(Block::Text(_)))
}

fn points_to_text(number: i32, index: usize) -> bool {
    let reads = named(number).map_or(&[][..], |trap| trap.reads);
    reads.contains(&Block::Text(index))
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| (32..127).contains(byte))
}

fn text(bytes: &[u8]) -> String {
    match bytes.len() {
        0..100 => format!("{:?}", String::from_utf8_lossy(bytes)),
        length => format!("{length} bytes"),
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = i32> {
    bytes.chunks(4).map(|chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        i32::from_le_bytes(word)
    })
}

fn f(bits: i32) -> f32 {
    f32::from_bits(bits as u32)
}
