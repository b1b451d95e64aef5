//! What only RatMod's servers make happen: its own events, commands, awards and sounds of hits.
//!
//! Most of its sounds and pictures lie in RatMod's own paks; where those are missing, a word stands for them.

use super::{
    Present,
    frame::{Frame, channel},
};
use crate::cg::timeline::GameEvent;
use crate::scene::SoundId;
use shared::{
    base::{
        info::Info,
        text::{SKIP_NOTIFY, number},
    },
    bg::numbers::rat_event as ev,
    types::{configstring::index, playerstate::PlayerState},
};

/// Medals of RatMod, by their numbers.
const AWARDS: [&str; 30] = [
    "Frags",
    "Accuracy",
    "Telefrag",
    "Telemissile frag",
    "Rocket sniper",
    "Full shotgun",
    "Immortality",
    "Air rocket",
    "Air grenade",
    "Rocket and rail",
    "Lightning and rail",
    "Two with one rail",
    "Dead hand",
    "Twitch rail",
    "Showstopper",
    "Ambush",
    "Kamikaze",
    "Strong man",
    "Hero",
    "Rat",
    "Butcher",
    "Killing spree",
    "Rampage",
    "Massacre",
    "Unstoppable",
    "Grim reaper",
    "Revenge",
    "Berserker",
    "Vaporized",
    "Thaw buddy",
];

/// Where the total damage dealt is counted.
const DAMAGE_DONE: usize = 15;

impl Present {
    /// An event of a number that RatMod has given its own meaning.
    pub(super) fn rat_event(&mut self, happened: &GameEvent, frame: &mut Frame<'_>) {
        let GameEvent { state, .. } = happened;
        let (event, parm, at) = (happened.event, happened.parm, happened.at);
        let number = i32::from(state.number);
        let sounds = &self.media.rat_sounds;
        match event {
            ev::MISSILE_TELEPORT => frame.start_on(number, channel::AUTO, sounds.missile_teleport),
            ev::COIN_BOUNCE => frame.start_on(number, channel::AUTO, sounds.coin_bounce),
            ev::FREEZE => frame.start_on(number, channel::BODY, sounds.freeze),
            ev::FOOTSLIDE => {
                let slides = [sounds.slide1, sounds.slide2, sounds.slide3, sounds.slide4];
                let sound = frame.one_of(slides).filter(|_| frame.settings.footsteps);
                frame.start_on(number, channel::BODY, sound);
            }
            ev::PING_LOCATION if frame.level.is_team_game() => {
                frame.start_at(at, number, channel::AUTO, sounds.ping);
                let name = frame.level.name(state.other_entity_num);
                let text = format!("{name}^7 points at {}\n", pinged(state.generic1));
                frame.output.printed.push(text);
                self.timed_effects.add_ping(at, frame.now);
            }
            ev::DAMAGEPLUM if state.other_entity_num == frame.viewed_client => {
                let drift = [frame.random.centred(), frame.random.centred()];
                self.timed_effects
                    .add_damage_plum(state.time, at, drift, frame.now);
            }
            ev::PUSH_NOTIFY if state.other_entity_num == frame.viewed_client => {
                let name = frame.level.name(state.other_entity_num2);
                let text = format!("Pushed by {name}");
                self.notices.center_print(&text, frame.now);
            }
            ev::ANNOUNCE => {
                let sound = match parm {
                    0 => sounds.you_win,
                    _ => sounds.you_lose,
                };
                if let Some(sound) = sound {
                    self.announcer.say(sound);
                }
            }
            _ => {}
        }
    }

    /// A server command of RatMod alone; false if it is none.
    pub(super) fn show_rat_words(&mut self, words: &[String], frame: &mut Frame<'_>) -> bool {
        let word = |number: usize| words.get(number).map_or("", String::as_str);
        let sounds = &self.media.rat_sounds;
        let printed = &mut frame.output.printed;
        match word(0) {
            "printChat" | "helpprint" | "motdprint" => printed.push(word(1).to_owned()),
            "helpmotdclear" => {
                let info = Info::parse(frame.level.strings.get(index::SERVERINFO));
                printed.push(format!("{}{}\n", word(1), info.get("sv_hostname")));
            }
            "vresult" => {
                let sound = match word(1).starts_with('p') {
                    true => sounds.vote_passed,
                    false => sounds.vote_failed,
                };
                frame.start_local(channel::LOCAL_SOUND, sound);
            }
            "award" => {
                if let Some(text) = award(number(word(1)), number(word(2))) {
                    printed.push(format!("{SKIP_NOTIFY}award: {text}\n"));
                    self.notices.center_print(&text, frame.now);
                }
            }
            "qjoin" => {
                self.notices
                    .center_print("You have joined the team", frame.now);
                frame.start_local(channel::LOCAL_SOUND, sounds.joins);
            }
            // Numbers for menus, statistics, voices and marks that we do not have.
            "duelstats" | "nextmapvote" | "nextmapvotes" | "readyMask" | "spawnPoints"
            | "specgroup" | "taunt" | "tplayerCounts" | "treasureHunt" => {}
            _ => return false,
        }
        true
    }

    /// A hit sounds by the damage that it did, where the paks have these sounds.
    pub(super) fn hit_sound(&self, old: &PlayerState, new: &PlayerState) -> SoundId {
        let sounds = &self.media.rat_sounds;
        let damage = new.persistant[DAMAGE_DONE] - old.persistant[DAMAGE_DONE];
        let by_damage = match damage {
            100.. => sounds.hit0,
            75.. => sounds.hit1,
            50.. => sounds.hit2,
            25.. => sounds.hit3,
            _ => sounds.hit4,
        };
        by_damage.unwrap_or(self.media.sounds.hit)
    }
}

/// What a player points at, by the number of the sign.
fn pinged(kind: i32) -> &'static str {
    match kind {
        1 => "a danger",
        2 => "an enemy",
        3 => "the red flag",
        4 => "the blue flag",
        5 => "the neutral flag",
        6 => "his death",
        _ => "a place",
    }
}

/// A medal in words.
fn award(number: i32, count: i32) -> Option<String> {
    let name = AWARDS.get(usize::try_from(number).ok()?)?;
    Some(match count {
        ..=1 => (*name).to_owned(),
        _ => format!("{name} ({count})"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn awards_are_told_in_words() {
        assert_eq!(award(7, 1).as_deref(), Some("Air rocket"));
        assert_eq!(award(29, 3).as_deref(), Some("Thaw buddy (3)"));
        assert_eq!((award(30, 1), award(-1, 1)), (None, None));
    }
}
