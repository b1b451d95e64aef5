//! Bursts of missiles that are predicted: where `cg_predictOthers` sees one reach a wall, it bursts there and then.
//!
//! What stands still is there for the server as well. Players are not: a missile that would hit one waits for the
//! server's word. A burst that was predicted is not shown again when the server tells of it; one that the server never
//! tells of gives its missile back.

use super::missile_lead::LedMissile;
use crate::cg::timeline::{GameEvent, Timeline};
use shared::{
    base::time::ServerTime,
    bg::{
        directions::byte_from_direction,
        numbers::{event as ev, weapon},
    },
    types::{
        limits::MAX_CLIENTS,
        trace::{Trace, surface},
        trajectory::kind,
    },
};

/// A missile that has burst here, and not yet on the server as far as is known.
#[derive(Clone, Copy, Debug)]
struct PredictedBurst {
    number: i32,
    at: ServerTime,
}

/// Bursts that the server has still to confirm.
#[derive(Clone, Debug, Default)]
pub struct PredictedBursts {
    unconfirmed: Vec<PredictedBurst>,
}

/// The server's word comes within the longest lead and a way as long back, or not at all.
const CONFIRMED_WITHIN_MSEC: i32 = 700;

impl PredictedBursts {
    /// The bursts of this frame that are new.
    pub fn predict(
        &mut self,
        timeline: &Timeline,
        led: &[LedMissile],
        now: ServerTime,
    ) -> Vec<GameEvent> {
        self.unconfirmed
            .retain(|one| now.is_within(one.at, CONFIRMED_WITHIN_MSEC));
        let hits = led.iter().filter_map(|led| Some((led.number, led.hit?)));
        let mut events = Vec::new();
        for (number, hit) in hits {
            let is_known = self.unconfirmed.iter().any(|one| one.number == number);
            let Some(event) = burst(timeline, number, &hit).filter(|_| !is_known) else {
                continue;
            };
            self.unconfirmed.push(PredictedBurst { number, at: now });
            events.push(event);
        }
        events
    }

    /// Missiles that have burst and are not to be drawn.
    pub fn hidden(&self) -> Vec<i32> {
        self.unconfirmed.iter().map(|one| one.number).collect()
    }

    /// Whether the server tells of a burst that was shown already; it is confirmed then.
    pub fn confirm(&mut self, event: &GameEvent) -> bool {
        if !matches!(event.event, ev::MISSILE_HIT..=ev::MISSILE_MISS_METAL) {
            return false;
        }
        let number = i32::from(event.state.number);
        let known = self.unconfirmed.iter().position(|one| one.number == number);
        known
            .map(|place| self.unconfirmed.swap_remove(place))
            .is_some()
    }
}

/// The event that the server will make of a missile at a wall; none if it does not burst there for sure.
fn burst(timeline: &Timeline, number: i32, hit: &Trace) -> Option<GameEvent> {
    let state = timeline.entity(number)?.current;
    let bursts = matches!(state.weapon, weapon::ROCKET | weapon::PLASMA | weapon::BFG)
        && state.pos.kind == kind::LINEAR;
    let is_player = (0..MAX_CLIENTS as i32).contains(&hit.entity_num);
    let is_void = hit.surface_flags & surface::NOIMPACT != 0 || hit.start_solid;
    if !bursts || is_player || is_void {
        return None;
    }
    let event = match hit.surface_flags & surface::METALSTEPS {
        0 => ev::MISSILE_MISS,
        _ => ev::MISSILE_MISS_METAL,
    };
    Some(GameEvent {
        state,
        event,
        parm: byte_from_direction(hit.plane.normal),
        at: hit.end,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::types::entitystate::EntityState;

    fn event(number: u16, event: i32) -> GameEvent {
        GameEvent {
            state: EntityState {
                number,
                ..EntityState::default()
            },
            event,
            parm: 0,
            at: glam::Vec3::ZERO,
        }
    }

    #[test]
    fn a_predicted_burst_is_confirmed_once() {
        let burst = PredictedBurst {
            number: 70,
            at: ServerTime(1000),
        };
        let mut bursts = PredictedBursts {
            unconfirmed: vec![burst],
        };
        assert_eq!(bursts.hidden(), [70]);
        assert!(!bursts.confirm(&event(70, ev::FOOTSTEP)));
        assert!(!bursts.confirm(&event(71, ev::MISSILE_MISS)));
        assert!(bursts.confirm(&event(70, ev::MISSILE_MISS)));
        assert!(
            !bursts.confirm(&event(70, ev::MISSILE_MISS)),
            "the next one is another"
        );
        assert_eq!(bursts.hidden(), [0; 0]);
    }
}
