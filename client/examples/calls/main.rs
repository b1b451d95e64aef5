//! Runs one cgame module in two clients and compares what it asks of them.
//!
//! - `calls rewrite IN.qvm[.gz] FOLDER [MSEC]`: paks with a module that writes down its system calls and asks for a
//!   picture every so many milliseconds of a demo
//! - `calls play DEMO FOLDER DATA… [+COMMAND…]`: shows a demo with it here; calls and pictures come to FOLDER
//! - `calls follow THEIRS DEMO FOLDER DATA… [+COMMAND…]`: the same, with the answers that the reference's renderer gave
//! - `calls own MSEC DEMO FOLDER DATA… [+COMMAND…]`: shows it with Strafe's own cgame; as many pictures come to FOLDER
//! - `calls compare THEIRS OURS`: what differs between two files with calls
//! - `calls places THEIRS OURS`: how often models stand, look and move alike in two files with places, which `play`
//!   and `own` write
//! - `calls pictures THEIRS OURS OUT`: how far pictures of two folders are off, and both side by side

mod answers;
mod compare;
mod log;
mod pictures;
mod places;
mod play;
mod rewrite;
mod traps;
#[path = "../../tests/it/zip.rs"]
mod zip;

use answers::Answers;
use flate2::read::GzDecoder;
use play::Cgame;
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["rewrite", from, to] => rewrite_file(from, to, 0),
        ["rewrite", from, to, msec] => rewrite_file(from, to, msec.parse().unwrap_or(0)),
        ["play", demo, folder, ref rest @ ..] => {
            play_demo(demo, folder, rest, Cgame::Module(None))
        }
        ["follow", theirs, demo, folder, ref rest @ ..] => {
            let answers = answers_of(theirs);
            answers.and_then(|answers| {
                play_demo(demo, folder, rest, Cgame::Module(Some(answers)))
            })
        }
        ["own", msec, demo, folder, ref rest @ ..] => {
            let picture_msec = msec.parse().map_err(|_| format!("{msec} is no number"));
            picture_msec.and_then(|picture_msec| {
                play_demo(demo, folder, rest, Cgame::Own { picture_msec })
            })
        }
        ["compare", theirs, ours] => compare_files(theirs, ours),
        ["places", theirs, ours] => places::compare(Path::new(theirs), Path::new(ours)),
        ["pictures", theirs, ours, out] => {
            pictures::compare(Path::new(theirs), Path::new(ours), Path::new(out))
        }
        _ => Err(
            "calls rewrite | play | follow | own | compare | places | pictures; the source's caption tells more"
                .into(),
        ),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{path} cannot be read: {error}"))
}

fn rewrite_file(from: &str, to: &str, picture_msec: i32) -> Result<(), String> {
    let mut file = read(from)?;
    if from.ends_with(".gz") {
        let packed = std::mem::take(&mut file);
        let unpacked = GzDecoder::new(&packed[..]).read_to_end(&mut file);
        unpacked.map_err(|error| format!("{from}: {error}"))?;
    }
    let module = rewrite::rewrite(&file, picture_msec)?;
    vm::Image::parse(&module).map_err(|error| format!("what came of it is broken: {error}"))?;
    // RatMod ends itself without.
    let any_sound = include_bytes!("../../../fuzz/corpus/sound_ogg/fall1.ogg");
    let sound = zip::pak("sound/testoggvorbis.ogg", any_sound);
    let module = zip::pak("vm/cgame.qvm", &module);
    for (name, pak) in [("zz-calls.pk3", module), ("zz-sound.pk3", sound)] {
        let path = Path::new(to).join(name);
        fs::write(&path, pak).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn answers_of(theirs: &str) -> Result<Answers, String> {
    let entries = log::read(&read(theirs)?)?;
    let frame_function = compare::frame_function(&entries);
    Ok(Answers::new(entries, frame_function))
}

fn play_demo(demo: &str, folder: &str, rest: &[&str], cgame: Cgame) -> Result<(), String> {
    let data = rest.iter().take_while(|word| !word.starts_with('+'));
    let data: Vec<PathBuf> = data.map(PathBuf::from).collect();
    let lines: Vec<String> = (rest[data.len()..].join(" ").split('+'))
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    fs::create_dir_all(folder).map_err(|error| format!("{folder}: {error}"))?;
    play::play(Path::new(demo), &data, Path::new(folder), &lines, cgame)
}

fn compare_files(theirs: &str, ours: &str) -> Result<(), String> {
    let [theirs, ours] = [theirs, ours].map(|path| log::read(&read(path)?));
    let report = compare::compare(&theirs?, &ours?);
    println!(
        "{} frames, {} of them with the same calls and arguments; {} calls",
        report.frames, report.equal_frames, report.calls
    );
    let mut differences: Vec<_> = report.differences.iter().collect();
    differences.sort_by_key(|(key, (count, _))| (key.starts_with("answer"), usize::MAX - count));
    for (key, (count, examples)) in differences {
        println!("{count:>7} {key}");
        for example in examples {
            println!("            {example}");
        }
    }
    Ok(())
}
