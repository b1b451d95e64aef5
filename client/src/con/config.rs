//! The config file's text, and the keys of someone who has none.

use super::{
    bind::Binds,
    cvar::{Cvars, flag},
};

/// The name under which the platform keeps the config.
pub const CONFIG_NAME: &str = "strafe.cfg";
/// The name of the player's own commands for each start.
pub const AUTOEXEC_NAME: &str = "autoexec.cfg";

/// What a fresh install starts with; the usual keys of today.
pub const DEFAULT_CONFIG: &str = r#"
bind w +forward
bind s +back
bind a +moveleft
bind d +moveright
bind SPACE +moveup
bind c +movedown
bind CTRL +movedown
bind SHIFT +speed
bind UPARROW +forward
bind DOWNARROW +back
bind LEFTARROW +left
bind RIGHTARROW +right
bind ALT +strafe
bind PGUP +lookup
bind PGDN +lookdown
bind END centerview
bind MOUSE1 +attack
bind MOUSE2 +zoom
bind MOUSE3 menu
bind ENTER +button2
bind g +button3
bind MWHEELUP weapnext
bind MWHEELDOWN weapprev
bind 1 "weapon 1"
bind 2 "weapon 2"
bind 3 "weapon 3"
bind 4 "weapon 4"
bind 5 "weapon 5"
bind 6 "weapon 6"
bind 7 "weapon 7"
bind 8 "weapon 8"
bind 9 "weapon 9"
bind 0 "weapon 10"
bind TAB +scores
bind t messagemode
bind y messagemode2
bind F1 "vote yes"
bind F2 "vote no"
bind F9 report
bind F10 inspector
bind F11 screenshot
bind F12 screenshotJPEG
"#;

/// The usual keys of pads.
pub const PAD_CONFIG: &str = r#"
bind PAD0_A +moveup
bind PAD0_B +movedown
bind PAD0_X +button2
bind PAD0_Y +scores
bind PAD0_BACK messagemode
bind PAD0_START menu
bind PAD0_LEFTSHOULDER weapprev
bind PAD0_RIGHTSHOULDER weapnext
bind PAD0_LEFTTRIGGER +zoom
bind PAD0_RIGHTTRIGGER +attack
"#;

/// Which cvars a config holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Those that differ from their defaults, so that better defaults of a later version are used.
    Changed,
    /// All, so that running it brings back how things were.
    All,
}

/// All that should be the same at the next start.
pub fn write(cvars: &Cvars, binds: &Binds, extent: Extent) -> String {
    let mut text =
        String::from("// Written by Strafe; changes made here while it runs are lost.\n");
    text.push_str(&binds.to_config());
    for cvar in cvars.iter() {
        let value = cvar.value();
        let is_done = cvar.has(flag::ARCHIVE) && !cvar.has(flag::SECRET);
        // Nobody but the config knows of those that players made; the first value counts as their default.
        let is_wanted =
            extent == Extent::All || cvar.has(flag::USER_CREATED) || value != cvar.default_value();
        if is_done && is_wanted && !value.contains('"') {
            text.push_str(&format!("seta {} \"{value}\"\n", cvar.name()));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::con::cvars;

    #[test]
    fn only_what_differs_and_is_no_secret_is_kept() {
        let mut cvars = Cvars::new(cvars::TABLE);
        cvars.set("cg_fov", "110").unwrap();
        cvars.set("rconPassword", "hush").unwrap();
        let text = write(&cvars, &Binds::default(), Extent::Changed);
        assert!(text.contains("seta cg_fov \"110\"\n"));
        assert!(!text.contains("hush"));
        assert!(!text.contains("sensitivity"));
        let text = write(&cvars, &Binds::default(), Extent::All);
        assert!(text.contains("seta sensitivity \"5\"\n"));
        assert!(!text.contains("hush") && !text.contains("cg_debuganim"));
    }

    #[test]
    fn what_players_made_with_seta_is_kept_and_the_rest_of_theirs_is_not() {
        let mut cvars = Cvars::new(cvars::TABLE);
        cvars.set("mine", "5").unwrap();
        cvars.add_flags("mine", flag::ARCHIVE);
        cvars.set("passing", "5").unwrap();
        let text = write(&cvars, &Binds::default(), Extent::Changed);
        assert!(text.contains("seta mine \"5\"\n"));
        assert!(!text.contains("passing"));
    }
}
