//! Tests of maps: they are read, they hold, and players and items have room in them.

use super::*;
use glam::Vec3;
use shared::{
    cm::Sweep,
    formats::{bsp::Bsp, mapents},
};

const PLAYER: (Vec3, Vec3) = (Vec3::new(-15.0, -15.0, -24.0), Vec3::new(15.0, 15.0, 32.0));
const ITEM: (Vec3, Vec3) = (Vec3::splat(-15.0), Vec3::splat(15.0));

struct Map {
    name: String,
    bytes: usize,
    bsp: Bsp,
    solid: ClipMap,
    entities: Vec<mapents::MapEntity>,
}

fn maps() -> Vec<Map> {
    let read = |file: PakFile| {
        let bsp = Bsp::parse(&file.bytes).expect("our own reader reads it");
        let solid = ClipMap::new(&bsp).expect("collision is made of it");
        let entities = mapents::parse(&bsp.entities).expect("its entities are read");
        Map {
            name: file.name,
            bytes: file.bytes.len(),
            bsp,
            solid,
            entities,
        }
    };
    files().into_iter().map(read).collect()
}

fn sweep(
    map: &Map,
    start: Vec3,
    end: Vec3,
    (mins, maxs): (Vec3, Vec3),
) -> shared::types::trace::Trace {
    map.solid.trace(&Sweep {
        start,
        end,
        mins,
        maxs,
        mask: 0x1 | 0x10000,
    })
}

#[test]
fn everybody_and_everything_stands_free_and_on_a_floor() {
    for map in maps() {
        let mut spawns = 0;
        for entity in &map.entities {
            let class = entity.get("classname").unwrap_or_default();
            let Some(at) = entity.vector("origin") else {
                continue;
            };
            let is_player = class == "info_player_deathmatch" || class == "misc_teleporter_dest";
            let is_item = ["item_", "weapon_", "ammo_", "holdable_"]
                .iter()
                .any(|kind| class.starts_with(kind));
            if !is_player && !is_item {
                continue;
            }
            spawns += u32::from(is_player);
            let size = if is_player { PLAYER } else { ITEM };
            let fall = sweep(&map, at, at - Vec3::Z * 64.0, size);
            assert!(
                !fall.start_solid,
                "{}: {class} at {at} is in a wall",
                map.name
            );
            assert!(
                fall.fraction < 1.0,
                "{}: {class} at {at} hangs in the air",
                map.name
            );
            assert!(fall.plane.normal.z > 0.7, "{}: {class} at {at}", map.name);
        }
        assert!(spawns >= 8);
    }
}

#[test]
fn nobody_falls_out() {
    for map in maps() {
        let mut number = 1_u32;
        let mut next = || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from((number >> 16) as u16) / 65_535.0 * 2.0 - 1.0
        };
        let origins = map
            .entities
            .iter()
            .filter_map(|entity| entity.vector("origin"));
        for origin in origins.collect::<Vec<_>>() {
            for _ in 0..200 {
                let way = Vec3::new(next(), next(), next()).normalize_or_zero() * 10_000.0;
                let trace = sweep(&map, origin, origin + way, (Vec3::ZERO, Vec3::ZERO));
                assert!(
                    trace.fraction < 1.0,
                    "{}: a way out from {origin}",
                    map.name
                );
            }
        }
    }
}

#[test]
fn light_is_baked_for_all_and_nothing_is_black() {
    for map in maps() {
        let world = &map.bsp.models[0];
        let cell = Vec3::new(64.0, 64.0, 128.0);
        let counts = (world.maxs / cell).floor() - (world.mins / cell).ceil() + Vec3::ONE;
        let expected = (counts.x * counts.y * counts.z) as usize;
        assert_eq!(map.bsp.light_grid.len(), expected, "{}", map.name);
        let pages = map.bsp.lightmap_images().len();
        for surface in &map.bsp.surfaces {
            assert!(
                (0..pages as i32).contains(&surface.lightmap),
                "{}",
                map.name
            );
        }
        let lit = map
            .bsp
            .lightmap_images()
            .flat_map(|page| page.chunks(3))
            .filter(|texel| texel.iter().any(|&part| part > 0));
        let (count, sum) = lit.fold((0_u64, 0_u64), |(count, sum), texel| {
            (count + 1, sum + u64::from(texel[1]))
        });
        let mean = sum / count.max(1);
        assert!((25..110).contains(&mean), "{}: mean {mean}", map.name);
        assert!(map.bytes < 1_500_000, "{}: {} bytes", map.name, map.bytes);
    }
}

#[test]
fn pads_throw_to_where_they_point() {
    for map in maps() {
        for entity in &map.entities {
            if entity.get("classname") != Some("trigger_push") {
                continue;
            }
            let target = entity.get("target").unwrap_or_default();
            let found = map.entities.iter().find(|other| {
                other.get("classname") == Some("target_position")
                    && other.get("targetname") == Some(target)
            });
            let top = found
                .and_then(|found| found.vector("origin"))
                .expect("a target");
            let model: usize = entity.get("model").unwrap_or("*0")[1..].parse().unwrap();
            let model = &map.bsp.models[model];
            let from = (model.mins + model.maxs) / 2.0;
            let height = top.z - from.z;
            let time = (height / 400.0).sqrt();
            let flat = (top - from).truncate() / time;
            // The way up and half of that down again must be free.
            let at = |t: f32| {
                let up = 800.0 * time * t - 400.0 * t * t;
                Vec3::new(from.x + flat.x * t, from.y + flat.y * t, from.z + 24.0 + up)
            };
            let mut before = at(0.0);
            for step in 1..=24 {
                let next = at(time * step as f32 / 24.0);
                let trace = sweep(&map, before, next, PLAYER);
                assert!(
                    trace.fraction >= 1.0,
                    "{}: pad to {target} hits at {before}",
                    map.name
                );
                before = next;
            }
        }
    }
}

#[test]
fn the_pak_in_the_tree_is_what_is_made() {
    let made = crate::pak();
    let kept = include_bytes!("../../strafe.pk3");
    assert!(made == kept, "run cargo xtask arena");
    assert!(made.len() <= 1_500_000, "{} bytes", made.len());
}
