//! Keys, mouse and sticks to usercmd.
//!
//! Every continuous action (`+forward`, …) remembers for how long it was held since the last
//! usercmd, so a key held for a quarter of a frame moves by a quarter, and a tap shorter than a
//! frame still fires once.

mod held;
#[cfg(test)]
mod tests;

use glam::Vec3;
use held::{KButton, KButtonSource};
use shared::{
    base::time::{ClientTime, ServerTime},
    types::usercmd::{Usercmd, buttons},
};
use std::collections::VecDeque;

/// What `+name` and `-name` commands hold down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Forward,
    Back,
    Left,
    Right,
    MoveLeft,
    MoveRight,
    MoveUp,
    MoveDown,
    LookUp,
    LookDown,
    Strafe,
    Speed,
    MouseLook,
    /// One of the 15 buttons of a usercmd, by its bit number.
    Button(u8),
}

/// Command names without their sign, and what they hold down.
pub const ACTIONS: &[(&str, Action)] = &[
    ("forward", Action::Forward),
    ("back", Action::Back),
    ("left", Action::Left),
    ("right", Action::Right),
    ("moveleft", Action::MoveLeft),
    ("moveright", Action::MoveRight),
    ("moveup", Action::MoveUp),
    ("movedown", Action::MoveDown),
    ("lookup", Action::LookUp),
    ("lookdown", Action::LookDown),
    ("strafe", Action::Strafe),
    ("speed", Action::Speed),
    ("mlook", Action::MouseLook),
    ("attack", Action::Button(0)),
    ("button0", Action::Button(0)),
    ("button1", Action::Button(1)),
    ("button2", Action::Button(2)),
    ("button3", Action::Button(3)),
    ("button4", Action::Button(4)),
    ("button5", Action::Button(5)),
    ("button6", Action::Button(6)),
    ("button7", Action::Button(7)),
    ("button8", Action::Button(8)),
    ("button9", Action::Button(9)),
    ("button10", Action::Button(10)),
    ("button11", Action::Button(11)),
    ("button12", Action::Button(12)),
    ("button13", Action::Button(13)),
    ("button14", Action::Button(14)),
];

impl Action {
    /// The action of a command name without its sign.
    pub fn from_name(name: &str) -> Option<Self> {
        ACTIONS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, action)| *action)
    }

    fn slot(self) -> usize {
        match self {
            Self::Forward => 0,
            Self::Back => 1,
            Self::Left => 2,
            Self::Right => 3,
            Self::MoveLeft => 4,
            Self::MoveRight => 5,
            Self::MoveUp => 6,
            Self::MoveDown => 7,
            Self::LookUp => 8,
            Self::LookDown => 9,
            Self::Strafe => 10,
            Self::Speed => 11,
            Self::MouseLook => 12,
            Self::Button(number) => FIRST_BUTTON_SLOT + usize::from(number).min(BUTTONS - 1),
        }
    }
}

const FIRST_BUTTON_SLOT: usize = 13;
const BUTTONS: usize = 15;
const SLOTS: usize = FIRST_BUTTON_SLOT + BUTTONS;

/// The cvars that shape input.
#[derive(Clone, Debug)]
pub struct InputSettings {
    pub sensitivity: f32,
    /// `cl_mouseAccel`; 0 is off.
    pub mouse_accel: f32,
    pub mouse_accel_style: MouseAccelStyle,
    pub m_pitch: f32,
    pub m_yaw: f32,
    pub m_forward: f32,
    pub m_side: f32,
    /// `m_filter`: averages the motion of two usercmds.
    pub filters_mouse: bool,
    /// `cl_freelook`: the mouse looks up and down without `+mlook`.
    pub free_look: bool,
    /// `cl_run`
    pub always_run: bool,
    /// Degrees per second of the turning keys.
    pub yaw_speed: f32,
    pub pitch_speed: f32,
    /// Factor of both while `+speed` is held.
    pub angle_speed_key: f32,
    pub pad: PadSettings,
    /// `cl_commandRate`: usercmds per second, 0 for one per frame.
    pub command_rate: i32,
}

/// How motion per millisecond speeds the view up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MouseAccelStyle {
    /// Both axes alike, growing with the rate.
    Linear,
    /// Per axis a power of rate over this offset.
    Power { offset: f32 },
}

/// Which analog axis does what, and how strongly.
#[derive(Clone, Debug)]
pub struct PadSettings {
    pub pitch: PadAxis,
    pub yaw: PadAxis,
    pub forward: PadAxis,
    pub side: PadAxis,
    pub up: PadAxis,
}

#[derive(Clone, Copy, Debug)]
pub struct PadAxis {
    pub number: u8,
    pub factor: f32,
}

/// What a usercmd needs beside the keys.
#[derive(Clone, Copy, Debug)]
pub struct UsercmdFrame {
    pub now: ClientTime,
    /// Duration of the frame with `timescale` applied, for the turning keys.
    pub scaled_msec: i32,
    /// The time of the frame before, as the connection's clock has it.
    pub server_time: ServerTime,
    /// The weapon that the player selected.
    pub weapon: u8,
    /// Below 1 while zoomed in; 0 until the first drawn frame.
    pub sensitivity_scale: f32,
    /// Console, menu or chat line have the keys.
    pub is_captured: bool,
    pub any_key_is_down: bool,
}

/// Everything held down, pushed and turned since the last usercmd.
#[derive(Clone, Debug)]
pub struct Input {
    actions: [KButton; SLOTS],
    mouse: [(f32, f32); 2],
    mouse_turn: usize,
    /// −1 to 1 each.
    axes: [f32; 16],
    /// What a thumb pushes, to the right and forward, −1 to 1 each, and has turned, yaw and pitch in degrees.
    pushed: [f32; 2],
    turned: [f32; 2],
    /// Of the newest usercmd, in counts per millisecond.
    mouse_rate: f32,
    /// Pitch, yaw and roll in degrees, without bounds.
    view_angles: Vec3,
    last_usercmd_at: ClientTime,
    /// Duration of the last usercmd's frame, 1 to 200.
    frame_msec: i32,
    /// Changes wait for the usercmd that they belong to.
    is_timed: bool,
    waiting: VecDeque<(ClientTime, Change)>,
}

/// Something that happened at a known time.
#[derive(Clone, Copy, Debug)]
enum Change {
    Press(Action, Option<u16>),
    Release(Action, Option<u16>),
    Mouse(f32, f32),
}

/// More changes than a player makes between two frames; further ones count at once.
const MAX_WAITING: usize = 4096;

impl Input {
    pub fn new(now: ClientTime) -> Self {
        Self {
            actions: [KButton::default(); SLOTS],
            mouse: [(0.0, 0.0); 2],
            mouse_turn: 0,
            axes: [0.0; 16],
            pushed: [0.0; 2],
            turned: [0.0; 2],
            mouse_rate: 0.0,
            view_angles: Vec3::ZERO,
            last_usercmd_at: now,
            frame_msec: 1,
            is_timed: false,
            waiting: VecDeque::new(),
        }
    }

    /// Whether changes wait for `catch_up`.
    pub fn set_timed(&mut self, is_timed: bool) {
        self.is_timed = is_timed;
    }

    /// Lets everything count that happened up to a time.
    pub fn catch_up(&mut self, until: ClientTime) {
        while let Some((at, change)) = self.waiting.pop_front_if(|(at, _)| until - *at >= 0) {
            self.apply(change, Some(at));
        }
    }

    /// Keeps a change for later; false if it is to count at once.
    fn defer(&mut self, change: Change, at: Option<ClientTime>) -> bool {
        let Some(at) = at.filter(|_| self.is_timed && self.waiting.len() < MAX_WAITING) else {
            return false;
        };
        self.waiting.push_back((at, change));
        true
    }

    fn apply(&mut self, change: Change, at: Option<ClientTime>) -> bool {
        match change {
            Change::Press(action, key) => {
                self.actions[action.slot()].press(KButtonSource::from(key), at)
            }
            Change::Release(action, key) => {
                let frame_msec = self.frame_msec;
                self.actions[action.slot()].release(key, at, frame_msec);
                true
            }
            Change::Mouse(dx, dy) => {
                let (x, y) = &mut self.mouse[self.mouse_turn];
                *x += dx;
                *y += dy;
                true
            }
        }
    }

    /// Forgets motion and view at a new level; what is held stays held.
    pub fn start_level(&mut self) {
        self.mouse = [(0.0, 0.0); 2];
        self.view_angles = Vec3::ZERO;
    }

    /// `key` is `None` for a command typed by hand, `at` as well.
    /// Gives false if two other keys hold the action already.
    pub fn press(&mut self, action: Action, key: Option<u16>, at: Option<ClientTime>) -> bool {
        let change = Change::Press(action, key);
        self.defer(change, at) || self.apply(change, at)
    }

    /// Releases one key of an action; a command typed by hand releases all.
    pub fn release(&mut self, action: Action, key: Option<u16>, at: Option<ClientTime>) {
        let change = Change::Release(action, key);
        let _is_done = self.defer(change, at) || self.apply(change, at);
    }

    pub fn is_held(&self, action: Action) -> bool {
        self.actions[action.slot()].is_active
    }

    pub fn move_mouse(&mut self, dx: f32, dy: f32, at: Option<ClientTime>) {
        let change = Change::Mouse(dx, dy);
        let _is_done = self.defer(change, at) || self.apply(change, at);
    }

    /// Sets one analog axis, −1 to 1; it stays until the next change.
    pub fn set_axis(&mut self, number: u8, value: f32) {
        if let Some(axis) = self.axes.get_mut(usize::from(number)) {
            *axis = value.clamp(-1.0, 1.0);
        }
    }

    /// Walks as far as a thumb pushes, −1 to 1 to the right and forward; it stays until the next change.
    pub fn push(&mut self, side: f32, forward: f32) {
        self.pushed = [side, forward].map(|share| share.clamp(-1.0, 1.0));
    }

    /// Turns the view by degrees, to the left and down.
    pub fn turn(&mut self, yaw: f32, pitch: f32) {
        self.turned[0] += yaw;
        self.turned[1] += pitch;
    }

    /// Pitch, yaw and roll in degrees, without bounds.
    pub fn view_angles(&self) -> Vec3 {
        self.view_angles
    }

    /// How fast the mouse moved since the last call, in counts per millisecond.
    pub fn take_mouse_rate(&mut self) -> f32 {
        std::mem::take(&mut self.mouse_rate)
    }

    /// Looks straight ahead, given the playerstate's own share of the pitch.
    pub fn center_view(&mut self, delta_pitch: i32) {
        // The delta angle is a 16-bit circle; its sign does not matter to the sum.
        self.view_angles.x = -(delta_pitch as i16 as f32) * 360.0 / 65536.0;
    }

    /// Builds the usercmd of this frame and starts the next one.
    pub fn build_usercmd(&mut self, frame: &UsercmdFrame, settings: &InputSettings) -> Usercmd {
        self.frame_msec = (frame.now - self.last_usercmd_at).clamp(1, 200);
        self.last_usercmd_at = frame.now;
        let pitch_before = self.view_angles.x;

        self.turn_by_keys(frame, settings);
        let (mut movement, is_walking) = self.move_by_keys(frame, settings);
        let mut bits = self.button_bits(frame);
        if is_walking {
            bits |= buttons::WALKING;
        } else {
            bits &= !buttons::WALKING;
        }
        self.apply_mouse(frame, settings, &mut movement);
        self.apply_pad(frame, settings, &mut movement);
        self.apply_thumbs(frame, &mut movement);

        // More than a quarter turn of pitch in one frame would flip the view over.
        self.view_angles.x = self
            .view_angles
            .x
            .clamp(pitch_before - 90.0, pitch_before + 90.0);
        Usercmd {
            server_time: frame.server_time,
            angles: self.view_angles.to_array().map(short_from_degrees),
            forward_move: movement.forward.as_i8(),
            right_move: movement.right.as_i8(),
            up_move: movement.up.as_i8(),
            buttons: bits,
            weapon: frame.weapon,
        }
    }

    fn fraction(&mut self, action: Action, frame: &UsercmdFrame) -> f32 {
        self.actions[action.slot()].fraction(frame.now, self.frame_msec)
    }

    fn angle_speed(&self, frame: &UsercmdFrame, settings: &InputSettings) -> f32 {
        let seconds = 0.001 * frame.scaled_msec as f32;
        if self.is_held(Action::Speed) {
            seconds * settings.angle_speed_key
        } else {
            seconds
        }
    }

    fn turn_by_keys(&mut self, frame: &UsercmdFrame, settings: &InputSettings) {
        let speed = self.angle_speed(frame, settings);
        if !self.is_held(Action::Strafe) {
            self.view_angles.y -= speed * settings.yaw_speed * self.fraction(Action::Right, frame);
            self.view_angles.y += speed * settings.yaw_speed * self.fraction(Action::Left, frame);
        }
        self.view_angles.x -= speed * settings.pitch_speed * self.fraction(Action::LookUp, frame);
        self.view_angles.x += speed * settings.pitch_speed * self.fraction(Action::LookDown, frame);
    }

    fn move_by_keys(&mut self, frame: &UsercmdFrame, settings: &InputSettings) -> (Movement, bool) {
        let is_running = self.is_held(Action::Speed) != settings.always_run;
        let magnitude = if is_running { 127.0 } else { 64.0 };
        let mut movement = Movement::default();
        if self.is_held(Action::Strafe) {
            let right = self.fraction(Action::Right, frame);
            let left = self.fraction(Action::Left, frame);
            movement.right.add(magnitude * right);
            movement.right.add(-magnitude * left);
        }
        for (action, amount) in [
            (Action::MoveRight, magnitude),
            (Action::MoveLeft, -magnitude),
        ] {
            let fraction = self.fraction(action, frame);
            movement.right.add(amount * fraction);
        }
        for (action, amount) in [(Action::MoveUp, magnitude), (Action::MoveDown, -magnitude)] {
            let fraction = self.fraction(action, frame);
            movement.up.add(amount * fraction);
        }
        for (action, amount) in [(Action::Forward, magnitude), (Action::Back, -magnitude)] {
            let fraction = self.fraction(action, frame);
            movement.forward.add(amount * fraction);
        }
        (movement, !is_running)
    }

    fn button_bits(&mut self, frame: &UsercmdFrame) -> u16 {
        let mut bits = 0;
        for (number, held) in self.actions[FIRST_BUTTON_SLOT..].iter_mut().enumerate() {
            if held.is_active || std::mem::take(&mut held.was_pressed) {
                bits |= 1 << number;
            }
            held.was_pressed = false;
        }
        if frame.is_captured {
            bits |= buttons::TALK;
        } else if frame.any_key_is_down {
            bits |= buttons::ANY;
        }
        bits
    }

    fn apply_mouse(
        &mut self,
        frame: &UsercmdFrame,
        settings: &InputSettings,
        movement: &mut Movement,
    ) {
        let now = self.mouse[self.mouse_turn];
        let before = self.mouse[1 - self.mouse_turn];
        self.mouse_turn = 1 - self.mouse_turn;
        self.mouse[self.mouse_turn] = (0.0, 0.0);
        let (x, y) = if settings.filters_mouse {
            ((now.0 + before.0) * 0.5, (now.1 + before.1) * 0.5)
        } else {
            now
        };
        if x == 0.0 && y == 0.0 {
            return;
        }
        self.mouse_rate = libm::hypotf(x, y) / self.frame_msec as f32;
        let (x, y) = accelerated((x, y), self.frame_msec as f32, settings);
        let (x, y) = (x * frame.sensitivity_scale, y * frame.sensitivity_scale);
        let is_strafing = self.is_held(Action::Strafe);
        if is_strafing {
            movement.right.add(settings.m_side * x);
        } else {
            self.view_angles.y -= settings.m_yaw * x;
        }
        if (settings.free_look || self.is_held(Action::MouseLook)) && !is_strafing {
            self.view_angles.x += settings.m_pitch * y;
        } else {
            movement.forward.add(-settings.m_forward * y);
        }
    }

    fn apply_thumbs(&mut self, frame: &UsercmdFrame, movement: &mut Movement) {
        const FULL: f32 = 127.0;
        let [side, forward] = self.pushed;
        movement.right.add(side * FULL);
        movement.forward.add(forward * FULL);
        // Before the first drawn frame nothing scales yet.
        let scale = if frame.sensitivity_scale > 0.0 {
            frame.sensitivity_scale
        } else {
            1.0
        };
        let [yaw, pitch] = std::mem::take(&mut self.turned);
        self.view_angles.y += yaw * scale;
        self.view_angles.x += pitch * scale;
    }

    fn apply_pad(
        &mut self,
        frame: &UsercmdFrame,
        settings: &InputSettings,
        movement: &mut Movement,
    ) {
        let value = |axis: PadAxis| {
            axis.factor
                * self
                    .axes
                    .get(usize::from(axis.number))
                    .copied()
                    .unwrap_or(0.0)
        };
        // The customary factors turn at 0.022 and move at 0.25; a full stick then gives 720 degrees
        // per second and full speed.
        let turn = |axis: PadAxis| value(axis) * 32767.0 * self.angle_speed(frame, settings);
        let push = |axis: PadAxis| value(axis) * 508.0;
        let pad = &settings.pad;
        let (yaw, side) = if self.is_held(Action::Strafe) {
            (turn(pad.side), push(pad.yaw))
        } else {
            (turn(pad.yaw), push(pad.side))
        };
        let (pitch, forward) = if self.is_held(Action::MouseLook) {
            (turn(pad.forward), push(pad.pitch))
        } else {
            (turn(pad.pitch), push(pad.forward))
        };
        let up = push(pad.up);
        self.view_angles.y += yaw;
        self.view_angles.x += pitch;
        movement.right.add(side);
        movement.forward.add(forward);
        movement.up.add(up);
    }
}

fn accelerated((x, y): (f32, f32), frame_msec: f32, settings: &InputSettings) -> (f32, f32) {
    let sensitivity = settings.sensitivity;
    if settings.mouse_accel == 0.0 {
        return (x * sensitivity, y * sensitivity);
    }
    match settings.mouse_accel_style {
        MouseAccelStyle::Linear => {
            let rate = libm::hypotf(x, y) / frame_msec;
            let factor = sensitivity + rate * settings.mouse_accel;
            (x * factor, y * factor)
        }
        MouseAccelStyle::Power { offset } => {
            let offset = offset.max(0.001);
            let bent = |motion: f32| {
                let power = libm::powf(motion.abs() / frame_msec / offset, settings.mouse_accel);
                sensitivity * (motion + motion.signum() * power * offset)
            };
            (
                if x == 0.0 { 0.0 } else { bent(x) },
                if y == 0.0 { 0.0 } else { bent(y) },
            )
        }
    }
}

/// Degrees to 65,536 steps of the circle, truncated as servers do.
fn short_from_degrees(degrees: f32) -> u16 {
    ((degrees * 65536.0 / 360.0) as i32) as u16
}

#[derive(Clone, Copy, Debug, Default)]
struct Movement {
    forward: Amount,
    right: Amount,
    up: Amount,
}

/// A movement value under construction, truncated at each step like the reference does.
#[derive(Clone, Copy, Debug, Default)]
struct Amount(i32);

impl Amount {
    fn add(&mut self, amount: f32) {
        self.0 = ((self.0 as f32 + amount) as i32).clamp(-127, 127);
    }

    fn as_i8(self) -> i8 {
        self.0.clamp(-127, 127) as i8
    }
}
