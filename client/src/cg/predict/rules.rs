//! Which rules and which rounding the server moves players by: from what it says, then from what it shows.

use crate::cg::timeline::game_static::{GameStatic, Profile as Game};
use shared::{
    base::info::Info,
    bg::{
        numeric::{LengthRounding, Numeric, Profile},
        pickup::PickupRules,
        pmove,
        ratmod::{RatRules, rat_flags},
        ruleset::{self, RuleSet},
    },
    cm::Rounding,
    types::{configstring::index, trace::contents},
};

/// One way a server may compute movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    pub rules: &'static RuleSet,
    pub numeric: Numeric,
}

/// The possible ways, how often each predicted a snapshot to the last bit, and which one is in use.
#[derive(Clone, Debug)]
pub struct VariantChoice {
    variants: Vec<Variant>,
    hits: Vec<u32>,
    chosen: usize,
}

/// What the server's strings say about movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveRules {
    /// `pmove_fixed`: the length of all steps.
    pub fixed_msec: Option<i32>,
    pub float_velocity: bool,
    pub dm_flags: i32,
    pub rat: Option<RatRules>,
    pub pickup: PickupRules,
}

impl VariantChoice {
    pub fn new(level: &GameStatic) -> Self {
        let root = |profile| Numeric {
            profile,
            length: LengthRounding::Root,
        };
        let scaled = |profile| Numeric {
            profile,
            length: LengthRounding::ScaledSquare,
        };
        let (native, bytecode) = (Profile::Native, Profile::Bytecode);
        let variant = |rules, numeric| Variant { rules, numeric };
        let mut variants = match level.profile {
            Game::OpenArena088 => vec![
                variant(&ruleset::OPENARENA_088, root(bytecode)),
                variant(&ruleset::OPENARENA_088, root(native)),
                variant(&ruleset::OPENARENA_088, root(Profile::Fast)),
            ],
            Game::OpenArenaNew => vec![
                variant(&ruleset::OPENARENA_MASTER, root(native)),
                variant(&ruleset::OPENARENA_MASTER, root(bytecode)),
            ],
            Game::RatMod => vec![
                variant(&ruleset::RATMOD, root(bytecode)),
                variant(&ruleset::RATMOD, root(native)),
            ],
            Game::TeamArena => vec![
                variant(&ruleset::TEAM_ARENA, scaled(bytecode)),
                variant(&ruleset::TEAM_ARENA, scaled(native)),
                variant(&ruleset::TEAM_ARENA, root(bytecode)),
            ],
            Game::Baseq3 => vec![
                variant(&ruleset::ID_132, root(bytecode)),
                variant(&ruleset::IOQUAKE3, scaled(bytecode)),
                variant(&ruleset::IOQUAKE3, scaled(native)),
            ],
        };
        // ioquake3 comes as a library beside the engine, unless the server's paks replace it, as those of mods do.
        if version(level).contains("ioq3") && level.rat.is_none() {
            variants.reverse();
        }
        if let Some(told) = told_profile(level)
            && let Some(at) = (variants.iter()).position(|variant| variant.numeric.profile == told)
        {
            variants[..=at].rotate_right(1);
        }
        Self {
            hits: vec![0; variants.len()],
            variants,
            chosen: 0,
        }
    }

    pub fn chosen(&self) -> Variant {
        self.variants[self.chosen]
    }

    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }

    /// Counts which variants predicted a snapshot exactly; true if another one is in use from now on.
    pub fn score(&mut self, is_exact: &[bool]) -> bool {
        /// So many more hits have to speak for another variant.
        const LEAD: u32 = 5;
        // What all of them hit or miss tells nothing.
        if is_exact.iter().all(|&exact| exact == is_exact[0]) {
            return false;
        }
        for (hits, _) in self
            .hits
            .iter_mut()
            .zip(is_exact)
            .filter(|(_, exact)| **exact)
        {
            *hits += 1;
        }
        let Some((best, &hits)) = self.hits.iter().enumerate().max_by_key(|(_, hits)| **hits)
        else {
            return false;
        };
        let is_better = hits >= self.hits[self.chosen] + LEAD;
        if is_better {
            self.chosen = best;
        }
        is_better
    }
}

impl MoveRules {
    pub fn new(level: &GameStatic) -> Self {
        let server = Info::parse(level.strings.get(index::SERVERINFO));
        let system = Info::parse(level.strings.get(index::SYSTEMINFO));
        let fixed_msec = system.number("pmove_msec").clamp(8, 33);
        let is_open_arena = level.profile.is_open_arena();
        Self {
            fixed_msec: (system.number("pmove_fixed") != 0).then_some(fixed_msec),
            // OpenArena's default is on; a server that does not say is one that leaves it so.
            float_velocity: is_open_arena
                && (system.get("pmove_float").is_empty() || system.number("pmove_float") != 0),
            dm_flags: level.dm_flags,
            rat: level.rat,
            pickup: PickupRules {
                gametype: level.game_type,
                no_pickup: is_open_arena
                    && level.rat.is_none()
                    && ["g_rockets", "g_instantgib", "g_elimination"]
                        .iter()
                        .any(|key| server.number(key) != 0),
                one_way: is_open_arena && server.number("elimflags") & 1 != 0,
            },
        }
    }
}

impl MoveRules {
    /// Which contents stop a player of this mode and team.
    pub fn trace_mask(&self, pm_type: i32, team: i32) -> u32 {
        let mask = pmove::trace_mask(pm_type, team);
        match self.rat {
            Some(rat) if rat.has(rat_flags::PASS_PLAYERCLIP) => mask & !contents::PLAYERCLIP,
            _ => mask,
        }
    }
}

/// How the server's engine rounds.
pub fn clip_rounding(level: &GameStatic) -> Rounding {
    rounding_of(&version(level))
}

/// How an engine of this version rounds: ioquake3 for x86-64 is compiled for speed, and Strafe's server rounds as it
/// does.
pub fn rounding_of(version: &str) -> Rounding {
    let version = version.to_ascii_lowercase();
    if (version.contains("ioq3") && version.contains("x86_64")) || version.starts_with("strafe") {
        Rounding::Fast
    } else {
        Rounding::Written
    }
}

/// How the server's game rounds, where it says so, as Strafe's does.
fn told_profile(level: &GameStatic) -> Option<Profile> {
    let server = Info::parse(level.strings.get(index::SERVERINFO));
    match server.get("vm_game") {
        "0" if level.profile.is_open_arena() => Some(Profile::Fast),
        "0" => Some(Profile::Native),
        "2" => Some(Profile::Bytecode),
        _ => None,
    }
}

/// The server's engine and what it runs on, in small letters.
fn version(level: &GameStatic) -> String {
    let server = Info::parse(level.strings.get(index::SERVERINFO));
    server.get("version").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::types::gamestate::Gamestate;

    #[test]
    fn the_variant_that_keeps_matching_wins() {
        let mut gamestate = Gamestate::default();
        gamestate.configstrings.set(20, "baseoa-1").expect("fits");
        let level = GameStatic::new(&gamestate);
        assert_eq!(clip_rounding(&level), Rounding::Written);
        let mut choice = VariantChoice::new(&level);
        assert_eq!(choice.chosen().numeric.profile, Profile::Bytecode);
        for _ in 0..100 {
            assert!(!choice.score(&[true; 3]) && !choice.score(&[false; 3]));
        }
        for round in 0..5 {
            assert_eq!(choice.score(&[false, false, true]), round == 4);
        }
        assert_eq!(choice.chosen().numeric.profile, Profile::Fast);
        let server = r"\version\ioq3 1.36+u20221123/Debian linux-x86_64 Jan  8 2023";
        gamestate.configstrings.set(0, server).expect("fits");
        let level = GameStatic::new(&gamestate);
        assert_eq!(clip_rounding(&level), Rounding::Fast);
        assert_eq!(rounding_of("Strafe"), Rounding::Fast);
        let choice = VariantChoice::new(&level);
        assert_eq!(choice.chosen().numeric.profile, Profile::Fast);
        for (told, profile) in [
            (r"\vm_game\0", Profile::Fast),
            (r"\vm_game\2", Profile::Bytecode),
        ] {
            gamestate.configstrings.set(0, told).expect("fits");
            let choice = VariantChoice::new(&GameStatic::new(&gamestate));
            assert_eq!(choice.chosen().numeric.profile, profile);
            assert_eq!(choice.variants().len(), 3);
        }
    }
}
