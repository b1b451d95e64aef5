//! Why an own shot missed: where the target was shown when it was fired, and where the server had it when it executed
//! the shot, as the next snapshots tell.
//!
//! Only weapons that hit at once: missiles begin late, but fly where everybody sees them.

use crate::cg::{angles, hud::Label, present::frame::Frame, timeline::game_static::GameStatic};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::numbers::{entity_type, event, persistant, weapon},
    types::{playerstate::PlayerState, snapshot::Snapshot},
};
use std::collections::VecDeque;

/// Shots that wait for their snapshot: two seconds of a machine gun.
const MAX_WAITING: usize = 64;
/// Shots that are remembered with all about them.
const MAX_REPORTS: usize = 64;
/// How long a miss is marked in the world.
const MARKED_MSEC: i32 = 6000;
/// Whoever is further beside the line than this was not meant.
const MEANT_UNITS: f32 = 200.0;
/// Spread of the machine gun and the like, for each unit of distance.
const BULLET_SPREAD: f32 = 200.0 / 8192.0;
const SHOTGUN_SPREAD: f32 = 700.0 / 8192.0;

/// What became of a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Hit,
    /// It went through what was shown, and past where the server had it.
    Lag,
    /// It went past what was shown.
    Aim,
    /// It went through both: it was spread, or something stood in the way.
    Unlucky,
    /// Nobody was near.
    Nobody,
}

impl Verdict {
    /// All of them in their order, for players.
    const NAMES: [(Self, &str); 5] = [
        (Self::Hit, "hit"),
        (Self::Lag, "hit what was shown, not what the server had"),
        (Self::Aim, "aimed past what was shown"),
        (Self::Unlucky, "on target for both, but spread or blocked"),
        (Self::Nobody, "nobody near the line of fire"),
    ];

    fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}

/// A shot that was fired.
#[derive(Clone, Debug)]
struct Shot {
    client_num: i32,
    /// Of the usercmd that fired it.
    command_time: i32,
    /// What was shown then.
    shown_time: ServerTime,
    weapon: i32,
    eye: Vec3,
    forward: Vec3,
    /// Everybody else who was shown and could be hit.
    shown: Vec<(i32, Vec3)>,
}

/// What is known of a shot once the server has executed it.
#[derive(Clone, Debug, PartialEq)]
pub struct ShotReport {
    pub weapon: i32,
    pub verdict: Verdict,
    /// Who was meant; nothing is known of the rest without him.
    pub target: Option<Target>,
    eye: Vec3,
    forward: Vec3,
    noted_at: ServerTime,
}

/// Who was meant, and where he was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    pub client: i32,
    pub shown: Vec3,
    pub actual: Vec3,
    /// How far the line of fire passed beside his box as shown and as the server had it.
    pub gaps: [f32; 2],
    /// How much later than what was shown the server made that place known.
    pub late_msec: i32,
    /// The server turned him back to what the shooter saw.
    pub is_compensated: bool,
}

/// Watches own shots.
#[derive(Clone, Debug, Default)]
pub struct Shots {
    waiting: VecDeque<Shot>,
    reports: VecDeque<ShotReport>,
    counts: [u32; Verdict::NAMES.len()],
    /// Of shots with a target: how far he had moved, how late the server looked, how many.
    moved: f64,
    late_msec: i64,
    with_target: u32,
    /// The newest snapshot that was looked at: its time, and the player's hits in it.
    judged: Option<(ServerTime, i32)>,
}

impl Shots {
    /// The local player went from one state to the next.
    ///
    /// `shown` gives where everybody is seen.
    pub fn note(
        &mut self,
        old: &PlayerState,
        new: &PlayerState,
        shown_time: ServerTime,
        shown: impl FnOnce() -> Vec<(i32, Vec3)>,
    ) {
        if old.client_num != new.client_num || !hits_at_once(new.weapon) {
            return;
        }
        let fresh = new
            .event_sequence
            .wrapping_sub(old.event_sequence)
            .clamp(0, 2);
        let is_shot = |back: i32| {
            let place = new.event_sequence.wrapping_sub(1 + back) & 1;
            new.events[place as usize] & event::NUMBER_MASK == event::FIRE_WEAPON
        };
        let was_noted = self
            .waiting
            .back()
            .is_some_and(|shot| shot.command_time >= new.command_time);
        if was_noted || !(0..fresh).any(is_shot) {
            return;
        }
        if self.waiting.len() == MAX_WAITING {
            self.waiting.pop_front();
        }
        let [forward, ..] = angles::axis_from_angles(new.view_angles);
        self.waiting.push_back(Shot {
            client_num: new.client_num,
            command_time: new.command_time,
            shown_time,
            weapon: new.weapon,
            eye: new.origin + Vec3::Z * new.view_height as f32,
            forward,
            shown: shown(),
        });
    }

    /// The newest snapshot tells what became of the shots that it has executed.
    ///
    /// Gives how many there are.
    pub fn judge(&mut self, snapshot: &Snapshot, level: &GameStatic, now: ServerTime) -> usize {
        let hits = snapshot.player.persistant[persistant::HITS];
        let Some((time, before)) = self.judged.replace((snapshot.server_time, hits)) else {
            self.waiting.clear();
            return 0;
        };
        if snapshot.server_time == time {
            return 0;
        }
        let is_executed = |shot: &Shot| {
            shot.client_num == snapshot.player.client_num
                && shot.command_time <= snapshot.player.command_time
        };
        let executed: Vec<Shot> = {
            let count = self
                .waiting
                .iter()
                .take_while(|shot| is_executed(shot))
                .count();
            self.waiting.drain(..count).collect()
        };
        let mut left = hits.wrapping_sub(before).unsigned_abs() as usize;
        let total = executed.len();
        for (number, shot) in executed.iter().enumerate() {
            // Of several in one snapshot those are taken for hits that were last, until all hits have theirs.
            let is_hit = left > 0 && left >= total - number;
            let was_lucky = left > 0
                && !is_hit
                && target(shot, snapshot, level).is_some_and(|target| target.gaps[1] <= 0.0);
            left -= usize::from(is_hit || was_lucky);
            self.report(shot, snapshot, level, is_hit || was_lucky, now);
        }
        total
    }

    fn report(
        &mut self,
        shot: &Shot,
        snapshot: &Snapshot,
        level: &GameStatic,
        is_hit: bool,
        now: ServerTime,
    ) {
        let target = target(shot, snapshot, level);
        let verdict = match target {
            _ if is_hit => Verdict::Hit,
            None => Verdict::Nobody,
            Some(target) => {
                let allowed = spread(shot.weapon) * target.shown.distance(shot.eye);
                let [shown, actual] = target.gaps.map(|gap| gap <= allowed);
                match (shown, actual) {
                    (true, true) => Verdict::Unlucky,
                    (true, false) => Verdict::Lag,
                    (false, _) => Verdict::Aim,
                }
            }
        };
        let count = &mut self.counts[verdict as usize];
        *count = count.saturating_add(1);
        if let Some(target) = target {
            self.moved += f64::from(target.shown.distance(target.actual));
            self.late_msec = self.late_msec.saturating_add(i64::from(target.late_msec));
            self.with_target = self.with_target.saturating_add(1);
        }
        if self.reports.len() == MAX_REPORTS {
            self.reports.pop_front();
        }
        self.reports.push_back(ShotReport {
            weapon: shot.weapon,
            verdict,
            target,
            eye: shot.eye,
            forward: shot.forward,
            noted_at: now,
        });
    }

    /// The newest, oldest first.
    pub fn reports(&self) -> &VecDeque<ShotReport> {
        &self.reports
    }

    /// How many shots of each verdict, and what the server's view differed by.
    pub fn text(&self) -> String {
        let total: u32 = self.counts.iter().sum();
        if total == 0 {
            return "No shot that hits at once was fired in this level.\n".to_owned();
        }
        let mut text = format!("{total} shots:\n");
        for ((_, name), count) in Verdict::NAMES.iter().zip(self.counts) {
            if count > 0 {
                text.push_str(&format!("{count:6}  {name}\n"));
            }
        }
        if self.with_target > 0 {
            let count = f64::from(self.with_target);
            let (moved, late) = (self.moved / count, self.late_msec as f64 / count);
            text.push_str(&format!(
                "On average the server had the target {moved:.0} units from where it was shown, {late:.0} ms later.\n"
            ));
        }
        text
    }

    /// Marks of misses in the world: the line of fire, the target as shown and as the server had it.
    pub(super) fn draw(
        &self,
        shader: crate::scene::ShaderId,
        frame: &mut Frame<'_>,
        labels: &mut Vec<Label>,
    ) {
        const SHOWN: [u8; 4] = [255, 220, 0, 255];
        const ACTUAL: [u8; 4] = [255, 64, 64, 255];
        const LINE: [u8; 4] = [200, 200, 200, 255];
        for report in &self.reports {
            let is_marked =
                report.verdict != Verdict::Hit && frame.now.is_within(report.noted_at, MARKED_MSEC);
            let Some(target) = report.target.filter(|_| is_marked) else {
                continue;
            };
            let end = report.eye + report.forward * (target.shown.distance(report.eye) + 100.0);
            super::ghosts::add_line(
                frame.view,
                shader,
                [report.eye + report.forward * 40.0, end],
                LINE,
            );
            super::ghosts::add_box(frame.view, shader, target.shown, SHOWN);
            super::ghosts::add_box(frame.view, shader, target.actual, ACTUAL);
            if let Some(at) = frame.view.project(target.actual + Vec3::Z * 40.0) {
                labels.push(Label {
                    at,
                    text: report.describe(),
                });
            }
        }
    }
}

impl ShotReport {
    /// In one line.
    pub fn describe(&self) -> String {
        let name = self.verdict.name();
        match &self.target {
            Some(target) => {
                let [shown, actual] = target.gaps;
                let moved = target.shown.distance(target.actual);
                let late = target.late_msec;
                match target.is_compensated {
                    true => format!(
                        "{name}: {shown:.0}u beside ({moved:.0}u and {late} ms made up for by lag compensation)"
                    ),
                    false => format!(
                        "{name}: {shown:.0}u beside as shown, {actual:.0}u as the server had it ({moved:.0}u, {late} ms later)"
                    ),
                }
            }
            None => name.to_owned(),
        }
    }
}

fn hits_at_once(number: i32) -> bool {
    [
        weapon::MACHINEGUN,
        weapon::SHOTGUN,
        weapon::LIGHTNING,
        weapon::RAIL,
        weapon::CHAINGUN,
    ]
    .contains(&number)
}

fn spread(number: i32) -> f32 {
    match number {
        weapon::MACHINEGUN => BULLET_SPREAD,
        weapon::CHAINGUN => BULLET_SPREAD * 3.0,
        weapon::SHOTGUN => SHOTGUN_SPREAD,
        _ => 0.0,
    }
}

/// Who was nearest to the line of fire, as shown.
fn target(shot: &Shot, snapshot: &Snapshot, level: &GameStatic) -> Option<Target> {
    let nearest = shot.shown.iter().filter_map(|(client, shown)| {
        let gap = gap(shot.eye, shot.forward, *shown)?;
        Some((*client, *shown, gap))
    });
    let (client, shown, gap_shown) = nearest.min_by(|one, other| one.2.total_cmp(&other.2))?;
    if gap_shown > MEANT_UNITS {
        return None;
    }
    let entity = snapshot.entities.iter().find(|entity| {
        i32::from(entity.number) == client && entity.e_type == entity_type::PLAYER
    })?;
    let actual = entity.pos.base;
    // Servers that turn others back for the shooter look at what he saw.
    let is_compensated = level.has_lag_compensation;
    let counted = if is_compensated { shown } else { actual };
    let gap_counted = gap(shot.eye, shot.forward, counted).unwrap_or(f32::MAX);
    Some(Target {
        client,
        shown,
        actual,
        gaps: [gap_shown, gap_counted],
        late_msec: snapshot.server_time - shot.shown_time,
        is_compensated,
    })
}

/// How far a line passes beside a standing player's box; 0 through it, nothing where he is behind.
fn gap(eye: Vec3, forward: Vec3, origin: Vec3) -> Option<f32> {
    let half = Vec3::new(15.0, 15.0, 28.0);
    let middle = origin + Vec3::Z * 4.0;
    let along = (middle - eye).dot(forward);
    if along <= 0.0 {
        return None;
    }
    // The nearest place of the line to the box lies near where it passes the middle: a few steps find it.
    let outside = |at: f32| {
        let away = (eye + forward * at - middle).abs() - half;
        away.max(Vec3::ZERO).length()
    };
    let (mut low, mut high) = ((along - 60.0).max(0.0), along + 60.0);
    for _ in 0..24 {
        let third = (high - low) / 3.0;
        if outside(low + third) <= outside(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    Some(outside((low + high) * 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_passes_beside_a_box_by_what_is_between() {
        let eye = Vec3::new(0.0, 0.0, 0.0);
        let at = |x: f32, y: f32| gap(eye, Vec3::X, Vec3::new(x, y, 0.0));
        assert_eq!(at(300.0, 0.0), Some(0.0));
        assert_eq!(at(300.0, 14.9), Some(0.0));
        assert!((at(300.0, 25.0).unwrap() - 10.0).abs() < 0.01);
        assert_eq!(at(-300.0, 0.0), None);
        let above = gap(eye, Vec3::X, Vec3::new(500.0, 0.0, -42.0)).unwrap();
        assert!((above - 10.0).abs() < 0.01, "{above}");
    }
}
