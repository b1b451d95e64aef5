//! A little-endian reader which cannot run past the end.

use crate::base::error::DecodeError;
use glam::{Vec2, Vec3};

/// Walks over the bytes of one file, or of a part of it made by [`Reader::part`] or [`Reader::take`].
///
/// Every error names the file's kind and the byte of the whole file at which it happened.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    subject: &'static str,
    bytes: &'a [u8],
    /// Where `bytes` begins in the whole file.
    start: usize,
    position: usize,
}

impl<'a> Reader<'a> {
    /// A reader over a whole file; `subject` is what errors call it, such as "map".
    pub fn new(subject: &'static str, bytes: &'a [u8]) -> Self {
        Self {
            subject,
            bytes,
            start: 0,
            position: 0,
        }
    }

    /// Offset of the next byte in the whole file.
    pub fn at(&self) -> usize {
        self.start + self.position
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// All bytes that are left; the position stays.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    /// An error at the current place.
    pub fn error(&self, problem: impl Into<std::borrow::Cow<'static, str>>) -> DecodeError {
        DecodeError::new(self.subject, self.at(), problem)
    }

    /// A reader over `length` bytes from `offset` of this reader's bytes, wherever this reader stands.
    ///
    /// # Errors
    /// They do not lie within.
    pub fn part(&self, offset: usize, length: usize) -> Result<Self, DecodeError> {
        let bytes = offset
            .checked_add(length)
            .and_then(|end| self.bytes.get(offset..end))
            .ok_or_else(|| {
                DecodeError::new(
                    self.subject,
                    self.start.saturating_add(offset),
                    format!("{length} bytes from here on do not lie inside the file"),
                )
            })?;
        Ok(Self {
            subject: self.subject,
            bytes,
            start: self.start + offset,
            position: 0,
        })
    }

    /// Steps over the next `length` bytes and returns a reader that ends with them.
    ///
    /// # Errors
    /// Fewer bytes are left.
    pub fn take(&mut self, length: usize) -> Result<Self, DecodeError> {
        let part = self.part(self.position, length)?;
        self.position += length;
        Ok(part)
    }

    /// The next `length` bytes.
    ///
    /// # Errors
    /// Fewer bytes are left.
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        Ok(self.take(length)?.bytes)
    }

    /// The next `N` bytes as an array.
    ///
    /// # Errors
    /// Fewer bytes are left.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some(found) = self.rest().first_chunk::<N>() else {
            return Err(self.error(format!("the file ends where {N} more bytes are needed")));
        };
        self.position += N;
        Ok(*found)
    }

    /// A byte.
    ///
    /// # Errors
    /// Fewer bytes are left.
    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    /// Two bytes, low one first.
    ///
    /// # Errors
    /// Fewer bytes are left.
    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Two bytes with a sign.
    ///
    /// # Errors
    /// Fewer bytes are left.
    pub fn i16(&mut self) -> Result<i16, DecodeError> {
        Ok(i16::from_le_bytes(self.array()?))
    }

    /// Four bytes, low one first.
    ///
    /// # Errors
    /// Fewer bytes are left.
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Four bytes with a sign.
    ///
    /// # Errors
    /// Fewer bytes are left.
    pub fn i32(&mut self) -> Result<i32, DecodeError> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    /// A number that must be finite.
    ///
    /// # Errors
    /// Fewer bytes are left, or the number is not finite.
    pub fn f32(&mut self) -> Result<f32, DecodeError> {
        let value = f32::from_le_bytes(self.array()?);
        if value.is_finite() {
            Ok(value)
        } else {
            self.position -= 4;
            Err(self.error("a number is infinite or not a number"))
        }
    }

    /// Two floats.
    ///
    /// # Errors
    /// As for [`Reader::f32`].
    pub fn vec2(&mut self) -> Result<Vec2, DecodeError> {
        Ok(Vec2::new(self.f32()?, self.f32()?))
    }

    /// Three floats.
    ///
    /// # Errors
    /// As for [`Reader::f32`].
    pub fn vec3(&mut self) -> Result<Vec3, DecodeError> {
        Ok(Vec3::new(self.f32()?, self.f32()?, self.f32()?))
    }

    /// A text in a field of `length` bytes, which ends at the first NUL; bytes count as Latin-1.
    ///
    /// # Errors
    /// Fewer bytes are left.
    pub fn text(&mut self, length: usize) -> Result<String, DecodeError> {
        let bytes = self.bytes(length)?;
        Ok(bytes
            .iter()
            .take_while(|&&byte| byte != 0)
            .map(|&byte| char::from(byte))
            .collect())
    }
}
