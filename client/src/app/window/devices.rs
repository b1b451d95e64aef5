//! Keys, letters, wheel, fingers and pads: what winit tells of them as events of the client.

use super::Player;
use crate::{
    app::{keys, pads::PadRequests},
    con::keys::{MWHEELDOWN, MWHEELUP},
    event::{Event, TouchPhase},
    platform::window as surroundings,
};
use winit::event::{ElementState, KeyEvent, MouseScrollDelta, Touch};

impl Player {
    /// A pad speaks to every window; only the one in front listens.
    pub(super) fn poll_pads(&mut self) {
        let (cvars, now) = (self.app.client.cvars(), self.app.clock.now());
        let events = if surroundings::hears_pads(self.has_focus) && cvars.is_on("in_joystick") {
            self.pads.poll(&PadRequests::of(cvars), now)
        } else {
            self.pads.ignore(now)
        };
        events.into_iter().for_each(|event| self.app.push(event));
    }

    /// Notes when what is being told was done.
    pub(super) fn note_input(&mut self) {
        let now = self.app.clock.now_exact();
        self.input_delay.note_input(now - surroundings::input_age());
    }

    pub(super) fn handle_key(&mut self, event: &KeyEvent) {
        let is_down = event.state == ElementState::Pressed;
        if let Some(key) = keys::key_number(event) {
            self.push_key(key, is_down, event.repeat);
        }
        if let (true, Some(text)) = (is_down, &event.text) {
            self.type_text(text);
        }
    }

    pub(super) fn push_key(&mut self, key: u16, is_down: bool, is_repeat: bool) {
        let at = self.app.clock.now();
        self.app.push(Event::Key {
            key,
            is_down,
            is_repeat,
            at,
        });
    }

    pub(super) fn type_text(&mut self, text: &str) {
        for letter in text.chars().filter(|letter| !letter.is_control()) {
            self.app.push(Event::Char(letter));
        }
    }

    pub(super) fn handle_touch(&mut self, touch: &Touch) {
        let phase = match touch.phase {
            winit::event::TouchPhase::Started => TouchPhase::Began,
            winit::event::TouchPhase::Moved => TouchPhase::Moved,
            winit::event::TouchPhase::Ended => TouchPhase::Ended,
            winit::event::TouchPhase::Cancelled => TouchPhase::Cancelled,
        };
        let at = self.app.clock.now();
        self.app.push(Event::Touch {
            id: touch.id,
            phase,
            x: touch.location.x as f32,
            y: touch.location.y as f32,
            at,
        });
    }

    /// A notch is one press of a wheel key, however finely the device counts.
    pub(super) fn handle_wheel(&mut self, delta: MouseScrollDelta) {
        const PIXELS_PER_NOTCH: f64 = 60.0;
        self.wheel += match delta {
            MouseScrollDelta::LineDelta(_, lines) => f64::from(lines),
            MouseScrollDelta::PixelDelta(position) => position.y / PIXELS_PER_NOTCH,
        };
        if self.wheel.abs() < 1.0 {
            return;
        }
        let key = if self.wheel > 0.0 {
            MWHEELUP
        } else {
            MWHEELDOWN
        };
        self.wheel = 0.0;
        for is_down in [true, false] {
            self.push_key(key, is_down, false);
        }
    }
}
