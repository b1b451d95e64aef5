//! Weapons: how they fire, hum, hit and fly.

use super::Recipe;
use super::synth::{CRISP, FilteredNoise, RATE, Tone, Wave, fall, glide, noise, wave};
use crate::noise::NoiseRng;

pub(crate) const RECIPES: [Recipe; 35] = [
    ("weapons/bfg/bfg_fire", bfg_fire, 0.95),
    ("weapons/bfg/bfg_hum", || hum(52.0, 3.0, 401), 0.4),
    ("weapons/change", change, 0.5),
    ("weapons/grenade/grenlf1a", grenade_fire, 0.9),
    ("weapons/grenade/hgrenb1a", || bounce(620.0, 411), 0.6),
    ("weapons/grenade/hgrenb2a", || bounce(510.0, 412), 0.6),
    ("weapons/lightning/lg_fire", lightning_start, 0.8),
    ("weapons/lightning/lg_hit", || sizzle(0.14, 421), 0.6),
    ("weapons/lightning/lg_hit2", || sizzle(0.11, 422), 0.6),
    ("weapons/lightning/lg_hit3", || sizzle(0.17, 423), 0.6),
    ("weapons/lightning/lg_hum", lightning_loop, 0.7),
    ("weapons/machinegun/buletby1", fly_by, 0.5),
    ("weapons/machinegun/machgf1b", || gunshot(431, 1.0), 0.75),
    ("weapons/machinegun/machgf2b", || gunshot(432, 0.95), 0.75),
    ("weapons/machinegun/machgf3b", || gunshot(433, 1.05), 0.75),
    ("weapons/machinegun/machgf4b", || gunshot(434, 1.1), 0.75),
    (
        "weapons/machinegun/ric1",
        || ricochet(2600.0, 900.0, 441),
        0.5,
    ),
    (
        "weapons/machinegun/ric2",
        || ricochet(3100.0, 1500.0, 442),
        0.5,
    ),
    (
        "weapons/machinegun/ric3",
        || ricochet(1900.0, 700.0, 443),
        0.45,
    ),
    ("weapons/melee/fstatck", gauntlet_hit, 0.8),
    ("weapons/melee/fsthum", || hum(98.0, 2.0, 402), 0.3),
    ("weapons/melee/fstrun", gauntlet_loop, 0.6),
    ("weapons/noammo", no_ammo, 0.5),
    ("weapons/plasma/hyprbf1a", plasma_fire, 0.7),
    ("weapons/plasma/lasfly", plasma_loop, 0.4),
    ("weapons/plasma/plasmx1a", plasma_hit, 0.7),
    ("weapons/railgun/railgf1a", rail_fire, 0.95),
    ("weapons/railgun/rg_hum", || hum(73.0, 4.0, 403), 0.35),
    ("weapons/rocket/rockfly", rocket_loop, 0.6),
    ("weapons/rocket/rocklf1a", rocket_fire, 0.9),
    ("weapons/rocket/rocklx1a", explosion, 1.0),
    ("weapons/shotgun/sshotf1b", shotgun_fire, 0.95),
    ("items/damage3", quad_fire, 0.8),
    ("items/damage2", quad_fire, 0.8),
    ("items/protect3", absorbed, 0.6),
];

/// Noise through a falling filter over a falling tone: the base of all that explodes.
fn blast(rate: u32, seconds: f32, cutoff: [f32; 2], boom: [f32; 2], seed: u32) -> Wave {
    let (mut hiss, mut tone) = (FilteredNoise::new(seed), Tone::default());
    wave(rate, seconds, |t| {
        let gas = hiss.low(glide(cutoff[0], cutoff[1], t, seconds * 0.22), 0.25, rate);
        let low = tone.sine(glide(boom[0], boom[1], t, seconds * 0.15), rate);
        let soft = fall(t, 0.002, seconds * 0.28);
        let hit = fall(t, 0.001, seconds * 0.2);
        ((gas * 1.5 * soft + low * 0.8 * hit) * 1.6).clamp(-1.0, 1.0)
    })
}

fn explosion() -> Wave {
    let crack = blast(RATE, 0.25, [5000.0, 800.0], [220.0, 60.0], 451);
    blast(RATE, 0.95, [2400.0, 110.0], [95.0, 28.0], 452).with(&crack, 0.0, 0.7)
}

fn rocket_fire() -> Wave {
    let mut hiss = FilteredNoise::new(453);
    let rush = wave(RATE, 0.42, |t| {
        let hertz = glide(500.0, 2300.0, t, 0.14);
        hiss.band(hertz, 0.35, RATE) * fall(t, 0.05, 0.13)
    });
    blast(RATE, 0.3, [1800.0, 200.0], [140.0, 45.0], 454).with(&rush, 0.02, 0.9)
}

fn rocket_loop() -> Wave {
    let (mut hiss, mut tone) = (FilteredNoise::new(455), Tone::default());
    wave(RATE, 0.6, |t| {
        let flutter = 700.0 + 160.0 * libm::sinf(t * 62.0);
        let gas = hiss.band(flutter, 0.3, RATE);
        gas + 0.25 * tone.saw(60.0, RATE)
    })
    .looped()
}

fn shotgun_fire() -> Wave {
    let tail = blast(RATE, 0.5, [3000.0, 240.0], [150.0, 42.0], 456);
    let mut hiss = FilteredNoise::new(457);
    let pump = wave(RATE, 0.12, |t| {
        let click =
            fall(t, 0.001, 0.012) + fall((t - 0.07).max(0.0), 0.001, 0.016) * step_at(t, 0.07);
        hiss.band(1500.0, 0.5, RATE) * click
    });
    tail.with(&pump, 0.36, 0.5)
}

fn step_at(t: f32, at: f32) -> f32 {
    if t >= at { 1.0 } else { 0.0 }
}

fn gunshot(seed: u32, pitch: f32) -> Wave {
    blast(
        CRISP,
        0.11,
        [7000.0 * pitch, 500.0],
        [260.0 * pitch, 80.0],
        seed,
    )
}

fn ricochet(from: f32, to: f32, seed: u32) -> Wave {
    let (mut chance, mut tone) = (NoiseRng::new(seed), Tone::default());
    wave(CRISP, 0.2, |t| {
        let whine = tone.sine(
            glide(from, to, t, 0.16) + 40.0 * libm::sinf(t * 130.0),
            CRISP,
        );
        let chip = noise(&mut chance) * fall(t, 0.0005, 0.006);
        whine * fall(t, 0.004, 0.06) * 0.7 + chip
    })
}

fn fly_by() -> Wave {
    let mut hiss = FilteredNoise::new(458);
    wave(RATE, 0.22, |t| {
        let near = 1.0 - ((t - 0.1) / 0.1).abs();
        let hertz = glide(2600.0, 900.0, t, 0.1);
        hiss.band(hertz, 0.6, RATE) * near.max(0.0)
    })
}

fn grenade_fire() -> Wave {
    let mut tone = Tone::default();
    let thump = wave(RATE, 0.22, |t| {
        tone.sine(glide(330.0, 85.0, t, 0.05), RATE) * fall(t, 0.002, 0.06)
    });
    blast(RATE, 0.2, [1300.0, 180.0], [120.0, 50.0], 459).with(&thump, 0.0, 0.9)
}

/// A hard shell on a hard floor.
fn bounce(hertz: f32, seed: u32) -> Wave {
    let mut tones = [Tone::default(); 3];
    let mut chance = NoiseRng::new(seed);
    wave(RATE, 0.14, |t| {
        let rings: f32 = tones
            .iter_mut()
            .zip([1.0, 2.32, 3.9])
            .map(|(tone, ratio)| tone.sine(hertz * ratio, RATE) * fall(t, 0.001, 0.035 / ratio))
            .sum();
        rings * 0.5 + noise(&mut chance) * fall(t, 0.0005, 0.006)
    })
}

fn lightning_start() -> Wave {
    let crack = sizzle(0.3, 461);
    let mut tone = Tone::default();
    let zap = wave(RATE, 0.3, |t| {
        tone.saw(glide(1900.0, 110.0, t, 0.05), RATE) * fall(t, 0.002, 0.1)
    });
    zap.with(&crack, 0.0, 0.8)
}

/// Irregular sparks.
fn sizzle(seconds: f32, seed: u32) -> Wave {
    let mut hiss = FilteredNoise::new(seed);
    let (mut level, mut until) = (0.0_f32, 0.0_f32);
    wave(RATE, seconds, |t| {
        if t >= until {
            level = hiss.chance.unit() * hiss.chance.unit();
            until = t + hiss.chance.between(0.002, 0.014);
        }
        let spark = hiss.high(1400.0, RATE);
        spark * level * fall(t, 0.002, seconds * 0.5)
    })
}

fn lightning_loop() -> Wave {
    let mut hiss = FilteredNoise::new(462);
    let (mut low, mut high) = (Tone::default(), Tone::default());
    let mut level = 0.5_f32;
    wave(RATE, 0.55, |t| {
        if libm::fmodf(t, 0.008) < 0.0001 {
            level = hiss.chance.between(0.2, 1.0);
        }
        let buzz = low.saw(100.0, RATE) * 0.5 + high.square(200.0, RATE) * 0.18;
        buzz + hiss.high(1800.0, RATE) * level * 0.55
    })
    .looped()
}

fn gauntlet_loop() -> Wave {
    let (mut saw, mut whine) = (Tone::default(), Tone::default());
    let mut hiss = FilteredNoise::new(463);
    wave(RATE, 0.5, |t| {
        let motor = saw.saw(140.0 + 4.0 * libm::sinf(t * 25.0), RATE);
        let gear = whine.sine(1120.0, RATE) * 0.25;
        let air = hiss.band(2200.0, 0.4, RATE) * 0.3;
        motor * 0.5 + gear + air
    })
    .looped()
}

fn gauntlet_hit() -> Wave {
    let (mut hiss, mut tone) = (FilteredNoise::new(464), Tone::default());
    wave(RATE, 0.24, |t| {
        let grind = hiss.band(900.0, 0.5, RATE);
        let teeth = tone.square(86.0, RATE) * 0.5 + 0.5;
        (grind * teeth * 1.6 + hiss.white() * 0.4 * fall(t, 0.001, 0.02)) * fall(t, 0.004, 0.09)
    })
}

/// A quiet machine at rest.
fn hum(hertz: f32, beat: f32, seed: u32) -> Wave {
    let (mut first, mut second, mut third) = (Tone::default(), Tone::default(), Tone::default());
    let mut hiss = FilteredNoise::new(seed);
    wave(RATE, 0.6, |t| {
        let swell = 0.75 + 0.25 * libm::sinf(t * beat * 10.47);
        let body = first.sine(hertz, RATE)
            + 0.4 * second.sine(hertz * 2.0, RATE)
            + 0.2 * third.sine(hertz * 5.0, RATE);
        body * swell * 0.6 + hiss.low(300.0, 0.2, RATE) * 0.2
    })
    .looped()
}

fn rail_fire() -> Wave {
    let (mut saw, mut ring, mut sub) = (Tone::default(), Tone::default(), Tone::default());
    let mut chance = NoiseRng::new(465);
    wave(RATE, 0.8, |t| {
        let crack = noise(&mut chance) * fall(t, 0.001, 0.03);
        let slide = saw.saw(glide(2400.0, 160.0, t, 0.09), RATE) * fall(t, 0.001, 0.12);
        let tail = ring.sine(glide(1300.0, 640.0, t, 0.3), RATE) * fall(t, 0.03, 0.22) * 0.4;
        let punch = sub.sine(glide(180.0, 46.0, t, 0.07), RATE) * fall(t, 0.001, 0.16);
        crack * 0.8 + slide * 0.5 + tail + punch
    })
}

fn plasma_fire() -> Wave {
    let (mut saw, mut sine) = (Tone::default(), Tone::default());
    wave(RATE, 0.16, |t| {
        let hertz = glide(1500.0, 260.0, t, 0.045);
        (saw.square(hertz, RATE) * 0.35 + sine.sine(hertz * 0.5, RATE)) * fall(t, 0.003, 0.05)
    })
}

fn plasma_loop() -> Wave {
    let (mut first, mut second) = (Tone::default(), Tone::default());
    wave(RATE, 0.3, |t| {
        let wobble = 1.0 + 0.1 * libm::sinf(t * 120.0);
        first.sine(420.0 * wobble, RATE) + 0.5 * second.sine(638.0 * wobble, RATE)
    })
    .looped()
}

fn plasma_hit() -> Wave {
    let (mut hiss, mut tone) = (FilteredNoise::new(466), Tone::default());
    wave(RATE, 0.28, |t| {
        let air = hiss.band(glide(3000.0, 500.0, t, 0.08), 0.5, RATE);
        let drop = tone.sine(glide(700.0, 120.0, t, 0.06), RATE);
        (air + drop * 0.8) * fall(t, 0.002, 0.07)
    })
}

fn bfg_fire() -> Wave {
    let (mut low, mut high, mut ring) = (Tone::default(), Tone::default(), Tone::default());
    let surge = wave(RATE, 0.6, |t| {
        let rise = glide(60.0, 240.0, t, 0.2);
        let body = low.saw(rise, RATE) * 0.5 + high.square(rise * 1.5, RATE) * 0.2;
        (body + ring.sine(rise * 6.0, RATE) * 0.3) * fall(t, 0.08, 0.2)
    });
    blast(RATE, 0.6, [1600.0, 120.0], [160.0, 34.0], 467).with(&surge, 0.0, 0.9)
}

fn change() -> Wave {
    let mut hiss = FilteredNoise::new(468);
    wave(RATE, 0.16, |t| {
        let first = fall(t, 0.001, 0.01);
        let second = fall((t - 0.08).max(0.0), 0.001, 0.018) * step_at(t, 0.08);
        let hertz = if t < 0.08 { 1900.0 } else { 1200.0 };
        hiss.band(hertz, 0.7, RATE) * (first + second)
    })
}

fn no_ammo() -> Wave {
    let mut tone = Tone::default();
    wave(RATE, 0.16, |t| {
        let is_on = !(0.05..=0.09).contains(&t);
        let level = if is_on {
            fall(libm::fmodf(t, 0.09), 0.001, 0.03)
        } else {
            0.0
        };
        tone.square(300.0, RATE) * level
    })
}

fn quad_fire() -> Wave {
    let (mut tone, mut wide) = (Tone::default(), Tone::default());
    wave(RATE, 0.36, |t| {
        let hertz = glide(90.0, 360.0, t, 0.12);
        (tone.saw(hertz, RATE) * 0.6 + wide.sine(hertz * 3.0, RATE) * 0.4) * fall(t, 0.01, 0.1)
    })
}

fn absorbed() -> Wave {
    let mut tones = [Tone::default(); 3];
    wave(RATE, 0.3, |t| {
        let shimmer: f32 = tones
            .iter_mut()
            .zip([520.0, 786.0, 1170.0])
            .map(|(tone, hertz)| tone.sine(hertz * (1.0 + 0.01 * libm::sinf(t * 40.0)), RATE))
            .sum();
        shimmer * fall(t, 0.004, 0.08)
    })
}
