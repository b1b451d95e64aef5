//! Every map of OpenArena can be read, and damaged ones do no harm.

use crate::gamedata;
use glam::Vec3;
use shared::{
    base::rng::Rng,
    cm::{ClipMap, Solid, Sweep},
    formats::{bsp::Bsp, mapents},
};

#[test]
fn all_installed_maps_can_be_read() {
    let mut maps = 0;
    gamedata::each_file(".bsp", |name, bytes| {
        let bsp = Bsp::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let entities =
            mapents::parse(&bsp.entities).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(entities[0].get("classname"), Some("worldspawn"), "{name}");
        assert!(bsp.surfaces.len() > 50, "{name}: {}", bsp.surfaces.len());
        assert!(bsp.draw_verts.len() > 100, "{name}");
        ClipMap::new(&bsp).unwrap_or_else(|error| panic!("{name}: {error}"));
        maps += 1;
    });
    assert!(maps >= 85, "only {maps} maps");
}

#[test]
fn damaged_maps_are_errors_or_harmless() {
    let whole = gamedata::file("maps/aggressor.bsp");
    let mut rng = Rng::new(1);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..=rng.below(3) {
            damage(&mut bytes, &mut rng);
        }
        match Bsp::parse(&bytes).and_then(|bsp| ClipMap::new(&bsp).map(|clip| (bsp, clip))) {
            Ok((bsp, clip)) => {
                accepted += 1;
                walk_through(&bsp, &clip, &mut rng);
            }
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(
        refused > 300 && accepted > 300,
        "{refused} refused, {accepted} accepted"
    );
}

#[test]
fn cut_off_maps_are_errors() {
    let whole = gamedata::file("maps/aggressor.bsp");
    // The last lump may be followed by a few bytes that belong to none.
    for length in (0..whole.len() - 16)
        .step_by(4999)
        .chain([0, 3, 4, 7, 8, 143])
    {
        assert!(Bsp::parse(&whole[..length]).is_err(), "{length}");
    }
}

/// Changes a number somewhere in the header or in a lump, all lumps alike whatever their size.
fn damage(bytes: &mut [u8], rng: &mut Rng) {
    const VALUES: [u32; 8] = [
        0,
        1,
        u32::MAX,
        i32::MAX as u32,
        i32::MIN as u32,
        f32::NAN.to_bits(),
        f32::MAX.to_bits(),
        f32::INFINITY.to_bits(),
    ];
    let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte])) as usize;
    let lump = rng.below(18);
    let (start, length) = if lump == 17 {
        (0, 144)
    } else {
        (word(8 + lump * 8), word(12 + lump * 8))
    };
    // A header that was damaged before may point anywhere.
    let place = start.saturating_add(rng.below(length / 4 + 1) * 4);
    let place = place.min(bytes.len() - 4);
    let old = word(place) as u32;
    let new = match rng.below(4) {
        0 => old ^ 1 << rng.below(32),
        1 => old.wrapping_add(1),
        2 => rng.next_u64() as u32,
        _ => VALUES[rng.below(VALUES.len())],
    };
    bytes[place..place + 4].copy_from_slice(&new.to_le_bytes());
}

/// Asks a damaged map everything a game asks.
fn walk_through(bsp: &Bsp, clip: &ClipMap, rng: &mut Rng) {
    let odd = Vec3::new(f32::NAN, f32::INFINITY, -1.0e30);
    let places = [Vec3::ZERO, odd, place(rng), place(rng)];
    for start in places {
        for end in places {
            let sweep = Sweep {
                start,
                end,
                mins: Vec3::new(-15.0, -15.0, -24.0),
                maxs: Vec3::new(15.0, 15.0, 32.0),
                mask: u32::MAX,
            };
            let point = Sweep {
                mins: Vec3::ZERO,
                maxs: Vec3::ZERO,
                ..sweep
            };
            for sweep in [sweep, point] {
                clip.trace(&sweep);
                let solid = Solid::Model(rng.below(clip.model_count() + 1));
                let hit = clip.trace_solid(&sweep, solid, start, place(rng));
                assert!(!(hit.fraction < 0.0 || hit.fraction > 1.0), "{hit:?}");
            }
        }
        clip.point_contents(start);
        clip.cluster_sees(clip.cluster_at(start), rng.below(99) as i32 - 9);
        let cluster = bsp.leafs[bsp.leaf_at(start)].cluster;
        bsp.cluster_sees(cluster, rng.next_u64() as i32);
    }
}

fn place(rng: &mut Rng) -> Vec3 {
    Vec3::from_array([(); 3].map(|()| rng.below(8192) as f32 - 4096.0))
}

#[test]
fn lumps_that_share_their_bytes_are_refused() {
    let mut file = b"IBSP\x2e\0\0\0".to_vec();
    for _ in 0..17 {
        file.extend(144_u32.to_le_bytes());
        file.extend(100_000_u32.to_le_bytes());
    }
    file.resize(200_000, 0);
    let error = Bsp::parse(&file).expect_err("17 lumps of half the file");
    assert!(
        error.to_string().contains("longer than the file"),
        "{error}"
    );
}
