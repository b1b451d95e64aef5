//! PredictionStats: how well movement was predicted, and for each miss the cause that its signs tell.

use super::case::Case;
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_flags, persistant, pm_flags, pm_type},
        ruleset::StatLayout,
    },
    types::playerstate::PlayerState,
};
use std::collections::BTreeMap;

/// Larger differences in place are misses (units).
pub const MISS: f32 = 0.1;

/// How well movement was predicted since the level began; one count per acknowledged command.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct PredictionStats {
    /// Snapshots whose acknowledged command had been predicted.
    pub predicted: u64,
    /// Place and velocity were equal to the last bit.
    pub exact: u64,
    /// The place was off by more than [`MISS`], teleports, respawns, deaths and intermissions not counted.
    pub missed: u64,
    /// Largest difference of place in units, teleports, respawns, deaths and intermissions not counted.
    pub max_error: f32,
    /// What explains each miss, teleport, respawn, death and intermission.
    pub causes: BTreeMap<MissCause, u64>,
    /// Steps of movement that were run, and steps whose results could be kept.
    pub steps_run: u64,
    pub steps_kept: u64,
    /// Frames in which commands were missing, so that nothing could be predicted.
    pub frozen: u64,
}

/// What explains that the server moved the player to another place than the client. A death, an intermission, a respawn
/// and a teleport count as no misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissCause {
    Death,
    Intermission,
    /// One of both sides met a jump pad.
    JumpPad,
    /// A hit pushed the player.
    Knockback,
    /// Arithmetic of another compiler decided on an edge.
    LastBits,
    /// The server never saw some commands.
    LostUsercmd,
    /// A door or lift stood elsewhere.
    Mover,
    /// Nobody asked for causes.
    NotLookedFor,
    /// Another player stood in the way elsewhere.
    PlayerContact,
    Respawn,
    /// The server stood still and cut commands that lay too far ahead.
    ServerPause,
    /// The server changed the player's speed or gravity.
    Speed,
    /// The player's `pm_type` changed.
    State,
    Teleport,
    /// All was tried in vain.
    Unknown,
}

impl MissCause {
    /// What it is called where it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Death => "death",
            Self::Intermission => "intermission",
            Self::JumpPad => "jump pad",
            Self::Knockback => "knockback",
            Self::LastBits => "last bits",
            Self::LostUsercmd => "lost usercmd",
            Self::Mover => "mover",
            Self::NotLookedFor => "not looked for",
            Self::PlayerContact => "player contact",
            Self::Respawn => "respawn",
            Self::ServerPause => "server pause",
            Self::Speed => "speed",
            Self::State => "state",
            Self::Teleport => "teleport",
            Self::Unknown => "unknown",
        }
    }
}

impl serde::Serialize for MissCause {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One miss, for showing it.
#[derive(Clone, Debug)]
pub struct Miss {
    pub predicted: Vec3,
    pub actual: Vec3,
    pub cause: MissCause,
    /// The first field that differs, in words.
    pub field: &'static str,
    pub server_time: ServerTime,
    /// What was predicted and what the server says, for reading (`cg_showmiss 2`).
    pub detail: String,
    /// Where the signs are weak and somebody asked for causes: what it takes to try others.
    case: Option<Box<Case>>,
}

impl Miss {
    /// For one closer look.
    pub fn take_case(&mut self) -> Option<Box<Case>> {
        self.case.take()
    }
}

impl PredictionStats {
    /// Adds the figures of another level.
    pub fn add(&mut self, other: &Self) {
        self.predicted += other.predicted;
        self.exact += other.exact;
        self.missed += other.missed;
        self.max_error = self.max_error.max(other.max_error);
        self.steps_run += other.steps_run;
        self.steps_kept += other.steps_kept;
        self.frozen += other.frozen;
        for (cause, count) in &other.causes {
            *self.causes.entry(*cause).or_default() += count;
        }
    }

    /// Compares what was predicted for a command with what the server made of it. `collect` gives what it takes to look
    /// closer at a miss whose cause the two do not tell for sure.
    pub fn compare(
        &mut self,
        predicted: &PlayerState,
        actual: &PlayerState,
        server_time: ServerTime,
        stats: &StatLayout,
        collect: impl FnOnce() -> Option<Box<Case>>,
    ) -> Option<Miss> {
        self.predicted += 1;
        let is_exact = predicted.origin == actual.origin && predicted.velocity == actual.velocity;
        if is_exact {
            self.exact += 1;
            return None;
        }
        let error = predicted.origin.distance(actual.origin);
        if let Some(cause) = abrupt_cause(predicted, actual) {
            *self.causes.entry(cause).or_default() += 1;
            return None;
        }
        self.max_error = self.max_error.max(error);
        if error <= MISS {
            return None;
        }
        self.missed += 1;
        let (cause, case) = match sure_cause(predicted, actual, stats) {
            Some(cause) => (cause, None),
            None => {
                let case = collect();
                (likely_cause(predicted, actual, stats, case.is_some()), case)
            }
        };
        *self.causes.entry(cause).or_default() += 1;
        let field = first_difference(predicted, actual);
        Some(Miss {
            predicted: predicted.origin,
            actual: actual.origin,
            cause,
            field,
            server_time,
            detail: format!(
                "  predicted {}\n  actual    {}",
                words(predicted, stats),
                words(actual, stats)
            ),
            case,
        })
    }

    /// A closer look has found the cause of a miss that was counted.
    pub fn explain(&mut self, miss: &mut Miss, cause: MissCause) {
        if let Some(count) = self.causes.get_mut(&miss.cause) {
            *count -= 1;
        }
        self.causes.retain(|_, count| *count > 0);
        *self.causes.entry(cause).or_default() += 1;
        miss.cause = cause;
    }
}

/// What movement depends on, in one line.
fn words(player: &PlayerState, stats: &StatLayout) -> String {
    format!(
        "at {:?} v {:?} ground {} flags {:#x} time {} command {} pad {} health {} armor {} damage {}",
        player.origin.to_array(),
        player.velocity.to_array(),
        player.ground_entity_num,
        player.pm_flags,
        player.pm_time,
        player.command_time,
        player.jumppad_ent,
        player.stats[stats.health],
        player.stats[stats.armor],
        player.damage_event,
    )
}

/// What the server alone decides, so that nothing can be predicted.
fn abrupt_cause(predicted: &PlayerState, actual: &PlayerState) -> Option<MissCause> {
    if predicted.persistant[persistant::SPAWN_COUNT] != actual.persistant[persistant::SPAWN_COUNT] {
        return Some(MissCause::Respawn);
    }
    let is_over = |player: &PlayerState| {
        matches!(
            player.pm_type,
            pm_type::INTERMISSION | pm_type::SPINTERMISSION
        )
    };
    if is_over(actual) && !is_over(predicted) {
        return Some(MissCause::Intermission);
    }
    // Only the server decides that; the dead slide on as they are told.
    if predicted.pm_type == pm_type::NORMAL && actual.pm_type == pm_type::DEAD {
        return Some(MissCause::Death);
    }
    let toggled = (predicted.e_flags ^ actual.e_flags) & entity_flags::TELEPORT_BIT != 0;
    (toggled || is_twice_teleported(predicted, actual)).then_some(MissCause::Teleport)
}

/// Two teleports between two snapshots leave the bit as it was, but who comes out of one cannot steer for a moment.
fn is_twice_teleported(predicted: &PlayerState, actual: &PlayerState) -> bool {
    /// Farther than anything else throws a player from one snapshot to the next.
    const FAR: f32 = 256.0;
    predicted.damage_event == actual.damage_event
        && is_knocked(actual)
        && !is_knocked(predicted)
        && predicted.origin.distance(actual.origin) > FAR
}

/// Some hits are told by health and armor alone.
fn was_hit(predicted: &PlayerState, actual: &PlayerState, stats: &StatLayout) -> bool {
    predicted.damage_event != actual.damage_event
        || [stats.health, stats.armor].into_iter().any(|points| {
            let before = predicted.stats[points];
            // Of what is above the usual, a point is gone every second.
            let tick = i32::from(before > predicted.stats[stats.max_health]);
            actual.stats[points] < before - tick
        })
}

/// Whether any point of health or armor is gone, for whatever reason.
fn has_less(predicted: &PlayerState, actual: &PlayerState, stats: &StatLayout) -> bool {
    [stats.health, stats.armor]
        .into_iter()
        .any(|points| actual.stats[points] < predicted.stats[points])
}

fn is_knocked(player: &PlayerState) -> bool {
    player.pm_flags & pm_flags::TIME_KNOCKBACK != 0
}

/// What the two states tell for sure.
fn sure_cause(
    predicted: &PlayerState,
    actual: &PlayerState,
    stats: &StatLayout,
) -> Option<MissCause> {
    if predicted.pm_type != actual.pm_type {
        Some(MissCause::State)
    } else if was_hit(predicted, actual, stats) || (is_knocked(actual) && !is_knocked(predicted)) {
        Some(MissCause::Knockback)
    } else if predicted.speed != actual.speed || predicted.gravity != actual.gravity {
        Some(MissCause::Speed)
    } else {
        None
    }
}

/// What is likely where nothing better explains a miss.
fn likely_cause(
    predicted: &PlayerState,
    actual: &PlayerState,
    stats: &StatLayout,
    is_searched: bool,
) -> MissCause {
    if predicted.jumppad_ent != actual.jumppad_ent {
        MissCause::JumpPad
    } else if has_less(predicted, actual, stats) {
        // A point that could have gone by itself.
        MissCause::Knockback
    } else if is_searched {
        MissCause::Unknown
    } else {
        MissCause::NotLookedFor
    }
}

/// Whether the server's state leads to the same future as the predicted one.
pub fn is_same_on_the_wire(predicted: &PlayerState, actual: &PlayerState) -> bool {
    let mut told = predicted.clone();
    take_told(&mut told, actual);
    told.jumppad_frame = actual.jumppad_frame;
    told.pmove_framecount = actual.pmove_framecount;
    told == *actual
}

/// Takes over what only the server knows and nothing in movement depends on.
pub fn take_told(player: &mut PlayerState, actual: &PlayerState) {
    player.persistant = actual.persistant;
    player.external_event = actual.external_event;
    player.external_event_parm = actual.external_event_parm;
    player.damage_event = actual.damage_event;
    player.damage_yaw = actual.damage_yaw;
    player.damage_pitch = actual.damage_pitch;
    player.damage_count = actual.damage_count;
}

fn first_difference(a: &PlayerState, b: &PlayerState) -> &'static str {
    let fields = [
        ("pm_type", a.pm_type != b.pm_type),
        ("pm_flags", a.pm_flags != b.pm_flags),
        ("pm_time", a.pm_time != b.pm_time),
        ("ground", a.ground_entity_num != b.ground_entity_num),
        ("velocity", a.velocity != b.velocity),
        ("origin", a.origin != b.origin),
    ];
    fields
        .into_iter()
        .find(|(_, differs)| *differs)
        .map_or("none", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::bg::ruleset::IOQUAKE3;

    #[test]
    fn misses_are_counted_with_their_cause() {
        const LAYOUT: &StatLayout = &IOQUAKE3.stats;
        let mut stats = PredictionStats::default();
        let mut predicted = PlayerState::default();
        predicted.stats[LAYOUT.max_health] = 100;
        predicted.stats[LAYOUT.health] = 93;
        predicted.stats[LAYOUT.armor] = 120;
        let mut check = |change: fn(&mut PlayerState), found: Option<MissCause>, expected| {
            let mut actual = predicted.clone();
            change(&mut actual);
            let mut is_open = false;
            let collect = || {
                is_open = true;
                None
            };
            let miss = stats.compare(&predicted, &actual, ServerTime(0), LAYOUT, collect);
            let miss = miss.map(|mut miss| {
                if let (true, Some(cause)) = (is_open, found) {
                    stats.explain(&mut miss, cause);
                }
                miss.cause
            });
            assert_eq!(miss, expected);
        };
        check(|_| (), None, None);
        check(|actual| actual.origin.x = 0.05, None, None);
        check(
            |actual| (actual.origin.x, actual.damage_event) = (5.0, 1),
            None,
            Some(MissCause::Knockback),
        );
        check(
            |actual| (actual.origin.x, actual.stats[LAYOUT.health]) = (5.0, 92),
            Some(MissCause::LostUsercmd),
            Some(MissCause::Knockback),
        );
        check(
            |actual| (actual.origin.x, actual.stats[LAYOUT.armor]) = (5.0, 118),
            Some(MissCause::LostUsercmd),
            Some(MissCause::Knockback),
        );
        // Armor above the usual amount loses a point every second by itself.
        check(
            |actual| (actual.origin.x, actual.stats[LAYOUT.armor]) = (5.0, 119),
            Some(MissCause::LostUsercmd),
            Some(MissCause::LostUsercmd),
        );
        check(
            |actual| (actual.origin.x, actual.stats[LAYOUT.armor]) = (5.0, 119),
            None,
            Some(MissCause::Knockback),
        );
        check(
            |actual| actual.origin.x = 5.0,
            None,
            Some(MissCause::NotLookedFor),
        );
        check(
            |actual| actual.origin.x = 3.0,
            Some(MissCause::LostUsercmd),
            Some(MissCause::LostUsercmd),
        );
        check(
            |actual| (actual.origin.x, actual.e_flags) = (900.0, 4),
            None,
            None,
        );
        check(
            |actual| (actual.origin.x, actual.pm_type) = (900.0, pm_type::INTERMISSION),
            None,
            None,
        );
        check(
            |actual| {
                (actual.origin.x, actual.pm_time) = (900.0, 160);
                actual.pm_flags |= pm_flags::TIME_KNOCKBACK;
            },
            None,
            None,
        );
        assert_eq!(
            (stats.predicted, stats.exact, stats.missed, stats.max_error),
            (12, 1, 7, 5.0)
        );
        let causes: Vec<_> = stats.causes.into_iter().collect();
        let expected = [
            (MissCause::Intermission, 1),
            (MissCause::Knockback, 4),
            (MissCause::LostUsercmd, 2),
            (MissCause::NotLookedFor, 1),
            (MissCause::Teleport, 2),
        ];
        assert_eq!(causes, expected);
    }
}
