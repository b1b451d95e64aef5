//! The line one types chat into.

use super::console::{Modifiers, handle_edit_key};
use crate::{
    con::{edit::EditField, keys},
    scene::{
        Draw2d,
        text::{Charset, TextStyle},
    },
};

/// Longest text that servers pass on.
const MAX_CHAT: usize = 149;

/// Who is to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    All,
    Team,
    Player(i32),
}

/// Chat being typed.
#[derive(Clone, Debug)]
pub struct ChatLine {
    audience: Audience,
    edit: EditField,
}

/// What a key did to the chat line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatKey {
    Handled,
    Closed,
    /// Closed, with this command for the server.
    Send(String),
}

impl ChatLine {
    pub fn new(audience: Audience) -> Self {
        Self {
            audience,
            edit: EditField::default(),
        }
    }

    pub fn handle_char(&mut self, c: char) {
        self.edit.insert_text(c.encode_utf8(&mut [0; 4]));
    }

    pub fn handle_key(&mut self, key: u16, modifiers: Modifiers) -> ChatKey {
        match key {
            keys::ESCAPE => ChatKey::Closed,
            keys::ENTER | keys::KP_ENTER => {
                // Quotes would end the argument early on the server.
                let text: String = self
                    .edit
                    .take()
                    .chars()
                    .filter(|&c| c != '"')
                    .take(MAX_CHAT)
                    .collect();
                match (text.trim().is_empty(), self.audience) {
                    (true, _) => ChatKey::Closed,
                    (false, Audience::All) => ChatKey::Send(format!("say \"{text}\"")),
                    (false, Audience::Team) => ChatKey::Send(format!("say_team \"{text}\"")),
                    (false, Audience::Player(number)) => {
                        ChatKey::Send(format!("tell {number} \"{text}\""))
                    }
                }
            }
            _ => {
                handle_edit_key(&mut self.edit, key, modifiers);
                ChatKey::Handled
            }
        }
    }

    /// Draws prompt and text with the left top corner at `(x, y)`.
    pub fn draw(
        &self,
        out: &mut Vec<Draw2d>,
        charset: Charset,
        [x, y]: [f32; 2],
        style: TextStyle,
    ) {
        let prompt = match self.audience {
            Audience::All => "say:".to_owned(),
            Audience::Team => "say_team:".to_owned(),
            Audience::Player(number) => format!("tell {number}:"),
        };
        let text = format!("{prompt} {}_", self.edit.text());
        let style = TextStyle {
            ignores_codes: true,
            ..style
        };
        charset.line(out, x, y, &text, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(audience: Audience, text: &str) -> ChatKey {
        let mut line = ChatLine::new(audience);
        text.chars().for_each(|c| line.handle_char(c));
        line.handle_key(keys::ENTER, Modifiers::default())
    }

    #[test]
    fn chat_becomes_a_server_command() {
        for (audience, text, command) in [
            (Audience::All, "hi \"all\"", "say \"hi all\""),
            (Audience::Team, "base", "say_team \"base\""),
            (Audience::Player(3), "psst", "tell 3 \"psst\""),
        ] {
            assert_eq!(typed(audience, text), ChatKey::Send(command.into()));
        }
        assert_eq!(typed(Audience::All, "  "), ChatKey::Closed);
    }
}
