//! Rarer events: floating points, mines, and what only OpenArena knows: kamikaze, shields, obelisks.

use super::{
    Present,
    frame::{Frame, channel, sprite},
    local_entities::{LocalEntity, LocalEntityKind},
};
use crate::cg::{angles, timeline::GameEvent};
use crate::scene::{ModelId, RefEntity, RefEntityKind, ShaderId, SoundId};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::numbers::event as ev,
    types::{entitystate::EntityState, trace::surface},
};

const PLUM_MSEC: i32 = 4000;
const DAMAGE_PLUM_MSEC: i32 = 1000;
const PING_MSEC: i32 = 3500;
const PING_RADIUS: f32 = 15.0;
/// Digits of floating points.
const DIGIT_RADIUS: f32 = 4.0;
const KAMIKAZE_MSEC: i32 = 3000;
const JUICED_STILL_MSEC: i32 = 3000;
const JUICED_STRETCH_MSEC: i32 = 2000;

/// Something that takes seconds and changes in steps.
#[derive(Clone, Debug)]
struct TimedEffect {
    kind: TimedEffectKind,
    at: Vec3,
    start: ServerTime,
}

#[derive(Clone, Copy, Debug)]
enum TimedEffectKind {
    Plum { points: i32 },
    DamagePlum { damage: i32, drift: Vec3 },
    Ping,
    Kamikaze { has_imploded: bool, turn: Vec3 },
    Juiced,
    Bolt { from: Vec3 },
}

/// What is being told, oldest first.
#[derive(Clone, Debug, Default)]
pub struct TimedEffects {
    alive: Vec<TimedEffect>,
    last_plum_height: f32,
}

impl TimedEffects {
    /// More than this many at once would be an attack, not a match.
    const MAX: usize = 64;

    pub fn clear(&mut self) {
        self.alive.clear();
    }

    fn add(&mut self, kind: TimedEffectKind, at: Vec3, start: ServerTime) {
        if self.alive.len() < Self::MAX {
            self.alive.push(TimedEffect { kind, at, start });
        }
    }
}

impl TimedEffects {
    /// The number of the damage done, which drifts away a little.
    pub(super) fn add_damage_plum(
        &mut self,
        damage: i32,
        at: Vec3,
        [x, y]: [f32; 2],
        now: ServerTime,
    ) {
        let drift = Vec3::new(x * 2.0, y * 2.0, 6.0);
        self.add(TimedEffectKind::DamagePlum { damage, drift }, at, now);
    }

    /// A place that a team-mate points at.
    pub(super) fn add_ping(&mut self, at: Vec3, now: ServerTime) {
        self.add(TimedEffectKind::Ping, at, now);
    }
}

impl Present {
    /// Events that happen seldom; any other number is counted and ignored.
    pub(super) fn fire_special_event(&mut self, happened: &GameEvent, frame: &mut Frame<'_>) {
        let GameEvent { state, .. } = happened;
        let (event, parm, at) = (happened.event, happened.parm, happened.at);
        let number = i32::from(state.number);
        match event {
            ev::GLOBAL_TEAM_SOUND => self.team_sound(parm, frame),
            ev::SCOREPLUM => self.add_plum(state, at, frame),
            ev::GIB_PLAYER => {
                if state.e_flags & shared::bg::numbers::entity_flags::KAMIKAZE == 0 {
                    frame.start_on(number, channel::BODY, self.media.sounds.gib);
                }
                self.throw_gibs(at, frame);
            }
            ev::PROXIMITY_MINE_STICK => {
                let sounds = &self.media.oa_sounds;
                let sound = if parm & surface::FLESH as i32 != 0 {
                    sounds.mine_flesh
                } else if parm & surface::METALSTEPS as i32 != 0 {
                    sounds.mine_metal
                } else {
                    sounds.mine_stone
                };
                frame.start_on(number, channel::AUTO, sound);
            }
            ev::PROXIMITY_MINE_TRIGGER => {
                frame.start_on(number, channel::AUTO, self.media.oa_sounds.mine_trigger)
            }
            ev::KAMIKAZE => {
                frame.start_local(channel::AUTO, self.media.oa_sounds.kamikaze_explode);
                let c = |frame: &mut Frame<'_>| frame.chance() * 360.0;
                let kind = TimedEffectKind::Kamikaze {
                    has_imploded: false,
                    turn: Vec3::new(c(frame), c(frame), c(frame)),
                };
                self.timed_effects.add(kind, at, frame.now);
            }
            ev::OBELISKPAIN => {
                let sound = one_of_three(self.media.oa_sounds.obelisk_hits(), frame);
                frame.start_at(at, number, channel::BODY, sound);
            }
            ev::INVUL_IMPACT => {
                let model = self.media.models.shield_impact;
                let axis = angles::axis_from_angles(state.angles);
                let kind = LocalEntityKind::Model { model, axis };
                self.local_entities
                    .add(LocalEntity::new(kind, at, frame.now, 1000));
                let sound = one_of_three(self.media.oa_sounds.shield_hits(), frame);
                frame.start_at(at, number, channel::BODY, sound);
            }
            ev::JUICED => {
                frame.start_at(at, number, channel::BODY, self.media.oa_sounds.juiced);
                self.timed_effects
                    .add(TimedEffectKind::Juiced, at, frame.now);
            }
            ev::LIGHTNINGBOLT => {
                let kind = TimedEffectKind::Bolt {
                    from: state.origin2,
                };
                self.timed_effects.add(kind, at, frame.now);
            }
            _ => {}
        }
    }

    fn add_plum(&mut self, state: &EntityState, mut at: Vec3, frame: &Frame<'_>) {
        if state.other_entity_num != frame.viewed_client || !frame.settings.score_plums {
            return;
        }
        let last = &mut self.timed_effects.last_plum_height;
        if (at.z - *last).abs() <= 20.0 {
            at.z -= 20.0;
        }
        *last = at.z;
        let points = state.time;
        self.timed_effects
            .add(TimedEffectKind::Plum { points }, at, frame.now);
    }

    /// Goes on with everything that takes its time.
    pub(super) fn run_timed_effects(&mut self, frame: &mut Frame<'_>) {
        let mut alive = std::mem::take(&mut self.timed_effects.alive);
        alive.retain_mut(|effect| self.run_timed_effect(effect, frame));
        self.timed_effects.alive = alive;
    }

    /// False when it is over.
    fn run_timed_effect(&mut self, effect: &mut TimedEffect, frame: &mut Frame<'_>) -> bool {
        let elapsed = frame.now - effect.start;
        if elapsed < 0 {
            return false;
        }
        match &mut effect.kind {
            TimedEffectKind::Plum { points } => {
                let shaders = (&self.media.digits, self.media.pictures.digit_minus);
                draw_plum(effect.at, *points, elapsed, shaders, frame);
                elapsed < PLUM_MSEC
            }
            TimedEffectKind::DamagePlum { damage, drift } => {
                let at = effect.at + *drift * (elapsed as f32 * 0.001);
                let side = (at - frame.view.eye).cross(Vec3::Z).normalize_or_zero();
                let shaders = (&self.media.digits, self.media.pictures.digit_minus);
                draw_digits(at, side, *damage, [255; 4], shaders, frame);
                elapsed < DAMAGE_PLUM_MSEC
            }
            TimedEffectKind::Ping => {
                frame.add(sprite(effect.at, PING_RADIUS, self.media.shaders.friend));
                elapsed < PING_MSEC
            }
            TimedEffectKind::Kamikaze { has_imploded, turn } => {
                if elapsed >= 2000 && !*has_imploded {
                    *has_imploded = true;
                    frame.start_local(channel::AUTO, self.media.oa_sounds.kamikaze_implode);
                }
                let models = &self.media.models;
                let parts = [models.kamikaze_wave, models.kamikaze_ball];
                draw_kamikaze(effect.at, elapsed, *turn, parts, frame);
                elapsed < KAMIKAZE_MSEC
            }
            TimedEffectKind::Juiced => {
                let part = (elapsed - JUICED_STILL_MSEC).max(0) as f32 / JUICED_STRETCH_MSEC as f32;
                if part >= 1.0 {
                    let at = effect.at;
                    self.throw_gibs(at, frame);
                    return false;
                }
                let mut body =
                    RefEntity::new(RefEntityKind::Model(self.media.models.juicer), effect.at);
                let (wide, high) = (1.0 + 0.3 * part, 1.0 - 0.3 * part);
                body.axis = [Vec3::X * wide, Vec3::Y * wide, Vec3::Z * high];
                body.flags.scaled = true;
                frame.add(body);
                true
            }
            TimedEffectKind::Bolt { from } => {
                let mut bolt = RefEntity::new(RefEntityKind::Lightning, *from);
                bolt.old_origin = effect.at;
                bolt.custom_shader = Some(self.media.shaders.lightning);
                frame.add(bolt);
                elapsed < 50
            }
        }
    }
}

/// One of three, the first twice as often as each other.
fn one_of_three([first, second, third]: [SoundId; 3], frame: &mut Frame<'_>) -> SoundId {
    frame.one_of([first, first, second, third])
}

/// Points that rise and sway.
fn draw_plum(
    at: Vec3,
    points: i32,
    elapsed: i32,
    shaders: (&[ShaderId; 10], ShaderId),
    frame: &mut Frame<'_>,
) {
    let c = (1.0 - elapsed as f32 / PLUM_MSEC as f32).max(0.0);
    let at = at + Vec3::Z * (110.0 - 100.0 * c);
    let toward = at - frame.view.eye;
    if toward.length() < 20.0 {
        return;
    }
    let side = toward.cross(Vec3::Z).normalize_or_zero();
    let at = at + side * (-10.0 + 20.0 * libm::sinf(std::f32::consts::TAU * c));
    let [r, g, b] = match points {
        ..0 => [255, 17, 17],
        50.. => [255, 0, 255],
        20.. => [0, 0, 255],
        10.. => [255, 255, 0],
        2.. => [0, 255, 0],
        _ => [255, 255, 255],
    };
    let alpha = if c < 0.25 {
        (255.0 * 4.0 * c) as u8
    } else {
        255
    };
    draw_digits(at, side, points, [r, g, b, alpha], shaders, frame);
}

/// A number in the world.
fn draw_digits(
    at: Vec3,
    side: Vec3,
    number: i32,
    color: [u8; 4],
    (digits, minus): (&[ShaderId; 10], ShaderId),
    frame: &mut Frame<'_>,
) {
    let text = number.to_string();
    let middle = (text.len() as f32 - 1.0) / 2.0;
    for (place, letter) in text.chars().enumerate() {
        let shader = letter
            .to_digit(10)
            .map_or(minus, |digit| digits[digit as usize]);
        let aside = side * ((place as f32 - middle) * DIGIT_RADIUS * 2.0);
        let mut digit = sprite(at + aside, DIGIT_RADIUS, shader);
        digit.color = color;
        frame.add(digit);
    }
}

/// A wave, a ball of fire that swells and falls in, and a second wave.
fn draw_kamikaze(at: Vec3, elapsed: i32, turn: Vec3, parts: [ModelId; 2], frame: &mut Frame<'_>) {
    const WAVE_RADIUS: f32 = 88.0;
    const BALL_RADIUS: f32 = 72.0;
    let [wave, ball] = parts;
    let part = |from: i32, to: i32| ((elapsed - from) as f32 / (to - from) as f32).clamp(0.0, 1.0);
    let mut add = |model, scale: f32, axis: angles::Axis, bright: f32| {
        let mut entity = RefEntity::new(RefEntityKind::Model(model), at);
        entity.axis = angles::scale(&axis, scale.max(0.001));
        entity.flags.scaled = true;
        entity.color = [(255.0 * bright) as u8; 4];
        frame.add(entity);
    };
    if elapsed < 2000 {
        let bright = 1.0 - part(1500, 2000);
        add(
            wave,
            1320.0 / WAVE_RADIUS * part(0, 2000),
            angles::UPRIGHT,
            bright,
        );
    }
    let size = part(250, 2000) * (1.0 - part(2000, 2250));
    if size > 0.0 {
        add(ball, 720.0 / BALL_RADIUS * size, angles::UPRIGHT, 1.0);
    }
    if elapsed >= 2000 {
        let axis = angles::axis_from_angles(turn);
        let bright = 1.0 - part(2500, KAMIKAZE_MSEC);
        add(
            wave,
            704.0 / WAVE_RADIUS * part(2000, KAMIKAZE_MSEC),
            axis,
            bright,
        );
    }
    if size > 0.0 {
        frame.add_light(at, 1000.0 * size, [1.0, 1.0, size]);
    }
}
