//! PlayerChange: what is new from one playerstate to the next, as a value.

use shared::{
    bg::{numbers::persistant as pers, ruleset::StatLayout},
    types::playerstate::PlayerState,
};

/// The player before and after.
#[derive(Clone, Copy, Debug)]
pub struct PlayerChange<'a> {
    pub old: &'a PlayerState,
    pub new: &'a PlayerState,
    /// The health after it.
    pub health: i32,
    pub was_hurt: bool,
    /// The player begins anew somewhere.
    pub respawned: bool,
}

impl<'a> PlayerChange<'a> {
    pub fn new(
        old: &'a PlayerState,
        new: &'a PlayerState,
        must_respawn: bool,
        stats: &StatLayout,
    ) -> Self {
        // Nothing of one player is news about another.
        let old = match old.client_num == new.client_num {
            true => old,
            false => new,
        };
        let spawns = |player: &PlayerState| player.persistant[pers::SPAWN_COUNT];
        Self {
            old,
            new,
            health: new.stats[stats.health],
            was_hurt: new.damage_event != old.damage_event && new.damage_count != 0,
            respawned: must_respawn || spawns(new) != spawns(old),
        }
    }
}
