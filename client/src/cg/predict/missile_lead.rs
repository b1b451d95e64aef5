//! Missile lead: missiles of OpenArena, shown where the server has them by now.
//!
//! A player sees the others a moment ago, and his server hits them there. Missiles fly in the present, so a rocket
//! drawn with the others would hit before it is seen to arrive. It is drawn ahead instead, and what a newer snapshot
//! tells about it, such as that it burst, does not wait for the picture to get there.

use super::solid::SolidWorld;
use crate::cg::{settings::Settings, timeline::Timeline};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_type, weapon},
        trajectory::position_at,
    },
    types::{
        entitystate::EntityState,
        trace::{Trace, contents},
        trajectory::{Trajectory, kind},
    },
};

/// Where a missile is shown, and how far ahead of the shown time that is.
#[derive(Clone, Copy, Debug)]
pub struct LedMissile {
    pub number: i32,
    pub origin: Vec3,
    pub lead_msec: i32,
    /// What it reaches within its lead.
    pub hit: Option<Trace>,
}

/// All that flies ahead of the picture; by so much, where the others are shown ahead as well.
pub fn lead_missiles(
    timeline: &Timeline,
    world: &SolidWorld,
    settings: &Settings,
    now: ServerTime,
    others_msec: Option<i32>,
) -> Vec<LedMissile> {
    let level = timeline.level();
    let is_led = level.profile.is_open_arena() || others_msec.is_some();
    let Some(snap) = timeline.snap().filter(|_| is_led) else {
        return Vec::new();
    };
    let lead = Lead {
        viewed_client: timeline.viewed_client(),
        server_frame_msec: level.server_frame_msec(),
        nudge_msec: settings.projectile_nudge_msec,
        others_msec,
    };
    let missiles = timeline
        .entities()
        .shown(snap)
        .into_iter()
        .filter_map(|number| {
            let state = &timeline.entity(number)?.current;
            let flies = state.e_type == entity_type::MISSILE && state.pos.kind != kind::STATIONARY;
            (flies && !level.has_burst(state)).then_some((number, state))
        });
    missiles
        .map(|(number, state)| {
            let owner = state.other_entity_num;
            let trace = |from, to| world.line(from, to, owner, contents::MASK_SHOT);
            let (hit, lead_msec) = fly(&state.pos, now, lead.of(state), trace);
            LedMissile {
                number,
                origin: hit.end,
                lead_msec,
                hit: (hit.fraction < 1.0).then_some(hit),
            }
        })
        .collect()
}

/// What decides how far ahead missiles are shown.
#[derive(Clone, Copy, Debug)]
struct Lead {
    viewed_client: i32,
    server_frame_msec: i32,
    nudge_msec: i32,
    others_msec: Option<i32>,
}

impl Lead {
    /// Own missiles start from the predicted player; of others', grenades are there to be seen bouncing.
    fn of(self, missile: &EntityState) -> i32 {
        if let Some(msec) = self.others_msec.filter(|_| missile.weapon != weapon::HOOK) {
            return msec;
        }
        match missile.weapon {
            weapon::HOOK => 0,
            _ if missile.other_entity_num == self.viewed_client => self.server_frame_msec,
            weapon::GRENADE => 0,
            _ => self.server_frame_msec.saturating_add(self.nudge_msec),
        }
    }
}

/// Where a missile gets, and how far ahead that is: less than `lead_msec` if something is in the way.
fn fly(
    path: &Trajectory,
    now: ServerTime,
    lead_msec: i32,
    trace: impl Fn(Vec3, Vec3) -> Trace,
) -> (Trace, i32) {
    // What is shown early may begin, or bounce, only after the shown time; it waits there.
    let at = |time: ServerTime| position_at(path, time.later(ServerTime(path.time)));
    let hit = trace(at(now), at(now + lead_msec));
    let led_msec = (lead_msec as f32 * hit.fraction) as i32;
    (hit, led_msec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cg::timeline::entities::{Entities, is_early};
    use shared::types::snapshot::Snapshot;

    const OWN: i32 = 3;

    fn missile(number: i32, owner: i32) -> EntityState {
        let mut state = EntityState {
            e_type: entity_type::MISSILE,
            weapon: number,
            other_entity_num: owner,
            ..EntityState::default()
        };
        state.pos.kind = kind::LINEAR;
        state.pos.time = 1000;
        state.pos.delta = Vec3::X * 900.0;
        state
    }

    #[test]
    fn own_missiles_lead_by_a_server_frame_and_others_by_the_nudge_too() {
        let lead = Lead {
            viewed_client: OWN,
            server_frame_msec: 50,
            nudge_msec: 30,
            others_msec: None,
        };
        let with_others = Lead {
            others_msec: Some(90),
            ..lead
        };
        for (number, led) in [(weapon::ROCKET, 90), (weapon::HOOK, 0)] {
            assert_eq!(with_others.of(&missile(number, OWN + 1)), led);
        }
        for (number, own, other) in [
            (weapon::ROCKET, 50, 80),
            (weapon::PLASMA, 50, 80),
            (weapon::GRENADE, 50, 0),
            (weapon::HOOK, 0, 0),
        ] {
            let leads = [OWN, OWN + 1].map(|owner| lead.of(&missile(number, owner)));
            assert_eq!(leads, [own, other], "weapon {number}");
        }
    }

    #[test]
    fn a_lead_ends_at_the_wall() {
        let rocket = missile(weapon::ROCKET, OWN).pos;
        let wall_at = |x: f32| {
            move |from: Vec3, to: Vec3| {
                let fraction = ((x - from.x) / (to.x - from.x).max(1e-3)).clamp(0.0, 1.0);
                Trace {
                    fraction,
                    end: from.lerp(to, fraction),
                    ..Trace::default()
                }
            }
        };
        let check = |now, lead_msec, wall, expected| {
            let (hit, led_msec) = fly(&rocket, ServerTime(now), lead_msec, wall_at(wall));
            assert_eq!((hit.end.x.round(), led_msec), expected);
        };
        check(1100, 0, 1000.0, (90.0, 0));
        check(1100, 50, 1000.0, (135.0, 50));
        check(1100, 50, 108.0, (108.0, 20));
        check(1100, 50, 80.0, (90.0, 0));
        // It does not fly backwards before it is fired.
        check(900, 50, 1000.0, (0.0, 50));
        check(980, 50, 1000.0, (27.0, 50));
    }
    #[test]
    fn what_was_shown_early_is_not_new_when_its_time_comes() {
        let rocket = EntityState {
            number: 70,
            ..missile(weapon::ROCKET, OWN)
        };
        let snapshot = |time, entities: Vec<EntityState>| Snapshot {
            server_time: ServerTime(time),
            entities: entities.into(),
            ..Snapshot::default()
        };
        let (snap, next) = (snapshot(1000, Vec::new()), snapshot(1050, vec![rocket]));
        let mut entities = Entities::default();
        entities.set_initial(&snap);
        entities.set_next(&next);
        assert!(entities.shown(&snap).is_empty());
        assert!(is_early(&rocket));
        entities.set_early(&rocket, ServerTime(1000), ServerTime(1050));
        assert_eq!(
            entities.get(70).map(|shown| shown.began.at),
            Some(ServerTime(1000)),
            "its smoke begins where it is shown first"
        );
        assert_eq!(entities.shown(&snap), [70]);
        let before = entities.get(70).map(|shown| shown.began);
        entities.transition(&snap, &next);
        assert_eq!(entities.shown(&next), [70]);
        assert_eq!(
            entities.get(70).map(|shown| shown.began),
            before,
            "its smoke goes on"
        );
    }
}
