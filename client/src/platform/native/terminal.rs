//! What the terminal is shown: every line passes here, and none can command it.
//!
//! Texts come from servers, files and relays. Nothing else in the client may print; the lints `print_stdout` and
//! `print_stderr` see to that.

use shared::base::{
    log_entries::{EntryForm, PrintableEntries},
    text,
};
use tracing_subscriber::EnvFilter;

/// Shows a text; it may have several lines.
#[expect(clippy::print_stdout, reason = "the one place")]
pub fn show(text: &str) {
    println!("{}", text::printable(text));
}

/// Shows a value as one line of JSON.
#[expect(clippy::print_stdout, reason = "the one place")]
pub fn show_json(value: &serde_json::Value) {
    println!("{}", text::printable_json(&value.to_string()));
}

/// Tells what went wrong, beside what the program puts out.
#[expect(clippy::print_stderr, reason = "the one place")]
pub fn complain(text: &str) {
    eprintln!("{}", text::printable_line(text));
}

/// Begins to tell warnings; `RUST_LOG` chooses which.
pub fn start_log() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(|| PrintableEntries {
            form: EntryForm::Text,
            to: std::io::stderr(),
        })
        .with_env_filter(filter)
        .init();
}
