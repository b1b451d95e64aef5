//! Pictures in memory: drawing, blending and blurring, and light on what is raised or sunk.

use crate::noise::{lerp, smooth};

pub(crate) type Rgb = [f32; 3];

/// Red, green, blue and alpha from 0 to 1, rows from the top.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Canvas {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<[f32; 4]>,
}

impl Canvas {
    /// Asks for each pixel at its middle, in pixels from the top left.
    pub(crate) fn from_fn(
        width: usize,
        height: usize,
        mut pixel: impl FnMut(f32, f32) -> [f32; 4],
    ) -> Self {
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                pixels.push(pixel(x as f32 + 0.5, y as f32 + 0.5));
            }
        }
        Self {
            width,
            height,
            pixels,
        }
    }

    pub(crate) fn filled(width: usize, height: usize, color: [f32; 4]) -> Self {
        Self {
            width,
            height,
            pixels: vec![color; width * height],
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.pixels
            .iter()
            .flat_map(|pixel| pixel.map(|value| (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8))
            .collect()
    }

    pub(crate) fn get(&self, x: usize, y: usize) -> [f32; 4] {
        self.pixels[y * self.width + x]
    }

    /// Lays a color over a pixel, with `alpha` from 0 to 1; what is transparent takes the color on.
    pub(crate) fn over(&mut self, x: i32, y: i32, color: Rgb, alpha: f32) {
        if x < 0 || y < 0 || x >= self.width as i32 || y >= self.height as i32 || alpha <= 0.0 {
            return;
        }
        let pixel = &mut self.pixels[y as usize * self.width + x as usize];
        let alpha = alpha.min(1.0);
        let below = pixel[3] * (1.0 - alpha);
        let sum = alpha + below;
        for channel in 0..3 {
            pixel[channel] = (color[channel] * alpha + pixel[channel] * below) / sum;
        }
        pixel[3] = sum;
    }

    /// Puts another picture with its alpha at a place.
    pub(crate) fn stamp(&mut self, other: &Self, left: i32, top: i32) {
        for y in 0..other.height {
            for x in 0..other.width {
                let [r, g, b, a] = other.get(x, y);
                self.over(left + x as i32, top + y as i32, [r, g, b], a);
            }
        }
    }

    /// Half as wide and high, each pixel the mean of four, weighted by alpha.
    pub(crate) fn halved(&self) -> Self {
        let mut small = Self::filled(self.width / 2, self.height / 2, [0.0; 4]);
        for y in 0..small.height {
            for x in 0..small.width {
                let four = [(0, 0), (1, 0), (0, 1), (1, 1)]
                    .map(|(dx, dy)| self.get(x * 2 + dx, y * 2 + dy));
                let alpha: f32 = four.iter().map(|pixel| pixel[3]).sum();
                let mut mean = [0.0, 0.0, 0.0, alpha / 4.0];
                for pixel in four {
                    for channel in 0..3 {
                        let weight = if alpha > 0.0 { pixel[3] / alpha } else { 0.25 };
                        mean[channel] += pixel[channel] * weight;
                    }
                }
                small.pixels[y * small.width + x] = mean;
            }
        }
        small
    }

    /// A dark or light rim behind what is drawn, `radius` pixels wide.
    pub(crate) fn outlined(&self, radius: i32, color: Rgb, strength: f32) -> Self {
        let mut below = Self::filled(self.width, self.height, [color[0], color[1], color[2], 0.0]);
        for y in 0..self.height as i32 {
            for x in 0..self.width as i32 {
                let mut most = 0.0_f32;
                for dy in -radius..=radius {
                    for dx in -radius..=radius {
                        let (px, py) = (x + dx, y + dy);
                        let is_inside =
                            px >= 0 && py >= 0 && px < self.width as i32 && py < self.height as i32;
                        let far = ((dx * dx + dy * dy) as f32).sqrt() / (radius as f32 + 0.5);
                        if is_inside && far < 1.0 {
                            let alpha = self.get(px as usize, py as usize)[3];
                            most = most.max(alpha * (1.0 - far * far));
                        }
                    }
                }
                let at = y as usize * self.width + x as usize;
                below.pixels[at][3] = (most * strength).min(1.0);
            }
        }
        below.stamp(self, 0, 0);
        below
    }

    pub(crate) fn map(&mut self, mut change: impl FnMut([f32; 4]) -> [f32; 4]) {
        for pixel in &mut self.pixels {
            *pixel = change(*pixel);
        }
    }
}

/// One point of a surface that is yet to be lit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texel {
    pub color: Rgb,
    /// In pixels above the surface.
    pub height: f32,
    /// How much worn edges shine through, 0 to 1.
    pub wear: f32,
    /// Light of its own, added after all shading.
    pub glow: Rgb,
}

impl Texel {
    pub(crate) fn new(color: Rgb, height: f32) -> Self {
        Self {
            color,
            height,
            wear: 0.0,
            glow: [0.0; 3],
        }
    }

    pub(crate) fn worn(self, wear: f32) -> Self {
        Self { wear, ..self }
    }

    pub(crate) fn glowing(self, glow: Rgb) -> Self {
        Self { glow, ..self }
    }
}

/// How a surface is lit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lighting {
    /// How steep slopes look.
    pub relief: f32,
    /// How dark hollows are.
    pub hollows: f32,
    /// What shines where edges are worn.
    pub bare: Rgb,
}

/// Lights a surface that repeats at its edges, from above and a little from the left.
pub(crate) fn light(
    width: usize,
    height: usize,
    lighting: Lighting,
    mut surface: impl FnMut(f32, f32) -> Texel,
) -> Canvas {
    let mut texels = Vec::with_capacity(width * height);
    for y in 0..height {
        for x in 0..width {
            texels.push(surface(x as f32 + 0.5, y as f32 + 0.5));
        }
    }
    let heights: Vec<f32> = texels.iter().map(|texel| texel.height).collect();
    let near = blurred(&heights, width, height, 2);
    let far = blurred(&heights, width, height, 7);
    let at = |x: usize, y: usize| heights[(y % height) * width + x % width];
    let toward = [-0.38_f32, -0.74, 0.55];
    let mut canvas = Canvas::filled(width, height, [0.0, 0.0, 0.0, 1.0]);
    for y in 0..height {
        for x in 0..width {
            let index = y * width + x;
            let texel = texels[index];
            let dx = (at(x + width - 1, y) - at(x + 1, y)) * 0.5 * lighting.relief;
            let dy = (at(x, y + height - 1) - at(x, y + 1)) * 0.5 * lighting.relief;
            let length = (dx * dx + dy * dy + 1.0).sqrt();
            let lit = (dx * toward[0] + dy * toward[1] + toward[2]) / length / toward[2];
            let below = (near[index] - texel.height).max(0.0) * 0.6
                + (far[index] - texel.height).max(0.0) * 0.5;
            let shade = (0.45 + 0.55 * lit.clamp(-0.3, 2.2)) / (1.0 + lighting.hollows * below);
            let edge = smooth((texel.height - near[index]) * 1.4 - 0.15) * texel.wear;
            for channel in 0..3 {
                let color = lerp(texel.color[channel], lighting.bare[channel], edge);
                canvas.pixels[index][channel] = color * shade + texel.glow[channel];
            }
        }
    }
    canvas
}

/// Means over squares, twice, with wrapped edges.
fn blurred(values: &[f32], width: usize, height: usize, radius: usize) -> Vec<f32> {
    let mut current = values.to_vec();
    let share = 1.0 / (2 * radius + 1) as f32;
    for _ in 0..2 {
        let mut across = vec![0.0; current.len()];
        for y in 0..height {
            for x in 0..width {
                let sum: f32 = (0..=2 * radius)
                    .map(|d| current[y * width + (x + width * 2 + d - radius) % width])
                    .sum();
                across[y * width + x] = sum * share;
            }
        }
        for y in 0..height {
            for x in 0..width {
                let sum: f32 = (0..=2 * radius)
                    .map(|d| across[((y + height * 2 + d - radius) % height) * width + x])
                    .sum();
                current[y * width + x] = sum * share;
            }
        }
    }
    current
}

/// How deep a point lies inside a box with rounded corners; negative outside.
pub(crate) fn inside_box(x: f32, y: f32, rect: [f32; 4], round: f32) -> f32 {
    let [left, top, right, bottom] = rect;
    let dx = (x - (left + right) / 2.0).abs() - (right - left) / 2.0 + round;
    let dy = (y - (top + bottom) / 2.0).abs() - (bottom - top) / 2.0 + round;
    let outside = (dx.max(0.0) * dx.max(0.0) + dy.max(0.0) * dy.max(0.0)).sqrt();
    round - outside - dx.max(dy).min(0.0)
}

/// How deep a point lies inside a disc; negative outside.
pub(crate) fn inside_disc(x: f32, y: f32, center: [f32; 2], radius: f32) -> f32 {
    let (dx, dy) = (x - center[0], y - center[1]);
    radius - (dx * dx + dy * dy).sqrt()
}

pub(crate) fn mix(a: Rgb, b: Rgb, t: f32) -> Rgb {
    let t = t.clamp(0.0, 1.0);
    [0, 1, 2].map(|channel| lerp(a[channel], b[channel], t))
}

pub(crate) fn scale(color: Rgb, factor: f32) -> Rgb {
    color.map(|value| value * factor)
}

pub(crate) fn opaque([r, g, b]: Rgb) -> [f32; 4] {
    [r, g, b, 1.0]
}

/// A color from a number like 0x12_a0_ff.
pub(crate) fn rgb(hex: u32) -> Rgb {
    [16, 8, 0].map(|shift| ((hex >> shift) & 255) as f32 / 255.0)
}
