//! Obituaries: who died how, in words.

use shared::{bg::numbers::means_of_death as death, formats::animcfg::Sex};

// OpenArena's means of death beyond the base game's; to make room for them it moved the hook.
const NAIL: i32 = 23;
const CHAINGUN: i32 = 24;
const MINE: i32 = 25;
const KAMIKAZE: i32 = 26;
const JUICED: i32 = 27;
const HOOK: i32 = 28;

/// One line about a death. `killer` is `None` if nobody or the victim himself did it.
pub fn text(
    victim: &str,
    sex: Sex,
    killer: Option<&str>,
    is_own: bool,
    means: i32,
    is_open_arena: bool,
) -> String {
    let means = match means {
        death::GRAPPLE if !is_open_arena => HOOK,
        _ => means,
    };
    let what = match killer {
        _ if is_own => by_victim(means),
        Some(_) if is_open_arena || by_world(means).is_none() => by_killer(means),
        _ => by_world(means).unwrap_or("died."),
    };
    let [self_of, own_of] = match sex {
        Sex::Male => ["himself", "his"],
        Sex::Female => ["herself", "her"],
        Sex::Neuter => ["itself", "its"],
    };
    // Names come last: they may hold anything.
    let what = what
        .replace("{self}", self_of)
        .replace("{own}", own_of)
        .replace("{killer}", &format!("{}^7", killer.unwrap_or_default()));
    format!("{victim}^7 {what}")
}

/// What befell the victim where nobody did it; `None` where only players kill so.
fn by_world(means: i32) -> Option<&'static str> {
    Some(match means {
        death::WATER => "drowned.",
        death::SLIME => "dissolved.",
        death::LAVA => "took a swim in lava.",
        death::CRUSH => "was crushed.",
        death::FALLING => "hit the ground too hard.",
        death::SUICIDE => "gave up.",
        death::TARGET_LASER => "walked into a laser.",
        death::TRIGGER_HURT => "stood in the wrong spot.",
        death::SHOTGUN..=death::BFG_SPLASH | death::TELEFRAG | NAIL..=HOOK => return None,
        _ => "died.",
    })
}

/// What the victim did to himself.
fn by_victim(means: i32) -> &'static str {
    match means {
        death::GRENADE_SPLASH => "stepped on {own} own grenade.",
        death::ROCKET_SPLASH => "was caught in {own} own rocket blast.",
        death::PLASMA_SPLASH => "was scorched by {own} own plasma.",
        death::BFG_SPLASH => "picked too big a gun.",
        death::CRUSH => "was crushed by a trap of {own} own.",
        MINE => "walked into {own} own mine.",
        KAMIKAZE => "went out with an explosion.",
        _ => "ended {self}.",
    }
}

/// What a killer did.
fn by_killer(means: i32) -> &'static str {
    match means {
        death::SHOTGUN => "took a full shotgun blast from {killer}.",
        death::GAUNTLET => "was beaten down by {killer}.",
        death::MACHINEGUN => "was riddled with bullets by {killer}.",
        death::GRENADE => "caught a grenade thrown by {killer}.",
        death::GRENADE_SPLASH => "was torn up by fragments of a grenade from {killer}.",
        death::ROCKET => "met a rocket from {killer} head on.",
        death::ROCKET_SPLASH => "did not quite escape a rocket from {killer}.",
        death::PLASMA | death::PLASMA_SPLASH => "was burnt through by the plasma of {killer}.",
        death::RAILGUN => "was pierced by the rail of {killer}.",
        death::LIGHTNING => "was electrified by {killer}.",
        death::BFG | death::BFG_SPLASH => "was wiped out by the BFG of {killer}.",
        death::SLIME => "was pushed into slime by {killer}.",
        death::LAVA => "was pushed into lava by {killer}.",
        death::CRUSH => "was crushed by a trap set off by {killer}.",
        death::TELEFRAG => "was standing where {killer} arrived.",
        death::FALLING => "was pushed off a height by {killer}.",
        death::TRIGGER_HURT => "was helped into a hazard by {killer}.",
        NAIL => "was nailed down by {killer}.",
        CHAINGUN => "was filled with lead by the chaingun of {killer}.",
        MINE => "came too near to a mine laid by {killer}.",
        KAMIKAZE => "fell to the kamikaze blast of {killer}.",
        JUICED => "was crushed inside a shield by {killer}.",
        HOOK => "was hooked by {killer}.",
        _ => "was killed by {killer}.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deaths_are_told_by_who_did_them() {
        let check = |killer, is_own, means, is_open_arena, expected: &str| {
            let told = text("Ayumi", Sex::Female, killer, is_own, means, is_open_arena);
            assert_eq!(told, format!("Ayumi^7 {expected}"));
        };
        let by = Some("Grism");
        check(by, false, 10, true, "was pierced by the rail of Grism^7.");
        check(None, false, 19, true, "hit the ground too hard.");
        check(by, false, 16, false, "took a swim in lava.");
        check(by, false, 16, true, "was pushed into lava by Grism^7.");
        check(None, true, 7, false, "was caught in her own rocket blast.");
        check(by, false, 23, false, "was hooked by Grism^7.");
        check(None, true, 17, true, "was crushed by a trap of her own.");
        check(None, true, 20, true, "ended herself.");
        check(by, false, 900, true, "was killed by Grism^7.");
    }
}
