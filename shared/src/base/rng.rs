//! A small seeded generator; all randomness comes from here.

/// Same seed, same numbers, on every machine. Not for secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A generator; the same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Any 64 bits (the SplitMix64 generator).
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// At least 0, below 1.
    pub fn fraction(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1 << 24) as f32
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, chance: f32) -> bool {
        self.fraction() * 100.0 < chance
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn numbers_are_known_and_spread() {
        // The first numbers of SplitMix64 from seed 1234567.
        let mut rng = Rng::new(1_234_567);
        assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next_u64(), 3_203_168_211_198_807_973);
        let mut counts = [0; 10];
        for _ in 0..10_000 {
            counts[rng.below(10)] += 1;
        }
        assert!(
            counts.iter().all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
        assert_eq!(rng.below(0), 0);
        let hits = (0..10_000).filter(|_| rng.percent(25.0)).count();
        assert!((2300..2700).contains(&hits), "{hits}");
        assert!(!(0..1000).any(|_| rng.percent(0.0)));
        assert!((0..1000).all(|_| rng.percent(100.0)));
    }
}
