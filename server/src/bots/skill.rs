//! Skill: how well a bot of level 1 to 5 turns, reacts, aims and fights.

use shared::bg::numbers::weapon;

/// What a level means.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Skill {
    pub level: f32,
    /// Share of the way to where it wants to look that the view turns in a tenth of a second.
    pub view_factor: f32,
    /// Fastest turn in degrees a second.
    pub turn_speed: f32,
    /// So long it does not shoot at whom it has just seen.
    pub reaction_msec: i32,
    /// 0 to 1: whether it leads targets, and shoots at the floor.
    pub aim: f32,
    /// 0 to 1: how it moves in a fight.
    pub attack: f32,
    /// How readily a burst begins.
    pub throttle: f32,
    /// How far it notices others.
    pub sight: f32,
    /// Chance of a jump in each second of a fight.
    pub jumper: f32,
}

impl Skill {
    pub(crate) fn new(level: f32) -> Self {
        let level = level.clamp(1.0, 5.0);
        let at = |first: f32, fourth: f32, fifth: f32| between(level, [first, fourth, fifth]);
        Self {
            level,
            view_factor: at(0.3, 0.8, 0.95),
            turn_speed: at(150.0, 400.0, 720.0),
            // The files of other games hold more; nobody waits for a whole second.
            reaction_msec: (at(0.9, 0.3, 0.12) * 1000.0) as i32,
            aim: at(0.2, 0.9, 1.0),
            attack: at(0.25, 0.9, 1.0),
            throttle: at(0.3, 0.8, 1.0),
            sight: 900.0 + 4000.0 * at(0.5, 1.0, 1.0),
            jumper: at(0.05, 0.5, 0.6),
        }
    }

    /// 0 to 1; 1 does not miss what stands still.
    pub(crate) fn accuracy(&self, held: i32) -> f32 {
        let values = match held {
            weapon::MACHINEGUN => [0.38, 0.7, 0.88],
            weapon::LIGHTNING => [0.4, 0.82, 0.96],
            weapon::RAIL => [0.35, 0.82, 0.97],
            _ => [0.4, 0.85, 0.98],
        };
        between(self.level, values)
    }
}

/// The value of a level between those of the first, the fourth and the fifth.
fn between(level: f32, [first, fourth, fifth]: [f32; 3]) -> f32 {
    if level < 4.0 {
        first + (fourth - first) * (level - 1.0) / 3.0
    } else {
        fourth + (fifth - fourth) * (level - 4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Skill;

    #[test]
    fn each_level_is_better_than_the_one_below() {
        for level in 1..5 {
            let (low, high) = (Skill::new(level as f32), Skill::new(level as f32 + 1.0));
            assert!(low.turn_speed < high.turn_speed && low.reaction_msec > high.reaction_msec);
            assert!((0..10).all(|held| low.accuracy(held) < high.accuracy(held)));
        }
        assert_eq!(Skill::new(9.0).level, 5.0);
    }
}
