//! Notices: what events and servers have told the player last, for the HUD to show.

use super::captions::Captions;
use crate::{cg::timeline::game_static::GameStatic, scene::text::wrap};
use shared::{base::time::ServerTime, bg::numbers::weapon};
use std::collections::VecDeque;

/// Of a text in the middle, and of a word in very large letters.
const LETTER_WIDTH: f32 = 16.0;
const GIANT_WIDTH: f32 = 64.0;
const MAX_FRAGS: usize = 5;

/// What was told last.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    pub centered: Option<Centered>,
    /// When the last item was taken; the crosshair swells.
    pub taken_at: Option<ServerTime>,
    /// Item number and since when it is shown.
    pub pickup: Option<(i32, ServerTime)>,
    /// Who killed the player last.
    pub killer_name: String,
    pub frags: FragFeed,
    /// When the player was hurt last.
    pub attacked_at: Option<ServerTime>,
    /// The same with the side, which a restart does not wipe out.
    pub hurt: Option<(ServerTime, f32)>,
    /// Whom the crosshair pointed at last, and when.
    aimed_at: Option<(i32, ServerTime)>,
    /// What team-mates said last.
    pub team_chat: TeamChat,
    /// Which powerup made itself noticed last, and when.
    pub powerup: Option<(usize, ServerTime)>,
    /// Sounds in words.
    pub captions: Captions,
}

/// A text in the middle of the screen.
#[derive(Clone, Debug)]
pub struct Centered {
    pub text: String,
    pub since: ServerTime,
    /// The middle of its lines, about.
    pub y: f32,
    /// Of a letter.
    pub width: f32,
}

impl Notices {
    /// Shows a text in the middle for a while.
    pub fn center_print(&mut self, text: &str, now: ServerTime) {
        self.centered = Some(Centered {
            text: text.to_owned(),
            since: now,
            y: 144.0,
            width: LETTER_WIDTH,
        });
    }

    /// Tells of an own frag, in letters as large as the player wants.
    pub fn tell_frag(&mut self, text: &str, size: f32, now: ServerTime) {
        self.center_print(text, now);
        if let Some(centered) = &mut self.centered {
            centered.width *= size;
        }
    }

    /// Shows a word in very large letters.
    pub fn announce(&mut self, text: &str, now: ServerTime) {
        self.centered = Some(Centered {
            text: text.to_owned(),
            since: now,
            y: 120.0,
            width: GIANT_WIDTH,
        });
    }

    /// Someone has hurt the player, from this side: −1 left to 1 right.
    pub fn note_attack(&mut self, now: ServerTime, side: f32) {
        self.attacked_at = Some(now);
        self.hurt = Some((now, side));
    }

    /// A powerup of the player did something.
    pub fn note_powerup(&mut self, number: usize, now: ServerTime) {
        self.powerup = Some((number, now));
    }

    /// The crosshair points at a player.
    pub fn note_aim(&mut self, client: i32, now: ServerTime) {
        self.aimed_at = Some((client, now));
    }

    /// Whom the crosshair pointed at last, and when.
    pub fn crosshair_target(&self) -> Option<(i32, ServerTime)> {
        self.aimed_at
    }

    /// The client that the crosshair points at or has just left.
    pub fn aimed_at(&self, now: ServerTime) -> Option<i32> {
        const REMEMBERED_MSEC: i32 = 1000;
        self.aimed_at
            .filter(|(_, at)| now.is_within(*at, REMEMBERED_MSEC + 1))
            .map(|(client, _)| client)
    }

    /// Shows which item was taken.
    pub fn note_pickup(&mut self, item: i32, now: ServerTime) {
        self.pickup = Some((item, now));
        self.taken_at = Some(now);
    }

    /// A restarted match begins with nothing to tell.
    pub fn restart(&mut self) {
        self.centered = None;
        self.pickup = None;
        self.taken_at = None;
        self.killer_name.clear();
        self.frags = FragFeed::default();
        self.attacked_at = None;
        self.aimed_at = None;
        self.team_chat = TeamChat::default();
        self.powerup = None;
        self.captions = Captions::default();
    }
}

/// One death.
#[derive(Clone, Debug)]
pub struct Frag {
    pub at: ServerTime,
    /// Everything.
    pub text: String,
    /// Nobody if the world did it or the victim himself.
    pub killer: Option<String>,
    pub victim: String,
    pub weapon: Option<i32>,
}

/// The newest deaths, oldest first.
#[derive(Clone, Debug, Default)]
pub struct FragFeed {
    pub frags: VecDeque<Frag>,
}

impl FragFeed {
    pub fn add(&mut self, frag: Frag) {
        if self.frags.len() == MAX_FRAGS {
            self.frags.pop_front();
        }
        self.frags.push_back(frag);
    }
}

/// As many lines as the area may have.
const MAX_LINES: usize = 8;
/// Visible letters of a line.
const LINE_LENGTH: usize = 80;

/// The last lines, oldest first, each with the time at which it came.
#[derive(Clone, Debug, Default)]
pub struct TeamChat {
    pub lines: VecDeque<(String, ServerTime)>,
}

impl TeamChat {
    pub fn add(&mut self, text: &str, now: ServerTime) {
        for line in wrap(text, LINE_LENGTH, MAX_LINES) {
            if self.lines.len() == MAX_LINES {
                self.lines.pop_front();
            }
            self.lines.push_back((line, now));
        }
    }
}

/// The weapon of a means of death, if there was one.
pub fn weapon_of(means: i32, level: &GameStatic) -> Option<i32> {
    Some(match means {
        1 => weapon::SHOTGUN,
        2 => weapon::GAUNTLET,
        3 => weapon::MACHINEGUN,
        4 | 5 => weapon::GRENADE,
        6 | 7 => weapon::ROCKET,
        8 | 9 => weapon::PLASMA,
        10 => weapon::RAIL,
        11 => weapon::LIGHTNING,
        12 | 13 => weapon::BFG,
        23 if !level.profile.is_open_arena() => weapon::HOOK,
        23 => weapon::NAILGUN,
        24 => weapon::CHAINGUN,
        25 => weapon::PROX,
        28 => weapon::HOOK,
        _ => return None,
    })
}
