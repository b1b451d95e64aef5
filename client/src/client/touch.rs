//! Fingers on the screen: the left one moves, the right one looks, buttons act, and in menus they are a pointer.

use super::Client;
use crate::{
    event::TouchPhase,
    scene::Draw2d,
    ui::touch::{self, BUTTONS, TouchLook},
};
use shared::base::time::ClientTime;

/// The fingers that are down.
#[derive(Clone, Debug, Default)]
pub(super) struct Touch {
    fingers: Vec<Finger>,
    /// Buttons are shown once somebody has touched the screen, until a mouse is used.
    is_used: bool,
}

#[derive(Clone, Copy, Debug)]
struct Finger {
    id: u64,
    from: [f32; 2],
    at: [f32; 2],
    task: Task,
}

/// What a finger does, from touching to leaving.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Task {
    Move,
    Look,
    Button(usize),
    /// In the menus: how many rows it has scrolled, and whether it is no tap any more.
    Point {
        rows: i32,
        has_slid: bool,
    },
    /// Closes what is open when it leaves.
    Close,
}

/// More fingers than hands have.
const MAX_FINGERS: usize = 10;
/// Left of this share of the width a thumb moves.
const STICK_SHARE: f32 = 0.45;
/// A finger that slides further, in shares of the height, was no tap.
const TAP: f32 = 0.03;
/// By these numbers buttons hold actions; keys have lower ones.
const FIRST_HOLDER: u16 = 2000;

impl Client {
    pub(super) fn handle_touch(
        &mut self,
        id: u64,
        phase: TouchPhase,
        at: [f32; 2],
        time: ClientTime,
    ) {
        self.touch.is_used = true;
        let known = self.touch.fingers.iter().position(|finger| finger.id == id);
        match (phase, known) {
            (TouchPhase::Began, None) if self.touch.fingers.len() < MAX_FINGERS => {
                self.begin_touch(id, at, time);
            }
            (TouchPhase::Moved, Some(number)) => self.move_touch(number, at),
            (TouchPhase::Ended, Some(number)) => {
                let mut finger = self.touch.fingers.remove(number);
                finger.at = at;
                self.end_touch(finger, time);
            }
            (TouchPhase::Cancelled, Some(number)) => {
                let finger = self.touch.fingers.remove(number);
                if matches!(finger.task, Task::Move | Task::Button(_)) {
                    self.end_touch(finger, time);
                }
            }
            _ => {}
        }
    }

    fn begin_touch(&mut self, id: u64, at: [f32; 2], time: ClientTime) {
        let is_playing = self.is_in_match();
        let task = if self.console.is_open() || self.chat.is_some() {
            Task::Close
        } else if self.menus.is_open() {
            self.touch_menu(at);
            Task::Point {
                rows: 0,
                has_slid: false,
            }
        } else if !is_playing {
            Task::Close
        } else if let Some(number) = touch::button_at(&self.cvars, self.screen, at) {
            self.hold_button(number, true, time);
            Task::Button(number)
        } else if at[0] < self.screen[0] * STICK_SHARE && self.thumb().is_none() {
            Task::Move
        } else {
            Task::Look
        };
        self.touch.fingers.push(Finger {
            id,
            from: at,
            at,
            task,
        });
    }

    /// The finger that moves the player.
    fn thumb(&self) -> Option<&Finger> {
        let mut fingers = self.touch.fingers.iter();
        fingers.find(|finger| finger.task == Task::Move)
    }

    fn move_touch(&mut self, number: usize, at: [f32; 2]) {
        let height = self.screen[1].max(1.0);
        let finger = &mut self.touch.fingers[number];
        let by = [at[0] - finger.at[0], at[1] - finger.at[1]];
        let since = [at[0] - finger.from[0], at[1] - finger.from[1]];
        finger.at = at;
        match finger.task {
            Task::Move => self.push_stick_of_touch(),
            Task::Look => self.look_by_touch(by),
            Task::Button(number) if BUTTONS[number].looks => self.look_by_touch(by),
            Task::Button(_) | Task::Close => {}
            Task::Point { rows, has_slid } => {
                let has_slid = has_slid || libm::hypotf(since[0], since[1]) > TAP * height;
                let rows = self.slide_menu(at, since[1], rows);
                self.touch.fingers[number].task = Task::Point { rows, has_slid };
            }
        }
    }

    fn end_touch(&mut self, finger: Finger, time: ClientTime) {
        match finger.task {
            Task::Move => self.push_stick_of_touch(),
            Task::Look => {}
            Task::Button(number) => self.hold_button(number, false, time),
            Task::Point { has_slid, .. } => {
                if !has_slid && self.menus.is_open() {
                    self.tap_menu(finger.at);
                }
            }
            Task::Close if self.console.is_open() => self.toggle_console(),
            Task::Close if self.chat.is_some() => self.chat = None,
            Task::Close if !self.menus.is_open() => self.open_menus(),
            Task::Close => {}
        }
    }

    /// Presses or releases a button, as a key with its command does.
    fn hold_button(&mut self, number: usize, is_down: bool, time: ClientTime) {
        let command = BUTTONS[number].command;
        let holder = FIRST_HOLDER + number as u16;
        let text = match (command.strip_prefix('+'), is_down) {
            (Some(action), true) => format!("+{action} {holder} {}\n", time.0),
            (Some(action), false) => format!("-{action} {holder} {}\n", time.0),
            (None, true) => format!("{command}\n"),
            (None, false) => return,
        };
        self.buffer.append(&text);
    }

    fn look_by_touch(&mut self, [dx, dy]: [f32; 2]) {
        let degrees = self.cvars.number("touch_look") / self.screen[1].max(1.0);
        let upside = match self.cvars.number("m_pitch") < 0.0 {
            true => -1.0,
            false => 1.0,
        };
        self.input.turn(-dx * degrees, dy * degrees * upside);
    }

    /// The thumb's way from where it began, as far as the ring around that.
    fn push_stick_of_touch(&mut self) {
        let radius = self.stick_radius();
        let [side, forward] = self.thumb().map_or([0.0; 2], |finger| {
            let [x, y] = [0, 1].map(|axis| (finger.at[axis] - finger.from[axis]) / radius);
            let length = libm::hypotf(x, y).max(1.0);
            [x / length, -y / length]
        });
        self.input.push(side, forward);
    }

    fn stick_radius(&self) -> f32 {
        (self.cvars.number("touch_stick") * self.screen[1] / 200.0).max(1.0)
    }

    /// The device was turned, in degrees.
    pub(super) fn turn_by_gyro(&mut self, yaw: f32, pitch: f32) {
        let factor = self.cvars.number("touch_gyro");
        let is_playing = self.is_in_match();
        if is_playing && !self.captures_keys() && yaw.is_finite() && pitch.is_finite() {
            let [yaw, pitch] = [yaw, pitch].map(|angle| angle.clamp(-90.0, 90.0) * factor);
            self.input.turn(yaw, pitch);
        }
    }

    /// Somebody uses the mouse: the buttons go.
    pub(super) fn end_touches(&mut self) {
        self.touch.is_used = false;
    }

    pub(super) fn uses_touch(&self) -> bool {
        self.touch.is_used
    }

    /// Whether letters are wanted, for devices that show a keyboard only then.
    pub(super) fn wants_text(&self) -> bool {
        self.console.is_open() || self.chat.is_some() || self.menus.is_typing()
    }

    pub(super) fn draw_touch(&self, out: &mut Vec<Draw2d>) {
        let is_playing = self.is_in_match();
        if !self.touch.is_used || !is_playing || self.captures_keys() {
            return;
        }
        let held = (self.touch.fingers.iter()).fold(0, |bits, finger| match finger.task {
            Task::Button(number) => bits | 1 << number,
            _ => bits,
        });
        let look = TouchLook {
            charset: self.charset,
            screen: self.screen,
            opacity: self.cvars.number("touch_opacity"),
            held,
            stick: self.thumb().map(|finger| (finger.from, finger.at)),
            stick_radius: self.stick_radius(),
        };
        touch::draw(out, look, &self.cvars);
    }
}
