//! Pads: gamepads as keys and axes, numbered as players' configs know them.

use crate::{con::keys, event::Event};
use gilrs::{Axis, Button, EventType, Gilrs};
use shared::base::time::ClientTime;

/// All pads that are plugged in; they act as one.
pub struct Pads {
    /// `None` where the system has no pads.
    gilrs: Option<Gilrs>,
    /// Keys that are down, so that none stays down when its pad is pulled out.
    held: Vec<u16>,
    axes: [f32; AXES],
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
        }
    }

    /// Takes what pads did since the last call; sticks count from `threshold` (0 to 1) on.
    pub fn poll(&mut self, threshold: f32, at: ClientTime) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.gilrs.as_mut().and_then(Gilrs::next_event) {
            self.take(event.event, threshold, at, &mut events);
        }
        events
    }

    fn take(&mut self, event: EventType, threshold: f32, at: ClientTime, out: &mut Vec<Event>) {
        match event {
            EventType::ButtonPressed(button, _) => self.set_key(button, true, at, out),
            EventType::ButtonReleased(button, _) => self.set_key(button, false, at, out),
            EventType::ButtonChanged(Button::LeftTrigger2, value, _) => {
                self.set_axis(4, value, threshold, at, out);
            }
            EventType::ButtonChanged(Button::RightTrigger2, value, _) => {
                self.set_axis(5, value, threshold, at, out);
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
                self.set_axis(number, value, threshold, at, out);
            }
            EventType::Disconnected => self.release(at, out),
            _ => {}
        }
    }

    fn set_key(&mut self, button: Button, is_down: bool, at: ClientTime, out: &mut Vec<Event>) {
        let Some(key) = key_number(button) else {
            return;
        };
        self.held.retain(|held| *held != key);
        if is_down {
            self.held.push(key);
        }
        out.push(Event::Key {
            key,
            is_down,
            is_repeat: false,
            at,
        });
    }

    fn set_axis(
        &mut self,
        number: usize,
        value: f32,
        threshold: f32,
        at: ClientTime,
        out: &mut Vec<Event>,
    ) {
        let value = if value.abs() < threshold { 0.0 } else { value };
        if self.axes[number] != value {
            self.axes[number] = value;
            out.push(Event::PadAxis {
                axis: number as u8,
                value,
                at,
            });
        }
    }

    /// Lets go of everything.
    fn release(&mut self, at: ClientTime, out: &mut Vec<Event>) {
        out.extend(self.held.drain(..).map(|key| Event::Key {
            key,
            is_down: false,
            is_repeat: false,
            at,
        }));
        for number in 0..AXES {
            self.set_axis(number, 0.0, 0.0, at, out);
        }
    }
}

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
        }
    }

    fn axes(events: &[Event]) -> Vec<(u8, f32)> {
        events
            .iter()
            .filter_map(|event| match event {
                Event::PadAxis { axis, value, .. } => Some((*axis, *value)),
                _ => None,
            })
            .collect()
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
        let (mut pads, mut out) = (pads(), Vec::new());
        pads.set_axis(1, 0.1, 0.15, ClientTime(1), &mut out);
        assert!(out.is_empty());
        pads.set_axis(1, -1.0, 0.15, ClientTime(2), &mut out);
        pads.set_key(Button::South, true, ClientTime(2), &mut out);
        assert_eq!(axes(&out), [(1, -1.0)]);
        out.clear();
        pads.take(EventType::Disconnected, 0.15, ClientTime(3), &mut out);
        assert_eq!(axes(&out), [(1, 0.0)]);
        let is_release = |event: &Event| {
            matches!(
                event,
                Event::Key {
                    key: keys::PAD0_A,
                    is_down: false,
                    ..
                }
            )
        };
        assert!(out.iter().any(is_release));
    }
}
