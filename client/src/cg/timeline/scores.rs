//! Scores and accuracies as the server's commands list them, and places in words.

use shared::{
    base::{text::number, time::ServerTime},
    types::limits::MAX_CLIENTS,
};

/// Marks a rank that is shared.
pub const TIED: i32 = 0x4000;
/// Shots and hits of each weapon from shotgun to the last, as told for weapons 2 to 13.
pub const FIRST_WEAPON: i32 = 2;
const WEAPONS: usize = 12;

/// Shots and hits by weapon, from [`FIRST_WEAPON`] on.
pub type Accuracies = Vec<[i32; 2]>;

/// One player's row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    pub client: i32,
    pub score: i32,
    /// −1 while connecting.
    pub ping: i32,
    /// Minutes.
    pub time: i32,
    pub powerups: i32,
    /// Percent.
    pub accuracy: i32,
    /// Impressive, excellent, gauntlet, defence, assists, captures: how many of each.
    pub medals: [i32; 6],
    /// Leads without having died.
    pub is_perfect: bool,
    /// Out until the next round, or the lives that are left; told by OpenArena alone.
    pub lives: i32,
}

/// The last `scores` command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scoreboard {
    pub team_scores: [i32; 2],
    /// Server time of the round's beginning, where the game has rounds.
    pub round_start: Option<ServerTime>,
    /// In the server's order.
    pub rows: Vec<Score>,
}

impl Scoreboard {
    /// Takes the words of a `scores` command; which of the two layouts it has, its length tells.
    pub fn read(&mut self, words: &[String]) {
        let values: Vec<i32> = words.iter().skip(1).map(|word| number(word)).collect();
        let count = values.first().map_or(0, |&count| {
            usize::try_from(count).unwrap_or(0).min(MAX_CLIENTS)
        });
        let value = |index: usize| values.get(index).copied().unwrap_or(0);
        self.team_scores = [value(1), value(2)];
        let (header, stride) = if count > 0 && values.len() >= 4 + 15 * count {
            (4, 15)
        } else {
            (3, 14)
        };
        self.round_start = (header == 4).then(|| ServerTime(value(3)));
        let present = values.len().saturating_sub(header) / stride;
        self.rows = (0..count.min(present))
            .map(|row| {
                let field = |index: usize| value(header + row * stride + index);
                let client = if (0..MAX_CLIENTS as i32).contains(&field(0)) {
                    field(0)
                } else {
                    0
                };
                Score {
                    client,
                    score: field(1),
                    ping: field(2),
                    time: field(3),
                    powerups: field(5),
                    accuracy: field(6),
                    medals: [7, 8, 9, 10, 11, 13].map(field),
                    is_perfect: field(12) != 0,
                    lives: if stride == 15 { field(14) } else { 0 },
                }
            })
            .collect();
    }
}

/// The words of an `accs` command.
pub fn accuracies(words: &[String]) -> Accuracies {
    let values: Vec<i32> = words.iter().skip(1).map(|word| number(word)).collect();
    let pairs = values.chunks_exact(2).take(WEAPONS);
    pairs.map(|pair| [pair[0], pair[1]]).collect()
}

/// A place by its rank, which may be shared, and the score it was reached with.
pub fn place_text(rank: i32, score: i32) -> String {
    let tied = if rank & TIED != 0 { "Tied for " } else { "" };
    let place = (rank & !TIED) + 1;
    let color = match place {
        1 => "^4",
        2 => "^1",
        3 => "^3",
        _ => "",
    };
    format!("{tied}{color}{}^7 place with {score}", ordinal(place))
}

fn ordinal(number: i32) -> String {
    let suffix = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[(i32, i32)]) {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let mut board = Scoreboard::default();
        board.read(&words);
        let seen: Vec<_> = board
            .rows
            .iter()
            .map(|row| (row.client, row.score))
            .collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn both_layouts_are_read_by_their_length() {
        check("scores 1 3 4 2 17 40 5 0 0 33 0 0 0 0 0 0 0", &[(2, 17)]);
        check(
            "scores 1 3 4 9000 2 17 40 5 0 0 33 0 0 0 0 0 0 0 0",
            &[(2, 17)],
        );
        check("scores 2 0 0 0 5 1 1 1 0 0 0 0 0 0 0 0 0 0", &[(0, 5)]);
        check("scores 99999999", &[]);
        check("scores", &[]);
    }

    #[test]
    fn accuracies_are_read_and_bounded() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(accuracies(&words("accs 10 5 3 0 7")), [[10, 5], [3, 0]]);
        let many = words(&format!("accs{}", " 1".repeat(200)));
        assert_eq!(accuracies(&many).len(), WEAPONS);
    }

    #[test]
    fn places_have_their_endings() {
        assert_eq!(place_text(0x4000, 7), "Tied for ^41st^7 place with 7");
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 13, 21].map(ordinal),
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st"]
        );
    }
}
