//! What the announcer says about flags, bases and leads, by the team one is in.

use super::{
    Present,
    frame::{Frame, channel},
};
use shared::bg::numbers::{gametype, persistant, powerup, team};

impl Present {
    /// A team sound by its code.
    pub(super) fn team_sound(&mut self, code: i32, frame: &mut Frame<'_>) {
        let Some(player) = frame.timeline.snap().map(|snap| &snap.player) else {
            return;
        };
        let own = player.persistant[persistant::TEAM];
        let has = |number: usize| player.powerups[number] != 0;
        let carries = |number: usize| has(number) || has(powerup::NEUTRALFLAG);
        let sounds = &self.media.team_sounds;
        let is_one_flag = frame.level.game_type == gametype::ONE_FLAG_CTF;
        let if_own = |wanted: i32, yes, no| Some(if own == wanted { yes } else { no });
        let mut second = None;
        let first = match code {
            0 => if_own(team::RED, sounds.capture_own, sounds.capture_other),
            1 => if_own(team::BLUE, sounds.capture_own, sounds.capture_other),
            2 => {
                second = Some(sounds.blue_returned);
                if_own(team::RED, sounds.return_own, sounds.return_other)
            }
            3 => {
                second = Some(sounds.red_returned);
                if_own(team::BLUE, sounds.return_own, sounds.return_other)
            }
            4 if carries(powerup::BLUEFLAG) => None,
            5 if carries(powerup::REDFLAG) => None,
            4 | 5 => {
                let takers = if code == 4 { team::RED } else { team::BLUE };
                let (ours, theirs) = if is_one_flag {
                    (sounds.team_one_flag, sounds.enemy_one_flag)
                } else {
                    (sounds.team_flag, sounds.enemy_flag)
                };
                // With one flag the code names the team whose base it is carried to, not who took it.
                let takers = if is_one_flag {
                    team::RED + team::BLUE - takers
                } else {
                    takers
                };
                match own {
                    team::RED | team::BLUE if own == takers => Some(ours),
                    team::RED | team::BLUE => Some(theirs),
                    _ => None,
                }
            }
            6 if own == team::RED => Some(sounds.base_attack),
            7 if own == team::BLUE => Some(sounds.base_attack),
            8 => Some(sounds.red_scores),
            9 => Some(sounds.blue_scores),
            10 => Some(sounds.red_leads),
            11 => Some(sounds.blue_leads),
            12 => Some(sounds.teams_tied),
            13 => {
                frame.start_local(channel::ANNOUNCER, sounds.kamikaze_far);
                None
            }
            14..=16 => {
                frame.start_local(channel::ANNOUNCER, self.media.rat_sounds.flag_dropped);
                None
            }
            _ => None,
        };
        for sound in first.into_iter().chain(second) {
            self.announcer.say(sound);
        }
    }
}
