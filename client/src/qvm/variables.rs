//! Variables: a module's copies of cvars, and which of them it may see and set.

use super::layout::{Fields, bytes_of};
use crate::con::cvar::{Cvars, flag, leading_number};
use shared::base::text::number;
use vm::{Memory, Trap};

/// Bits that modules pass when they register a variable.
mod wanted {
    pub(super) const ARCHIVE: i32 = 1;
    pub(super) const USERINFO: i32 = 2;
    pub(super) const READ_ONLY: i32 = 0x40;
    pub(super) const CHEAT: i32 = 0x200;
}

const COPY_BYTES: u32 = 272;
const TEXT_BYTES: usize = 256;
/// Real modules have up to 330.
const MAX_VARIABLES: usize = 2048;

/// The variable by which modules ask whether there is more than the usual system calls.
const GET_VALUE: &str = "//trap_GetValue";
/// The number of the system call that it names.
pub const GET_VALUE_CALL: u32 = 700;

/// Beginnings of names that belong to the player, not to mods: what runs, files, and what one pays for.
const PROTECTED: &[&str] = &[
    "cl_allowdownload",
    "cl_guid",
    "cl_curl",
    "com_",
    "fs_",
    "logfile",
    "net_",
    "rcon",
    "vm_",
];

/// The variables of one module.
#[derive(Debug, Default)]
pub struct Variables {
    registered: Vec<Variable>,
}

#[derive(Debug)]
struct Variable {
    name: String,
    value: String,
    changes: i32,
    /// All cvars were as old as this when the value was read.
    generation: u64,
    own: Option<OwnValue>,
}

/// What a module sees instead of a cvar's value, until that changes: what it begins with itself while the player has
/// chosen nothing, and what it has set although Strafe's own cgame knows no such value.
#[derive(Debug)]
struct OwnValue {
    seen: String,
    instead_of: String,
}

/// Beginning of the names of a game's own settings, which each game begins with as it likes.
const GAME_SETTINGS: &str = "cg_";

impl Variables {
    /// Creates a cvar where there is none, and ties the module's copy to it.
    ///
    /// # Errors
    /// If there are too many.
    pub fn register(
        &mut self,
        cvars: &mut Cvars,
        (name, default): (&str, &str),
        flags: i32,
    ) -> Result<i32, Trap> {
        if cvars.get(name).is_none() {
            cvars.force(name, default);
        }
        // What the program has made keeps its own flags.
        let is_free = cvars
            .get(name)
            .is_some_and(|cvar| cvar.has(flag::USER_CREATED));
        if is_free && flags & wanted::READ_ONLY != 0 && flags & wanted::ARCHIVE == 0 {
            cvars.force(name, default);
        }
        let mut added = 0;
        for (bit, own) in [
            (wanted::ARCHIVE, flag::ARCHIVE),
            (wanted::USERINFO, flag::USERINFO),
            (wanted::CHEAT, flag::CHEAT),
        ] {
            let has = cvars.get(name).is_some_and(|cvar| cvar.has(own));
            if is_free && flags & bit != 0 && !has {
                added |= own;
            }
        }
        if added != 0 {
            cvars.add_flags(name, added);
        }
        let known = |variable: &Variable| variable.name.eq_ignore_ascii_case(name);
        if let Some(handle) = self.registered.iter().position(known) {
            return Ok(handle as i32);
        }
        if self.registered.len() >= MAX_VARIABLES {
            let told = format!("it registers more than {MAX_VARIABLES} variables");
            return Err(Trap::Host(told));
        }
        let name = name.to_ascii_lowercase();
        let begins = cvars
            .get(&name)
            .filter(|_| !is_free && name.starts_with(GAME_SETTINGS));
        self.registered.push(Variable {
            own: begins.map(|cvar| OwnValue {
                seen: default.to_owned(),
                instead_of: cvar.default_value().to_owned(),
            }),
            name,
            value: String::new(),
            changes: 0,
            generation: 0,
        });
        Ok(self.registered.len() as i32 - 1)
    }

    /// Writes the first copy of a variable.
    ///
    /// # Errors
    /// If it does not lie in the module's memory.
    pub fn attach(
        &mut self,
        cvars: &Cvars,
        memory: &mut Memory<'_>,
        address: u32,
        handle: i32,
    ) -> Result<(), Trap> {
        memory.write_i32(address, handle);
        memory.write_i32(address.wrapping_add(4), -1);
        self.update(cvars, memory, address)
    }

    /// Renews a copy if the variable has changed since.
    ///
    /// # Errors
    /// If the copy names no variable, or does not lie in the module's memory.
    pub fn update(
        &mut self,
        cvars: &Cvars,
        memory: &mut Memory<'_>,
        address: u32,
    ) -> Result<(), Trap> {
        let handle = memory.read_i32(address);
        let variable = usize::try_from(handle).ok();
        let variable = variable.and_then(|handle| self.registered.get_mut(handle));
        let Some(variable) = variable else {
            return Err(Trap::Host(format!("variable {handle} is not registered")));
        };
        variable.follow(cvars);
        if memory.read_i32(address.wrapping_add(4)) == variable.changes {
            return Ok(());
        }
        let mut fields = Fields(memory.slice_mut(address, COPY_BYTES)?);
        fields.i32(4, variable.changes);
        fields.f32(8, leading_number(&variable.value));
        fields.i32(12, number(&variable.value));
        fields.text(16, TEXT_BYTES, &bytes_of(&variable.value));
        Ok(())
    }

    /// The text of a variable for a module; empty for secrets.
    pub fn text(&self, cvars: &Cvars, name: &str) -> String {
        if name.eq_ignore_ascii_case(GET_VALUE) {
            return GET_VALUE_CALL.to_string();
        }
        let known = |variable: &&Variable| variable.name.eq_ignore_ascii_case(name);
        let registered = self.registered.iter().find(known);
        let own = registered.and_then(|variable| variable.own.as_ref());
        value_of(cvars, name, own).to_owned()
    }

    /// Sets a variable, or back to its default; false if it is none of the module's.
    pub fn set(&mut self, cvars: &mut Cvars, name: &str, value: Option<&str>) -> bool {
        if is_refused(cvars, name) {
            return false;
        }
        match value {
            Some(value) => {
                cvars.force(name, value);
                let known = |variable: &&mut Variable| variable.name.eq_ignore_ascii_case(name);
                if let Some(variable) = self.registered.iter_mut().find(known) {
                    let kept = cvars.get(name).filter(|cvar| cvar.value() != value);
                    variable.own = kept.map(|cvar| OwnValue {
                        seen: value.to_owned(),
                        instead_of: cvar.value().to_owned(),
                    });
                    // Its copy is read anew, even where the cvar stays as it was.
                    variable.generation = 0;
                }
            }
            None => {
                let default = cvars.get(name).map(|cvar| cvar.default_value().to_owned());
                if let Some(default) = default {
                    cvars.force(name, &default);
                }
            }
        }
        true
    }
}

impl Variable {
    fn follow(&mut self, cvars: &Cvars) {
        if self.generation == cvars.generation() {
            return;
        }
        self.generation = cvars.generation();
        let value = value_of(cvars, &self.name, self.own.as_ref());
        if self.changes == 0 || self.value != value {
            value.clone_into(&mut self.value);
            self.changes += 1;
        }
    }
}

/// What a module sees of a cvar: nothing of secrets.
fn value_of<'a>(cvars: &'a Cvars, name: &str, own: Option<&'a OwnValue>) -> &'a str {
    let cvar = cvars.get(name).filter(|cvar| !cvar.has(flag::SECRET));
    cvar.map_or("", |cvar| match own {
        Some(own) if cvar.value() == own.instead_of => &own.seen,
        _ => cvar.value(),
    })
}

/// Whether a name belongs to the player alone.
pub fn is_protected(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    PROTECTED.iter().any(|begin| lower.starts_with(begin))
}

fn is_refused(cvars: &Cvars, name: &str) -> bool {
    const OURS: u16 = flag::SECRET | flag::INIT | flag::READ_ONLY | flag::SERVER;
    is_protected(name) || cvars.get(name).is_some_and(|cvar| cvar.has(OURS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::con::cvars::TABLE;

    #[test]
    fn modules_neither_see_secrets_nor_set_what_is_the_player_s() {
        let mut cvars = Cvars::new(TABLE);
        cvars.force("rconPassword", "secret");
        let mut variables = Variables::default();
        assert_eq!(variables.text(&cvars, "rconPassword"), "");
        for name in [
            "vm_cgame",
            "FS_game",
            "rconPassword",
            "cl_guid",
            "net_qport",
        ] {
            assert!(!variables.set(&mut cvars, name, Some("1")), "{name}");
        }
        assert!(variables.set(&mut cvars, "cg_fov", Some("100")));
        assert_eq!(variables.text(&cvars, "CG_FOV"), "100");
        assert!(variables.set(&mut cvars, "cg_fov", None));
        assert_eq!(variables.text(&cvars, "cg_fov"), "90");
        assert_eq!(variables.text(&cvars, "//trap_GetValue"), "700");
    }

    #[test]
    fn a_game_s_settings_begin_as_the_module_wants_them() {
        let mut cvars = Cvars::new(TABLE);
        let mut variables = Variables::default();
        let handle = variables.register(&mut cvars, ("cg_railTrailTime", "400"), 0);
        assert_eq!(handle, Ok(0));
        let seen = |variables: &mut Variables, cvars: &Cvars| {
            variables.registered[0].follow(cvars);
            let text = variables.text(cvars, "cg_railtrailtime");
            assert_eq!(variables.registered[0].value, text);
            text
        };
        assert_eq!(seen(&mut variables, &cvars), "400");
        // Strafe's own view stays as it was.
        assert_eq!(cvars.text("cg_railTrailTime"), "-1");
        cvars.force("cg_railTrailTime", "250");
        assert_eq!(seen(&mut variables, &cvars), "250");
        variables.set(&mut cvars, "cg_railTrailTime", Some("-1"));
        assert_eq!(seen(&mut variables, &cvars), "-1");
        // A value that Strafe has no use for.
        variables.set(&mut cvars, "cg_railTrailTime", Some("20000"));
        assert_eq!(cvars.text("cg_railTrailTime"), "10000");
        assert_eq!(seen(&mut variables, &cvars), "20000");
        cvars.force("cg_railTrailTime", "300");
        assert_eq!(seen(&mut variables, &cvars), "300");
    }

    #[test]
    fn a_registered_name_keeps_its_number_and_its_value() {
        let mut cvars = Cvars::new(TABLE);
        let mut variables = Variables::default();
        cvars.force("cg_mine", "7");
        let mut register = |name: &str, flags| variables.register(&mut cvars, (name, "1"), flags);
        assert_eq!(register("cg_other", wanted::ARCHIVE), Ok(0));
        assert_eq!(register("cg_mine", 0), Ok(1));
        assert_eq!(register("CG_Other", 0), Ok(0));
        assert_eq!(cvars.text("cg_mine"), "7");
        assert!(
            cvars
                .get("cg_other")
                .is_some_and(|cvar| cvar.has(flag::ARCHIVE))
        );
    }
}
