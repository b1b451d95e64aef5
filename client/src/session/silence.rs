//! A server that has fallen silent: what the player is told, and when.

use shared::base::time::ClientTime;

/// What began to be said of a server's silence, and when it began.
#[derive(Clone, Debug, Default)]
pub struct Silence {
    since: Option<ClientTime>,
    /// For the screen; empty while the server answers.
    text: String,
}

/// Shorter silences are shown by the picture of a torn plug only.
const TOLD_AFTER_MSEC: i32 = 5000;

impl Silence {
    /// Takes how long nothing has come, and after how long one gives up; gives a line for the console when there is news.
    pub fn note(
        &mut self,
        now: ClientTime,
        silence_msec: i32,
        timeout_msec: i32,
    ) -> Option<String> {
        if silence_msec < TOLD_AFTER_MSEC {
            self.text.clear();
            let began_at = self.since.take()?;
            let seconds = (now - began_at - silence_msec.max(0)) / 1000;
            return Some(format!("The server answers again, after {seconds} s.\n"));
        }
        let left = timeout_msec
            .saturating_sub(silence_msec)
            .max(0)
            .saturating_add(999)
            / 1000;
        self.text = format!(
            "The server has not answered for {} s; giving up in {left} s.",
            silence_msec / 1000
        );
        let is_new = self.since.is_none();
        self.since.get_or_insert(now - silence_msec);
        is_new.then(|| format!("^3{}\n", self.text))
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_told_once_counted_down_and_its_end_told() {
        let mut silence = Silence::default();
        let mut note = |now: i32, silent: i32| {
            let line = silence.note(ClientTime(now), silent, 30_000);
            (line.unwrap_or_default(), silence.text().to_owned())
        };
        let none = (String::new(), String::new());
        assert_eq!(note(100_000, 20), none);
        assert_eq!(note(104_990, 4990), none);
        let text = "The server has not answered for 5 s; giving up in 25 s.";
        assert_eq!(
            note(105_000, 5000),
            (format!("^3{text}\n"), text.to_owned())
        );
        let later = "The server has not answered for 12 s; giving up in 18 s.";
        assert_eq!(note(112_300, 12_300), (String::new(), later.to_owned()));
        let line = "The server answers again, after 12 s.\n";
        assert_eq!(note(112_400, 10), (line.to_owned(), String::new()));
        assert_eq!(note(112_500, 10), none);
        // The time between the last frame and its packet may be negative.
        assert_eq!(note(112_600, -5), none);
    }
}
