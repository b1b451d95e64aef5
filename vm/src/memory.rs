//! A module's memory as its host sees it: every access is checked, for pointers from a module are never trusted.

use crate::{
    error::Trap,
    image::{GUARD_BYTES, MemoryLayout},
};

/// Borrowed for the time between two steps of the module.
#[derive(Debug)]
pub struct Memory<'a> {
    bytes: &'a mut [u8],
    mask: u32,
}

impl<'a> Memory<'a> {
    /// `bytes` are the memory with its guard: [`MemoryLayout::reserved_bytes`] of them, or more.
    ///
    /// # Errors
    /// If they are fewer.
    #[inline]
    pub fn new(bytes: &'a mut [u8], layout: MemoryLayout) -> Result<Self, Trap> {
        let given = bytes.len();
        let bytes = bytes
            .get_mut(..layout.reserved_bytes() as usize)
            .ok_or_else(|| Trap::Engine(format!("its memory has only {given} bytes")))?;
        Ok(Self {
            bytes,
            mask: layout.mask(),
        })
    }

    /// What the module can address.
    pub fn size(&self) -> u32 {
        self.mask + 1
    }

    /// The address as the module's own accesses take it.
    fn masked(&self, address: u32) -> usize {
        (address & self.mask) as usize
    }

    /// So many bytes from an address on; a value that begins at the last bytes reaches into the guard, as in the
    /// module's own accesses.
    pub fn read<const N: usize>(&self, address: u32) -> [u8; N] {
        const { assert!(N <= GUARD_BYTES as usize) };
        let start = self.masked(address);
        let mut value = [0; N];
        value.copy_from_slice(&self.bytes[start..start + N]);
        value
    }

    pub fn write<const N: usize>(&mut self, address: u32, value: [u8; N]) {
        const { assert!(N <= GUARD_BYTES as usize) };
        let start = self.masked(address);
        self.bytes[start..start + N].copy_from_slice(&value);
    }

    pub fn read_i32(&self, address: u32) -> i32 {
        i32::from_le_bytes(self.read(address))
    }

    pub fn write_i32(&mut self, address: u32, value: i32) {
        self.write(address, value.to_le_bytes());
    }

    pub fn read_f32(&self, address: u32) -> f32 {
        f32::from_le_bytes(self.read(address))
    }

    pub fn write_f32(&mut self, address: u32, value: f32) {
        self.write(address, value.to_le_bytes());
    }

    /// A structure or buffer, which must lie inside as a whole.
    ///
    /// # Errors
    /// If it does not.
    pub fn slice(&self, address: u32, length: u32) -> Result<&[u8], Trap> {
        Ok(&self.bytes[self.range(address, length)?])
    }

    /// The same for writing; see [`Self::slice`].
    ///
    /// # Errors
    /// If it does not lie inside.
    pub fn slice_mut(&mut self, address: u32, length: u32) -> Result<&mut [u8], Trap> {
        let range = self.range(address, length)?;
        Ok(&mut self.bytes[range])
    }

    /// A text without its NUL: at most `limit` bytes, and none beyond the end of the memory.
    pub fn c_string(&self, address: u32, limit: usize) -> &[u8] {
        let inside = &self.bytes[self.masked(address)..self.size() as usize];
        let text = &inside[..limit.min(inside.len())];
        let end = text.iter().position(|byte| *byte == 0);
        &text[..end.unwrap_or(text.len())]
    }

    /// Writes a text into a buffer of `size` bytes: as much as fits, and a NUL. A buffer without bytes stays as it is.
    ///
    /// # Errors
    /// If the buffer does not lie inside.
    pub fn write_c_string(&mut self, address: u32, size: i32, text: &[u8]) -> Result<(), Trap> {
        let Some(room) = u32::try_from(size).ok().filter(|size| *size > 0) else {
            return Ok(());
        };
        let buffer = self.slice_mut(address, room)?;
        let length = text.len().min(buffer.len() - 1);
        buffer[..length].copy_from_slice(&text[..length]);
        buffer[length] = 0;
        Ok(())
    }

    /// C's `memset`.
    ///
    /// # Errors
    /// If the range does not lie inside.
    pub fn fill(&mut self, address: u32, byte: u8, length: u32) -> Result<(), Trap> {
        self.slice_mut(address, length)?.fill(byte);
        Ok(())
    }

    /// C's `memmove`.
    ///
    /// # Errors
    /// If a range does not lie inside.
    pub fn copy(&mut self, to: u32, from: u32, length: u32) -> Result<(), Trap> {
        let source = self.range(from, length)?;
        let target = self.range(to, length)?;
        self.bytes.copy_within(source, target.start);
        Ok(())
    }

    fn range(&self, address: u32, length: u32) -> Result<std::ops::Range<usize>, Trap> {
        let end = u64::from(address) + u64::from(length);
        if end > u64::from(self.size()) {
            return Err(Trap::Pointer { address, length });
        }
        Ok(address as usize..end as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;
    use crate::{error::Trap, image::MemoryLayout};

    fn with_memory(test: impl FnOnce(&mut Memory)) {
        let layout = MemoryLayout {
            size: 131_072,
            lowest_stack: 0,
        };
        let mut bytes = vec![0; layout.reserved_bytes() as usize];
        test(&mut Memory::new(&mut bytes, layout).expect("it is large enough"));
    }

    #[test]
    fn words_wrap_like_the_module_s_own() {
        with_memory(|memory| {
            memory.write_i32(131_072 + 8, 7);
            assert_eq!(memory.read_i32(8), 7);
            memory.write_i32(131_070, -1);
            assert_eq!((memory.read_i32(131_070), memory.read_i32(0)), (-1, 0));
        });
    }

    #[test]
    fn ranges_must_lie_inside() {
        with_memory(|memory| {
            assert!(memory.slice(131_072, 0).is_ok());
            for (address, length) in [(131_072, 1), (131_071, 2), (u32::MAX, 1), (0, u32::MAX)] {
                let outside = Err(Trap::Pointer { address, length });
                assert_eq!(memory.slice(address, length).map(drop), outside);
                assert_eq!(memory.fill(address, 1, length), outside);
                assert_eq!(memory.copy(0, address, length), outside);
            }
        });
    }

    #[test]
    fn texts_end_at_their_nul_their_limit_or_the_memory_s_end() {
        with_memory(|memory| {
            memory.fill(131_069, b'x', 3).expect("it lies inside");
            assert_eq!(memory.c_string(131_069, 100), b"xxx");
            assert_eq!(memory.c_string(131_069, 2), b"xx");
            memory
                .write_c_string(64, 4, b"abcdef")
                .expect("it lies inside");
            assert_eq!(memory.c_string(64, 100), b"abc");
            memory
                .write_c_string(u32::MAX, 0, b"a")
                .expect("nothing is written");
            memory
                .write_c_string(u32::MAX, -5, b"a")
                .expect("nothing is written");
            assert!(memory.write_c_string(u32::MAX, 1, b"").is_err());
        });
    }
}
