//! DecodeError: what was wrong, in what, and where.

use std::borrow::Cow;

/// Bytes from outside that make no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{subject}: {problem} (at {at})")]
pub struct DecodeError {
    /// What was being read, such as "map" or "server message".
    pub subject: &'static str,
    /// What is wrong with it, as a sentence without full stop.
    pub problem: Cow<'static, str>,
    /// Where: a byte offset for files, a bit offset for messages.
    pub at: usize,
}

impl DecodeError {
    /// An error in `subject` at the bit or byte `at`.
    pub fn new(subject: &'static str, at: usize, problem: impl Into<Cow<'static, str>>) -> Self {
        Self {
            subject,
            problem: problem.into(),
            at,
        }
    }
}
