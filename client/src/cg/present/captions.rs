//! Captions: sounds that matter in words, with the side that they come from, for players who do not hear them.

use super::frame::Frame;
use crate::scene::sound::{Ear, SoundOrigin};
use glam::Vec3;
use shared::base::time::ServerTime;

/// Further away the mixer plays nothing.
const REACH: f32 = 1330.0;
/// What is nearer is at the ear itself and has no side.
const AT_EAR: f32 = 48.0;
/// More lines than these nobody reads in a fight.
const MAX_LINES: usize = 4;
/// How long a line stays after its sound was last heard.
pub const SHOWN_MSEC: i32 = 1500;
/// A line's side does not change faster than it can be read.
const SIDE_MSEC: i32 = 300;

/// Sounds by a part of their file name, and their words; what matters more stands further up.
const WORDS: &[(&str, &str)] = &[
    ("/rockfly", "rocket"),
    ("/hgrenb", "grenade"),
    ("/wstbactv", "mine"),
    ("/railgf", "railgun"),
    ("/rocklf", "rocket launcher"),
    ("/bfg_fire", "BFG"),
    ("/damage3", "quad damage"),
    ("/quaddamage", "quad damage taken"),
    ("/grenlf", "grenade launcher"),
    ("/lg_hum", "lightning gun"),
    ("/hyprbf", "plasma gun"),
    ("/rocklx", "explosion"),
    ("/wstbexpl", "explosion"),
    ("/kam_explode", "kamikaze"),
    ("/sshotf", "shotgun"),
    ("/machgf", "machinegun"),
    ("/vulcanf", "chaingun"),
    ("/wnalfire", "nailgun"),
    ("/fstrun", "gauntlet"),
    ("/voc_base_attack", "your base is under attack"),
    ("/voc_enemy_flag", "the enemy has your flag"),
    ("/voc_team_flag", "your team has the flag"),
    ("/voc_you_flag", "you have the flag"),
    ("/voc_red_returned", "the red flag is back"),
    ("/voc_blue_returned", "the blue flag is back"),
    ("/flagcapture_yourteam", "your team has scored"),
    ("/flagcapture_opponent", "the enemy has scored"),
    ("/sudden_death", "sudden death"),
    ("/1_minute", "one minute left"),
    ("/5_minute", "five minutes left"),
    ("/1_frag", "one frag left"),
    ("/2_frags", "two frags left"),
    ("/3_frags", "three frags left"),
    ("/takenlead", "you lead"),
    ("/tiedlead", "you share the lead"),
    ("/lostlead", "you have lost the lead"),
    ("/noammo", "no ammunition"),
    ("/wearoff", "powerup ends"),
    ("/hit_teammate", "you hit a team-mate"),
    ("/hit.", "you hit"),
    ("/telein", "teleporter"),
    ("/teleout", "teleporter"),
    ("/m_health", "mega health taken"),
    ("/ar2_pkup", "armour taken"),
    ("/protect3", "battle suit"),
    ("/respawn", "item respawn"),
    ("/w_pkup", "weapon taken"),
    ("/jumppad", "jump pad"),
    ("/death", "death"),
    ("/falling", "fall"),
    ("/pain", "pain"),
    ("/jump1", "jump"),
    ("/watr_in", "splash"),
    ("/footsteps/", "steps"),
];

/// From where a sound comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// From everywhere.
    None,
    Ahead,
    Left,
    Right,
    Behind,
    Above,
    Below,
}

impl Side {
    fn of(ear: &Ear, origin: Vec3) -> Self {
        let toward = origin - ear.origin;
        if toward.length() < AT_EAR {
            return Self::None;
        }
        let [ahead, left, up] = ear.axis.map(|axis| toward.dot(axis));
        let widest = ahead.abs().max(left.abs());
        if up.abs() > widest * 1.5 {
            if up > 0.0 { Self::Above } else { Self::Below }
        } else if left.abs() > ahead.abs() {
            if left > 0.0 { Self::Left } else { Self::Right }
        } else if ahead > 0.0 {
            Self::Ahead
        } else {
            Self::Behind
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Ahead => " ahead",
            Self::Left => " from the left",
            Self::Right => " from the right",
            Self::Behind => " from behind",
            Self::Above => " from above",
            Self::Below => " from below",
        }
    }
}

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caption {
    /// Its place among [`WORDS`].
    rank: usize,
    side: Side,
    side_since: ServerTime,
    /// When it was heard last.
    pub at: ServerTime,
}

impl Caption {
    pub fn text(&self) -> String {
        let words = WORDS.get(self.rank).map_or("", |(_, words)| *words);
        format!("{words}{}", self.side.words())
    }
}

/// The lines that are shown, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Captions {
    pub lines: Vec<Caption>,
}

impl Captions {
    /// Takes in what the finished frame makes heard.
    pub fn hear(&mut self, frame: &Frame<'_>) {
        if frame.settings.caption_size <= 0.0 {
            self.lines.clear();
            return;
        }
        let now = frame.now;
        self.lines
            .retain(|line| now.is_within(line.at, SHOWN_MSEC + 1));
        let ear = &frame.sound.ear;
        for start in &frame.sound.starts {
            let is_own = start.entity_num == ear.entity_num;
            let origin = match start.place {
                SoundOrigin::Local => None,
                // Players know what they do themselves.
                _ if is_own => continue,
                SoundOrigin::Fixed(origin) => Some(origin),
                SoundOrigin::Entity => Some(place_of(start.entity_num, frame)),
            };
            self.note(frame.assets.sound_name(start.sound), origin, ear, now);
        }
        for heard in &frame.sound.loops {
            let toward = ear.origin - heard.origin;
            let flies_away = heard.velocity != Vec3::ZERO && heard.velocity.dot(toward) <= 0.0;
            // What flies away, such as the player's own rocket, is no danger.
            if heard.entity_num != ear.entity_num && !flies_away {
                let name = frame.assets.sound_name(heard.sound);
                self.note(name, Some(heard.origin), ear, now);
            }
        }
    }

    fn note(&mut self, name: &str, origin: Option<Vec3>, ear: &Ear, now: ServerTime) {
        let is_out_of_reach = |origin: Vec3| ear.origin.distance(origin) > REACH;
        if origin.is_some_and(is_out_of_reach) {
            return;
        }
        let Some(found) = WORDS.iter().position(|(part, _)| name.contains(part)) else {
            return;
        };
        // Sounds with the same words share a line.
        let words = WORDS[found].1;
        let rank = WORDS.iter().position(|(_, other)| *other == words);
        let rank = rank.unwrap_or(found);
        let side = origin.map_or(Side::None, |origin| Side::of(ear, origin));
        if let Some(line) = self.lines.iter_mut().find(|line| line.rank == rank) {
            line.at = now;
            if line.side != side && !now.is_within(line.side_since, SIDE_MSEC) {
                (line.side, line.side_since) = (side, now);
            }
            return;
        }
        if self.lines.len() == MAX_LINES {
            let ranks = self.lines.iter().map(|line| line.rank).enumerate();
            match ranks.max_by_key(|(_, rank)| *rank) {
                Some((place, worst)) if worst > rank => self.lines.remove(place),
                _ => return,
            };
        }
        self.lines.push(Caption {
            rank,
            side,
            side_since: now,
            at: now,
        });
    }
}

/// Where the sounds of an entity are heard.
fn place_of(entity_num: u16, frame: &Frame<'_>) -> Vec3 {
    let told = (frame.sound.positions.iter().rev()).find(|(number, _)| *number == entity_num);
    match told {
        Some((_, origin)) => *origin,
        None => frame
            .entity(i32::from(entity_num))
            .map_or(frame.sound.ear.origin, |entity| entity.origin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EAR: Ear = Ear {
        entity_num: 0,
        origin: Vec3::ZERO,
        axis: [Vec3::X, Vec3::Y, Vec3::Z],
        is_under_water: false,
    };

    fn hear(captions: &mut Captions, name: &str, at: Vec3, msec: i32) {
        captions.note(name, Some(at), &EAR, ServerTime(msec));
    }

    fn texts(captions: &Captions) -> Vec<String> {
        captions.lines.iter().map(Caption::text).collect()
    }

    #[test]
    fn sides_are_those_of_the_view() {
        let rows = [
            (Vec3::X, "rocket ahead"),
            (Vec3::NEG_X, "rocket from behind"),
            (Vec3::Y, "rocket from the left"),
            (Vec3::NEG_Y, "rocket from the right"),
            (Vec3::Z, "rocket from above"),
            (Vec3::NEG_Z, "rocket from below"),
            (Vec3::ZERO, "rocket"),
        ];
        for (toward, expected) in rows {
            let mut captions = Captions::default();
            let name = "sound/weapons/rocket/rockfly.wav";
            hear(&mut captions, name, toward * 400.0, 1000);
            assert_eq!(texts(&captions), [expected]);
            hear(&mut captions, name, toward * 4000.0, 2000);
            assert!(captions.lines.iter().all(|line| line.at.0 == 1000) || toward == Vec3::ZERO);
        }
    }

    #[test]
    fn a_burst_is_one_line_whose_side_can_be_read() {
        let mut captions = Captions::default();
        for shot in 0..20 {
            let side = if shot % 2 == 0 { 300.0 } else { -300.0 };
            let name = format!("sound/weapons/machinegun/machgf{}b.wav", shot % 4 + 1);
            hear(&mut captions, &name, Vec3::Y * side, 1000 + shot * 10);
            assert_eq!(texts(&captions), ["machinegun from the left"]);
        }
        let name = "sound/weapons/machinegun/machgf1b.wav";
        hear(&mut captions, name, Vec3::NEG_Y * 300.0, 1400);
        assert_eq!(texts(&captions), ["machinegun from the right"]);
    }

    #[test]
    fn what_matters_more_takes_the_place_of_what_matters_least() {
        let mut captions = Captions::default();
        for name in ["sound/player/footsteps/step1", "sound/player/sarge/jump1"] {
            hear(&mut captions, name, Vec3::X * 200.0, 1000);
        }
        for name in ["sound/x/sshotf1b", "sound/x/telein", "sound/x/rockfly"] {
            hear(&mut captions, name, Vec3::X * 200.0, 1000);
        }
        let expected =
            ["jump", "shotgun", "teleporter", "rocket"].map(|word| format!("{word} ahead"));
        assert_eq!(texts(&captions), expected);
        hear(
            &mut captions,
            "sound/player/footsteps/step2",
            Vec3::X * 200.0,
            1000,
        );
        assert_eq!(texts(&captions), expected);
    }

    #[test]
    fn each_part_of_a_name_can_be_found() {
        for (place, (part, _)) in WORDS.iter().enumerate() {
            let first = WORDS.iter().position(|(other, _)| part.contains(other));
            assert_eq!(first, Some(place), "{part} is hidden by one above it");
        }
    }
}
