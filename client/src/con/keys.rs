//! Names of keys and their numbers, as configs and binds know them.

/// One more than the highest key number.
pub const KEY_COUNT: u16 = 371;

pub const GRAVE: u16 = b'`' as u16;
pub const TILDE: u16 = b'~' as u16;
/// The first of each row of `ROWS`.
pub const F1: u16 = 145;
pub const JOY1: u16 = 185;
pub const AUX1: u16 = 217;
const WORLD_0: u16 = 233;
pub const SUPER: u16 = WINDOWS;

/// Makes a constant of each key, and the table of their names.
macro_rules! keys {
    ($($name:ident = $number:expr;)*) => {
        $(pub const $name: u16 = $number;)*

        const NAMED: &[(&str, u16)] = &[$((stringify!($name), $name)),*];
    };
}

keys! {
    TAB = 9;
    ENTER = 13;
    ESCAPE = 27;
    SPACE = 32;
    BACKSPACE = 127;
    COMMAND = 128;
    CAPSLOCK = 129;
    POWER = 130;
    PAUSE = 131;
    UPARROW = 132;
    DOWNARROW = 133;
    LEFTARROW = 134;
    RIGHTARROW = 135;
    ALT = 136;
    CTRL = 137;
    SHIFT = 138;
    INS = 139;
    DEL = 140;
    PGDN = 141;
    PGUP = 142;
    HOME = 143;
    END = 144;
    KP_HOME = 160;
    KP_UPARROW = 161;
    KP_PGUP = 162;
    KP_LEFTARROW = 163;
    KP_5 = 164;
    KP_RIGHTARROW = 165;
    KP_END = 166;
    KP_DOWNARROW = 167;
    KP_PGDN = 168;
    KP_ENTER = 169;
    KP_INS = 170;
    KP_DEL = 171;
    KP_SLASH = 172;
    KP_MINUS = 173;
    KP_PLUS = 174;
    KP_NUMLOCK = 175;
    KP_STAR = 176;
    KP_EQUALS = 177;
    MOUSE1 = 178;
    MOUSE2 = 179;
    MOUSE3 = 180;
    MOUSE4 = 181;
    MOUSE5 = 182;
    MWHEELDOWN = 183;
    MWHEELUP = 184;
    WINDOWS = 329;
    COMPOSE = 330;
    MODE = 331;
    HELP = 332;
    PRINT = 333;
    SYSREQ = 334;
    SCROLLOCK = 335;
    BREAK = 336;
    MENU = 337;
    EURO = 338;
    UNDO = 339;
    PAD0_A = 340;
    PAD0_B = 341;
    PAD0_X = 342;
    PAD0_Y = 343;
    PAD0_BACK = 344;
    PAD0_GUIDE = 345;
    PAD0_START = 346;
    PAD0_LEFTSTICK_CLICK = 347;
    PAD0_RIGHTSTICK_CLICK = 348;
    PAD0_LEFTSHOULDER = 349;
    PAD0_RIGHTSHOULDER = 350;
    PAD0_DPAD_UP = 351;
    PAD0_DPAD_DOWN = 352;
    PAD0_DPAD_LEFT = 353;
    PAD0_DPAD_RIGHT = 354;
    PAD0_LEFTSTICK_LEFT = 355;
    PAD0_LEFTSTICK_RIGHT = 356;
    PAD0_LEFTSTICK_UP = 357;
    PAD0_LEFTSTICK_DOWN = 358;
    PAD0_RIGHTSTICK_LEFT = 359;
    PAD0_RIGHTSTICK_RIGHT = 360;
    PAD0_RIGHTSTICK_UP = 361;
    PAD0_RIGHTSTICK_DOWN = 362;
    PAD0_LEFTTRIGGER = 363;
    PAD0_RIGHTTRIGGER = 364;
    PAD0_MISC1 = 365;
    PAD0_PADDLE1 = 366;
    PAD0_PADDLE2 = 367;
    PAD0_PADDLE3 = 368;
    PAD0_PADDLE4 = 369;
    PAD0_TOUCHPAD = 370;
    SEMICOLON = b';' as u16;
}

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
