//! DecodeError: what was wrong, in what, and where.

use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
};

/// Bytes from outside that make no sense; what it says is read as the fields of [`Defect`].
///
/// It is one pointer, so that results of reading stay in registers: nearly all of them are good.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {} (at {})", self.subject, self.problem, self.at)]
pub struct DecodeError(Box<Defect>);

/// What a [`DecodeError`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
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
        Self(Box::new(Defect {
            subject,
            problem: problem.into(),
            at,
        }))
    }
}

impl Deref for DecodeError {
    type Target = Defect;

    fn deref(&self) -> &Defect {
        &self.0
    }
}

impl DerefMut for DecodeError {
    fn deref_mut(&mut self) -> &mut Defect {
        &mut self.0
    }
}
