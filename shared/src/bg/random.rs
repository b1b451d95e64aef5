//! The small generator that client and server run alike, for pellets and spread.

/// One 32-bit state; the same seed gives the same numbers on both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Random(pub i32);

impl Random {
    /// The next state, which is also a number: any of the 2³².
    pub fn step(&mut self) -> i32 {
        self.0 = self.0.wrapping_mul(69069).wrapping_add(1);
        self.0
    }

    /// 0 to 1, without 1.
    pub fn uniform(&mut self) -> f32 {
        (self.step() & 0xffff) as f32 / 65536.0
    }

    /// −1 to 1.
    pub fn centred(&mut self) -> f32 {
        2.0 * (self.uniform() - 0.5)
    }

    /// 0 to `count` − 1, for choosing among things where nobody has to agree.
    pub fn below(&mut self, count: usize) -> usize {
        // The low bits of this generator repeat soon; the high ones do not.
        (self.step() as u32 >> 16) as usize % count.max(1)
    }
}
