//! Tests of maps: they are read, they hold, and players and items have room in them.

use super::*;
use crate::tests::kept_files;
use glam::Vec3;
use shared::{
    base::rng::Rng,
    cm::Sweep,
    formats::{
        bsp::{Bsp, SurfaceKind},
        mapents,
    },
};

const PLAYER: (Vec3, Vec3) = (Vec3::new(-15.0, -15.0, -24.0), Vec3::new(15.0, 15.0, 32.0));
const ITEM: (Vec3, Vec3) = (Vec3::splat(-15.0), Vec3::splat(15.0));

const NOLIGHTMAP: u32 = 0x400;

struct Map {
    name: String,
    bytes: usize,
    bsp: Bsp,
    solid: ClipMap,
    entities: Vec<mapents::MapEntity>,
}

/// All maps of the pak in the tree.
fn maps() -> &'static [Map] {
    static MAPS: std::sync::LazyLock<Vec<Map>> = std::sync::LazyLock::new(read_maps);
    &MAPS
}

fn read_maps() -> Vec<Map> {
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
    let mut files = kept_files();
    files.retain(|file| file.name.ends_with(".bsp"));
    files.into_iter().map(read).collect()
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
            let fall = sweep(map, at, at - Vec3::Z * 64.0, size);
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
        let mut rng = Rng::new(1);
        let origins = map
            .entities
            .iter()
            .filter_map(|entity| entity.vector("origin"));
        for origin in origins.collect::<Vec<_>>() {
            for _ in 0..200 {
                let way = within_cube(&mut rng).normalize_or_zero() * 10_000.0;
                let trace = sweep(map, origin, origin + way, (Vec3::ZERO, Vec3::ZERO));
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
        let cell = map.entities[0]
            .vector("gridsize")
            .unwrap_or(Vec3::new(64.0, 64.0, 128.0));
        let counts = (world.maxs / cell).floor() - (world.mins / cell).ceil() + Vec3::ONE;
        let expected = (counts.x * counts.y * counts.z) as usize;
        assert_eq!(map.bsp.light_grid.len(), expected, "{}", map.name);
        let pages = map.bsp.lightmap_images().len();
        for surface in &map.bsp.surfaces {
            let shader = &map.bsp.shaders[surface.shader as usize];
            let is_lit = shader.surface_flags & NOLIGHTMAP == 0 && shader.contents & 1 != 0;
            let has_light = (0..pages as i32).contains(&surface.lightmap);
            assert!(has_light == is_lit, "{}: {}", map.name, shader.name);
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
                let trace = sweep(map, before, next, PLAYER);
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

/// Between -1 and 1 in each direction.
fn within_cube(rng: &mut Rng) -> Vec3 {
    Vec3::from_array([(); 3].map(|()| rng.fraction() * 2.0 - 1.0))
}

/// Points in the air of a map.
fn points_in_air(map: &Map, count: usize) -> Vec<Vec3> {
    let world = &map.bsp.models[0];
    let (middle, half) = (
        (world.mins + world.maxs) / 2.0,
        (world.maxs - world.mins) / 2.0,
    );
    let mut rng = Rng::new(7);
    let mut found = Vec::new();
    while found.len() < count {
        let at = middle + within_cube(&mut rng) * half;
        if !sweep(map, at, at, (Vec3::ZERO, Vec3::ZERO)).start_solid {
            found.push(at);
        }
    }
    found
}

#[test]
fn what_is_in_sight_is_marked_visible_and_much_else_is_hidden() {
    for map in maps() {
        let points = points_in_air(map, 500);
        let clusters: Vec<i32> = points
            .iter()
            .map(|&at| map.bsp.leafs[map.bsp.leaf_at(at)].cluster)
            .collect();
        let (mut in_sight, mut hidden, mut pairs) = (0, 0, 0);
        for (a, &from) in points.iter().enumerate() {
            assert!(clusters[a] >= 0, "{}: {from} is in no room", map.name);
            for (b, &to) in points.iter().enumerate().skip(a + 1) {
                pairs += 1;
                let is_marked = map.bsp.cluster_sees(clusters[a], clusters[b]);
                assert_eq!(is_marked, map.bsp.cluster_sees(clusters[b], clusters[a]));
                hidden += u32::from(!is_marked);
                let trace = sweep(map, from, to, (Vec3::ZERO, Vec3::ZERO));
                if trace.fraction >= 1.0 {
                    in_sight += 1;
                    assert!(is_marked, "{}: {from} and {to} see each other", map.name);
                }
            }
        }
        println!(
            "{}: {pairs} pairs, {in_sight} in sight, {hidden} hidden",
            map.name
        );
        assert!(in_sight > 5_000, "{}: {in_sight}", map.name);
        // The field is one yard.
        let least = if map.name.contains("field") {
            0
        } else {
            pairs / 4
        };
        assert!(hidden >= least, "{}: {hidden} of {pairs}", map.name);
    }
}

/// The corners around a flat surface: the edges of its triangles that it has once.
fn outline(bsp: &Bsp, surface: &shared::formats::bsp::Surface) -> Vec<(Vec3, Vec3)> {
    let at = |index: u32| bsp.draw_verts[surface.verts.range()][index as usize].position;
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for triangle in bsp.draw_indexes[surface.indexes.range()].chunks(3) {
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let edge = (triangle[a], triangle[b]);
            match edges.iter().position(|&known| known == (edge.1, edge.0)) {
                Some(shared) => drop(edges.swap_remove(shared)),
                None => edges.push(edge),
            }
        }
    }
    edges.iter().map(|&(a, b)| (at(a), at(b))).collect()
}

#[test]
fn no_corner_lies_on_another_surface_s_edge() {
    for map in maps() {
        let is_plain = |surface: &&shared::formats::bsp::Surface| {
            let shader = &map.bsp.shaders[surface.shader as usize];
            let is_decal = ["stripe", "numbers"]
                .iter()
                .any(|word| shader.name.contains(word));
            surface.kind == SurfaceKind::Planar && !is_decal
        };
        let world = &map.bsp.surfaces[map.bsp.models[0].surfaces.range()];
        let flat: Vec<_> = world.iter().filter(is_plain).collect();
        assert!(flat.len() > 100, "{}", map.name);
        let outlines: Vec<_> = flat.iter().map(|s| outline(&map.bsp, s)).collect();
        let corners: Vec<Vec3> = outlines.iter().flatten().map(|edge| edge.0).collect();
        for (surface, edges) in flat.iter().zip(&outlines) {
            assert!(surface.verts.count <= 64, "{}", map.name);
            for &(from, to) in edges {
                let (low, high) = (from.min(to) - 0.1, from.max(to) + 0.1);
                let crack = corners.iter().find(|corner| {
                    corner.cmpge(low).all()
                        && corner.cmple(high).all()
                        && face::on_edge(from, to, **corner).is_some()
                });
                assert!(crack.is_none(), "{}: {crack:?} on {from} to {to}", map.name);
            }
        }
    }
}

#[test]
fn curves_are_round_and_solid() {
    let strafe1 = maps().iter().find(|map| map.name.contains("strafe1"));
    let strafe1 = strafe1.expect("it is made");
    let curves = strafe1.bsp.surfaces.iter();
    let curves = curves.filter(|surface| matches!(surface.kind, SurfaceKind::Patch { .. }));
    assert!(curves.count() > 40);
    // A column of the court, from all around.
    let middle = Vec3::new(224.0, 224.0, 100.0);
    for turn in 0..16_i32 {
        // A little beside the seams of its quarters, where a point may slip in between.
        let angle = (turn as f32 + 0.02) * std::f32::consts::FRAC_PI_8;
        let way = Vec3::new(libm::cosf(angle), libm::sinf(angle), 0.0);
        let from = middle + way * 100.0;
        let trace = sweep(strafe1, from, middle, (Vec3::ZERO, Vec3::ZERO));
        let radius = (trace.end - middle).truncate().length();
        assert!((24.0..36.0).contains(&radius), "{turn}: {radius}");
        assert!(
            trace.plane.normal.dot(way) > 0.7,
            "{turn}: {:?}",
            trace.plane
        );
        // Whoever walks has a box, which stops at the seams as well.
        let angle = turn as f32 * std::f32::consts::FRAC_PI_8;
        let way = Vec3::new(libm::cosf(angle), libm::sinf(angle), 0.0);
        let body = (Vec3::new(-15.0, -15.0, -24.0), Vec3::new(15.0, 15.0, 32.0));
        let trace = sweep(strafe1, middle + way * 100.0, middle, body);
        let radius = (trace.end - middle).truncate().length();
        assert!(radius > 24.0 + 10.0, "{turn}: {radius}");
    }
}

#[test]
fn fog_has_surfaces_in_it_and_mirrors_have_their_entity() {
    let (mut fogs, mut mirrors) = (0, 0);
    for map in maps() {
        for (number, fog) in map.bsp.fogs.iter().enumerate() {
            fogs += 1;
            assert_eq!(fog.visible_side, Some(5));
            let brush = &map.bsp.brushes[fog.brush as usize];
            assert_eq!(map.bsp.shaders[brush.shader as usize].name, fog.shader);
            let inside = map.bsp.surfaces.iter();
            let inside = inside.filter(|surface| surface.fog == Some(number as u32));
            assert!(inside.count() > 10, "{}", map.name);
        }
        for surface in &map.bsp.surfaces {
            let shader = &map.bsp.shaders[surface.shader as usize];
            if !shader.name.ends_with("mirror") {
                continue;
            }
            mirrors += 1;
            let normal = surface.lightmap_vectors[2];
            let dist = normal.dot(map.bsp.draw_verts[surface.verts.range()][0].position);
            let is_near = map.entities.iter().any(|entity| {
                entity.get("classname") == Some("misc_portal_surface")
                    && entity
                        .vector("origin")
                        .is_some_and(|at| (normal.dot(at) - dist).abs() <= 64.0)
            });
            assert!(is_near, "{}: a mirror that shows nothing", map.name);
        }
    }
    assert!(fogs >= 1 && mirrors >= 1);
}

#[test]
fn trains_go_round() {
    for map in maps() {
        let find = |key: &str, value: &str| {
            map.entities.iter().find(|entity| {
                entity.get("classname") == Some("path_corner") && entity.get(key) == Some(value)
            })
        };
        let trains = map.entities.iter();
        for train in trains.filter(|e| e.get("classname") == Some("func_train")) {
            let first = train.get("target").expect("a first corner");
            let mut name = first;
            for _ in 0..4 {
                let corner = find("targetname", name).expect("the corner is there");
                name = corner.get("target").expect("it leads on");
            }
            assert_eq!(name, first, "{}", map.name);
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
