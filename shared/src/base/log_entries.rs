//! Entries of a log as terminals and files may have them: one line each, without anything that is obeyed.

use super::text;
use std::io::{self, Write};

/// How entries are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryForm {
    /// Lines for people.
    Text,
    /// One JSON object a line, for programs.
    Json,
}

/// Takes one whole entry with each call of `write`, as loggers do, and passes it on.
#[derive(Debug)]
pub struct PrintableEntries<W> {
    /// How entries are written.
    pub form: EntryForm,
    /// Where they go.
    pub to: W,
}

impl<W: Write> Write for PrintableEntries<W> {
    fn write(&mut self, entry: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(entry);
        let line = text.trim_end_matches('\n');
        let line = match self.form {
            EntryForm::Text => text::printable_line(line),
            EntryForm::Json => text::printable_json(line),
        };
        self.to.write_all(format!("{line}\n").as_bytes())?;
        Ok(entry.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(form: EntryForm, entry: &str, expected: &str) {
        let mut log = PrintableEntries {
            form,
            to: Vec::new(),
        };
        log.write_all(entry.as_bytes()).expect("memory takes it");
        assert_eq!(String::from_utf8_lossy(&log.to), expected);
    }

    #[test]
    fn entries_are_one_plain_line_each() {
        check(
            EntryForm::Text,
            "WARN \u{1b}[2J pak\nERROR forged\u{9b}\n",
            "WARN [2J pak ERROR forged\n",
        );
        check(
            EntryForm::Json,
            "{\"reason\":\"\u{9b}2J\"}\n",
            "{\"reason\":\"\\u009b2J\"}\n",
        );
    }
}
