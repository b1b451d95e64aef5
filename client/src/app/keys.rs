//! The window's keys and buttons as the key numbers that binds know.

use crate::con::keys;
use winit::{
    event::{KeyEvent, MouseButton},
    keyboard::{Key, KeyCode, PhysicalKey},
};

/// The number of a key: letters as the layout has them, all else by its place on the keyboard.
pub fn key_number(event: &KeyEvent) -> Option<u16> {
    let PhysicalKey::Code(code) = event.physical_key else {
        return letter(&event.logical_key);
    };
    // The key left of "1" opens the console on every layout.
    if code == KeyCode::Backquote {
        return Some(keys::GRAVE);
    }
    if find(NUMPAD, code).is_none()
        && let Some(letter) = letter(&event.logical_key)
    {
        return Some(letter);
    }
    by_place(code)
}

/// The lower-case Latin letter that the layout puts on the key.
fn letter(key: &Key) -> Option<u16> {
    let Key::Character(text) = key else {
        return None;
    };
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => {
            Some(letter.to_ascii_lowercase() as u16)
        }
        _ => None,
    }
}

fn by_place(code: KeyCode) -> Option<u16> {
    let function = || FUNCTION.iter().position(|function| *function == code);
    find(NAMED, code)
        .or_else(|| find(NUMPAD, code))
        .or_else(|| find(PRINTED, code).map(|letter| letter as u16))
        .or_else(|| Some(keys::F1 + function()? as u16))
}

/// What a table has for a key.
fn find<T: Copy>(table: &[(KeyCode, T)], code: KeyCode) -> Option<T> {
    let found = table.iter().find(|(key, _)| *key == code);
    found.map(|(_, value)| *value)
}

const FUNCTION: [KeyCode; 15] = [
    KeyCode::F1,
    KeyCode::F2,
    KeyCode::F3,
    KeyCode::F4,
    KeyCode::F5,
    KeyCode::F6,
    KeyCode::F7,
    KeyCode::F8,
    KeyCode::F9,
    KeyCode::F10,
    KeyCode::F11,
    KeyCode::F12,
    KeyCode::F13,
    KeyCode::F14,
    KeyCode::F15,
];

const NAMED: &[(KeyCode, u16)] = &[
    (KeyCode::Tab, keys::TAB),
    (KeyCode::Enter, keys::ENTER),
    (KeyCode::Escape, keys::ESCAPE),
    (KeyCode::Space, keys::SPACE),
    (KeyCode::Backspace, keys::BACKSPACE),
    (KeyCode::CapsLock, keys::CAPSLOCK),
    (KeyCode::Pause, keys::PAUSE),
    (KeyCode::ArrowUp, keys::UPARROW),
    (KeyCode::ArrowDown, keys::DOWNARROW),
    (KeyCode::ArrowLeft, keys::LEFTARROW),
    (KeyCode::ArrowRight, keys::RIGHTARROW),
    (KeyCode::AltLeft, keys::ALT),
    (KeyCode::AltRight, keys::ALT),
    (KeyCode::ControlLeft, keys::CTRL),
    (KeyCode::ControlRight, keys::CTRL),
    (KeyCode::ShiftLeft, keys::SHIFT),
    (KeyCode::ShiftRight, keys::SHIFT),
    (KeyCode::Insert, keys::INS),
    (KeyCode::Delete, keys::DEL),
    (KeyCode::PageDown, keys::PGDN),
    (KeyCode::PageUp, keys::PGUP),
    (KeyCode::Home, keys::HOME),
    (KeyCode::End, keys::END),
    (KeyCode::SuperLeft, keys::SUPER),
    (KeyCode::SuperRight, keys::SUPER),
    (KeyCode::ContextMenu, keys::MENU),
];

const NUMPAD: &[(KeyCode, u16)] = &[
    (KeyCode::Numpad7, keys::KP_HOME),
    (KeyCode::Numpad8, keys::KP_UPARROW),
    (KeyCode::Numpad9, keys::KP_PGUP),
    (KeyCode::Numpad4, keys::KP_LEFTARROW),
    (KeyCode::Numpad5, keys::KP_5),
    (KeyCode::Numpad6, keys::KP_RIGHTARROW),
    (KeyCode::Numpad1, keys::KP_END),
    (KeyCode::Numpad2, keys::KP_DOWNARROW),
    (KeyCode::Numpad3, keys::KP_PGDN),
    (KeyCode::NumpadEnter, keys::KP_ENTER),
    (KeyCode::Numpad0, keys::KP_INS),
    (KeyCode::NumpadDecimal, keys::KP_DEL),
    (KeyCode::NumpadDivide, keys::KP_SLASH),
    (KeyCode::NumpadSubtract, keys::KP_MINUS),
    (KeyCode::NumpadAdd, keys::KP_PLUS),
    (KeyCode::NumLock, keys::KP_NUMLOCK),
    (KeyCode::NumpadMultiply, keys::KP_STAR),
    (KeyCode::NumpadEqual, keys::KP_EQUALS),
];

/// What an American keyboard prints there without Shift.
const PRINTED: &[(KeyCode, char)] = &[
    (KeyCode::Digit0, '0'),
    (KeyCode::Digit1, '1'),
    (KeyCode::Digit2, '2'),
    (KeyCode::Digit3, '3'),
    (KeyCode::Digit4, '4'),
    (KeyCode::Digit5, '5'),
    (KeyCode::Digit6, '6'),
    (KeyCode::Digit7, '7'),
    (KeyCode::Digit8, '8'),
    (KeyCode::Digit9, '9'),
    (KeyCode::Minus, '-'),
    (KeyCode::Equal, '='),
    (KeyCode::BracketLeft, '['),
    (KeyCode::BracketRight, ']'),
    (KeyCode::Backslash, '\\'),
    (KeyCode::IntlBackslash, '<'),
    (KeyCode::Semicolon, ';'),
    (KeyCode::Quote, '\''),
    (KeyCode::Comma, ','),
    (KeyCode::Period, '.'),
    (KeyCode::Slash, '/'),
    (KeyCode::KeyA, 'a'),
    (KeyCode::KeyB, 'b'),
    (KeyCode::KeyC, 'c'),
    (KeyCode::KeyD, 'd'),
    (KeyCode::KeyE, 'e'),
    (KeyCode::KeyF, 'f'),
    (KeyCode::KeyG, 'g'),
    (KeyCode::KeyH, 'h'),
    (KeyCode::KeyI, 'i'),
    (KeyCode::KeyJ, 'j'),
    (KeyCode::KeyK, 'k'),
    (KeyCode::KeyL, 'l'),
    (KeyCode::KeyM, 'm'),
    (KeyCode::KeyN, 'n'),
    (KeyCode::KeyO, 'o'),
    (KeyCode::KeyP, 'p'),
    (KeyCode::KeyQ, 'q'),
    (KeyCode::KeyR, 'r'),
    (KeyCode::KeyS, 's'),
    (KeyCode::KeyT, 't'),
    (KeyCode::KeyU, 'u'),
    (KeyCode::KeyV, 'v'),
    (KeyCode::KeyW, 'w'),
    (KeyCode::KeyX, 'x'),
    (KeyCode::KeyY, 'y'),
    (KeyCode::KeyZ, 'z'),
];

/// The number of a mouse button; Quake counts left, right, middle.
pub fn button_number(button: MouseButton) -> Option<u16> {
    match button {
        MouseButton::Left => Some(keys::MOUSE1),
        MouseButton::Right => Some(keys::MOUSE2),
        MouseButton::Middle => Some(keys::MOUSE3),
        MouseButton::Back => Some(keys::MOUSE4),
        MouseButton::Forward => Some(keys::MOUSE5),
        MouseButton::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_one_number_below_the_limit() {
        for (code, number) in NAMED.iter().chain(NUMPAD) {
            assert!(*number < keys::KEY_COUNT, "{code:?}");
            assert_eq!(
                by_place(*code),
                Some(*number),
                "{code:?} stands in two tables"
            );
        }
        assert_eq!(by_place(KeyCode::F12), Some(156));
        assert_eq!(by_place(KeyCode::KeyW), Some(u16::from(b'w')));
        assert_eq!(by_place(KeyCode::AudioVolumeUp), None);
    }

    #[test]
    fn letters_follow_the_layout_and_ignore_shift() {
        assert_eq!(letter(&Key::Character("W".into())), Some(u16::from(b'w')));
        assert_eq!(letter(&Key::Character("ж".into())), None);
        assert_eq!(letter(&Key::Character("!".into())), None);
    }
}
