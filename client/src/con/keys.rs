//! Names of keys and their numbers, as configs and binds know them.

/// One more than the highest key number.
pub const KEY_COUNT: u16 = 371;

pub const TAB: u16 = 9;
pub const ENTER: u16 = 13;
pub const ESCAPE: u16 = 27;
pub const SPACE: u16 = 32;
pub const GRAVE: u16 = b'`' as u16;
pub const TILDE: u16 = b'~' as u16;
pub const BACKSPACE: u16 = 127;
pub const COMMAND: u16 = 128;
pub const CAPSLOCK: u16 = 129;
pub const PAUSE: u16 = 131;
pub const UPARROW: u16 = 132;
pub const DOWNARROW: u16 = 133;
pub const LEFTARROW: u16 = 134;
pub const RIGHTARROW: u16 = 135;
pub const ALT: u16 = 136;
pub const CTRL: u16 = 137;
pub const SHIFT: u16 = 138;
pub const INS: u16 = 139;
pub const DEL: u16 = 140;
pub const PGDN: u16 = 141;
pub const PGUP: u16 = 142;
pub const HOME: u16 = 143;
pub const END: u16 = 144;
pub const F1: u16 = 145;
pub const KP_HOME: u16 = 160;
pub const KP_UPARROW: u16 = 161;
pub const KP_PGUP: u16 = 162;
pub const KP_LEFTARROW: u16 = 163;
pub const KP_5: u16 = 164;
pub const KP_RIGHTARROW: u16 = 165;
pub const KP_END: u16 = 166;
pub const KP_DOWNARROW: u16 = 167;
pub const KP_PGDN: u16 = 168;
pub const KP_ENTER: u16 = 169;
pub const KP_INS: u16 = 170;
pub const KP_DEL: u16 = 171;
pub const KP_SLASH: u16 = 172;
pub const KP_MINUS: u16 = 173;
pub const KP_PLUS: u16 = 174;
pub const KP_NUMLOCK: u16 = 175;
pub const KP_STAR: u16 = 176;
pub const KP_EQUALS: u16 = 177;
pub const MOUSE1: u16 = 178;
pub const MOUSE2: u16 = 179;
pub const MOUSE3: u16 = 180;
pub const MOUSE4: u16 = 181;
pub const MOUSE5: u16 = 182;
pub const MWHEELDOWN: u16 = 183;
pub const MWHEELUP: u16 = 184;
pub const JOY1: u16 = 185;
pub const AUX1: u16 = 217;
const WORLD_0: u16 = 233;
pub const SUPER: u16 = 329;
pub const MENU: u16 = 337;
/// Followed by right, up and down, and the same of the right stick.
pub const PAD0_LEFTSTICK_LEFT: u16 = 355;
pub const PAD0_A: u16 = 340;
/// Followed by down, left and right.
pub const PAD0_DPAD_UP: u16 = 351;

const NAMED: &[(&str, u16)] = &[
    ("TAB", TAB),
    ("ENTER", ENTER),
    ("ESCAPE", ESCAPE),
    ("SPACE", SPACE),
    ("BACKSPACE", BACKSPACE),
    ("COMMAND", COMMAND),
    ("CAPSLOCK", CAPSLOCK),
    ("POWER", 130),
    ("PAUSE", PAUSE),
    ("UPARROW", UPARROW),
    ("DOWNARROW", DOWNARROW),
    ("LEFTARROW", LEFTARROW),
    ("RIGHTARROW", RIGHTARROW),
    ("ALT", ALT),
    ("CTRL", CTRL),
    ("SHIFT", SHIFT),
    ("INS", INS),
    ("DEL", DEL),
    ("PGDN", PGDN),
    ("PGUP", PGUP),
    ("HOME", HOME),
    ("END", END),
    ("KP_HOME", KP_HOME),
    ("KP_UPARROW", KP_UPARROW),
    ("KP_PGUP", KP_PGUP),
    ("KP_LEFTARROW", KP_LEFTARROW),
    ("KP_5", KP_5),
    ("KP_RIGHTARROW", KP_RIGHTARROW),
    ("KP_END", KP_END),
    ("KP_DOWNARROW", KP_DOWNARROW),
    ("KP_PGDN", KP_PGDN),
    ("KP_ENTER", KP_ENTER),
    ("KP_INS", KP_INS),
    ("KP_DEL", KP_DEL),
    ("KP_SLASH", KP_SLASH),
    ("KP_MINUS", KP_MINUS),
    ("KP_PLUS", KP_PLUS),
    ("KP_NUMLOCK", KP_NUMLOCK),
    ("KP_STAR", KP_STAR),
    ("KP_EQUALS", KP_EQUALS),
    ("MOUSE1", MOUSE1),
    ("MOUSE2", MOUSE2),
    ("MOUSE3", MOUSE3),
    ("MOUSE4", MOUSE4),
    ("MOUSE5", MOUSE5),
    ("MWHEELDOWN", MWHEELDOWN),
    ("MWHEELUP", MWHEELUP),
    ("WINDOWS", SUPER),
    ("COMPOSE", 330),
    ("MODE", 331),
    ("HELP", 332),
    ("PRINT", 333),
    ("SYSREQ", 334),
    ("SCROLLOCK", 335),
    ("BREAK", 336),
    ("MENU", MENU),
    ("EURO", 338),
    ("UNDO", 339),
    ("PAD0_A", PAD0_A),
    ("PAD0_B", 341),
    ("PAD0_X", 342),
    ("PAD0_Y", 343),
    ("PAD0_BACK", 344),
    ("PAD0_GUIDE", 345),
    ("PAD0_START", 346),
    ("PAD0_LEFTSTICK_CLICK", 347),
    ("PAD0_RIGHTSTICK_CLICK", 348),
    ("PAD0_LEFTSHOULDER", 349),
    ("PAD0_RIGHTSHOULDER", 350),
    ("PAD0_DPAD_UP", PAD0_DPAD_UP),
    ("PAD0_DPAD_DOWN", 352),
    ("PAD0_DPAD_LEFT", 353),
    ("PAD0_DPAD_RIGHT", 354),
    ("PAD0_LEFTSTICK_LEFT", PAD0_LEFTSTICK_LEFT),
    ("PAD0_LEFTSTICK_RIGHT", 356),
    ("PAD0_LEFTSTICK_UP", 357),
    ("PAD0_LEFTSTICK_DOWN", 358),
    ("PAD0_RIGHTSTICK_LEFT", 359),
    ("PAD0_RIGHTSTICK_RIGHT", 360),
    ("PAD0_RIGHTSTICK_UP", 361),
    ("PAD0_RIGHTSTICK_DOWN", 362),
    ("PAD0_LEFTTRIGGER", 363),
    ("PAD0_RIGHTTRIGGER", 364),
    ("PAD0_MISC1", 365),
    ("PAD0_PADDLE1", 366),
    ("PAD0_PADDLE2", 367),
    ("PAD0_PADDLE3", 368),
    ("PAD0_PADDLE4", 369),
    ("PAD0_TOUCHPAD", 370),
    ("SEMICOLON", b';' as u16),
];

/// Keys that are numbered in a row: prefix, first number of the name, key number, how many.
const ROWS: &[(&str, u16, u16, u16)] = &[
    ("F", 1, F1, 15),
    ("JOY", 1, JOY1, 32),
    ("AUX", 1, AUX1, 16),
    ("WORLD_", 0, WORLD_0, 96),
];

/// The number of a key by its name: a character, a name, or `0x` and two hexadecimal digits.
pub fn number(name: &str) -> Option<u16> {
    if let [byte] = name.as_bytes() {
        return byte
            .is_ascii_graphic()
            .then(|| u16::from(byte.to_ascii_lowercase()));
    }
    if let Some(hex) = name.strip_prefix("0x").or_else(|| name.strip_prefix("0X")) {
        return u16::from_str_radix(hex, 16)
            .ok()
            .filter(|&key| key < KEY_COUNT);
    }
    if let Some((_, key)) = NAMED
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
    {
        return Some(*key);
    }
    let upper = name.to_ascii_uppercase();
    ROWS.iter().find_map(|&(prefix, first, start, count)| {
        let digits = upper.strip_prefix(prefix)?;
        let index = digits.parse::<u16>().ok()?.checked_sub(first)?;
        (index < count && !digits.starts_with('+')).then_some(start + index)
    })
}

/// The name of a key, as configs write it.
pub fn name(key: u16) -> String {
    if let Some((name, _)) = NAMED.iter().find(|&&(_, number)| number == key) {
        return (*name).to_owned();
    }
    if let Some(&(prefix, first, start, _)) = ROWS
        .iter()
        .find(|&&(_, _, start, count)| (start..start + count).contains(&key))
    {
        return format!("{prefix}{}", key - start + first);
    }
    match u8::try_from(key) {
        Ok(byte) if byte.is_ascii_graphic() && byte != b'"' => char::from(byte).to_string(),
        _ => format!("0x{key:02x}"),
    }
}

/// All names that a key can be called by, for completion.
pub fn names() -> impl Iterator<Item = String> {
    (0..KEY_COUNT)
        .map(name)
        .filter(|name| !name.starts_with("0x"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_by_its_name() {
        for key in 1..KEY_COUNT {
            if (b'A'..=b'Z').map(u16::from).any(|upper| upper == key) {
                continue; // Capital letters share the key of the small ones.
            }
            assert_eq!(number(&name(key)), Some(key), "{}", name(key));
        }
    }

    #[test]
    fn names_are_those_of_old_configs() {
        assert_eq!(number("mouse1"), Some(178));
        assert_eq!(number("F15"), Some(159));
        assert_eq!(number("JOY32"), Some(216));
        assert_eq!(number("AUX16"), Some(232));
        assert_eq!(number("WORLD_95"), Some(328));
        assert_eq!(number("W"), Some(u16::from(b'w')));
        assert_eq!(number("0x7e"), Some(TILDE));
        assert_eq!(number("F16"), None);
        assert_eq!(number("nosuchkey"), None);
        assert_eq!(name(b';'.into()), "SEMICOLON");
    }
}
