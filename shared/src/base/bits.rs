//! Reads and writes integers of 1 to 32 bits as messages hold them: raw low bits, Huffman above.

use super::error::DecodeError;
use super::huffman::{CODES, DECODE, MAX_CODE_BITS};
use super::text;
use std::borrow::Cow;

const SYMBOL_MASK: u64 = (1 << MAX_CODE_BITS) - 1;

/// Walks over the bits of one message.
///
/// There are two ways to read. The `take_*` functions never fail: beyond the end they give zeros and
/// the position moves on, and [`BitReader::check`] tells afterwards. All others fail at once.
///
/// The next bits are held ready in `held`. [`BitReader::refill`] makes them at least [`REFILLED`];
/// the `held_*` functions take from them without a look at the message, which is what makes reading
/// fast. Bits above the `held_len` lowest are either zero or already those that follow.
#[derive(Clone)]
pub struct BitReader<'a> {
    /// What follows the bytes held; beyond the end there are zeros.
    rest: &'a [u8],
    held: u64,
    /// How many of them there are in the low 6 bits; the others are set once an escape leaf was met.
    held_len: u32,
    /// The last 8 bytes, with zeros before a shorter message.
    tail: u64,
    /// How many bytes of zeros beyond the end were held.
    beyond: usize,
    length: usize,
    subject: &'static str,
}

/// How many bits can be taken after a refill.
pub const REFILLED: u32 = 56;

/// How many whole symbols, those of bytes, can be taken after a refill.
pub const SYMBOLS_HELD: usize = (REFILLED / MAX_CODE_BITS) as usize;

/// Bits to compare what is held with.
#[derive(Clone, Copy, Debug)]
pub struct KnownBits {
    bits: u64,
    mask: u64,
    count: u32,
}

impl KnownBits {
    /// Under a mask of nothing, no bits are like these.
    const NONE: Self = Self {
        bits: u64::MAX,
        mask: 0,
        count: 0,
    };

    /// What is written for values and their widths, up to [`REFILLED`] bits in all.
    pub const fn of(values: &[(u32, u32)]) -> Self {
        let (mut bits, mut count) = (0, 0);
        let mut index = 0;
        while index < values.len() {
            let (value, width) = values[index];
            let mut shift = width % 8;
            bits |= (value as u64 & ((1 << shift) - 1)) << count;
            count += shift;
            while shift < width {
                let (code, length) = CODES[(value >> shift & 0xFF) as usize];
                bits |= (code as u64) << count;
                count += length as u32;
                shift += 8;
            }
            index += 1;
        }
        assert!(count <= REFILLED);
        let mask = (1 << count) - 1;
        Self { bits, mask, count }
    }
}

/// Bits that were read before, and what they said: much of what messages begin with is the same each time.
#[derive(Clone, Debug)]
pub struct Repeated<T> {
    known: KnownBits,
    value: T,
}

impl<T: Default> Default for Repeated<T> {
    fn default() -> Self {
        Self {
            known: KnownBits::NONE,
            value: T::default(),
        }
    }
}

impl<T: Copy> Repeated<T> {
    /// What the next bits said the time before, if they are the same; they are left out then.
    #[inline(always)]
    pub fn held_by(&self, reader: &mut BitReader<'_>) -> Option<T> {
        reader.held_known(&self.known).then_some(self.value)
    }
}

impl<'a> BitReader<'a> {
    /// Stands before the first bit; `subject` is what errors call these bytes.
    pub fn new(subject: &'static str, bytes: &'a [u8]) -> Self {
        let tail = match bytes.last_chunk() {
            Some(&chunk) => u64::from_le_bytes(chunk),
            None => (bytes.iter()).fold(0, |tail, &byte| tail >> 8 | u64::from(byte) << 56),
        };
        Self {
            rest: bytes,
            held: 0,
            held_len: 0,
            tail,
            beyond: 0,
            length: bytes.len(),
            subject,
        }
    }

    /// Goes on where a copy of this reader has come to.
    // What stays the same need not be kept in registers.
    #[inline(always)]
    pub fn go_on_from(&mut self, copy: &Self) {
        self.rest = copy.rest;
        self.held = copy.held;
        self.held_len = copy.held_len;
        self.beyond = copy.beyond;
    }

    /// Number of the next bit.
    pub fn at(&self) -> usize {
        (self.length - self.rest.len() + self.beyond) * 8 - (self.held_len & 63) as usize
    }

    /// How many bits are left; whole unused bytes may be among them.
    pub fn remaining(&self) -> usize {
        (self.length * 8).saturating_sub(self.at())
    }

    /// An error at the current place, unless all went wrong before: see [`BitReader::check`].
    // Errors are made of a copy: what the address of is taken would not stay in registers.
    #[inline(always)]
    pub fn error(&self, problem: impl Into<Cow<'static, str>>) -> DecodeError {
        self.clone().into_error(Some(problem.into()))
    }

    /// Tells whether all that was taken since the start was there.
    ///
    /// # Errors
    /// Anything was read beyond the end, or an escape leaf was met.
    #[inline(always)]
    pub fn check(&self) -> Result<(), DecodeError> {
        if self.is_good() {
            return Ok(());
        }
        Err(self.clone().into_error(None))
    }

    #[inline(always)]
    fn is_good(&self) -> bool {
        // The bits held of bytes that are there go down to none before those beyond are used.
        (self.held_len as usize).wrapping_sub(self.beyond * 8) < 64
    }

    #[cold]
    fn into_error(self, problem: Option<Cow<'static, str>>) -> DecodeError {
        let end = self.length * 8;
        let beyond_end = format!("it goes on beyond its {} bytes", self.length);
        let (at, problem) = match problem {
            Some(problem) if self.is_good() => (self.at(), problem),
            _ if self.held_len >= 64 => (self.at(), "a code word that no writer uses".into()),
            _ => (end, beyond_end.into()),
        };
        DecodeError::new(self.subject, at, problem)
    }

    /// Makes at least [`REFILLED`] bits ready to be taken.
    #[inline(always)]
    pub fn refill(&mut self) {
        let taken = (!self.held_len >> 3 & 7) as usize;
        if let Some(&chunk) = self.rest.first_chunk() {
            self.held |= u64::from_le_bytes(chunk).wrapping_shl(self.held_len);
            self.rest = &self.rest[taken..];
        } else {
            let known = self.rest.len();
            let loaded = self.tail >> 1 >> (63 - 8 * known);
            self.held |= loaded.wrapping_shl(self.held_len);
            self.rest = self.rest.get(taken..).unwrap_or_default();
            self.beyond += taken.saturating_sub(known);
        }
        self.held_len |= REFILLED;
    }

    /// Makes at least `count` bits ready: for those who mostly have them.
    #[inline(always)]
    pub fn ensure(&mut self, count: u32) {
        if self.held_len < count {
            self.refill();
        }
    }

    /// How many zeros come before the next one, which is held then; at least [`REFILLED`] if no one is so near.
    #[inline(always)]
    pub fn find_one(&mut self) -> u32 {
        let zeros = self.held.trailing_zeros();
        if zeros < self.held_len {
            return zeros;
        }
        self.refill();
        self.held.trailing_zeros()
    }

    /// Leaves out up to [`REFILLED`] bits.
    #[inline(always)]
    pub fn held_skip(&mut self, count: u32) {
        self.held >>= count;
        self.held_len = self.held_len.wrapping_sub(count);
    }

    /// One bit of those held.
    #[inline(always)]
    pub fn held_flag(&mut self) -> bool {
        let is_set = self.held & 1 != 0;
        self.held_skip(1);
        is_set
    }

    /// An unsigned integer of `width` bits (1 to 32), which takes up to 44.
    #[inline(always)]
    pub fn held_bits(&mut self, width: u32) -> u32 {
        debug_assert!((1..=32).contains(&width));
        let mut shift = width % 8;
        let mut value = self.held as u32 & ((1 << shift) - 1);
        self.held_skip(shift);
        while shift < width {
            let entry = u32::from(DECODE[(self.held & SYMBOL_MASK) as usize]);
            value |= entry >> 8 << shift;
            self.held = self.held.wrapping_shr(entry);
            self.held_len = self.held_len.wrapping_sub(entry & 0xFF);
            shift += 8;
        }
        value
    }

    /// An unsigned integer of `width` bits (1 to 32).
    #[inline]
    pub fn take_bits(&mut self, width: u32) -> u32 {
        self.refill();
        self.held_bits(width)
    }

    /// One bit.
    #[inline]
    pub fn take_flag(&mut self) -> bool {
        self.take_bits(1) != 0
    }

    /// An unsigned integer of `width` bits (1 to 32).
    ///
    /// # Errors
    /// The message ends early, or holds a code word that no writer uses.
    #[inline]
    pub fn bits(&mut self, width: u32) -> Result<u32, DecodeError> {
        let value = self.take_bits(width);
        self.check().map(|()| value)
    }

    /// One bit.
    ///
    /// # Errors
    /// The message ends early, or holds a code word that no writer uses.
    #[inline]
    pub fn flag(&mut self) -> Result<bool, DecodeError> {
        self.bits(1).map(|bit| bit != 0)
    }

    /// A byte, as one symbol.
    ///
    /// # Errors
    /// The message ends early, or holds a code word that no writer uses.
    #[inline]
    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        self.bits(8).map(|value| value as u8)
    }

    /// 16 bits without a sign.
    ///
    /// # Errors
    /// The message ends early, or holds a code word that no writer uses.
    #[inline]
    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        self.bits(16).map(|value| value as u16)
    }

    /// 16 bits with a sign.
    ///
    /// # Errors
    /// The message ends early, or holds a code word that no writer uses.
    #[inline]
    pub fn i16(&mut self) -> Result<i16, DecodeError> {
        self.bits(16).map(|value| value as i16)
    }

    /// 32 bits with a sign.
    ///
    /// # Errors
    /// The message ends early, or holds a code word that no writer uses.
    #[inline]
    pub fn i32(&mut self) -> Result<i32, DecodeError> {
        self.bits(32).map(|value| value as i32)
    }

    /// Leaves out these bits if they come next.
    #[inline(always)]
    pub fn held_known(&mut self, known: &KnownBits) -> bool {
        let is_next = self.held & known.mask == known.bits;
        if is_next {
            self.held_skip(known.count);
        }
        is_next
    }

    /// What `read` gives, without another reading where the bits are those of the time before; to be checked as all
    /// that is taken.
    ///
    /// # Errors
    /// Those of `read`.
    #[inline(always)]
    pub fn repeated<'b, T>(
        &mut self,
        before: &'b mut Repeated<T>,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<&'b T, DecodeError> {
        self.refill();
        self.held_repeated(before, read)
    }

    /// The same of what surely fits into the bits held, or of all after a refill.
    ///
    /// # Errors
    /// Those of `read`.
    // It is lent, because a copy would be copied again.
    #[inline(always)]
    pub fn held_repeated<'b, T>(
        &mut self,
        before: &'b mut Repeated<T>,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<&'b T, DecodeError> {
        if self.held_known(&before.known) {
            return Ok(&before.value);
        }
        let (held, at) = (self.held, self.at());
        let mut bits = self.clone();
        before.value = read(&mut bits)?;
        self.go_on_from(&bits);
        let count = (self.at() - at) as u32;
        before.known = KnownBits::NONE;
        if count <= REFILLED && self.is_good() {
            let mask = (1 << count) - 1;
            let bits = held & mask;
            before.known = KnownBits { bits, mask, count };
        }
        Ok(&before.value)
    }

    /// A text up to its zero byte, with everything but plain ASCII replaced by dots.
    ///
    /// # Errors
    /// The message ends early, or the text has more than `limit` characters: old readers stopped there and read the
    /// rest as something else.
    pub fn string(&mut self, limit: usize) -> Result<String, DecodeError> {
        // One piece of memory is enough for most texts.
        let mut string = String::with_capacity(64);
        self.append_string(&mut string, limit)?;
        Ok(string)
    }

    /// Appends a text to one of less than `limit` characters; see [`BitReader::string`].
    ///
    /// # Errors
    /// The message ends early, or the whole has more than `limit` characters.
    pub fn append_string(&mut self, string: &mut String, limit: usize) -> Result<(), DecodeError> {
        let mut bits = self.clone();
        loop {
            bits.refill();
            for _ in 0..SYMBOLS_HELD {
                let byte = bits.held_bits(8) as u8;
                bits.check()?;
                match byte {
                    0 => {
                        self.go_on_from(&bits);
                        return Ok(());
                    }
                    _ if string.len() == limit => {
                        return Err(bits.error(format!("a text of more than {limit} characters")));
                    }
                    byte => string.push(char::from(text::wire_byte(byte))),
                }
            }
        }
    }

    /// `length` bytes, each as one symbol.
    ///
    /// # Errors
    /// Fewer bytes are left.
    pub fn data(&mut self, length: usize) -> Result<Vec<u8>, DecodeError> {
        // The shortest code word has two bits.
        if length * 2 > self.remaining() {
            return Err(self.error(format!("{length} bytes of data do not fit in")));
        }
        (0..length).map(|_| self.u8()).collect()
    }
}

/// Builds the bits of one message.
#[derive(Clone, Debug, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    /// Bits not yet in `bytes`, first bit lowest; always fewer than 8 between calls.
    pending: u64,
    pending_bits: u32,
}

impl BitWriter {
    /// An empty message.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bits have been written.
    pub fn bit_len(&self) -> usize {
        self.bytes.len() * 8 + self.pending_bits as usize
    }

    /// How many bytes [`BitWriter::finish`] would give now.
    pub fn byte_len(&self) -> usize {
        self.bit_len() / 8 + 1
    }

    /// The lowest `width` bits (1 to 32) of a value.
    pub fn bits(&mut self, value: u32, width: u32) {
        debug_assert!((1..=32).contains(&width));
        let raw = width % 8;
        self.push(value & ((1 << raw) - 1), raw);
        for shift in (raw..width).step_by(8) {
            let (code, length) = CODES[(value >> shift & 0xFF) as usize];
            self.push(u32::from(code), u32::from(length));
        }
    }

    /// One bit.
    pub fn flag(&mut self, is_set: bool) {
        self.push(u32::from(is_set), 1);
    }

    /// So many bits that are not set, and one that is.
    pub fn flags_until_set(&mut self, mut unset: u32) {
        while unset > 31 {
            self.push(0, 31);
            unset -= 31;
        }
        self.push(1 << unset, unset + 1);
    }

    /// A byte, as one symbol.
    pub fn u8(&mut self, value: u8) {
        self.bits(u32::from(value), 8);
    }

    /// 16 bits.
    pub fn u16(&mut self, value: u16) {
        self.bits(u32::from(value), 16);
    }

    /// 32 bits.
    pub fn i32(&mut self, value: i32) {
        self.bits(value as u32, 32);
    }

    /// A text and its zero byte; what the wire cannot carry becomes a dot, and nothing is written
    /// beyond a zero byte within the text.
    pub fn string(&mut self, string: &[u8]) {
        for &byte in string.iter().take_while(|&&byte| byte != 0) {
            self.u8(text::wire_byte(byte));
        }
        self.u8(0);
    }

    /// Bytes, each as one symbol.
    pub fn data(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.u8(byte);
        }
    }

    /// The first `count` bits of what another writer has finished.
    pub fn append(&mut self, bytes: &[u8], count: usize) {
        let (words, rest) = bytes[..count.div_ceil(8)].as_chunks();
        let whole = count / 32;
        for &word in &words[..whole] {
            self.push(u32::from_le_bytes(word), 32);
        }
        let left = (count % 32) as u32;
        if left > 0 {
            let mut last = [0; 4];
            let tail = words.get(whole).map_or(rest, |word| word);
            last[..tail.len()].copy_from_slice(tail);
            self.push(u32::from_le_bytes(last) & ((1 << left) - 1), left);
        }
    }

    /// The message. It has a spare byte where the last bit filled one, because readers in the field
    /// take a message that ends with its last bit for one that is cut off.
    pub fn finish(mut self) -> Vec<u8> {
        let last = self.pending.to_le_bytes();
        let count = self.pending_bits as usize / 8 + 1;
        self.bytes.extend_from_slice(&last[..count]);
        self.bytes
    }

    /// Adds up to 32 bits.
    #[inline]
    fn push(&mut self, bits: u32, count: u32) {
        self.pending |= u64::from(bits) << self.pending_bits;
        self.pending_bits += count;
        if self.pending_bits >= 32 {
            self.bytes
                .extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.pending_bits -= 32;
        }
    }
}
