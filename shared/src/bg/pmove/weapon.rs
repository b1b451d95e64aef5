//! Firing, changing weapons and using things.

use super::{Move, ammo};
use crate::bg::ruleset::STAT_HEALTH;
use crate::{
    bg::{
        items,
        numbers::{event, pm_flags, pm_type, powerup, weapon},
        ratmod::rat_flags,
        ruleset::dmflags,
    },
    types::usercmd::buttons,
};

/// Values of `PlayerState::weapon_state`.
pub mod weapon_state {
    /// It can fire.
    pub const READY: i32 = 0;
    /// It comes up.
    pub const RAISING: i32 = 1;
    /// It goes down for another one.
    pub const DROPPING: i32 = 2;
    /// It has fired and is not ready yet.
    pub const FIRING: i32 = 3;
}

/// Holdable number of the medkit.
const MEDKIT: i32 = 2;
/// OpenArena's "so much that it never ends".
const INFINITE_AMMO: i32 = 999;

/// Milliseconds from one shot to the next, without powerups.
pub fn reload_msec(weapon: i32) -> i32 {
    match weapon {
        weapon::MACHINEGUN | weapon::PLASMA => 100,
        weapon::SHOTGUN | weapon::NAILGUN => 1000,
        weapon::GRENADE | weapon::ROCKET | weapon::PROX => 800,
        weapon::LIGHTNING => 50,
        weapon::RAIL => 1500,
        weapon::BFG => 200,
        weapon::CHAINGUN => 30,
        _ => 400,
    }
}

impl Move<'_> {
    /// Advances the weapon (`bg_pmove.c`, `PM_Weapon`).
    pub(super) fn weapon(&mut self) {
        if self.has_flag(pm_flags::RESPAWNED) || self.is_spectator_team() {
            return;
        }
        if self.settings.rules.openarena && self.player.pm_type == pm_type::SPECTATOR {
            return;
        }
        if self.player.stats[STAT_HEALTH] <= 0 {
            self.player.weapon = weapon::NONE;
            return;
        }
        if !self.has_button(buttons::USE_HOLDABLE) {
            self.player.pm_flags &= !pm_flags::USE_ITEM_HELD;
        } else if !self.has_flag(pm_flags::USE_ITEM_HELD) {
            return self.use_holdable();
        }
        if self.player.weapon_time > 0 {
            self.player.weapon_time -= self.msec;
        }
        let wanted = i32::from(self.command.weapon);
        let busy = self.player.weapon_time > 0;
        if (!busy || self.player.weapon_state != weapon_state::FIRING)
            && self.player.weapon != wanted
        {
            self.begin_weapon_change(wanted);
        }
        if self.player.weapon_time > 0 {
            return;
        }
        match self.player.weapon_state {
            weapon_state::DROPPING => self.finish_weapon_change(wanted),
            weapon_state::RAISING => {
                self.player.weapon_state = weapon_state::READY;
                self.start_torso_standing();
            }
            // A round has not begun.
            _ if self.settings.rat.is_some() && self.has_flag(pm_flags::ELIMWARMUP) => {}
            _ => self.fire(),
        }
    }

    fn use_holdable(&mut self) {
        let stats = self.settings.rules.stats;
        let held = self.player.stats[stats.holdable_item];
        let tag = items::item(held).map_or(0, |item| i32::from(item.tag));
        let healthy = self.player.stats[STAT_HEALTH] >= self.player.stats[stats.max_health] + 25;
        if tag == MEDKIT && healthy {
            return;
        }
        self.player.pm_flags |= pm_flags::USE_ITEM_HELD;
        self.event(event::USE_ITEM0 + tag);
        self.player.stats[stats.holdable_item] = 0;
    }

    fn begin_weapon_change(&mut self, wanted: i32) {
        if wanted <= weapon::NONE
            || !self.owns(wanted)
            || self.player.weapon_state == weapon_state::DROPPING
        {
            return;
        }
        self.player.weapon_state = weapon_state::DROPPING;
        let at_once = self.changes_at_once();
        if !at_once || self.settings.rat.is_some() {
            self.event(event::CHANGE_WEAPON);
        }
        if at_once {
            return;
        }
        let is_fast = self.has_rat(rat_flags::FAST_SWITCH);
        self.player.weapon_time += if is_fast { 100 } else { 200 };
        self.start_torso_dropping();
    }

    fn finish_weapon_change(&mut self, wanted: i32) {
        self.player.weapon = if self.owns(wanted) {
            wanted
        } else {
            weapon::NONE
        };
        self.player.weapon_state = weapon_state::RAISING;
        if !self.changes_at_once() {
            let is_fast = self.has_rat(rat_flags::FAST_SWITCH);
            self.player.weapon_time += if is_fast { 200 } else { 250 };
            self.start_torso_raising();
        }
    }

    fn owns(&self, weapon: i32) -> bool {
        let rules = self.settings.rules;
        weapon < rules.weapon_count && self.player.stats[rules.stats.weapons] & (1 << weapon) != 0
    }

    fn changes_at_once(&self) -> bool {
        self.settings.rules.openarena && self.settings.dmflags & dmflags::INSTANT_WEAPON_CHANGE != 0
    }

    fn fire(&mut self) {
        let gauntlet = self.player.weapon == weapon::GAUNTLET;
        if !self.has_button(buttons::ATTACK) || (gauntlet && !self.settings.gauntlet_hit) {
            self.player.weapon_time = 0;
            self.player.weapon_state = weapon_state::READY;
            return;
        }
        self.start_torso_attack();
        self.player.weapon_state = weapon_state::FIRING;
        let left = ammo(self.player);
        if left == 0 {
            self.event(event::NOAMMO);
            self.player.weapon_time += 500;
            return;
        }
        let endless = left == -1 || (self.settings.rules.openarena && left >= INFINITE_AMMO);
        if !endless {
            self.player.ammo[self.player.weapon as usize] -= 1;
        }
        self.event(event::FIRE_WEAPON);
        self.player.weapon_time += self.reload();
    }

    /// Milliseconds to the next shot, with powerups.
    fn reload(&self) -> i32 {
        let msec = match self.player.weapon {
            weapon::RAIL if self.has_rat(rat_flags::FAST_WEAPONS) => 1250,
            weapon => reload_msec(weapon),
        };
        let rules = self.settings.rules;
        let rune = rules
            .stats
            .persistent_powerup
            .filter(|_| rules.team_arena)
            .and_then(|stat| items::item(self.player.stats[stat]))
            .map(|item| usize::from(item.tag));
        let divisor = match rune {
            Some(powerup::SCOUT) => 1.5,
            Some(powerup::AMMOREGEN) => 1.3,
            _ if self.player.powerups[powerup::HASTE] != 0 => 1.3,
            _ => return msec,
        };
        (f64::from(msec) / divisor) as i32
    }
}
