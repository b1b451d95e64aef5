//! Items, movers, water, steps and what else the world does.

use super::Recipe;
use super::synth::{FilteredNoise, RATE, Tone, Wave, fall, glide, noise, note, wave};
use crate::noise::NoiseRng;

pub(crate) const RECIPES: [Recipe; 77] = [
    ("misc/w_pkup", weapon_pickup, 0.7),
    ("misc/am_pkup", ammo_pickup, 0.6),
    ("misc/ar1_pkup", || plate(1.3, 601), 0.6),
    ("misc/ar2_pkup", || plate(0.8, 602), 0.7),
    ("misc/menu1", || blip(880.0, 1320.0), 0.5),
    ("misc/menu2", || blip(660.0, 660.0), 0.35),
    ("misc/menu3", || blip(880.0, 550.0), 0.5),
    ("misc/menu4", || blip(220.0, 180.0), 0.5),
    ("misc/windfly", wind, 0.6),
    ("items/s_health", || chime(&[12.0, 19.0], 0.09), 0.5),
    ("items/n_health", || chime(&[7.0, 14.0], 0.09), 0.55),
    ("items/l_health", || chime(&[7.0, 11.0, 14.0], 0.08), 0.6),
    (
        "items/m_health",
        || chime(&[0.0, 7.0, 12.0, 16.0], 0.08),
        0.65,
    ),
    ("items/holdable", || chime(&[5.0, 12.0], 0.1), 0.55),
    ("items/quaddamage", || powerup(-12.0, 0.5), 0.8),
    ("items/protect", || powerup(-5.0, 0.4), 0.75),
    ("items/haste", || powerup(2.0, 0.4), 0.75),
    ("items/invisibility", || powerup(7.0, 0.4), 0.7),
    ("items/regeneration", || powerup(0.0, 0.4), 0.7),
    ("items/flight", flight, 0.5),
    ("items/airout", bubble_out, 0.6),
    ("items/kamikazerespawn", || shimmer(-5.0, 0.4), 0.6),
    ("items/poweruprespawn", || shimmer(0.0, 0.45), 0.6),
    ("items/respawn1", || shimmer(7.0, 0.25), 0.5),
    ("items/regen", || chime(&[12.0], 0.1), 0.4),
    ("items/use_medkit", || chime(&[4.0, 7.0, 12.0], 0.1), 0.6),
    ("items/use_nothing", || blip(200.0, 140.0), 0.5),
    ("items/wearoff", || chime(&[5.0, 2.0], 0.09), 0.5),
    (
        "movers/doors/dr1_strt",
        || servo(120.0, 260.0, 0.4, 611),
        0.5,
    ),
    ("movers/doors/dr1_end", || thud(90.0, 612), 0.6),
    (
        "movers/plats/pt1_strt",
        || servo(70.0, 150.0, 0.5, 613),
        0.5,
    ),
    ("movers/plats/pt1_end", || thud(70.0, 614), 0.6),
    ("movers/switches/butn2", || blip(500.0, 750.0), 0.5),
    ("player/footsteps/boot1", || footstep(260.0, 621), 0.45),
    ("player/footsteps/boot2", || footstep(230.0, 622), 0.45),
    ("player/footsteps/boot3", || footstep(280.0, 623), 0.45),
    ("player/footsteps/boot4", || footstep(245.0, 624), 0.45),
    ("player/footsteps/step1", || footstep(330.0, 625), 0.4),
    ("player/footsteps/step2", || footstep(300.0, 626), 0.4),
    ("player/footsteps/step3", || footstep(350.0, 627), 0.4),
    ("player/footsteps/step4", || footstep(315.0, 628), 0.4),
    ("player/footsteps/clank1", || clank(470.0, 631), 0.45),
    ("player/footsteps/clank2", || clank(430.0, 632), 0.45),
    ("player/footsteps/clank3", || clank(510.0, 633), 0.45),
    ("player/footsteps/clank4", || clank(450.0, 634), 0.45),
    ("player/footsteps/mech1", || mech(150.0, 635), 0.5),
    ("player/footsteps/mech2", || mech(135.0, 636), 0.5),
    ("player/footsteps/mech3", || mech(165.0, 637), 0.5),
    ("player/footsteps/mech4", || mech(145.0, 638), 0.5),
    ("player/footsteps/energy1", || hover(300.0), 0.35),
    ("player/footsteps/energy2", || hover(330.0), 0.35),
    ("player/footsteps/energy3", || hover(280.0), 0.35),
    ("player/footsteps/energy4", || hover(315.0), 0.35),
    ("player/footsteps/flesh1", || squelch(0.09, 641), 0.45),
    ("player/footsteps/flesh2", || squelch(0.08, 642), 0.45),
    ("player/footsteps/flesh3", || squelch(0.1, 643), 0.45),
    ("player/footsteps/flesh4", || squelch(0.085, 644), 0.45),
    ("player/footsteps/splash1", || splash(0.16, 645), 0.5),
    ("player/footsteps/splash2", || splash(0.14, 646), 0.5),
    ("player/footsteps/splash3", || splash(0.18, 647), 0.5),
    ("player/footsteps/splash4", || splash(0.15, 648), 0.5),
    ("player/fry", fry, 0.6),
    ("player/gibimp1", || squelch(0.12, 651), 0.6),
    ("player/gibimp2", || squelch(0.14, 652), 0.6),
    ("player/gibimp3", || squelch(0.16, 653), 0.6),
    ("player/gibsplt1", gib, 0.9),
    ("player/gurp1", || gurgle(1.0), 0.6),
    ("player/gurp2", || gurgle(1.25), 0.6),
    ("player/land1", land, 0.6),
    ("player/talk", || blip(1180.0, 1180.0), 0.5),
    ("player/watr_in", || splash(0.34, 661), 0.7),
    ("player/watr_out", || splash(0.26, 662), 0.6),
    ("player/watr_un", bubble_out, 0.6),
    ("world/electro", electro, 0.7),
    ("world/jumppad", jump_pad, 0.8),
    ("world/telein", || portal(true), 0.8),
    ("world/teleout", || portal(false), 0.8),
];

/// Bells in a row, each `apart` seconds after the one before.
fn chime(notes: &[f32], apart: f32) -> Wave {
    let seconds = apart * notes.len() as f32 + 0.16;
    let mut tones = vec![[Tone::default(); 2]; notes.len()];
    wave(RATE, seconds, |t| {
        notes
            .iter()
            .zip(&mut tones)
            .enumerate()
            .map(|(index, (&step, [base, over]))| {
                let since = t - index as f32 * apart;
                if since < 0.0 {
                    return 0.0;
                }
                let hertz = note(step) * 2.0;
                let bell = base.sine(hertz, RATE)
                    + 0.35 * over.sine(hertz * 2.76, RATE) * fall(since, 0.001, 0.03);
                bell * fall(since, 0.003, 0.07)
            })
            .sum()
    })
}

fn blip(from: f32, to: f32) -> Wave {
    let mut tone = Tone::default();
    wave(RATE, 0.09, |t| {
        let hertz = if t < 0.04 { from } else { to };
        tone.sine(hertz, RATE) * fall(t, 0.003, 0.035)
    })
}

fn weapon_pickup() -> Wave {
    let mut hiss = FilteredNoise::new(603);
    wave(RATE, 0.26, |t| {
        let late = (t - 0.1).max(0.0);
        let level = fall(t, 0.001, 0.02)
            + if t > 0.1 {
                fall(late, 0.001, 0.04)
            } else {
                0.0
            };
        let hertz = if t < 0.1 { 1400.0 } else { 2300.0 };
        hiss.band(hertz, 0.75, RATE) * level
    })
    .with(&chime(&[0.0, 7.0], 0.1), 0.02, 0.25)
}

fn ammo_pickup() -> Wave {
    let mut hiss = FilteredNoise::new(604);
    wave(RATE, 0.14, |t| {
        let since = libm::fmodf(t, 0.045);
        hiss.band(2600.0 - t * 6000.0, 0.8, RATE) * fall(since, 0.001, 0.012)
    })
}

/// Metal plates that lock.
fn plate(pitch: f32, seed: u32) -> Wave {
    clank(330.0 * pitch, seed).with(&clank(505.0 * pitch, seed + 50), 0.07, 0.8)
}

fn powerup(step: f32, seconds: f32) -> Wave {
    let mut tones = [Tone::default(); 4];
    wave(RATE, seconds + 0.15, |t| {
        let rise = note(step) * libm::exp2f((t / seconds).min(1.0));
        let chord: f32 = tones
            .iter_mut()
            .zip([1.0, 1.5, 2.0, 3.0])
            .map(|(tone, ratio)| tone.saw(rise * ratio, RATE) / ratio)
            .sum();
        let level = (t * 6.0).min(1.0) * ((seconds + 0.15 - t) * 7.0).min(1.0);
        chord * level * (0.8 + 0.2 * libm::sinf(t * 50.0))
    })
}

fn shimmer(step: f32, seconds: f32) -> Wave {
    let mut tones = [Tone::default(); 3];
    wave(RATE, seconds, |t| {
        let chord: f32 = tones
            .iter_mut()
            .zip([1.0, 1.498, 2.01])
            .map(|(tone, ratio)| tone.sine(note(step) * 2.0 * ratio * (1.0 + t * 0.3), RATE))
            .sum();
        let share = t / seconds;
        chord * share * (1.0 - share) * 4.0
    })
}

fn flight() -> Wave {
    let (mut hiss, mut tone) = (FilteredNoise::new(605), Tone::default());
    wave(RATE, 0.6, |t| {
        let air = hiss.band(500.0 + 90.0 * libm::sinf(t * 31.4), 0.3, RATE);
        air + tone.sine(110.0, RATE) * 0.5
    })
    .looped()
}

fn wind() -> Wave {
    let mut hiss = FilteredNoise::new(606);
    wave(RATE, 0.6, |t| {
        let share = t / 0.6;
        hiss.band(500.0 + 900.0 * share, 0.45, RATE) * share * (1.0 - share) * 4.0
    })
}

fn bubble_out() -> Wave {
    let mut tone = Tone::default();
    let mut chance = NoiseRng::new(607);
    let (mut base, mut until, mut since) = (400.0_f32, 0.0_f32, 0.0_f32);
    wave(RATE, 0.36, |t| {
        if t >= until {
            base = chance.between(260.0, 640.0);
            since = t;
            until = t + chance.between(0.03, 0.07);
        }
        let age = t - since;
        tone.sine(base * (1.0 + age * 9.0), RATE) * fall(age, 0.004, 0.02) * (1.0 - t / 0.4)
    })
}

/// A motor that speeds up.
fn servo(from: f32, to: f32, seconds: f32, seed: u32) -> Wave {
    let (mut saw, mut whine, mut hiss) =
        (Tone::default(), Tone::default(), FilteredNoise::new(seed));
    wave(RATE, seconds, |t| {
        let hertz = glide(from, to, t, seconds * 0.3);
        let level = (t * 20.0).min(1.0) * ((seconds - t) * 8.0).min(1.0);
        let motor = saw.saw(hertz, RATE) * 0.3 + whine.sine(hertz * 6.0, RATE) * 0.2;
        (motor + hiss.low(900.0, 0.3, RATE) * 0.5) * level
    })
}

fn thud(hertz: f32, seed: u32) -> Wave {
    let (mut tone, mut hiss) = (Tone::default(), FilteredNoise::new(seed));
    wave(RATE, 0.2, |t| {
        let hit = hiss.low(900.0, 0.4, RATE) * fall(t, 0.001, 0.025);
        tone.sine(glide(hertz * 1.8, hertz, t, 0.03), RATE) * fall(t, 0.002, 0.06) + hit
    })
}

fn footstep(hertz: f32, seed: u32) -> Wave {
    let (mut hiss, mut tone) = (FilteredNoise::new(seed), Tone::default());
    wave(RATE, 0.1, |t| {
        let scuff = hiss.low(hertz * 5.0, 0.3, RATE) * fall(t, 0.003, 0.022);
        let heel =
            tone.sine(glide(hertz * 0.7, hertz * 0.35, t, 0.02), RATE) * fall(t, 0.002, 0.025);
        scuff + heel * 0.8
    })
}

fn clank(hertz: f32, seed: u32) -> Wave {
    let mut tones = [Tone::default(); 4];
    let mut chance = NoiseRng::new(seed);
    wave(RATE, 0.15, |t| {
        let ring: f32 = tones
            .iter_mut()
            .zip([1.0, 1.61, 2.74, 4.2])
            .map(|(tone, ratio)| tone.sine(hertz * ratio, RATE) * fall(t, 0.001, 0.04 / ratio))
            .sum();
        ring * 0.4 + noise(&mut chance) * fall(t, 0.001, 0.01) * 0.6
    })
}

fn mech(hertz: f32, seed: u32) -> Wave {
    thud(hertz * 0.6, seed).with(&servo(hertz * 2.0, hertz * 4.0, 0.1, seed + 40), 0.0, 0.25)
}

fn hover(hertz: f32) -> Wave {
    let mut tone = Tone::default();
    wave(RATE, 0.1, |t| {
        tone.sine(glide(hertz * 2.0, hertz, t, 0.03), RATE) * fall(t, 0.01, 0.03)
    })
}

fn squelch(seconds: f32, seed: u32) -> Wave {
    let mut hiss = FilteredNoise::new(seed);
    wave(RATE, seconds, |t| {
        let hertz = 400.0 + 700.0 * libm::sinf(t / seconds * 3.1);
        hiss.band(hertz, 0.75, RATE) * fall(t, 0.008, seconds * 0.4)
    })
}

fn splash(seconds: f32, seed: u32) -> Wave {
    let (mut hiss, mut drop) = (FilteredNoise::new(seed), Tone::default());
    wave(RATE, seconds, |t| {
        let hertz = glide(2600.0, 700.0, t, seconds * 0.4);
        let water = hiss.band(hertz, 0.25, RATE) * fall(t, 0.01, seconds * 0.3);
        let plop = drop.sine(300.0 + t * 1800.0, RATE) * fall(t, 0.004, 0.03) * 0.5;
        water + plop
    })
}

fn gib() -> Wave {
    let wet = squelch(0.4, 654);
    thud(85.0, 655)
        .with(&wet, 0.0, 1.0)
        .with(&squelch(0.2, 656), 0.14, 0.7)
}

fn gurgle(pitch: f32) -> Wave {
    let (mut tone, mut flutter) = (Tone::default(), Tone::default());
    wave(RATE, 0.28, |t| {
        let hertz = (190.0 + 70.0 * libm::sinf(t * 38.0)) * pitch;
        let open = 0.55 + 0.45 * flutter.sine(17.0, RATE);
        tone.sine(hertz, RATE) * open * fall(t, 0.02, 0.11)
    })
}

fn fry() -> Wave {
    let mut hiss = FilteredNoise::new(657);
    let mut level = 0.4_f32;
    wave(RATE, 0.6, |t| {
        if libm::fmodf(t, 0.02) < 0.0001 {
            level = hiss.chance.between(0.3, 1.0);
        }
        hiss.high(1500.0, RATE) * level
    })
    .looped()
}

fn land() -> Wave {
    footstep(180.0, 658).with(&thud(75.0, 659), 0.0, 0.9)
}

fn electro() -> Wave {
    let (mut saw, mut hiss) = (Tone::default(), FilteredNoise::new(663));
    wave(RATE, 0.3, |t| {
        let spark = hiss.high(1600.0, RATE) * 0.5;
        (saw.saw(100.0, RATE) * 0.6 + spark) * fall(t, 0.003, 0.12)
    })
}

fn jump_pad() -> Wave {
    let (mut tone, mut hiss) = (Tone::default(), FilteredNoise::new(664));
    wave(RATE, 0.42, |t| {
        let hertz = glide(90.0, 560.0, t, 0.16);
        let air = hiss.band(hertz * 4.0, 0.4, RATE) * fall(t, 0.02, 0.13);
        tone.sine(hertz, RATE) * fall(t, 0.006, 0.12) + air * 0.7
    })
}

fn portal(is_in: bool) -> Wave {
    let mut tones = [Tone::default(); 3];
    let mut hiss = FilteredNoise::new(665);
    wave(RATE, 0.5, |t| {
        let share = if is_in { t / 0.5 } else { 1.0 - t / 0.5 };
        let hertz = 180.0 * libm::exp2f(share * 2.6);
        let chord: f32 = tones
            .iter_mut()
            .zip([1.0, 1.5, 2.02])
            .map(|(tone, ratio)| tone.sine(hertz * ratio, RATE))
            .sum();
        let level = (t * 30.0).min(1.0) * (1.0 - t / 0.5);
        let dust = hiss.band(hertz * 3.0, 0.6, RATE) * 0.6;
        (chord * 0.5 + dust) * level
    })
}
