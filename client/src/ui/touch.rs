//! Buttons and stick for thumbs: where they lie, what they do, and how they look.

use crate::{
    con::cvar::Cvars,
    scene::{
        Draw2d,
        text::{Charset, Color, TextStyle},
    },
};

/// A button: the cvar that places it, its label, and the command that it runs, or holds where it begins with `+`.
#[derive(Clone, Copy, Debug)]
pub struct TouchButton {
    pub cvar: &'static str,
    pub label: &'static str,
    pub command: &'static str,
    /// Whether a finger that slides on it turns the view as well.
    pub looks: bool,
}

const fn button(cvar: &'static str, label: &'static str, command: &'static str) -> TouchButton {
    TouchButton {
        cvar,
        label,
        command,
        looks: false,
    }
}

/// All buttons.
pub const BUTTONS: [TouchButton; 9] = [
    TouchButton {
        looks: true,
        ..button("touch_fire", "Fire", "+attack")
    },
    button("touch_jump", "Jump", "+moveup"),
    button("touch_crouch", "Duck", "+movedown"),
    button("touch_zoom", "Zoom", "+zoom"),
    button("touch_prev", "<", "weapprev"),
    button("touch_next", ">", "weapnext"),
    button("touch_scores", "Score", "+scores"),
    button("touch_chat", "Chat", "messagemode"),
    button("touch_menu", "Menu", "menu"),
];

/// Where a button lies, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    pub middle: [f32; 2],
    pub radius: f32,
}

impl Circle {
    /// Thumbs are wide: what is just beside it counts.
    pub fn holds(self, [x, y]: [f32; 2]) -> bool {
        libm::hypotf(x - self.middle[0], y - self.middle[1]) <= self.radius * 1.15
    }
}

/// The place that a text `X Y SIZE` names, in hundredths of width, height and height; none hides the button.
pub fn place(text: &str, [width, height]: [f32; 2]) -> Option<Circle> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<f32>);
    let mut next = || numbers.next()?.ok().filter(|number| number.is_finite());
    let (x, y, size) = (next()?, next()?, next()?.clamp(2.0, 60.0));
    let radius = size * height / 200.0;
    let inside = |at: f32, length: f32| {
        let last = (length - radius).max(radius);
        (at.clamp(0.0, 100.0) * length / 100.0).clamp(radius, last)
    };
    Some(Circle {
        middle: [inside(x, width), inside(y, height)],
        radius,
    })
}

/// The button under a finger.
pub fn button_at(cvars: &Cvars, screen: [f32; 2], at: [f32; 2]) -> Option<usize> {
    let is_there = |button: &TouchButton| {
        place(cvars.text(button.cvar), screen).is_some_and(|circle| circle.holds(at))
    };
    BUTTONS.iter().position(is_there)
}

/// What is to be drawn of it.
#[derive(Clone, Copy, Debug)]
pub struct TouchLook {
    pub charset: Charset,
    pub screen: [f32; 2],
    /// 0 to 1.
    pub opacity: f32,
    /// Bit by number: buttons that are held.
    pub held: u16,
    /// Where the stick begins and where the thumb is.
    pub stick: Option<([f32; 2], [f32; 2])>,
    pub stick_radius: f32,
}

/// Draws what thumbs can touch.
pub fn draw(out: &mut Vec<Draw2d>, look: TouchLook, cvars: &Cvars) {
    for (number, button) in BUTTONS.iter().enumerate() {
        let Some(circle) = place(cvars.text(button.cvar), look.screen) else {
            continue;
        };
        let is_held = look.held & (1 << number) != 0;
        let color = match is_held {
            true => [0.92, 0.36, 0.12, look.opacity],
            false => [0.05, 0.06, 0.09, look.opacity],
        };
        // A bright edge is seen on dark walls, and the dark within on bright ones.
        let edge = [1.0, 1.0, 1.0, look.opacity * 0.5];
        disc(out, look.charset, circle, edge);
        let inner = Circle {
            radius: circle.radius * 0.94,
            ..circle
        };
        disc(out, look.charset, inner, color);
        let count = button.label.len() as f32;
        let letter = (circle.radius * 1.5 / count).min(circle.radius * 0.6);
        let style = TextStyle {
            size: [letter, letter * 1.6],
            color: [1.0, 1.0, 1.0, (look.opacity * 1.6).min(1.0)],
            has_shadow: false,
            ignores_codes: true,
        };
        let [x, y] = circle.middle;
        let (x, y) = (x - count * letter / 2.0, y - letter * 0.8);
        look.charset.line(out, x, y, button.label, style);
    }
    if let Some((from, to)) = look.stick {
        let ring = Circle {
            middle: from,
            radius: look.stick_radius,
        };
        disc(
            out,
            look.charset,
            ring,
            [0.05, 0.06, 0.09, look.opacity * 0.5],
        );
        let knob = Circle {
            middle: to,
            radius: look.stick_radius * 0.45,
        };
        disc(out, look.charset, knob, [0.92, 0.36, 0.12, look.opacity]);
    }
}

/// A disc of stripes: the 2D knows rectangles only.
fn disc(out: &mut Vec<Draw2d>, charset: Charset, circle: Circle, color: Color) {
    const STRIPES: u8 = 16;
    let [x, y] = circle.middle;
    let height = 2.0 * circle.radius / f32::from(STRIPES);
    for stripe in 0..STRIPES {
        let top = -circle.radius + f32::from(stripe) * height;
        let middle = (top + height / 2.0) / circle.radius;
        let half = circle.radius * (1.0 - middle * middle).max(0.0).sqrt();
        charset.fill(out, [x - half, y + top, 2.0 * half, height], color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::con::cvars;

    #[test]
    fn places_stay_on_the_screen_and_nonsense_hides() {
        let screen = [800.0, 400.0];
        let circle = place("50 50 20", screen).unwrap();
        assert_eq!((circle.middle, circle.radius), ([400.0, 200.0], 40.0));
        let corner = place("100 100 20", screen).unwrap();
        assert_eq!(corner.middle, [760.0, 360.0]);
        let wild = place("-1e30 1e30 1e30", screen).unwrap();
        assert_eq!((wild.middle, wild.radius), ([120.0, 280.0], 120.0));
        for bad in ["", "x", "1 2", "nan 1 1", "inf 1 1"] {
            assert_eq!(place(bad, screen), None, "{bad}");
        }
        assert!(place("50 50 20", [0.0, 0.0]).is_some());
    }

    #[test]
    fn by_default_no_button_covers_another() {
        let all = Cvars::new(cvars::TABLE);
        for screen in [[844.0, 390.0], [1024.0, 768.0], [2400.0, 1080.0]] {
            let circles: Vec<Circle> = BUTTONS
                .iter()
                .map(|button| place(all.text(button.cvar), screen).expect(button.cvar))
                .collect();
            for (number, circle) in circles.iter().enumerate() {
                assert_eq!(
                    button_at(&all, screen, circle.middle),
                    Some(number),
                    "{screen:?}"
                );
                for other in &circles[number + 1..] {
                    let [dx, dy] = [0, 1].map(|axis| circle.middle[axis] - other.middle[axis]);
                    assert!(
                        libm::hypotf(dx, dy) >= circle.radius + other.radius,
                        "{screen:?} {number}"
                    );
                }
            }
        }
    }
}
