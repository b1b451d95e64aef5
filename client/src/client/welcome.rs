//! The first start: a page that asks for name, mouse and view, once, with what can be guessed.

use super::Client;
use crate::{
    commands,
    con::{config, keys},
    ui::menu::pages::PageId,
};
use shared::base::text::clean;

/// Other games by the numbers of `menu_fromGame`, and the degrees that one count of the mouse turns there at a sensitivity of 1.
const YAW: [f32; 7] = [0.022, 0.022, 0.07, 0.0066, 0.0066, 0.005_729_58, 0.005_555];

/// Letters of a name that is guessed.
const MAX_NAME: usize = 20;

/// The sensitivity that turns here as another one did in another game.
pub(super) fn converted(game: i32, sensitivity: f32, m_yaw: f32) -> Option<f32> {
    let yaw = *YAW.get(usize::try_from(game).ok()?)?;
    let converted = sensitivity * yaw / m_yaw.abs();
    // To three digits behind the point, as menus show it.
    (converted.is_finite() && converted > 0.0).then(|| (converted * 1000.0).round() / 1000.0)
}

impl Client {
    /// Gives pads their usual keys where a config knows nothing of pads, since it is older or another program's; once, so
    /// that who takes them away has none.
    pub(super) fn keep_pad_keys(&mut self) {
        if self.cvars.is_on("menu_padKeys") {
            return;
        }
        if self.binds.iter().all(|(key, _)| key < keys::PAD0_A) {
            self.run_all(config::PAD_CONFIG);
        }
        commands::set_cvar(self, "menu_padKeys", "1");
    }

    /// `bindpad`: gives pads their usual keys.
    pub(crate) fn bind_pad(&mut self) {
        self.buffer.insert(config::PAD_CONFIG);
    }

    /// Opens the page of the first start, where that is due.
    pub(super) fn greet(&mut self) -> bool {
        if self.cvars.is_on("menu_welcomed") {
            return false;
        }
        // Once, even if the program is closed meanwhile.
        commands::set_cvar(self, "menu_welcomed", "1");
        self.guess_name();
        self.open_page(PageId::Welcome);
        true
    }

    /// What the system calls the player, to be looked at and changed before anybody else sees it.
    fn guess_name(&mut self) {
        let is_unnamed = self
            .cvars
            .get("name")
            .is_some_and(|name| name.value() == name.default_value());
        let guess: String = clean(&self.guessed_name)
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || "-_ .".contains(*c))
            .take(MAX_NAME)
            .collect();
        let guess = guess.trim();
        if is_unnamed && !guess.is_empty() && guess != "root" {
            commands::set_cvar(self, "name", guess);
        }
    }

    /// `takesensitivity`: sets what turns as the named sensitivity of the named game did.
    pub(crate) fn take_sensitivity(&mut self) {
        let game = self.cvars.integer("menu_fromGame");
        let theirs = self.cvars.number("menu_fromSensitivity");
        match converted(game, theirs, self.cvars.number("m_yaw")) {
            Some(ours) => {
                commands::set_cvar(self, "sensitivity", &ours.to_string());
                let text = format!("sensitivity is {} now\n", self.cvars.text("sensitivity"));
                self.print(&text);
            }
            None => self.print("menu_fromSensitivity wants a number above 0\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::converted;

    #[test]
    fn sensitivities_turn_as_they_did_elsewhere() {
        assert_eq!(converted(0, 3.5, 0.022), Some(3.5));
        assert_eq!(converted(2, 0.4, 0.022), Some(1.273));
        assert_eq!(converted(3, 5.0, -0.022), Some(1.5));
        assert_eq!(converted(1, 2.0, 0.011), Some(4.0));
        for (game, theirs, m_yaw) in [
            (9, 1.0, 0.022),
            (-1, 1.0, 0.022),
            (0, 0.0, 0.022),
            (0, 1.0, 0.0),
        ] {
            assert_eq!(converted(game, theirs, m_yaw), None);
        }
    }
}
