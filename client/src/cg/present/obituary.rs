//! Obituaries: who died how, in words.

use shared::formats::animcfg::Sex;

/// How one means of death is told; empty where it cannot happen that way.
struct Telling {
    /// Nobody did it.
    alone: &'static str,
    /// The victim did it.
    own: &'static str,
    killer: &'static str,
}

/// One line about a death. `killer` is `None` if nobody or the victim himself did it.
pub fn text(
    victim: &str,
    sex: Sex,
    killer: Option<&str>,
    is_own: bool,
    means: i32,
    is_open_arena: bool,
) -> String {
    let unknown = &TELLINGS[0];
    let number = match (is_open_arena, means) {
        // The base game's last number is the grappling hook, which OpenArena moved to make room.
        (false, 23) => 28,
        _ => means,
    };
    let telling = usize::try_from(number)
        .ok()
        .and_then(|number| TELLINGS.get(number))
        .unwrap_or(unknown);
    let first = |texts: [&'static str; 2]| {
        texts
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or(unknown.alone)
    };
    let world_comes_first = !is_open_arena && !telling.alone.is_empty();
    let template = match killer {
        _ if is_own => first([telling.own, unknown.own]),
        Some(_) if !world_comes_first => first([telling.killer, unknown.killer]),
        _ => first([telling.alone, unknown.alone]),
    };
    let [self_of, own_of] = match sex {
        Sex::Male => ["himself", "his"],
        Sex::Female => ["herself", "her"],
        Sex::Neuter => ["itself", "its"],
    };
    // Names come last: they may hold anything.
    template
        .replace("{self}", self_of)
        .replace("{own}", own_of)
        .replace("{victim}", &format!("{victim}^7"))
        .replace("{killer}", &format!("{}^7", killer.unwrap_or("nobody")))
}

/// By OpenArena's numbers, which agree with the base game's up to 22.
const TELLINGS: [Telling; 29] = [
    telling(
        "{victim} died.",
        "{victim} ended {self}.",
        "{victim} was killed by {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} took a full shotgun blast from {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} was beaten down by {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} was riddled with bullets by {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} caught a grenade thrown by {killer}.",
    ),
    telling(
        "",
        "{victim} stepped on {own} own grenade.",
        "{victim} was torn up by fragments of a grenade from {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} met a rocket from {killer} head on.",
    ),
    telling(
        "",
        "{victim} was caught in {own} own rocket blast.",
        "{victim} did not quite escape a rocket from {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} was burnt through by the plasma of {killer}.",
    ),
    telling(
        "",
        "{victim} was scorched by {own} own plasma.",
        "{victim} was burnt through by the plasma of {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} was pierced by the rail of {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} was electrified by {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} was wiped out by the BFG of {killer}.",
    ),
    telling(
        "",
        "{victim} picked too big a gun.",
        "{victim} was wiped out by the BFG of {killer}.",
    ),
    telling(
        "{victim} drowned.",
        "{victim} ended {self}.",
        "{victim} was killed by {killer}.",
    ),
    telling(
        "{victim} dissolved.",
        "{victim} ended {self}.",
        "{victim} was pushed into slime by {killer}.",
    ),
    telling(
        "{victim} took a swim in lava.",
        "{victim} ended {self}.",
        "{victim} was pushed into lava by {killer}.",
    ),
    telling(
        "{victim} was crushed.",
        "{victim} was crushed by a trap of {own} own.",
        "{victim} was crushed by a trap set off by {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} was standing where {killer} arrived.",
    ),
    telling(
        "{victim} hit the ground too hard.",
        "{victim} ended {self}.",
        "{victim} was pushed off a height by {killer}.",
    ),
    telling(
        "{victim} gave up.",
        "{victim} ended {self}.",
        "{victim} was killed by {killer}.",
    ),
    telling(
        "{victim} walked into a laser.",
        "{victim} ended {self}.",
        "{victim} was killed by {killer}.",
    ),
    telling(
        "{victim} stood in the wrong spot.",
        "{victim} ended {self}.",
        "{victim} was helped into a hazard by {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} was nailed down by {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} was filled with lead by the chaingun of {killer}.",
    ),
    telling(
        "",
        "{victim} walked into {own} own mine.",
        "{victim} came too near to a mine laid by {killer}.",
    ),
    telling(
        "",
        "{victim} went out with an explosion.",
        "{victim} fell to the kamikaze blast of {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} was crushed inside a shield by {killer}.",
    ),
    telling(
        "",
        "{victim} ended {self}.",
        "{victim} was hooked by {killer}.",
    ),
];

const fn telling(alone: &'static str, own: &'static str, killer: &'static str) -> Telling {
    Telling { alone, own, killer }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deaths_are_told_by_who_did_them() {
        let check = |killer, is_own, means, is_open_arena, expected: &str| {
            assert_eq!(
                text("Ayumi", Sex::Female, killer, is_own, means, is_open_arena),
                expected
            );
        };
        check(
            Some("Grism"),
            false,
            10,
            true,
            "Ayumi^7 was pierced by the rail of Grism^7.",
        );
        check(None, false, 19, true, "Ayumi^7 hit the ground too hard.");
        check(
            Some("Grism"),
            false,
            16,
            false,
            "Ayumi^7 took a swim in lava.",
        );
        check(
            Some("Grism"),
            false,
            16,
            true,
            "Ayumi^7 was pushed into lava by Grism^7.",
        );
        check(
            None,
            true,
            7,
            false,
            "Ayumi^7 was caught in her own rocket blast.",
        );
        check(
            Some("Grism"),
            false,
            23,
            false,
            "Ayumi^7 was hooked by Grism^7.",
        );
        check(
            None,
            true,
            17,
            true,
            "Ayumi^7 was crushed by a trap of her own.",
        );
        check(None, true, 20, true, "Ayumi^7 ended herself.");
        check(
            Some("Grism"),
            false,
            900,
            true,
            "Ayumi^7 was killed by Grism^7.",
        );
    }
}
