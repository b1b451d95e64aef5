//! Image: pixels with their mip chain, prepared as the reference client does.

/// A picture ready for upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub name: String,
    /// Size of the first level; powers of two.
    pub width: u32,
    pub height: u32,
    /// RGBA, 8 bits each, rows from the top; each level half the size of the one before, down to 1 × 1.
    /// A single level if `is_mipmapped` is false.
    pub levels: Vec<Vec<u8>>,
    pub is_mipmapped: bool,
    /// Clamped to the edge instead of repeated.
    pub is_clamped: bool,
    /// May be shown smaller by the player's wish (`r_picmip`).
    pub can_shrink: bool,
    /// Some pixel is not fully opaque.
    pub has_alpha: bool,
}

/// How an image is prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageOptions {
    pub use_mipmaps: bool,
    /// May be made smaller by the player's wish.
    pub use_picmip: bool,
    pub clamp: bool,
}

impl ImageOptions {
    /// Pictures of the HUD and menus.
    pub const FLAT: Self = Self {
        use_mipmaps: false,
        use_picmip: false,
        clamp: true,
    };
    /// Textures of surfaces.
    pub const SURFACE: Self = Self {
        use_mipmaps: true,
        use_picmip: true,
        clamp: false,
    };
    /// The box of a sky.
    pub const SKY: Self = Self {
        use_mipmaps: true,
        use_picmip: true,
        clamp: true,
    };
}

/// What the device allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureLimits {
    /// Sizes that are no power of two shrink instead of growing (`r_roundImagesDown`).
    pub round_down: bool,
    /// Largest width and height of the device.
    pub max_size: u32,
    /// The most bytes of the finished image, all levels together.
    pub max_bytes: u64,
}

impl TextureLimits {
    fn allow(&self, width: u32, height: u32, options: ImageOptions) -> bool {
        let largest = u64::from(width) * u64::from(height) * 4;
        let all = if options.use_mipmaps {
            largest + largest / 3
        } else {
            largest
        };
        width.max(height) <= self.max_size.max(1) && (all <= self.max_bytes || largest <= 4)
    }

    /// Whether images of this size are made smaller than the device would allow.
    pub fn reduces(&self, size: [u32; 2], options: ImageOptions) -> bool {
        let [mut width, mut height] = size.map(|side| self.rounded(side));
        while width.max(height) > self.max_size.max(1) {
            (width, height) = ((width / 2).max(1), (height / 2).max(1));
        }
        !self.allow(width, height, options)
    }

    fn rounded(&self, size: u32) -> u32 {
        let power = size.max(1).next_power_of_two();
        if self.round_down && power > size {
            power / 2
        } else {
            power
        }
    }

    /// How many bytes there are at once while pixels of this size are prepared.
    pub fn cost(&self, [width, height]: [u32; 2]) -> u64 {
        let bytes = |width: u32, height: u32| u64::from(width) * u64::from(height) * 4;
        let stored = bytes(width, height);
        let (round_width, round_height) = (self.rounded(width), self.rounded(height));
        let rounded = bytes(round_width, round_height);
        let levels = rounded / 3;
        if (round_width, round_height) == (width, height) {
            stored + levels
        } else {
            stored + rounded + levels
        }
    }
}

/// Decoded pixels: RGBA, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

impl Image {
    /// Brings pixels to a size the reference would use, and adds the mip chain.
    pub fn prepare(
        name: &str,
        pixels: Pixels,
        options: ImageOptions,
        limits: TextureLimits,
    ) -> Self {
        let mut pixels = to_power_of_two(pixels, limits);
        while !limits.allow(pixels.width, pixels.height, options) {
            pixels = halve(&pixels);
        }
        let has_alpha = pixels
            .rgba
            .as_chunks::<4>()
            .0
            .iter()
            .any(|pixel| pixel[3] != 255);
        let (width, height) = (pixels.width, pixels.height);
        let mut levels = Vec::new();
        while options.use_mipmaps && pixels.width * pixels.height > 1 {
            let next = halve(&pixels);
            levels.push(std::mem::replace(&mut pixels, next).rgba);
        }
        levels.push(pixels.rgba);
        Self {
            name: name.to_owned(),
            width,
            height,
            levels,
            is_mipmapped: options.use_mipmaps,
            is_clamped: options.clamp,
            can_shrink: options.use_picmip,
            has_alpha,
        }
    }
}

/// One half of each size, at least 1, by truncated means of 2 × 2 (or 2) pixels.
fn halve(pixels: &Pixels) -> Pixels {
    let (width, height) = ((pixels.width / 2).max(1), (pixels.height / 2).max(1));
    let row_size = pixels.width as usize * 4;
    // A single row or column stands for both.
    let lower_at = if pixels.height > 1 { row_size } else { 0 };
    let mut halved: Vec<[u8; 4]> = Vec::with_capacity(width as usize * height as usize);
    for y in 0..height as usize {
        let upper = &pixels.rgba[y * 2 * row_size..][..row_size];
        let lower = &pixels.rgba[y * 2 * row_size + lower_at..][..row_size];
        let (upper, lower) = (upper.as_chunks::<4>().0, lower.as_chunks::<4>().0);
        if pixels.width > 1 {
            let pairs = upper
                .as_chunks::<2>()
                .0
                .iter()
                .zip(lower.as_chunks::<2>().0);
            halved.extend(pairs.map(|(&[a, b], &[c, d])| mean([a, b, c, d])));
        } else {
            halved.push(mean([upper[0], upper[0], lower[0], lower[0]]));
        }
    }
    Pixels {
        width,
        height,
        rgba: halved.into_flattened(),
    }
}

/// The truncated mean of each channel; two channels are added at a time, in half a word each.
fn mean(pixels: [[u8; 4]; 4]) -> [u8; 4] {
    const EVERY_OTHER: u32 = 0x00ff_00ff;
    let [a, b, c, d] = pixels.map(u32::from_le_bytes);
    let of = |a: u32, b: u32, c: u32, d: u32| {
        let sum = (a & EVERY_OTHER) + (b & EVERY_OTHER) + (c & EVERY_OTHER) + (d & EVERY_OTHER);
        (sum >> 2) & EVERY_OTHER
    };
    let even = of(a, b, c, d);
    let odd = of(a >> 8, b >> 8, c >> 8, d >> 8);
    (even | odd << 8).to_le_bytes()
}

fn to_power_of_two(pixels: Pixels, limits: TextureLimits) -> Pixels {
    let (width, height) = (limits.rounded(pixels.width), limits.rounded(pixels.height));
    if (width, height) == (pixels.width, pixels.height) {
        pixels
    } else {
        resample(&pixels, width, height)
    }
}

/// Four taps per pixel, at one and three quarters of its extent, as the reference does.
fn resample(pixels: &Pixels, width: u32, height: u32) -> Pixels {
    let step = (u64::from(pixels.width) << 16) / u64::from(width);
    let columns: Vec<(usize, usize)> = (0..u64::from(width))
        .map(|i| {
            let first = ((step >> 2) + i * step) >> 16;
            let second = (3 * (step >> 2) + i * step) >> 16;
            (first as usize * 4, second as usize * 4)
        })
        .collect();
    let row_at = |row: f64| {
        (row * f64::from(pixels.height) / f64::from(height)) as usize * pixels.width as usize * 4
    };
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for j in 0..height {
        let upper = &pixels.rgba[row_at(f64::from(j) + 0.25)..];
        let lower = &pixels.rgba[row_at(f64::from(j) + 0.75)..];
        for &(a, b) in &columns {
            for channel in 0..4 {
                let sum = [
                    upper[a + channel],
                    upper[b + channel],
                    lower[a + channel],
                    lower[b + channel],
                ]
                .map(u32::from);
                rgba.push((sum.iter().sum::<u32>() >> 2) as u8);
            }
        }
    }
    Pixels {
        width,
        height,
        rgba,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: TextureLimits = TextureLimits {
        round_down: true,
        max_size: 2048,
        max_bytes: u64::MAX,
    };

    fn grey(width: u32, height: u32, values: &[u8]) -> Pixels {
        let rgba = values
            .iter()
            .flat_map(|&value| [value, value, value, 255])
            .collect();
        Pixels {
            width,
            height,
            rgba,
        }
    }

    fn prepared(pixels: Pixels, options: ImageOptions) -> Image {
        Image::prepare("x", pixels, options, LIMITS)
    }

    fn reds(pixels: &[u8]) -> Vec<u8> {
        pixels.iter().step_by(4).copied().collect()
    }

    #[test]
    fn mips_are_truncated_means() {
        let wide = grey(4, 2, &[1, 2, 3, 4, 5, 6, 7, 8]);
        let image = prepared(wide, ImageOptions::SURFACE);
        let levels: Vec<_> = image.levels.iter().map(|level| reds(level)).collect();
        assert_eq!(levels[1..], [vec![3, 5], vec![4]]);
        let tall = prepared(grey(1, 4, &[1, 2, 9, 12]), ImageOptions::SURFACE);
        assert_eq!(reds(&tall.levels[1]), [1, 10]);
    }

    #[test]
    fn channels_do_not_run_into_each_other() {
        let pixels = [
            [255, 3, 254, 0],
            [255, 0, 255, 0],
            [255, 0, 255, 1],
            [255, 0, 255, 2],
        ];
        assert_eq!(mean(pixels), [255, 0, 254, 0]);
    }

    #[test]
    fn odd_sizes_shrink_by_four_taps() {
        let odd = grey(3, 1, &[10, 20, 30]);
        let image = prepared(odd.clone(), ImageOptions::FLAT);
        assert_eq!((image.width, image.height, image.levels.len()), (2, 1, 1));
        // Columns 0 and 1 for the first pixel, 1 and 2 for the second.
        assert_eq!(reds(&image.levels[0]), [15, 25]);
        let grows = TextureLimits {
            round_down: false,
            ..LIMITS
        };
        let up = Image::prepare("x", odd, ImageOptions::FLAT, grows);
        assert_eq!((up.width, reds(&up.levels[0])), (4, vec![10, 15, 25, 30]));
    }

    #[test]
    fn devices_make_images_smaller_and_stages_say_what_players_may() {
        let image = |options, limits| Image::prepare("x", grey(8, 4, &[100; 32]), options, limits);
        assert!(image(ImageOptions::SURFACE, LIMITS).can_shrink);
        assert!(!image(ImageOptions::FLAT, LIMITS).can_shrink);
        let limits = TextureLimits {
            max_size: 2,
            ..LIMITS
        };
        assert_eq!(image(ImageOptions::FLAT, limits).width, 2);
    }

    #[test]
    fn images_shrink_until_they_fit_the_memory() {
        let sizes = |options, max_bytes| {
            let limits = TextureLimits {
                max_bytes,
                ..LIMITS
            };
            let image = Image::prepare("x", grey(8, 4, &[100; 32]), options, limits);
            let bytes: usize = image.levels.iter().map(Vec::len).sum();
            assert_eq!(limits.reduces([8, 4], options), image.width < 8);
            (image.width, bytes)
        };
        assert_eq!(sizes(ImageOptions::FLAT, 128), (8, 128));
        assert_eq!(sizes(ImageOptions::FLAT, 127), (4, 32));
        assert_eq!(sizes(ImageOptions::SURFACE, 128), (4, 44));
        assert_eq!(sizes(ImageOptions::SURFACE, 0), (1, 4));
    }

    #[test]
    fn the_cost_of_preparing_is_known_before() {
        assert_eq!(LIMITS.cost([64, 32]), 64 * 32 * 4 * 4 / 3);
        // Resampled pixels stand beside the stored ones.
        assert_eq!(LIMITS.cost([65, 32]), 65 * 32 * 4 + 64 * 32 * 4 * 4 / 3);
    }
}
