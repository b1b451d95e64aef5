//! Texts that other programs can take, through the page.

use super::host;

/// The browser's clipboard.
#[derive(Default)]
pub struct Clipboard {}

impl Clipboard {
    /// Offers a text; the page says where the browser refuses.
    pub fn copy(&mut self, text: &str) {
        host::copy(text);
    }
}
