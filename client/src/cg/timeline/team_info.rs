//! What the server tells beside snapshots about team-mates and rounds.

use super::game_static::GameStatic;
use shared::base::time::ServerTime;
use shared::{
    base::text::number,
    bg::numbers::{configstring as cs, gametype, team},
    types::limits::MAX_CLIENTS,
};

/// One team-mate as the last `tinfo` told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mate {
    pub client: i32,
    pub location: i32,
    pub health: i32,
    pub armor: i32,
    pub weapon: i32,
    pub powerups: i32,
}

/// Team-mates, and the state of OpenArena's game types; each as the last command told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamInfo {
    pub mates: Vec<Mate>,
    /// Server time at which a round begins or began.
    pub round_start: ServerTime,
    /// 1 red, 2 blue.
    pub attacking_team: i32,
    /// Since when both points of double domination have one owner.
    pub points_taken_at: ServerTime,
    pub point_names: Vec<String>,
    /// Team by point.
    pub point_owners: Vec<i32>,
    /// Percent of red's and blue's obelisk.
    pub obelisks: Option<[i32; 2]>,
    /// Earliest server time of the own respawn; 0 while alive.
    pub respawn_at: ServerTime,
    /// What was added to the time of the match (RatMod).
    pub overtime_msec: i32,
    /// The match stands still until this server time (RatMod).
    pub paused_until: ServerTime,
}

/// As many team-mates as a command may list.
const MAX_MATES: usize = 32;
/// As many points of domination as there may be.
const MAX_POINTS: usize = 8;
/// Each name of a point takes so many characters.
const POINT_NAME_LENGTH: usize = 20;

impl TeamInfo {
    /// What the clock of the match shows.
    pub fn played_msec(&self, level: &GameStatic, now: ServerTime) -> i32 {
        let since_start = now - level.start_time;
        since_start.saturating_sub(self.overtime_msec).max(0)
    }

    /// Takes a command; false if it is not about this.
    pub fn read(&mut self, words: &[String]) -> bool {
        let value = |index: usize| words.get(index).map_or(0, |word| number(word));
        match words.first().map_or("", String::as_str) {
            "tinfo" => self.mates = mates(words),
            "elimination" => self.round_start = ServerTime(value(3)),
            "attackingteam" => self.attacking_team = value(1),
            "ddtaken" => self.points_taken_at = ServerTime(value(1)),
            // The newer game tells when the score comes, ten seconds after.
            "ddTakeAt" => self.points_taken_at = ServerTime(value(1)) - POINTS_HELD_MSEC,
            "dompointnames" => {
                let names = words.get(2).map_or("", String::as_str);
                self.point_names = point_names(names, count(value(1), MAX_POINTS));
            }
            "domStatus" => {
                let points = count(value(1), MAX_POINTS);
                if points == self.point_names.len() && words.len() >= points + 2 {
                    self.point_owners = (0..points).map(|point| value(point + 2)).collect();
                }
            }
            "oh" => self.obelisks = Some([value(1), value(2)]),
            "overtime" => self.overtime_msec = value(1),
            "timeout" => self.paused_until = ServerTime(value(1)),
            "respawn" => self.respawn_at = ServerTime(value(1)),
            _ => return false,
        }
        true
    }
}

/// Both points must be held so long for a score.
const POINTS_HELD_MSEC: i32 = 10_000;

fn count(value: i32, max: usize) -> usize {
    usize::try_from(value).unwrap_or(0).min(max)
}

fn mates(words: &[String]) -> Vec<Mate> {
    /// RatMod also tells when a mate comes back.
    const RAT_FIELDS: usize = 7;
    const FIELDS: usize = 6;
    let values: Vec<i32> = words.iter().skip(1).map(|word| number(word)).collect();
    let listed = count(values.first().copied().unwrap_or(0), MAX_MATES);
    let told = values.get(1..).unwrap_or(&[]);
    let fields = match told.len() / listed.max(1) {
        RAT_FIELDS.. => RAT_FIELDS,
        _ => FIELDS,
    };
    let groups = told.chunks_exact(fields);
    let mates = groups.take(listed).map(|group| Mate {
        client: group[0],
        location: group[1],
        health: group[2],
        armor: group[3],
        weapon: group[4],
        powerups: group[5],
    });
    mates
        .filter(|mate| (0..MAX_CLIENTS as i32).contains(&mate.client))
        .collect()
}

fn point_names(text: &str, count: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut names: Vec<String> = letters
        .chunks(POINT_NAME_LENGTH)
        .take(count)
        .map(|name| name.iter().collect::<String>())
        .map(|name| name.trim_end_matches(|letter| letter < '0').to_owned())
        .collect();
    names.resize(count, String::new());
    names
}

/// Who holds both points of double domination, and how long it is until that scores.
pub fn points_held(level: &GameStatic, info: &TeamInfo, now: ServerTime) -> Option<(i32, i32)> {
    if level.game_type != gametype::DOUBLE_DOMINATION {
        return None;
    }
    let owner = match level.strings.get(cs::FLAG_STATUS).as_bytes() {
        [b'1', b'1', ..] => team::RED,
        [b'2', b'2', ..] => team::BLUE,
        _ => return None,
    };
    let left = info.points_taken_at + POINTS_HELD_MSEC - now;
    (0..POINTS_HELD_MSEC)
        .contains(&left)
        .then_some((owner, left))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(info: &mut TeamInfo, command: &[&str]) -> bool {
        info.read(
            &command
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn commands_are_read_and_nonsense_is_bounded() {
        let mut info = TeamInfo::default();
        let command = "tinfo 2 3 1 100 50 5 0 4 2 25 0 7 128";
        assert!(read(&mut info, &command.split(' ').collect::<Vec<_>>()));
        assert_eq!(info.mates.len(), 2);
        assert_eq!((info.mates[1].client, info.mates[1].powerups), (4, 128));
        let command = "tinfo 2 3 1 100 50 5 0 9000 4 2 25 0 7 128 0";
        assert!(read(&mut info, &command.split(' ').collect::<Vec<_>>()));
        assert_eq!(info.mates.len(), 2);
        assert_eq!((info.mates[1].client, info.mates[1].powerups), (4, 128));
        assert!(read(&mut info, &["overtime", "60000"]));
        assert_eq!(info.overtime_msec, 60_000);
        assert!(read(&mut info, &["tinfo", "999", "1", "2"]));
        assert_eq!(info.mates, []);
        let names = "Lava                Bridge              ";
        assert!(read(&mut info, &["dompointnames", "2", names]));
        assert_eq!(info.point_names, ["Lava", "Bridge"]);
        assert!(read(&mut info, &["domStatus", "2", "1", "2"]));
        assert_eq!(info.point_owners, [1, 2]);
        assert!(read(&mut info, &["domStatus", "3", "1", "2", "1"]));
        assert_eq!(info.point_owners, [1, 2], "a wrong count is ignored");
        assert!(read(&mut info, &["dompointnames", "2000000000", "x"]));
        assert_eq!(info.point_names.len(), MAX_POINTS);
        assert!(read(&mut info, &["oh", "70", "100"]));
        assert_eq!(info.obelisks, Some([70, 100]));
        assert!(read(&mut info, &["respawn", "1234"]));
        assert!(!read(&mut info, &["mystery"]));
        assert!(!read(&mut info, &[]));
    }
}
