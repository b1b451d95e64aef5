//! A recorded match against what its server wrote down: who killed whom how, and who won.

use super::{
    cg_demos::{Shown, play_bytes},
    disk::SETTINGS,
};
use client::assets::Assets;
use flate2::read::GzDecoder;
use shared::bg::numbers::event;
use std::{fs, io::Read};

fn data(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/match/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A line `Kill: KILLER VICTIM MEANS: NAME killed NAME by MOD_…`.
#[derive(Debug)]
struct Kill {
    means: i32,
    killer: String,
    victim: String,
    by: String,
}

impl Kill {
    fn parse(line: &str) -> Option<Self> {
        let (_, rest) = line.split_once("Kill: ")?;
        let (numbers, words) = rest.split_once(": ")?;
        let (killer, rest) = words.split_once(" killed ")?;
        let (victim, by) = rest.split_once(" by ")?;
        Some(Self {
            means: numbers.split(' ').nth(2)?.parse().ok()?,
            killer: killer.to_owned(),
            victim: victim.to_owned(),
            by: by.trim().to_owned(),
        })
    }

    /// Whether an obituary tells just this.
    fn is_told_by(&self, means: i32, text: &str) -> bool {
        let has_killer = self.killer != "<world>" && self.killer != self.victim;
        means == self.means
            && text.starts_with(&format!("{}^7 ", self.victim))
            && (!has_killer || text.contains(&format!("{}^7", self.killer)))
    }
}

/// A line `score: SCORE  ping: PING  client: NUMBER NAME`.
fn score(line: &str) -> Option<(i32, i32)> {
    let (_, rest) = line.split_once(" score: ")?;
    let (score, rest) = rest.split_once("  ping: ")?;
    let (_, rest) = rest.split_once("  client: ")?;
    let client = rest.split(' ').next()?;
    Some((client.parse().ok()?, score.parse().ok()?))
}

#[test]
fn obituaries_and_scores_are_those_of_the_server() {
    let log = String::from_utf8(data("games.log")).expect("the log is plain text");
    let kills: Vec<Kill> = log.lines().filter_map(Kill::parse).collect();
    let ends: Vec<Vec<_>> = log
        .split("ShutdownGame")
        .map(|level| level.lines().filter_map(score).collect())
        .filter(|scores: &Vec<_>| !scores.is_empty())
        .collect();
    assert!(kills.len() > 20 && ends.len() == 2, "{} kills", kills.len());

    let mut demo = Vec::new();
    GzDecoder::new(data("match.dm_71.gz").as_slice())
        .read_to_end(&mut demo)
        .expect("the demo unpacks");
    let mut told: Vec<(i32, String)> = Vec::new();
    let mut boards: Vec<Vec<(i32, i32)>> = Vec::new();
    let mut assets = Assets::new(SETTINGS);
    play_bytes(
        "match",
        demo,
        &Shown::default(),
        &mut assets,
        |_, _| (),
        |cgame, output, _| {
            for fired in output
                .events
                .iter()
                .filter(|fired| fired.event == event::OBITUARY)
            {
                let text = output.printed[fired.printed.clone()].concat();
                told.push((fired.parm, text));
            }
            let board = cgame.listed_scores();
            if cgame.level().is_intermission && boards.last() != Some(&board) {
                boards.push(board);
            }
        },
    );
    // The recording began and ended within what the server wrote down.
    let runs = kills.windows(told.len()).filter(|run| {
        run.iter()
            .zip(&told)
            .all(|(kill, (means, text))| kill.is_told_by(*means, text))
    });
    let runs: Vec<_> = runs.collect();
    assert!(told.len() > 15, "{told:?}");
    assert_eq!(runs.len(), 1, "told {told:#?}\nwritten {kills:#?}");
    for (kill, (_, text)) in runs[0].iter().zip(&told).take(3) {
        println!("{}: {}", kill.by, text.trim_end());
    }
    for end in &ends {
        assert!(boards.contains(end), "{end:?} is not among {boards:?}");
    }
    println!(
        "{} obituaries and the boards of {} matches agree",
        told.len(),
        ends.len()
    );
}
