//! Announcer: voices that wait for each other, medals, and warnings about ammunition and the end of the match.

use super::frame::{Frame, channel};
use crate::cg::{media::roles::Feedback, timeline::game_static::GameStatic};
use crate::scene::{ShaderId, SoundId};
use shared::{
    base::{text::number, time::ServerTime},
    bg::numbers::{configstring as cs, powerup, weapon},
    types::playerstate::PlayerState,
};
use std::collections::VecDeque;

/// Voices that may wait.
const MAX_WAITING: usize = 20;
/// From one voice to the next.
const VOICE_MSEC: i32 = 750;
/// Medals that may wait.
const MAX_MEDALS: usize = 9;
/// How long a medal is shown.
pub const MEDAL_MSEC: i32 = 3000;
/// A powerup that ends so soon is told every second.
const WEAR_OFF_MSEC: i32 = 5000;

/// A medal that was won.
#[derive(Clone, Copy, Debug)]
pub struct Medal {
    pub sound: SoundId,
    pub icon: ShaderId,
    /// How many of its kind one has now.
    pub count: i32,
}

/// How much there is left to shoot with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ammo {
    #[default]
    Enough,
    Low,
    Out,
}

/// What is waiting to be told, and what was told already.
#[derive(Clone, Debug, Default)]
pub struct Announcer {
    waiting: VecDeque<SoundId>,
    next_at: ServerTime,
    medals: VecDeque<Medal>,
    shown: Option<(Medal, ServerTime)>,
    /// Warnings about time that need not come any more: 1 five minutes, 2 one minute, 4 the end.
    told_time: u8,
    /// Warnings about frags: 1 three left, 2 two left, 4 one left.
    told_frags: u8,
    pub ammo: Ammo,
}

impl Announcer {
    /// Says something when those before it have been said.
    pub fn say(&mut self, sound: SoundId) {
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(sound);
        }
    }

    pub fn award(&mut self, medal: Medal) {
        if self.medals.len() < MAX_MEDALS {
            self.medals.push_back(medal);
        }
    }

    /// The medal on the screen, and since when.
    pub fn medal(&self) -> Option<(Medal, ServerTime)> {
        self.shown
    }

    /// Lets be heard what is due.
    pub fn run(&mut self, frame: &mut Frame<'_>) {
        if !frame.now.is_within(self.next_at - VOICE_MSEC, VOICE_MSEC)
            && let Some(sound) = self.waiting.pop_front()
        {
            frame.start_local(channel::ANNOUNCER, sound);
            self.next_at = frame.now + VOICE_MSEC;
        }
        let is_over = |since: ServerTime| !frame.now.is_within(since, MEDAL_MSEC);
        if self.shown.is_none_or(|(_, since)| is_over(since)) {
            self.shown = self.medals.pop_front().map(|medal| (medal, frame.now));
            if let Some((medal, _)) = self.shown {
                frame.start_local(channel::ANNOUNCER, medal.sound);
            }
        }
    }

    /// Warns that time or frags run out, each once.
    pub fn watch_limits(&mut self, feedback: &Feedback, frame: &mut Frame<'_>) {
        let level = frame.level;
        let minutes = level.time_limit;
        let has_limit = minutes > 0 && (!level.profile.is_open_arena() || minutes <= 1000);
        if has_limit && level.warmup == 0 {
            let played_msec = frame.timeline.team_info().played_msec(level, frame.now);
            let seconds = i64::from(played_msec) / 1000;
            let minutes = i64::from(minutes);
            let due = if seconds > minutes * 60 + 2 {
                Some((4, feedback.sudden_death))
            } else if seconds > (minutes - 1) * 60 {
                Some((2, feedback.one_minute))
            } else if minutes > 5 && seconds > (minutes - 5) * 60 {
                Some((1, feedback.five_minutes))
            } else {
                None
            };
            if let Some((bit, sound)) = due
                && self.told_time & bit == 0
            {
                // A later warning makes the earlier ones pointless.
                self.told_time |= bit | (bit - 1);
                frame.start_local(channel::ANNOUNCER, sound);
            }
        }
        if level.frag_limit > 0 && level.game_type < 4 {
            self.watch_frags(level, feedback);
        }
    }

    fn watch_frags(&mut self, level: &GameStatic, feedback: &Feedback) {
        let score = |index: usize| number(level.strings.get(index));
        let top = if level.is_team_game() {
            score(cs::SCORES1).max(score(cs::SCORES2))
        } else {
            score(cs::SCORES1)
        };
        let limit = level.frag_limit;
        let due = if top == limit - 1 {
            Some((4, feedback.one_frag))
        } else if limit > 2 && top == limit - 2 {
            Some((2, feedback.two_frags))
        } else if limit > 3 && top == limit - 3 {
            Some((1, feedback.three_frags))
        } else {
            None
        };
        if let Some((bit, sound)) = due
            && self.told_frags & bit == 0
        {
            self.told_frags |= bit | (bit - 1);
            self.say(sound);
        }
    }

    /// Warns when the ammunition of all weapons becomes little.
    pub fn watch_ammo(&mut self, sound: SoundId, frame: &mut Frame<'_>) {
        let ammo = ammo_left(frame.level, &frame.predicted.player);
        if ammo != self.ammo && ammo != Ammo::Enough {
            frame.start_local(channel::LOCAL_SOUND, sound);
        }
        self.ammo = ammo;
    }
}

/// Rounds of all weapons together, the slow ones counted for more.
fn ammo_left(level: &GameStatic, player: &PlayerState) -> Ammo {
    const ENOUGH: i32 = 5000;
    let owned = player.stats[level.stats.weapons];
    let mut total = 0;
    for number in weapon::MACHINEGUN..weapon::COUNT as i32 {
        let rounds = player.ammo[number as usize];
        if owned & (1 << number) == 0 || rounds < 0 {
            continue;
        }
        let worth = match number {
            weapon::ROCKET | weapon::GRENADE | weapon::RAIL | weapon::SHOTGUN | weapon::PROX => {
                1000
            }
            _ => 200,
        };
        total += rounds.min(ENOUGH) * worth;
        if total >= ENOUGH {
            return Ammo::Enough;
        }
    }
    if total == 0 { Ammo::Out } else { Ammo::Low }
}

/// Tells every second that a powerup ends.
pub fn watch_powerups(
    player: &PlayerState,
    before: ServerTime,
    sound: SoundId,
    frame: &mut Frame<'_>,
) {
    for &end in &player.powerups[powerup::QUAD..=powerup::FLIGHT] {
        let left = ServerTime(end) - frame.now;
        let left_before = ServerTime(end) - before;
        if (0..WEAR_OFF_MSEC).contains(&left) && left / 1000 != left_before / 1000 {
            frame.start_on(frame.viewed_client, channel::ITEM, sound);
        }
    }
}
