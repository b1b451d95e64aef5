//! Which key runs which command, and which keys are down.

use super::keys::{self, KEY_COUNT};
use shared::base::time::ClientTime;

/// The binding of every key, and its state.
#[derive(Clone, Debug)]
pub struct Binds {
    commands: Vec<String>,
    is_down: Vec<bool>,
    generation: u64,
}

impl Default for Binds {
    fn default() -> Self {
        Self {
            commands: vec![String::new(); usize::from(KEY_COUNT)],
            is_down: vec![false; usize::from(KEY_COUNT)],
            generation: 0,
        }
    }
}

impl Binds {
    /// The command of a key; empty if it has none.
    pub fn get(&self, key: u16) -> &str {
        self.commands
            .get(usize::from(key))
            .map_or("", String::as_str)
    }

    pub fn set(&mut self, key: u16, command: &str) {
        if let Some(slot) = self.commands.get_mut(usize::from(key)) {
            command.clone_into(slot);
            self.generation += 1;
        }
    }

    pub fn clear(&mut self) {
        self.commands.iter_mut().for_each(String::clear);
        self.generation += 1;
    }

    /// All keys that do something.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &str)> {
        (0..KEY_COUNT)
            .zip(&self.commands)
            .filter(|(_, c)| !c.is_empty())
            .map(|(k, c)| (k, c.as_str()))
    }

    /// Grows with every change.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    pub fn is_down(&self, key: u16) -> bool {
        self.is_down.get(usize::from(key)).copied().unwrap_or(false)
    }

    /// All keys that are down.
    pub fn down(&self) -> impl Iterator<Item = u16> + '_ {
        (0..KEY_COUNT).filter(|&key| self.is_down(key))
    }

    pub fn is_any_down(&self) -> bool {
        self.is_down.iter().any(|&down| down)
    }

    /// Remembers the state of a key.
    pub fn note(&mut self, key: u16, is_down: bool) {
        if let Some(slot) = self.is_down.get_mut(usize::from(key)) {
            *slot = is_down;
        }
    }

    /// Lets go of all keys, as a change of focus does; returns those that were down.
    pub fn release_all(&mut self) -> Vec<u16> {
        let held = (0..KEY_COUNT).filter(|&key| self.is_down(key)).collect();
        self.is_down.iter_mut().for_each(|down| *down = false);
        held
    }

    /// The command text for a press: `+name` parts get the key and the time, so that
    /// several keys can hold one action and part-frames count.
    pub fn press(&self, key: u16, at: ClientTime) -> String {
        self.parts(key, |part| match part.strip_prefix('+') {
            Some(action) => Some(format!("+{action} {key} {}", at.0)),
            None => Some(part.to_owned()),
        })
    }

    /// The command text for a release: only `+name` parts have one.
    pub fn release(&self, key: u16, at: ClientTime) -> String {
        self.parts(key, |part| {
            part.strip_prefix('+')
                .map(|action| format!("-{action} {key} {}", at.0))
        })
    }

    fn parts(&self, key: u16, make: impl Fn(&str) -> Option<String>) -> String {
        let parts: Vec<String> = self
            .get(key)
            .split(';')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .filter_map(make)
            .collect();
        parts.join("\n")
    }

    /// One line per binding, as the config file holds them.
    pub fn to_config(&self) -> String {
        let mut text = String::from("unbindall\n");
        for (key, command) in self.iter() {
            text.push_str(&format!("bind {} \"{command}\"\n", keys::name(key)));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_actions_get_key_and_time() {
        let mut binds = Binds::default();
        binds.set(keys::MOUSE1, "+attack; say hi");
        assert_eq!(
            binds.press(keys::MOUSE1, ClientTime(70)),
            "+attack 178 70\nsay hi"
        );
        assert_eq!(
            binds.release(keys::MOUSE1, ClientTime(90)),
            "-attack 178 90"
        );
        assert_eq!(binds.press(keys::MOUSE2, ClientTime(70)), "");
    }

    #[test]
    fn all_keys_are_let_go_once() {
        let mut binds = Binds::default();
        binds.note(b'w'.into(), true);
        binds.note(keys::SHIFT, true);
        assert_eq!(binds.release_all(), [u16::from(b'w'), keys::SHIFT]);
        assert!(binds.release_all().is_empty());
        binds.note(60_000, true);
        assert!(!binds.is_any_down());
    }

    #[test]
    fn the_config_text_is_that_of_old() {
        let mut binds = Binds::default();
        binds.set(b'w'.into(), "+forward");
        binds.set(b';'.into(), "screenshot");
        assert_eq!(
            binds.to_config(),
            "unbindall\nbind SEMICOLON \"screenshot\"\nbind w \"+forward\"\n"
        );
    }
}
