//! Pads: gamepads as keys and axes, numbered as players' configs know them.

use crate::{
    con::{cvar::Cvars, keys},
    event::Event,
};
use gilrs::{Axis, Button, EventType, GamepadId, Gilrs};
use shared::base::time::ClientTime;

/// All pads that are plugged in; they act as one.
pub struct Pads {
    /// `None` where the system has no pads.
    gilrs: Option<Gilrs>,
    /// Keys that are down, so that none stays down when its pad is pulled out.
    held: Vec<u16>,
    axes: [f32; AXES],
    /// What came of it all since the last call.
    events: Vec<Event>,
}

/// What the player wants of pads.
#[derive(Clone, Copy, Debug)]
pub struct PadRequests {
    /// `joy_threshold`: how far a stick must move to count, 0 to 1.
    pub threshold: f32,
    /// `joy_curve`: to which power a push is taken.
    pub curve: f32,
    /// `in_joystickNo`: 0 all pads, 1 the first.
    pub number: i32,
    /// `in_joystickUseAnalog`; otherwise sticks press keys.
    pub is_analog: bool,
}

impl PadRequests {
    pub fn of(cvars: &Cvars) -> Self {
        Self {
            threshold: cvars.number("joy_threshold"),
            curve: cvars.number("joy_curve"),
            number: cvars.integer("in_joystickNo"),
            is_analog: cvars.is_on("in_joystickUseAnalog"),
        }
    }

    fn wants(&self, pad: GamepadId) -> bool {
        self.number == 0 || usize::from(pad) + 1 == self.number as usize
    }
}

/// Left stick, right stick, left and right trigger.
const AXES: usize = 6;

impl Pads {
    /// Begins to listen for pads.
    pub fn open() -> Self {
        let gilrs = match Gilrs::new() {
            Ok(gilrs) => Some(gilrs),
            Err(gilrs::Error::NotImplemented(_)) => None,
            Err(error) => {
                tracing::warn!("gamepads cannot be used: {error}");
                None
            }
        };
        Self {
            gilrs,
            held: Vec::new(),
            axes: [0.0; AXES],
            events: Vec::new(),
        }
    }

    /// Takes what pads did since the last call.
    pub fn poll(&mut self, requests: &PadRequests, at: ClientTime) -> Vec<Event> {
        while let Some(event) = self.gilrs.as_mut().and_then(Gilrs::next_event) {
            if requests.wants(event.id) {
                self.take(event.event, requests, at);
            }
        }
        std::mem::take(&mut self.events)
    }

    /// Lets go of everything and passes over what pads do meanwhile.
    pub fn ignore(&mut self, at: ClientTime) -> Vec<Event> {
        while self.gilrs.as_mut().and_then(Gilrs::next_event).is_some() {}
        self.release(at);
        std::mem::take(&mut self.events)
    }

    fn take(&mut self, event: EventType, requests: &PadRequests, at: ClientTime) {
        match event {
            EventType::ButtonPressed(button, _) => self.set_key(button, true, at),
            EventType::ButtonReleased(button, _) => self.set_key(button, false, at),
            EventType::ButtonChanged(Button::LeftTrigger2, value, _) => {
                self.set_axis(4, value, requests, at);
            }
            EventType::ButtonChanged(Button::RightTrigger2, value, _) => {
                self.set_axis(5, value, requests, at);
            }
            EventType::AxisChanged(axis, value, _) => {
                // Players' configs count downwards as positive.
                let (number, value) = match axis {
                    Axis::LeftStickX => (0, value),
                    Axis::LeftStickY => (1, -value),
                    Axis::RightStickX => (2, value),
                    Axis::RightStickY => (3, -value),
                    _ => return,
                };
                self.set_axis(number, value, requests, at);
            }
            EventType::Disconnected => self.release(at),
            _ => {}
        }
    }

    fn set_key(&mut self, button: Button, is_down: bool, at: ClientTime) {
        if let Some(key) = key_number(button) {
            self.hold(key, is_down, at);
        }
    }

    fn hold(&mut self, key: u16, is_down: bool, at: ClientTime) {
        self.held.retain(|held| *held != key);
        if is_down {
            self.held.push(key);
        }
        self.events.push(Event::Key {
            key,
            is_down,
            is_repeat: false,
            at,
        });
    }

    fn set_axis(&mut self, number: usize, value: f32, requests: &PadRequests, at: ClientTime) {
        let value = if value.abs() < requests.threshold {
            0.0
        } else {
            value.abs().powf(requests.curve).copysign(value)
        };
        if let (false, Some(keys)) = (requests.is_analog, STICK_KEYS.get(number)) {
            for (key, is_down) in keys.iter().zip([value < 0.0, value > 0.0]) {
                if self.held.contains(key) != is_down {
                    self.hold(*key, is_down, at);
                }
            }
            return;
        }
        if self.axes[number] != value {
            self.axes[number] = value;
            self.events.push(Event::PadAxis {
                axis: number as u8,
                value,
                at,
            });
        }
    }

    /// Lets go of everything.
    fn release(&mut self, at: ClientTime) {
        for key in std::mem::take(&mut self.held) {
            self.hold(key, false, at);
        }
        for number in 0..AXES {
            self.set_axis(number, 0.0, &RELEASED, at);
        }
    }
}

/// Sticks that press keys: to the left or up, to the right or down.
const STICK_KEYS: [[u16; 2]; 4] = [
    [keys::PAD0_LEFTSTICK_LEFT, keys::PAD0_LEFTSTICK_LEFT + 1],
    [keys::PAD0_LEFTSTICK_LEFT + 2, keys::PAD0_LEFTSTICK_LEFT + 3],
    [keys::PAD0_LEFTSTICK_LEFT + 4, keys::PAD0_LEFTSTICK_LEFT + 5],
    [keys::PAD0_LEFTSTICK_LEFT + 6, keys::PAD0_LEFTSTICK_LEFT + 7],
];

const RELEASED: PadRequests = PadRequests {
    threshold: 0.0,
    curve: 1.0,
    number: 0,
    is_analog: true,
};

/// A pad's button as a key; the action buttons go by their places.
fn key_number(button: Button) -> Option<u16> {
    let name = match button {
        Button::South => "PAD0_A",
        Button::East => "PAD0_B",
        Button::West => "PAD0_X",
        Button::North => "PAD0_Y",
        Button::Select => "PAD0_BACK",
        Button::Mode => "PAD0_GUIDE",
        Button::Start => "PAD0_START",
        Button::LeftThumb => "PAD0_LEFTSTICK_CLICK",
        Button::RightThumb => "PAD0_RIGHTSTICK_CLICK",
        Button::LeftTrigger => "PAD0_LEFTSHOULDER",
        Button::RightTrigger => "PAD0_RIGHTSHOULDER",
        Button::LeftTrigger2 => "PAD0_LEFTTRIGGER",
        Button::RightTrigger2 => "PAD0_RIGHTTRIGGER",
        Button::DPadUp => "PAD0_DPAD_UP",
        Button::DPadDown => "PAD0_DPAD_DOWN",
        Button::DPadLeft => "PAD0_DPAD_LEFT",
        Button::DPadRight => "PAD0_DPAD_RIGHT",
        Button::C => "PAD0_MISC1",
        Button::Z => "PAD0_TOUCHPAD",
        Button::Unknown => return None,
    };
    keys::number(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pads() -> Pads {
        Pads {
            gilrs: None,
            held: Vec::new(),
            axes: [0.0; AXES],
            events: Vec::new(),
        }
    }

    fn axes(events: &[Event]) -> Vec<(u8, f32)> {
        let axes = events.iter().filter_map(|event| match event {
            Event::PadAxis { axis, value, .. } => Some((*axis, *value)),
            _ => None,
        });
        axes.collect()
    }

    fn told_keys(events: &[Event]) -> Vec<(u16, bool)> {
        let keys = events.iter().filter_map(|event| match event {
            Event::Key { key, is_down, .. } => Some((*key, *is_down)),
            _ => None,
        });
        keys.collect()
    }

    #[test]
    fn every_button_has_a_key() {
        assert_eq!(key_number(Button::South), Some(keys::PAD0_A));
        assert_eq!(key_number(Button::RightTrigger2), Some(364));
        assert_eq!(key_number(Button::DPadRight), Some(354));
        assert_eq!(key_number(Button::Unknown), None);
    }

    #[test]
    fn sticks_rest_below_the_threshold_and_a_pulled_pad_lets_go() {
        let mut pads = pads();
        let requests = PadRequests {
            threshold: 0.15,
            ..RELEASED
        };
        pads.set_axis(1, 0.1, &requests, ClientTime(1));
        assert!(pads.events.is_empty());
        pads.set_axis(1, -1.0, &requests, ClientTime(2));
        pads.set_key(Button::South, true, ClientTime(2));
        assert_eq!(axes(&pads.events), [(1, -1.0)]);
        pads.events.clear();
        pads.take(EventType::Disconnected, &requests, ClientTime(3));
        assert_eq!(axes(&pads.events), [(1, 0.0)]);
        assert!(told_keys(&pads.events).contains(&(keys::PAD0_A, false)));
    }

    #[test]
    fn a_curve_keeps_the_ends_and_the_side() {
        let mut pads = pads();
        let requests = PadRequests {
            curve: 2.0,
            ..RELEASED
        };
        for value in [0.5, -0.5, -1.0, 1.0, 0.0] {
            pads.set_axis(2, value, &requests, ClientTime(1));
        }
        let values: Vec<f32> = axes(&pads.events)
            .into_iter()
            .map(|(_, value)| value)
            .collect();
        assert_eq!(values, [0.25, -0.25, -1.0, 1.0, 0.0]);
    }

    #[test]
    fn what_is_held_ends_once_where_nobody_listens() {
        let mut pads = pads();
        pads.set_axis(2, 0.5, &RELEASED, ClientTime(1));
        pads.set_key(Button::South, true, ClientTime(1));
        pads.events.clear();
        let let_go = pads.ignore(ClientTime(2));
        assert_eq!(axes(&let_go), [(2, 0.0)]);
        assert_eq!(let_go.len(), 2);
        assert!(pads.ignore(ClientTime(3)).is_empty());
    }

    #[test]
    fn a_stick_that_presses_keys_holds_one_at_a_time() {
        let mut pads = pads();
        let requests = PadRequests {
            threshold: 0.15,
            is_analog: false,
            ..RELEASED
        };
        for value in [-0.5, -1.0, 0.8, 0.0] {
            pads.set_axis(0, value, &requests, ClientTime(1));
        }
        let left = keys::PAD0_LEFTSTICK_LEFT;
        let right = left + 1;
        assert_eq!(
            told_keys(&pads.events),
            [(left, true), (left, false), (right, true), (right, false)]
        );
        assert!(axes(&pads.events).is_empty());
    }
}
