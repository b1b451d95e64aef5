//! Server commands that change nothing in the match: accuracies, custom votes, map pages.

use crate::cg::{CGame, present::frame::Frame};
use shared::base::text::number;

/// Shots and hits of each weapon from shotgun to the last, as told for weapons 2 to 13.
pub const FIRST_WEAPON: i32 = 2;
const WEAPONS: usize = 12;

/// Shots and hits by weapon, from [`FIRST_WEAPON`] on.
pub type Accuracies = Vec<[i32; 2]>;

/// Only for the console, not for the top of the screen.
pub(in crate::cg) const QUIET: &str = "[skipnotify]";

impl CGame {
    /// Takes a command that changes nothing in the match; those of no game are told on the console.
    pub(in crate::cg) fn hear(&mut self, words: &[String], frame: &mut Frame<'_>) {
        let printed = &mut frame.output.printed;
        match words.first().map_or("", String::as_str) {
            "accs" => self.hud.accuracies = accuracies(words),
            "customvotes" => printed.push(custom_votes(words)),
            "mappage" => printed.push(map_page(words)),
            // Models are loaded when they are seen, levels have their pictures, and nobody has the files of spoken
            // words; the others are numbers for statistics and voices of the newer game.
            "" | "loaddefered" | "clientLevelShot" | "vchat" | "vtchat" | "vtell" | "ch"
            | "team" => {}
            name => printed.push(format!(
                "{QUIET}the server said \"{name}\", which no game knows\n"
            )),
        }
    }
}

fn accuracies(words: &[String]) -> Accuracies {
    let values: Vec<i32> = words.iter().skip(1).map(|word| number(word)).collect();
    let pairs = values.chunks_exact(2).take(WEAPONS);
    pairs.map(|pair| [pair[0], pair[1]]).collect()
}

fn custom_votes(words: &[String]) -> String {
    const MAX: usize = 12;
    let names: Vec<&str> = words.iter().skip(1).take(MAX).map(String::as_str).collect();
    match names.as_slice() {
        [] => format!("{QUIET}this server has no votes of its own\n"),
        names => format!("/callvote custom NAME: {}\n", names.join(", ")),
    }
}

fn map_page(words: &[String]) -> String {
    const MAX: usize = 10;
    let page = words.get(1).map_or(0, |word| number(word));
    let names: Vec<&str> = words
        .iter()
        .skip(2)
        .take(MAX)
        .map(String::as_str)
        .filter(|name| !matches!(*name, "" | "---"))
        .collect();
    let next = page.saturating_add(1);
    format!(
        "maps of page {page}: {} (more: /getmappage {next})\n",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_is_told_is_read_and_bounded() {
        assert_eq!(accuracies(&words("accs 10 5 3 0 7")), [[10, 5], [3, 0]]);
        assert_eq!(
            accuracies(&words(&format!("accs{}", " 1".repeat(200)))).len(),
            WEAPONS
        );
        assert_eq!(
            custom_votes(&words("customvotes instagib rockets")),
            "/callvote custom NAME: instagib, rockets\n"
        );
        assert_eq!(
            map_page(&words("mappage 0 oa_dm1 oa_dm2 ---")),
            "maps of page 0: oa_dm1, oa_dm2 (more: /getmappage 1)\n"
        );
    }
}
