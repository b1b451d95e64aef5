//! The golden data against whatever runs modules; reports say what differs.

mod host;
mod memory_writes;

pub use host::{Profile, Stub};

use flate2::{Crc, read::GzDecoder};
use serde_json::Value;
use std::{collections::HashMap, io::Read, sync::Arc};
use vm::{Image, Machine};

/// Starts an image with fresh memory.
pub type Start<'a> = &'a dyn Fn(&Arc<Image>, Stub) -> Box<dyn Machine<Stub>>;

/// What is compared, and how many comparisons there were; or all differences.
pub type Outcome = Result<usize, String>;

/// One part of the golden data.
type Check = fn(Start) -> Outcome;

/// Every part, by name.
pub const CHECKS: &[(&str, Check)] = &[
    ("operations", operations),
    ("memory, calls and jumps", memory_steps),
    ("memory, calls and jumps, format 1", memory_steps_format_1),
    ("errors", errors),
    ("malformed files", malformed),
    ("compiled C", compiled_c),
    ("compiled C, format 1", compiled_c_format_1),
    ("traces of baseq3", |start| traces(start, "baseq3")),
    ("traces of OpenArena", |start| traces(start, "openarena")),
    ("traces of RatMod", |start| traces(start, "ratoa")),
];

macro_rules! golden {
    ($name:literal) => {
        include_bytes!(concat!("../data/golden/", $name))
    };
}

macro_rules! module {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!("../data/mods/", $name, ".qvm.gz")).as_slice(),
        )
    };
}

pub const MEM: &[u8] = golden!("mem.qvm");
pub const CT: &[u8] = golden!("ct.qvm");
pub const OPS: &[u8] = golden!("ops.qvm");

/// The names of the branches and the instructions with results, in the order of their numbers.
const OP_NAMES: &str = "UNDEF IGNORE BREAK ENTER LEAVE CALL PUSH POP CONST LOCAL JUMP EQ NE LTI LEI GTI GEI LTU LEU \
    GTU GEU EQF NEF LTF LEF GTF GEF LOAD1 LOAD2 LOAD4 STORE1 STORE2 STORE4 ARG BLOCK_COPY SEX8 SEX16 NEGI ADD SUB DIVI \
    DIVU MODI MODU MULI MULU BAND BOR BXOR BCOM LSH RSHI RSHU NEGF ADDF SUBF DIVF MULF CVIF CVFI";

pub fn unpack(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed)
        .read_to_end(&mut bytes)
        .expect("the data of the tests is whole");
    bytes
}

/// Every real module: its name and its file.
pub fn modules() -> Vec<(&'static str, Vec<u8>)> {
    let packed: [(&str, &[u8]); 9] = [
        module!("baseq3-cgame"),
        module!("baseq3-ui"),
        module!("baseq3-qagame"),
        module!("openarena-cgame"),
        module!("openarena-ui"),
        module!("openarena-qagame"),
        module!("ratoa-cgame"),
        module!("ratoa-ui"),
        module!("ratoa-qagame"),
    ];
    packed.map(|(name, bytes)| (name, unpack(bytes))).into()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("the golden data is JSON")
}

pub fn image(file: &[u8]) -> Arc<Image> {
    Arc::new(Image::parse(file).expect("golden programs are valid"))
}

fn test_stub() -> Stub {
    Stub::new(Profile::Test, HashMap::new())
}

/// Collects differences, of which it tells the first few.
#[derive(Default)]
struct Report {
    compared: usize,
    different: Vec<String>,
}

impl Report {
    fn compare<T: PartialEq + std::fmt::Debug>(
        &mut self,
        what: impl Fn() -> String,
        got: T,
        expected: T,
    ) {
        self.compared += 1;
        if got != expected && self.different.len() < 20 {
            let line = format!("{}: {got:x?} instead of {expected:x?}", what());
            self.different.push(line);
        }
    }

    fn outcome(self) -> Outcome {
        match self.different.is_empty() {
            true => Ok(self.compared),
            false => Err(self.different.join("\n")),
        }
    }
}

fn operations(start: Start) -> Outcome {
    let rows = unpack(golden!("ops_vectors.csv.gz"));
    let rows = String::from_utf8(rows).expect("the golden data is text");
    let numbers: HashMap<&str, i32> = OP_NAMES.split(' ').zip(0..).collect();
    let image = image(OPS);
    let mut machine = start(&image, test_stub());
    let mut report = Report::default();
    for row in rows.lines().skip(1) {
        let [op, a, b, expected] = row.split(',').collect::<Vec<_>>()[..] else {
            return Err(format!("a row of four expected: {row}"));
        };
        let word = |hex: &str| u32::from_str_radix(hex, 16).expect("hex") as i32;
        let got = match machine.call(&[numbers[op], word(a), word(b)]) {
            Err(_) => "trap".to_owned(),
            Ok(bits) if expected == "nan" && f32::from_bits(bits as u32).is_nan() => {
                "nan".to_owned()
            }
            // Allowed, for WebAssembly says so.
            Ok(0) if (op, a, b) == ("MODI", "80000000", "ffffffff") => expected.to_owned(),
            Ok(bits) => format!("{bits:08x}"),
        };
        report.compare(|| row.to_owned(), got.as_str(), expected);
    }
    report.outcome()
}

fn number(value: &Value) -> i32 {
    value.as_i64().unwrap_or(0) as i32
}

fn numbers(value: &Value) -> Vec<i32> {
    value
        .as_array()
        .map(|values| values.iter().map(number).collect())
        .unwrap_or_default()
}

fn lines(value: &Value) -> Vec<String> {
    let text = |line: &Value| line.as_str().unwrap_or("").to_owned();
    value
        .as_array()
        .map(|lines| lines.iter().map(text).collect())
        .unwrap_or_default()
}

fn memory_steps(start: Start) -> Outcome {
    steps(start, MEM)
}

fn memory_steps_format_1(start: Start) -> Outcome {
    steps(start, golden!("mem_v1.qvm"))
}

fn steps(start: Start, file: &[u8]) -> Outcome {
    let vectors = json(golden!("mem_vectors.json"));
    let image = image(file);
    let mut machine = start(&image, test_stub());
    let mut report = Report::default();
    let mask = image.memory_layout().mask();
    report.compare(|| "mask".to_owned(), mask as i32, number(&vectors["mask"]));
    for step in vectors["steps"].as_array().expect("a list of steps") {
        let address = number(&step["addr"]) as u32;
        match step["do"].as_str() {
            Some("fill") => {
                for at in address..address + number(&step["len"]) as u32 {
                    machine.memory().write(at, [(7 * at + 13) as u8]);
                }
            }
            Some("call") => {
                machine.host().lines.clear();
                let got = machine.call(&numbers(&step["args"]));
                report.compare(|| step.to_string(), got, Ok(number(&step["ret"])));
                let said = machine.host().lines.clone();
                report.compare(|| step.to_string(), said, lines(&step["host"]));
            }
            _ => {
                let expected = hex(&step["bytes"]);
                let memory = machine.memory();
                let got = (0..expected.len() as u32)
                    .map(|offset| memory.read::<1>(address + offset)[0])
                    .collect::<Vec<_>>();
                report.compare(|| step.to_string(), got, expected);
            }
        }
    }
    report.outcome()
}

fn hex(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap_or("").as_bytes();
    let (pairs, _) = digits.as_chunks::<2>();
    pairs
        .iter()
        .map(|pair| std::str::from_utf8(pair).expect("hex"))
        .map(|pair| u8::from_str_radix(pair, 16).expect("hex"))
        .collect()
}

fn errors(start: Start) -> Outcome {
    let vectors = json(golden!("mem_vectors.json"));
    let image = image(MEM);
    let mut report = Report::default();
    for case in vectors["errors"].as_array().expect("a list of errors") {
        let mut machine = start(&image, test_stub());
        let got = machine.call(&numbers(&case["args"]));
        report.compare(|| format!("{case}: {got:?}"), got.is_err(), true);
    }
    report.outcome()
}

fn malformed(start: Start) -> Outcome {
    let mut report = Report::default();
    for case in json(golden!("malformed.json")).as_array().expect("a list") {
        let image = Image::parse(&hex(&case["hex"]));
        let expected = case["expect"].as_str().unwrap_or("");
        if expected != "either" {
            let is_accepted = expected == "accept";
            report.compare(
                || format!("{case}: {:?}", image.as_ref().err()),
                image.is_ok(),
                is_accepted,
            );
        }
        if let Ok(image) = image {
            // At worst an error.
            let _ = start(&Arc::new(image), test_stub()).call(&[0]);
        }
    }
    report.outcome()
}

fn compiled_c(start: Start) -> Outcome {
    cases(start, CT)
}

fn compiled_c_format_1(start: Start) -> Outcome {
    cases(start, golden!("ct_v1.qvm"))
}

fn cases(start: Start, file: &[u8]) -> Outcome {
    let vectors = json(&unpack(golden!("c_vectors.json.gz")));
    let mut machine = start(&image(file), test_stub());
    let mut report = Report::default();
    for case in vectors["cases"].as_array().expect("a list of cases") {
        machine.host().lines.clear();
        let words = numbers(case);
        let got = machine.call(&words[..3]);
        report.compare(|| case.to_string(), got, Ok(words[3]));
        if !case[4].is_null() {
            let said = machine.host().lines.clone();
            report.compare(|| case.to_string(), said, lines(&case[4]));
        }
    }
    report.outcome()
}

fn traces(start: Start, build: &str) -> Outcome {
    let mut report = Report::default();
    for trace in json(&unpack(golden!("traces.json.gz")))
        .as_array()
        .expect("a list")
    {
        if trace["build"] != build {
            continue;
        }
        let kind = trace["file"]
            .as_str()
            .unwrap_or("")
            .trim_start_matches("vm/");
        let name = format!("{build}-{}", kind.trim_end_matches(".qvm"));
        let (_, file) = modules()
            .into_iter()
            .find(|(module, _)| *module == name)
            .expect("every build traced here has its modules");
        let image = image(&file);
        let mut machine = start(&image, traced_stub(trace));
        for step in lines(&trace["steps"]) {
            let at = format!("{name}: {step}");
            one_step(&step, &at, &image, machine.as_mut(), &mut report);
        }
    }
    report.outcome()
}

pub fn profile_stub(profile: &str) -> Stub {
    let signatures = json(golden!("host_signatures.json"));
    let signatures = signatures["profiles"][profile].as_object().cloned();
    let signatures = signatures
        .unwrap_or_default()
        .into_iter()
        .filter_map(|(number, letters)| Some((number.parse().ok()?, letters.as_str()?.to_owned())))
        .collect();
    let profile = match profile {
        "cgame" => Profile::Cgame,
        "ui" => Profile::Ui,
        _ => Profile::Game,
    };
    Stub::new(profile, signatures)
}

fn traced_stub(trace: &Value) -> Stub {
    let mut stub = profile_stub(trace["profile"].as_str().unwrap_or(""));
    stub.game_version = trace["game_version"].as_str().unwrap_or("").to_owned();
    stub
}

fn one_step(
    step: &str,
    at: &str,
    image: &Image,
    machine: &mut dyn Machine<Stub>,
    report: &mut Report,
) {
    let (kind, rest) = step.split_once(' ').unwrap_or((step, ""));
    match kind {
        "frame" => machine.host().frame = rest.parse().expect("a number"),
        "argv" => machine.host().words = rest.split(' ').map(str::to_owned).collect(),
        "call" => {
            let (arguments, expected) = match rest.split_once(" = ") {
                Some((arguments, result)) => (arguments, Some(Ok(result))),
                None => match rest.split_once(" ! ") {
                    Some((arguments, error)) => (arguments, Some(Err(error))),
                    None => (rest, None),
                },
            };
            let arguments = arguments
                .split(' ')
                .map(|word| word.parse::<i64>().expect("a number") as i32)
                .collect::<Vec<_>>();
            let got = machine.call(&arguments);
            let got = got
                .map(|result| format!("{result:08x}"))
                .map_err(|trap| trap.to_string());
            match expected {
                Some(expected) => {
                    let expected = expected.map(str::to_owned).map_err(str::to_owned);
                    report.compare(|| at.to_owned(), got, expected);
                }
                None => report.compare(|| format!("{at}: {got:?}"), got.is_ok(), true),
            }
        }
        "hash" => {
            let (hash, count) = machine.host().hash();
            let got = format!("{hash:08x} {count}");
            report.compare(|| at.to_owned(), got.as_str(), rest);
        }
        _ => {
            let mut crc = Crc::new();
            let length = image.declared_bytes() - 65536;
            let memory = machine.memory();
            crc.update(memory.slice(0, length).expect("it lies inside"));
            let got = format!("{:08x}", crc.sum());
            report.compare(|| at.to_owned(), got.as_str(), rest);
        }
    }
}
