//! Draws the reference views, compares them with the reference client's frames, and writes pictures of both.
//!
//! `views [--json] [--out FOLDER] [WORD…]`: only views whose name contains a word.

#[path = "../tests/it/disk.rs"]
#[expect(dead_code, reason = "tests need more")]
mod disk;
#[path = "../tests/it/views.rs"]
#[expect(dead_code, reason = "tests draw other scenes too")]
mod views;

use std::path::PathBuf;
use std::process::ExitCode;
use views::{HEIGHT, Outcome, Studio, WIDTH};

fn main() -> ExitCode {
    let mut is_json = false;
    let mut out = PathBuf::from("target/views");
    let mut words = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => is_json = true,
            "--out" => out = arguments.next().map(PathBuf::from).unwrap_or(out),
            _ => words.push(argument),
        }
    }
    if let Err(error) = std::fs::create_dir_all(&out) {
        eprintln!("{} cannot be made: {error}", out.display());
        return ExitCode::FAILURE;
    }
    let outcomes = views::draw_views(&mut Studio::open(), &words, |outcome| {
        let path = out.join(format!("{}.png", outcome.name));
        if let Err(error) = picture(outcome).save(&path) {
            eprintln!("{} cannot be written: {error}", path.display());
        }
        if !is_json {
            println!("{}", line(outcome));
        }
    });
    let failed = outcomes.iter().filter(|outcome| !outcome.passes()).count();
    if is_json {
        println!("{}", json(&outcomes));
    } else {
        println!(
            "{} views, {failed} outside the gates; pictures in {}",
            outcomes.len(),
            out.display()
        );
    }
    if failed == 0 && !outcomes.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn line(outcome: &Outcome) -> String {
    format!(
        "{:<24} mean {:6.2}  over 16: {:6.2} %  {:4} draws  {:6} triangles  {:5.2} ms  {}",
        outcome.name,
        outcome.mean_abs_error,
        outcome.share_over_16 * 100.0,
        outcome.stats.draws,
        outcome.stats.triangles,
        outcome.cpu_time.as_secs_f64() * 1000.0,
        if outcome.passes() { "ok" } else { "FAILED" }
    )
}

fn json(outcomes: &[Outcome]) -> serde_json::Value {
    let views: Vec<_> = outcomes
        .iter()
        .map(|outcome| {
            serde_json::json!({
                "name": outcome.name,
                "mean_abs_error": outcome.mean_abs_error,
                "share_over_16": outcome.share_over_16,
                "draws": outcome.stats.draws,
            })
        })
        .collect();
    serde_json::json!({ "views": views })
}

/// Ours, the reference, and the difference eight times as strong, side by side.
fn picture(outcome: &Outcome) -> image::RgbImage {
    image::RgbImage::from_fn(WIDTH * 3, HEIGHT, |x, y| {
        let at = ((y * WIDTH + x % WIDTH) * 3) as usize;
        let pick = |pixels: &[u8]| [pixels[at], pixels[at + 1], pixels[at + 2]];
        let (drawn, reference) = (pick(&outcome.drawn), pick(&outcome.reference));
        image::Rgb(match x / WIDTH {
            0 => drawn,
            1 => reference,
            _ => std::array::from_fn(|k| drawn[k].abs_diff(reference[k]).saturating_mul(8)),
        })
    })
}
