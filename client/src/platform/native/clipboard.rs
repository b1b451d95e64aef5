//! Texts that other programs can take, through the system's clipboard.

use super::terminal;

/// The clipboard, once something was put there: some systems forget it when the program that offered it lets go.
#[derive(Default)]
pub struct Clipboard(Option<arboard::Clipboard>);

impl Clipboard {
    /// Offers a text; where there is no clipboard, the terminal has it.
    pub fn copy(&mut self, text: &str) {
        let opened = match self.0.take() {
            Some(clipboard) => Ok(clipboard),
            None => arboard::Clipboard::new(),
        };
        let copied = opened.and_then(|mut clipboard| {
            clipboard.set_text(text)?;
            Ok(clipboard)
        });
        match copied {
            Ok(clipboard) => self.0 = Some(clipboard),
            Err(error) => terminal::complain(&format!("no clipboard takes \"{text}\": {error}")),
        }
    }
}
