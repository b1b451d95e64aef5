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

/// Where a command keeps what of the scores.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// How many players are listed; red's and blue's score follow.
    count: usize,
    round_start: Option<usize>,
    /// Values before the first player's, and of each player.
    header: usize,
    stride: usize,
    /// A player's time comes in units of so many seconds.
    time_unit_sec: i32,
}

impl Layout {
    /// The base game's.
    const PLAIN: Self = Self {
        count: 0,
        round_start: None,
        header: 3,
        stride: 14,
        time_unit_sec: 60,
    };
    /// OpenArena's.
    const ROUNDS: Self = Self {
        round_start: Some(3),
        header: 4,
        stride: 15,
        ..Self::PLAIN
    };
    /// RatMod's, in one command, and the first of several.
    const RAT: Self = Self {
        round_start: Some(3),
        header: 4,
        stride: 21,
        time_unit_sec: 1,
        ..Self::PLAIN
    };
    const RAT_FIRST: Self = Self {
        count: 1,
        round_start: Some(4),
        header: 7,
        stride: 17,
        time_unit_sec: 1,
    };

    /// What a command's name and length tell.
    fn of(name: &str, values: &[i32]) -> Self {
        let listed = |layout: Self| {
            let count = values.get(layout.count).copied().unwrap_or(0);
            usize::try_from(count).unwrap_or(0).min(MAX_CLIENTS)
        };
        match name {
            "ratscores" => Self::RAT,
            "ratscores1" => Self::RAT_FIRST,
            _ => match listed(Self::ROUNDS) {
                count @ 1.. if values.len() >= 4 + 15 * count => Self::ROUNDS,
                _ => Self::PLAIN,
            },
        }
    }
}

/// The last `scores` command, or RatMod's in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scoreboard {
    pub team_scores: [i32; 2],
    /// Server time of the round's beginning, where the game has rounds.
    pub round_start: Option<ServerTime>,
    /// In the server's order.
    pub rows: Vec<Score>,
}

impl Scoreboard {
    /// Takes the words of a `scores`, `ratscores` or `ratscores1` command. Which of two layouts `scores` has, its length
    /// tells.
    pub fn read(&mut self, words: &[String]) {
        let values: Vec<i32> = words.iter().skip(1).map(|word| number(word)).collect();
        let value = |index: usize| values.get(index).copied().unwrap_or(0);
        let layout = Layout::of(words.first().map_or("", String::as_str), &values);
        let Layout { header, stride, .. } = layout;
        let count = usize::try_from(value(layout.count))
            .unwrap_or(0)
            .min(MAX_CLIENTS);
        self.team_scores = [value(layout.count + 1), value(layout.count + 2)];
        self.round_start = layout.round_start.map(|index| ServerTime(value(index)));
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
                    time: field(3) / (60 / layout.time_unit_sec),
                    powerups: field(5),
                    accuracy: field(6),
                    medals: [7, 8, 9, 10, 11, 13].map(field),
                    is_perfect: field(12) != 0,
                    lives: if stride > 14 { field(14) } else { 0 },
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
    fn boards_of_ratmod_are_read() {
        // Two players of whom the second has 25 points after 130 seconds, with 40 % and a gauntlet, out of the round.
        let first = "1 30 48 61 0 0 33 0 0 0 0 0 0 0 0 30 2";
        let second = "4 25 50 130 0 2 40 0 0 1 0 0 0 3 1 24 9";
        let told = format!("ratscores1 2 2 7 8 9000 0 0 {first} {second}");
        let words: Vec<String> = told.split(' ').map(str::to_owned).collect();
        let mut board = Scoreboard::default();
        board.read(&words);
        assert_eq!(board.team_scores, [7, 8]);
        assert_eq!(board.round_start, Some(ServerTime(9000)));
        let expected = Score {
            client: 4,
            score: 25,
            ping: 50,
            time: 2,
            powerups: 2,
            accuracy: 40,
            medals: [0, 0, 1, 0, 0, 3],
            is_perfect: false,
            lives: 1,
        };
        assert_eq!(board.rows.get(1), Some(&expected));
        check(
            &format!("ratscores 2 7 8 9000 {first} 1 2 0 0 {second} 3 4 0 0"),
            &[(1, 30), (4, 25)],
        );
        check("ratscores1 2 999999 0 0 0 0 0 1 2", &[]);
        check("ratscores1", &[]);
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
