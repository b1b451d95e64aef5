//! How cvars work: values with a default, flags, a range and a sentence of help.

use std::{collections::BTreeMap, fmt};

/// Bits of [`Cvar::flags`].
pub mod flag {
    /// Kept in the config file.
    pub const ARCHIVE: u16 = 1;
    /// Part of the userinfo: a change is told to the server.
    pub const USERINFO: u16 = 2;
    /// Cannot be changed by hand.
    pub const READ_ONLY: u16 = 4;
    /// Can only be set on the command line.
    pub const INIT: u16 = 8;
    /// Can only be changed where the server allows cheats.
    pub const CHEAT: u16 = 32;
    /// Made by the user with `set`.
    pub const USER_CREATED: u16 = 64;
    /// Holds a secret: never printed by lists, never archived.
    pub const SECRET: u16 = 128;
    /// The value of a game rule, told by the server.
    pub const SERVER: u16 = 256;
}

/// Longest name or value that the console accepts, in bytes.
pub const MAX_CVAR_TEXT: usize = 1023;
/// More user-made cvars than this are refused, so that a script cannot fill memory.
const MAX_CVARS: usize = 2048;

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    Text,
    Number {
        min: f32,
        max: f32,
    },
    Integer {
        min: i32,
        max: i32,
    },
    /// The word `auto`, or a whole number.
    AutoOrInteger {
        min: i32,
        max: i32,
    },
}

/// The word that leaves a choice to the program.
const AUTO: &str = "auto";

/// One entry of the table in `cvars.rs`.
#[derive(Clone, Copy, Debug)]
pub struct CvarDef {
    pub name: &'static str,
    pub default: &'static str,
    pub flags: u16,
    pub domain: Domain,
    pub help: &'static str,
}

/// A named value.
#[derive(Clone, Debug)]
pub struct Cvar {
    name: String,
    value: String,
    default: String,
    flags: u16,
    domain: Domain,
    help: &'static str,
    number: f32,
}

impl Cvar {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn value(&self) -> &str {
        &self.value
    }

    pub fn default_value(&self) -> &str {
        &self.default
    }

    pub fn flags(&self) -> u16 {
        self.flags
    }

    pub fn domain(&self) -> Domain {
        self.domain
    }

    pub fn help(&self) -> &'static str {
        self.help
    }

    /// The value read as a number; text without one is 0.
    pub fn number(&self) -> f32 {
        self.number
    }

    pub fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    fn store(&mut self, value: String) {
        self.number = leading_number(&value);
        self.value = value;
    }
}

/// Why a cvar kept its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetError {
    ReadOnly(String),
    InitOnly(String),
    CheatProtected(String),
    BadName(String),
    TooLong(String),
    TooMany,
    Unknown(String),
    NotUserCreated(String),
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadOnly(name) => write!(f, "{name} is read only"),
            Self::InitOnly(name) => write!(f, "{name} can only be set on the command line"),
            Self::CheatProtected(name) => write!(
                f,
                "{name} is cheat protected: the server does not allow cheats"
            ),
            Self::BadName(name) => write!(f, "\"{name}\" cannot be the name of a cvar"),
            Self::TooLong(name) => write!(f, "{name}: at most {MAX_CVAR_TEXT} characters"),
            Self::TooMany => write!(f, "there are already {MAX_CVARS} cvars; unset some first"),
            Self::Unknown(name) => write!(f, "there is no cvar {name}"),
            Self::NotUserCreated(name) => {
                write!(f, "{name} belongs to the program; try reset {name}")
            }
        }
    }
}

impl std::error::Error for SetError {}

/// What came of setting a cvar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetOutcome {
    Unchanged,
    Changed,
    /// Taken, but moved into its domain; the text says how.
    Adjusted(String),
}

/// All cvars, by name without regard to case.
#[derive(Clone, Debug)]
pub struct Cvars {
    by_name: BTreeMap<String, Cvar>,
    allows_cheats: bool,
    generation: u64,
    archive_generation: u64,
    userinfo_generation: u64,
}

impl Cvars {
    /// The cvars of `table` with their defaults.
    pub fn new(table: &[CvarDef]) -> Self {
        let by_name = table
            .iter()
            .map(|def| {
                let cvar = Cvar {
                    name: def.name.to_owned(),
                    value: def.default.to_owned(),
                    default: def.default.to_owned(),
                    flags: def.flags,
                    domain: def.domain,
                    help: def.help,
                    number: leading_number(def.default),
                };
                (def.name.to_ascii_lowercase(), cvar)
            })
            .collect();
        Self {
            by_name,
            allows_cheats: true,
            generation: 1,
            archive_generation: 0,
            userinfo_generation: 1,
        }
    }

    pub fn get(&self, name: &str) -> Option<&Cvar> {
        if name.bytes().any(|b| b.is_ascii_uppercase()) {
            self.by_name.get(&name.to_ascii_lowercase())
        } else {
            self.by_name.get(name)
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Cvar> {
        self.by_name.values()
    }

    /// The text of a cvar; empty if there is none of this name.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).map_or("", Cvar::value)
    }

    pub fn number(&self, name: &str) -> f32 {
        self.get(name).map_or(0.0, Cvar::number)
    }

    pub fn integer(&self, name: &str) -> i32 {
        self.number(name) as i32
    }

    /// The number that the player chose; none if it is left to the program.
    pub fn chosen_integer(&self, name: &str) -> Option<i32> {
        (self.text(name) != AUTO).then(|| self.integer(name))
    }

    /// True if the value is a number other than 0.
    pub fn is_on(&self, name: &str) -> bool {
        self.integer(name) != 0
    }

    /// Grows with every change, so that settings are only made anew when needed.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Grows with every change of something that the config file keeps.
    pub fn archive_generation(&self) -> u64 {
        self.archive_generation
    }

    /// Grows with every change of something that the server is told.
    pub fn userinfo_generation(&self) -> u64 {
        self.userinfo_generation
    }

    /// Sets as a user does: flags are obeyed, the domain is enforced, unknown names are created.
    pub fn set(&mut self, name: &str, value: &str) -> Result<SetOutcome, SetError> {
        self.check_text(name, value)?;
        let allows_cheats = self.allows_cheats;
        let Some(cvar) = self.by_name.get_mut(&name.to_ascii_lowercase()) else {
            return self.create(name, value);
        };
        let (value, adjustment) = fit(cvar, value);
        if value == cvar.value {
            return Ok(adjustment.map_or(SetOutcome::Unchanged, SetOutcome::Adjusted));
        }
        if cvar.has(flag::READ_ONLY) {
            return Err(SetError::ReadOnly(cvar.name.clone()));
        }
        if cvar.has(flag::INIT) {
            return Err(SetError::InitOnly(cvar.name.clone()));
        }
        if cvar.has(flag::CHEAT) && !allows_cheats {
            return Err(SetError::CheatProtected(cvar.name.clone()));
        }
        let flags = cvar.flags;
        cvar.store(value);
        self.touch(flags);
        Ok(adjustment.map_or(SetOutcome::Changed, SetOutcome::Adjusted))
    }

    /// Sets from inside the program or from the command line: flags do not hinder.
    pub fn force(&mut self, name: &str, value: &str) {
        let key = name.to_ascii_lowercase();
        if let Some(cvar) = self.by_name.get_mut(&key) {
            let (value, _) = fit(cvar, value);
            if cvar.value != value {
                let flags = cvar.flags;
                cvar.store(value);
                self.touch(flags);
            }
        } else if self.check_text(name, value).is_ok() {
            // A name that cannot be created is refused by `create`, and there is nobody to tell.
            let _ = self.create(name, value);
        }
    }

    /// Adds flags, as `seta`, `setu` do; secrets are told and kept only as the program does that.
    pub fn add_flags(&mut self, name: &str, flags: u16) {
        let cvar = self.by_name.get_mut(&name.to_ascii_lowercase());
        if let Some(cvar) = cvar.filter(|cvar| !cvar.has(flag::SECRET)) {
            cvar.flags |= flags;
            self.touch(flags);
        }
    }

    /// Back to the default, as the user may.
    pub fn reset(&mut self, name: &str) -> Result<SetOutcome, SetError> {
        let unknown = || SetError::Unknown(name.to_owned());
        let default = self.get(name).ok_or_else(unknown)?.default.clone();
        self.set(name, &default)
    }

    /// Forgets a cvar that the user made.
    pub fn unset(&mut self, name: &str) -> Result<(), SetError> {
        let key = name.to_ascii_lowercase();
        match self.by_name.get(&key) {
            None => Err(SetError::Unknown(name.to_owned())),
            Some(cvar) if !cvar.has(flag::USER_CREATED) => {
                Err(SetError::NotUserCreated(cvar.name.clone()))
            }
            Some(cvar) => {
                let flags = cvar.flags;
                self.by_name.remove(&key);
                self.touch(flags);
                Ok(())
            }
        }
    }

    /// All back to their defaults; those that users may not touch stay.
    pub fn restart(&mut self) {
        self.by_name.retain(|_, cvar| !cvar.has(flag::USER_CREATED));
        self.reset_all(|cvar| !cvar.has(flag::READ_ONLY | flag::INIT));
        self.touch(flag::ARCHIVE | flag::USERINFO);
    }

    /// Says whether the server allows cheats; without, protected cvars fall back to their defaults.
    pub fn set_cheats(&mut self, allowed: bool) {
        if self.allows_cheats == allowed {
            return;
        }
        self.allows_cheats = allowed;
        if !allowed {
            self.reset_all(|cvar| cvar.has(flag::CHEAT));
        }
    }

    fn reset_all(&mut self, is_meant: impl Fn(&Cvar) -> bool) {
        let meant = self.by_name.values().filter(|cvar| is_meant(cvar));
        let changed: Vec<(String, String)> = meant
            .filter(|cvar| cvar.value != cvar.default)
            .map(|cvar| (cvar.name.clone(), cvar.default.clone()))
            .collect();
        for (name, default) in changed {
            self.force(&name, &default);
        }
    }

    fn check_text(&self, name: &str, value: &str) -> Result<(), SetError> {
        let is_good = !name.is_empty()
            && name.len() <= 64
            && !name
                .bytes()
                .any(|b| b <= b' ' || matches!(b, b'\\' | b'"' | b';'));
        if !is_good {
            return Err(SetError::BadName(name.chars().take(64).collect()));
        }
        if value.len() > MAX_CVAR_TEXT {
            return Err(SetError::TooLong(name.to_owned()));
        }
        Ok(())
    }

    fn create(&mut self, name: &str, value: &str) -> Result<SetOutcome, SetError> {
        if self.by_name.len() >= MAX_CVARS {
            return Err(SetError::TooMany);
        }
        let cvar = Cvar {
            name: name.to_owned(),
            value: value.to_owned(),
            default: value.to_owned(),
            flags: if is_secret_name(name) {
                flag::USER_CREATED | flag::SECRET
            } else {
                flag::USER_CREATED
            },
            domain: Domain::Text,
            help: "",
            number: leading_number(value),
        };
        self.by_name.insert(name.to_ascii_lowercase(), cvar);
        self.touch(flag::USER_CREATED);
        Ok(SetOutcome::Changed)
    }

    fn touch(&mut self, flags: u16) {
        self.generation += 1;
        if flags & flag::ARCHIVE != 0 {
            self.archive_generation += 1;
        }
        if flags & flag::USERINFO != 0 {
            self.userinfo_generation += 1;
        }
    }
}

/// Moves a value into the domain of its cvar; the text says what was wrong.
fn fit(cvar: &Cvar, value: &str) -> (String, Option<String>) {
    let (min, max, is_integer) = match cvar.domain {
        Domain::Text => return (value.to_owned(), None),
        Domain::Number { min, max } => (min, max, false),
        Domain::AutoOrInteger { .. } if value.trim().eq_ignore_ascii_case(AUTO) => {
            return (AUTO.to_owned(), None);
        }
        Domain::Integer { min, max } | Domain::AutoOrInteger { min, max } => {
            (min as f32, max as f32, true)
        }
    };
    let name = &cvar.name;
    let Some(number) = whole_number_prefix(value) else {
        let default = cvar.default.clone();
        let told = format!("{name}: \"{value}\" is not a number; it is now {default}");
        return (default, Some(told));
    };
    let wanted = if is_integer { number.trunc() } else { number };
    let fitting = wanted.clamp(min, max);
    if fitting == number {
        return (value.to_owned(), None);
    }
    let text = format!("{fitting}");
    let told = format!("{name}: {value} is not within {min} to {max}; it is now {text}");
    (text, Some(told))
}

fn whole_number_prefix(value: &str) -> Option<f32> {
    let number: f32 = value.trim().parse().ok()?;
    number.is_finite().then_some(number)
}

/// Parts of the names that programs give to secrets.
const SECRET_WORDS: [&str; 5] = ["password", "passwd", "cdkey", "cd_key", "secret"];

/// Whether a cvar of this name holds a secret, even if nobody but the player knows it.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// The number that a text starts with, else 0.
pub fn leading_number(text: &str) -> f32 {
    let text = text.trim_start();
    let mut end = 0;
    let mut has_digit = false;
    for (i, b) in text.bytes().enumerate() {
        match b {
            b'0'..=b'9' => has_digit = true,
            b'+' | b'-' if i == 0 => {}
            b'.' if !text[..i].contains('.') => {}
            _ => break,
        }
        end = i + 1;
    }
    if !has_digit {
        return 0.0;
    }
    text[..end].parse().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn def(name: &'static str, default: &'static str, flags: u16, domain: Domain) -> CvarDef {
        CvarDef {
            name,
            default,
            flags,
            domain,
            help: "",
        }
    }

    const fn number(min: f32, max: f32) -> Domain {
        Domain::Number { min, max }
    }

    const USERINFO: u16 = flag::ARCHIVE | flag::USERINFO;
    const TABLE: &[CvarDef] = &[
        def("cg_fov", "90", flag::ARCHIVE, number(1.0, 160.0)),
        def("name", "UnnamedPlayer", USERINFO, Domain::Text),
        def("cg_gunX", "0", flag::CHEAT, number(-100.0, 100.0)),
        def("version", "strafe", flag::READ_ONLY, Domain::Text),
    ];

    #[test]
    fn names_ignore_case_and_values_are_kept_in_range() {
        let mut cvars = Cvars::new(TABLE);
        assert_eq!(cvars.set("CG_FOV", "110"), Ok(SetOutcome::Changed));
        assert_eq!(cvars.number("cg_fov"), 110.0);
        assert!(matches!(
            cvars.set("cg_fov", "500"),
            Ok(SetOutcome::Adjusted(_))
        ));
        assert_eq!(cvars.text("cg_fov"), "160");
        assert!(matches!(
            cvars.set("cg_fov", "wide"),
            Ok(SetOutcome::Adjusted(_))
        ));
        assert_eq!(cvars.text("cg_fov"), "90");
    }

    #[test]
    fn protected_cvars_refuse() {
        let mut cvars = Cvars::new(TABLE);
        let read_only = SetError::ReadOnly("version".into());
        assert_eq!(cvars.set("version", "x"), Err(read_only));
        assert_eq!(cvars.set("cg_gunX", "5"), Ok(SetOutcome::Changed));
        cvars.set_cheats(false);
        assert_eq!(cvars.text("cg_gunx"), "0");
        let protected = SetError::CheatProtected("cg_gunX".into());
        assert_eq!(cvars.set("cg_gunx", "5"), Err(protected));
        assert!(matches!(cvars.set("a;b", "1"), Err(SetError::BadName(_))));
        assert!(matches!(
            cvars.set("a", &"x".repeat(2000)),
            Err(SetError::TooLong(_))
        ));
    }

    #[test]
    fn userinfo_changes_are_counted_once_per_change() {
        let mut cvars = Cvars::new(TABLE);
        let before = cvars.userinfo_generation();
        cvars.set("name", "Visor").unwrap();
        cvars.set("name", "Visor").unwrap();
        cvars.set("cg_fov", "100").unwrap();
        assert_eq!(cvars.userinfo_generation(), before + 1);
    }

    #[test]
    fn user_created_cvars_come_and_go() {
        let mut cvars = Cvars::new(TABLE);
        cvars.set("jump", "+moveup").unwrap();
        assert_eq!(cvars.text("jump"), "+moveup");
        assert!(matches!(
            cvars.unset("cg_fov"),
            Err(SetError::NotUserCreated(_))
        ));
        cvars.unset("jump").unwrap();
        assert!(cvars.get("jump").is_none());
        for i in 0..5000 {
            let _ = cvars.set(&format!("v{i}"), "1");
        }
        assert_eq!(cvars.set("onemore", "1"), Err(SetError::TooMany));
    }

    #[test]
    fn numbers_are_read_from_the_front() {
        assert_eq!(leading_number("  12.5x"), 12.5);
        assert_eq!(leading_number("-3"), -3.0);
        assert_eq!(leading_number("abc"), 0.0);
        assert_eq!(leading_number("."), 0.0);
        assert_eq!(leading_number("1.2.3"), 1.2);
    }
}
