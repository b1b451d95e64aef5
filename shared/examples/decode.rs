//! Decodes demos and prints how fast, with a hash over every value of every message.
//!
//! `decode FILE|FOLDER...` tells the best of five rounds on one thread; two versions of the decoder
//! agree if their hashes do. `decode --damaged COUNT FILE|FOLDER...` hashes what COUNT damaged demos
//! give instead, errors included.

use shared::{
    base::rng::Rng,
    net::{
        demo::{Records, Walk},
        fields::{self, DeltaState},
        svc::{Decoder, Download, MessageError, MessageInPlace, Origin, ServerOp},
    },
    types::{entitystate::EntityState, gamestate::Gamestate, snapshot::Snapshot},
};
use std::{
    fs, hint, io,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("decode: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut words: Vec<String>) -> Result<(), String> {
    let damaged = words.first().is_some_and(|word| word == "--damaged");
    let mut count = 0;
    if damaged {
        let number = words.get(1).and_then(|word| word.parse().ok());
        count = number.ok_or("--damaged needs the number of damaged demos")?;
        words.drain(..2);
    }
    let mut demos = Vec::new();
    for word in &words {
        let files = files(Path::new(word)).map_err(|error| format!("{word}: {error}"))?;
        for file in files {
            let read = fs::read(&file);
            demos.push(read.map_err(|error| format!("{}: {error}", file.display()))?);
        }
    }
    if demos.is_empty() {
        return Err("no demo (*.dm_*) there; name files or folders that hold some".to_owned());
    }
    if damaged {
        let hash = hash_damaged(&demos, count);
        println!("{count} damaged demos, hash {hash:016x}");
    } else {
        measure(&demos);
    }
    Ok(())
}

/// The file itself, or the demos in the folder.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries: Vec<_> = fs::read_dir(path)?.collect::<Result<_, _>>()?;
    let is_demo = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| extension.starts_with("dm_"))
    };
    let mut files: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    files.retain(is_demo);
    files.sort();
    Ok(files)
}

/// Sequence and length before each message.
const RECORD_HEAD_BYTES: usize = 8;

/// Decodes one demo up to its first error, as it is played; gives the bytes of the records that were decoded.
fn decode(
    demo: &[u8],
    mut each: impl FnMut(Result<MessageInPlace<'_>, Box<MessageError>>),
) -> usize {
    let mut decoder = Decoder::new(Origin::Demo);
    let mut bytes = 0;
    for record in Records::new(demo) {
        let message = decoder.read_in_place(record.sequence, record.message, 0);
        let failed = message.is_err();
        each(message);
        if failed {
            break;
        }
        bytes += RECORD_HEAD_BYTES + record.message.len();
    }
    bytes
}

const ROUNDS: usize = 5;

fn measure(demos: &[Vec<u8>]) {
    let mut hash = Hash::default();
    let (mut snapshots, mut entities, mut bytes) = (0, 0, 0);
    for demo in demos {
        bytes += decode(demo, |message| {
            hash.outcome(&message);
            if let Some(snapshot) = message.ok().and_then(MessageInPlace::snapshot) {
                snapshots += 1;
                entities += snapshot.entities.len();
            }
        });
    }
    let start = Instant::now();
    let rounds = (0..ROUNDS).map(|_| round(demos, start));
    let best = rounds.min().unwrap_or_default();
    let seconds = best.as_secs_f64();
    println!(
        "{} demos, {bytes} bytes, {snapshots} snapshots, {entities} entities: {:.1} MB/s, \
         {:.2} million snapshots/s, hash {:016x}",
        demos.len(),
        bytes as f64 / seconds / 1e6,
        f64::from(snapshots) / seconds / 1e6,
        hash.0,
    );
}

/// Mean time of one pass over all demos, taken over at least a second: systems count processor time in steps of up to
/// several milliseconds.
fn round(demos: &[Vec<u8>], start: Instant) -> Duration {
    let from = used(start);
    let mut passes = 0;
    while used(start) - from < Duration::from_secs(1) {
        for demo in demos {
            decode(demo, |message| {
                let _ = hint::black_box(message);
            });
        }
        passes += 1;
    }
    (used(start) - from) / passes
}

/// Processor time of this thread where the system tells it, so that other programs count for less;
/// else the time that passed.
fn used(start: Instant) -> Duration {
    let stats = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let on_processor = stats.split(' ').next().and_then(|text| text.parse().ok());
    on_processor.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// What damaged pieces of the demos give; each goes on behind errors.
fn hash_damaged(demos: &[Vec<u8>], count: usize) -> u64 {
    let (mut rng, mut hash) = (Rng::new(26), Hash::default());
    let starts: Vec<_> = demos.iter().flat_map(|demo| starts(demo)).collect();
    for _ in 0..count {
        let (decoder, rest) = &starts[rng.below(starts.len())];
        let mut decoder = decoder.clone();
        let odds = 1 + rng.below(20);
        for record in Records::new(rest).take(20) {
            let (mut sequence, mut message) = (record.sequence, record.message.to_vec());
            if rng.below(odds) == 0 {
                damage(&mut rng, &mut message);
            }
            if rng.below(odds * 10) == 0 {
                sequence += rng.below(5) as i32 - 2;
            }
            hash.outcome(&decoder.read_in_place(sequence, &message, 0));
        }
    }
    hash.0
}

/// Decoders on their way through a demo, each with the bytes still before it.
fn starts(demo: &[u8]) -> Vec<(Decoder, &[u8])> {
    let mut decoder = Decoder::new(Origin::Demo);
    let mut starts = vec![(decoder.clone(), demo)];
    let mut walk = Walk::default();
    while let Some(record) = walk.next(demo) {
        // Its errors are those of undamaged demos, which the measurement tells.
        let _ = decoder.read_in_place(record.sequence, record.message, 0);
        if record.sequence % 50 == 0 {
            starts.push((decoder.clone(), &demo[walk.at()..]));
        }
    }
    starts
}

fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let place = rng.below(bytes.len());
    match rng.below(5) {
        0 => bytes.truncate(place),
        1 => bytes.extend((0..=rng.below(20)).map(|_| rng.next_u64() as u8)),
        2 => drop(bytes.drain(place..bytes.len().min(place + 4))),
        3 => bytes[place] = rng.next_u64() as u8,
        _ => (0..=rng.below(3)).for_each(|_| {
            let bit = rng.below(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }),
    }
}

/// Mixes words into one that changes with each of them.
#[derive(Default)]
struct Hash(u64);

impl Hash {
    fn word(&mut self, word: u32) {
        let mixed = (self.0 ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 29;
    }

    fn number(&mut self, number: i32) {
        self.word(number as u32);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u32);
        bytes.iter().for_each(|&byte| self.word(u32::from(byte)));
    }

    fn outcome(&mut self, outcome: &Result<MessageInPlace<'_>, Box<MessageError>>) {
        match outcome {
            Ok(message) => self.message(*message),
            Err(error) => self.bytes(error.to_string().as_bytes()),
        }
    }

    fn message(&mut self, message: MessageInPlace<'_>) {
        self.number(message.sequence());
        self.number(message.rel_ack());
        let (before, behind) = message.ops();
        self.ops(before);
        if let Some(snapshot) = message.snapshot() {
            self.snapshot(snapshot);
        }
        self.ops(behind);
    }

    fn ops(&mut self, ops: &[ServerOp]) {
        for op in ops {
            match op {
                ServerOp::Command(command) => {
                    self.number(command.number);
                    self.bytes(command.text.as_bytes());
                }
                ServerOp::Gamestate(gamestate) => self.gamestate(gamestate),
                ServerOp::Snapshot(snapshot) => self.snapshot(snapshot),
                ServerOp::SnapshotWithoutBase { base_num } => self.number(!base_num),
                ServerOp::Download(Download::Block { number, size, data }) => {
                    self.number(*number);
                    self.number(size.unwrap_or(-1));
                    self.bytes(data);
                }
                ServerOp::Download(Download::Refused { reason }) => self.bytes(reason.as_bytes()),
            }
        }
    }

    fn gamestate(&mut self, gamestate: &Gamestate) {
        self.number(gamestate.server_command_num);
        self.number(gamestate.client_num);
        self.number(gamestate.checksum_feed);
        for (index, text) in gamestate.configstrings.iter() {
            self.word(index as u32);
            self.bytes(text.as_bytes());
        }
        gamestate.baselines.iter().for_each(|one| self.entity(one));
    }

    fn snapshot(&mut self, snapshot: &Snapshot) {
        self.number(snapshot.message_num);
        self.number(snapshot.server_time.0);
        self.word(u32::from(snapshot.flags));
        self.bytes(&snapshot.area_mask);
        self.word(u32::from(snapshot.area_len));
        self.number(snapshot.server_command_num);
        self.number(snapshot.delta_num.unwrap_or(-1));
        self.fields(&snapshot.player);
        for array in fields::arrays(&snapshot.player) {
            array.iter().for_each(|&element| self.number(element));
        }
        self.number(snapshot.player.jumppad_frame);
        self.number(snapshot.player.pmove_framecount);
        self.word(snapshot.entities.len() as u32);
        for entity in &snapshot.entities {
            self.entity(entity);
        }
    }

    fn entity(&mut self, entity: &EntityState) {
        self.word(u32::from(entity.number));
        self.fields(entity);
    }

    fn fields<S: DeltaState>(&mut self, state: &S) {
        (0..S::FIELDS.len()).for_each(|index| self.word(state.field(index)));
    }
}
