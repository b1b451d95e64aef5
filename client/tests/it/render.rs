//! The reference views, drawn and compared, and what they do not show.

use crate::disk::Disk;
use crate::views::{HEIGHT, Outcome, Studio, WIDTH, draw_views, maps, reference_scene};
use client::render::settings::RenderSettings;
use client::scene::{Draw2d, PolyVertex, RefEntity, RefEntityKind, Refdef, Scene, Shadow};
use glam::Vec3;
use shared::cm::marks::MarkMap;
use shared::cm::{ClipMap, Sweep};
use shared::types::trace::contents;
use std::collections::BTreeSet;

/// How many reference views there are.
const VIEWS: usize = 38;

#[test]
fn frames_match_the_reference_client() {
    let outcomes = draw_views(&mut Studio::open(), &[], |_| {});
    assert_eq!(outcomes.len(), VIEWS);
    for outcome in outcomes {
        assert!(
            outcome.passes(),
            "{}: mean error {:.2}, {:.2} % of the pixels far off, {} draws",
            outcome.name,
            outcome.mean_abs_error,
            outcome.share_over_16 * 100.0,
            outcome.stats.draws
        );
    }
}

/// What pages show that get smaller files from a relay.
#[test]
fn frames_of_smaller_files_are_near_the_reference_client() {
    /// How far the mean of all channels may be off, in 1/255.
    const MAX_MEAN_ERROR: f64 = 2.5;

    // Other maps, players and sounds would be most of the work.
    let maps: BTreeSet<String> = maps().iter().map(|map| format!("maps/{map}.bsp")).collect();
    let is_shown = |file: &str| match file.split('/').next() {
        Some("maps") => maps.contains(file),
        Some("sound" | "menu") => false,
        _ => !file.starts_with("models/players/"),
    };
    let (mut disk, mut found) = Disk::openarena();
    for pak in found.clone() {
        let light = relay::light_pak(disk.path(pak.id), is_shown).expect("the pak can be read");
        found.extend(light.map(|light| disk.lighten(&pak, light)));
    }
    let mut studio = Studio::with(Disk::announced((disk, found)), [WIDTH, HEIGHT]);
    let outcomes = draw_views(&mut studio, &[], |_| {});
    assert_eq!(outcomes.len(), VIEWS);
    let first = std::slice::from_ref(&outcomes[0].name);
    let exact = draw_views(&mut Studio::open(), first, |_| {});
    assert!(
        exact[0].drawn != outcomes[0].drawn,
        "the paks themselves were drawn"
    );
    for Outcome {
        name,
        mean_abs_error,
        ..
    } in outcomes
    {
        println!("{name}: {mean_abs_error:.2}");
        assert!(
            mean_abs_error <= MAX_MEAN_ERROR,
            "{name}: mean error {mean_abs_error:.2}"
        );
    }
}

/// How many pixels of a part of the frame differ clearly.
fn changes(a: &[u8], b: &[u8], [left, top, width, height]: [u32; 4]) -> usize {
    let differs = |x: u32, y: u32| {
        let at = ((y * WIDTH + x) * 3) as usize;
        (0..3).any(|k| a[at + k].abs_diff(b[at + k]) > 8)
    };
    (top..top + height)
        .map(|y| (left..left + width).filter(|&x| differs(x, y)).count())
        .sum()
}

/// Everything that a game adds to a map, each in its own part of the frame.
#[test]
fn effects_models_and_pictures_appear_where_they_are() {
    let mut studio = Studio::open();
    let empty = reference_scene(&mut studio, "oa_dm2-hall");
    let (eye, [forward, left, up]) = (empty.views[0].eye, empty.views[0].axis);
    let at = |x: f32, y: f32| eye + forward * 100.0 - left * x + up * y;
    let mut scene = empty.clone();
    let mut add = |kind, origin: Vec3, old_origin: Vec3, shader: Option<&str>| {
        let mut entity = RefEntity::new(kind, origin);
        entity.old_origin = old_origin;
        entity.custom_shader = shader.map(|name| studio.assets.register_shader(name));
        scene.views[0].entities.push(entity);
    };
    let sprite = RefEntityKind::Sprite {
        radius: 12.0,
        rotation_deg: 30.0,
    };
    add(sprite, at(-75.0, 30.0), Vec3::ZERO, Some("sprites/plasma1"));
    let core = RefEntityKind::RailCore { width: 6.0 };
    add(core, at(-50.0, 0.0), at(-90.0, 0.0), Some("railCore"));
    let far = at(-90.0, -30.0) + forward * 200.0;
    add(
        RefEntityKind::RailRings,
        at(-50.0, -30.0),
        far,
        Some("railDisc"),
    );
    let bolt = Some("lightningBoltNew");
    add(RefEntityKind::Lightning, at(50.0, 0.0), at(90.0, 0.0), bolt);
    add(RefEntityKind::Beam, at(50.0, 30.0), at(90.0, 30.0), None);
    // Clockwise on the screen, as every front side.
    let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)];
    let shader = studio.assets.register_shader("gfx/damage/plasma_mrk");
    let vertices = corners.map(|(s, t)| PolyVertex {
        position: at(55.0 + 30.0 * s, -45.0 + 30.0 * t),
        tex_coord: [s, t],
        color: [255, 0, 0, 255],
    });
    scene.views[0].polys.push(shader, vertices);
    let mut body = legs(&mut studio, at(0.0, 10.0));
    (body.frame, body.old_frame, body.backlerp) = (110, 111, 0.5);
    body.axis = [-forward, -left, up];
    scene.views[0].entities.push(body);
    scene.draw2d.push(Draw2d {
        rect: [10.0, 10.0, 64.0, 64.0],
        tex: [1.0 / 16.0, 4.0 / 16.0, 2.0 / 16.0, 5.0 / 16.0],
        color: [1.0, 1.0, 0.0, 1.0],
        shader: studio.assets.register_shader_no_mip("gfx/2d/bigchars"),
    });
    studio.finish_loading();
    studio.draw(&empty);
    let before = studio.pixels();
    studio.draw(&scene);
    let after = studio.pixels();
    save("effects", &after);
    let parts = [
        ("sprite", [60, 60, 60, 60]),
        ("rail core", [40, 160, 110, 40]),
        ("rail rings", [160, 205, 80, 60]),
        ("lightning", [490, 140, 110, 80]),
        ("beam", [490, 60, 110, 60]),
        ("polygon", [500, 225, 100, 100]),
        ("player", [290, 120, 60, 120]),
        ("letter", [10, 10, 64, 64]),
    ];
    for (name, part) in parts {
        assert!(
            changes(&before, &after, part) > 25,
            "there is no {name} in {part:?}"
        );
    }
}

/// Figures of the HUD stand before the walls behind them, however near those are, and the later before the earlier.
#[test]
fn figures_are_seen_over_the_map_in_its_own_pass() {
    let mut studio = Studio::open();
    let hall = reference_scene(&mut studio, "oa_dm2-hall");
    let legs = legs(&mut studio, Vec3::ZERO);
    let part = [200, 150, 100, 100];
    // Farther than the wall behind, though not beyond what is drawn without a map.
    let figure = |distance: f32, yaw: Vec3| {
        let mut body = legs.clone();
        body.origin = Vec3::X * distance;
        (body.frame, body.old_frame) = (110, 110);
        body.axis = [yaw, Vec3::Z.cross(yaw), Vec3::Z];
        Refdef {
            viewport: part.map(|side| side as f32),
            fov_x: 2.0,
            fov_y: 2.0,
            has_world: false,
            entities: vec![body],
            ..Refdef::default()
        }
    };
    let mut one = hall.clone();
    one.views.push(figure(1500.0, -Vec3::X));
    let mut two = one.clone();
    two.views.push(figure(1800.0, Vec3::Y));
    studio.finish_loading();
    let mut draw = |scene: &Scene| {
        studio.draw(scene);
        (studio.pixels(), studio.renderer.stats().passes)
    };
    let ((bare, _), (with_one, _), (with_two, passes)) = (draw(&hall), draw(&one), draw(&two));
    save("figures", &with_two);
    let outside = |a: &[u8], b: &[u8]| changes(a, b, [0, 0, WIDTH, HEIGHT]) - changes(a, b, part);
    assert!(changes(&bare, &with_one, part) > 500, "no figure");
    assert!(changes(&with_one, &with_two, part) > 100, "no second one");
    assert_eq!(outside(&bare, &with_one) + outside(&bare, &with_two), 0);
    assert_eq!(passes, 1);
}

#[test]
fn brightness_and_samples_change_the_picture_only_as_asked() {
    let mut studio = Studio::open();
    let scene = reference_scene(&mut studio, "oa_dm1-torches");
    let mut draw = |settings: RenderSettings| {
        studio.renderer.configure(&settings);
        studio.draw(&scene);
        studio.pixels()
    };
    let plain = draw(RenderSettings::REFERENCE);
    let bright = draw(RenderSettings {
        gamma: 2.0,
        ..RenderSettings::REFERENCE
    });
    let expected = plain
        .iter()
        .map(|&c| (255.0 * (f32::from(c) / 255.0).sqrt()).round() as u8);
    assert!(
        bright
            .iter()
            .zip(expected)
            .all(|(found, wanted)| found.abs_diff(wanted) <= 1)
    );
    let smooth = RenderSettings {
        samples: 4,
        anisotropy: 8,
        gamma: 1.0,
        ..RenderSettings::REFERENCE
    };
    let smooth = draw(smooth);
    let changed = changes(&plain, &smooth, [0, 0, WIDTH, HEIGHT]);
    assert!(
        (500..WIDTH as usize * HEIGHT as usize / 4).contains(&changed),
        "{changed} pixels changed"
    );
    assert_eq!(draw(RenderSettings::REFERENCE), plain);
    let mut no_view = Scene {
        views: scene.views.clone(),
        ..Scene::default()
    };
    no_view.views[0].hyperspace = true;
    no_view.views[0].time_msec = 0x180;
    studio.draw(&no_view);
    assert!(studio.pixels().iter().all(|&c| c == 0x80));
}

/// Twenty of the same weapon cost what one costs, and all of them are seen.
#[test]
fn things_that_look_alike_are_one_draw() {
    let mut studio = Studio::open();
    let empty = reference_scene(&mut studio, "oa_dm2-hall");
    let model = studio
        .assets
        .register_model("models/weapons2/rocketl/rocketl.md3");
    let (eye, [forward, left, up]) = (empty.views[0].eye, empty.views[0].axis);
    let weapon = |number: i32| {
        let (column, row) = (number % 5 - 2, number / 5 - 2);
        let place = eye + forward * 120.0 - left * (36 * column) as f32 + up * (20 * row) as f32;
        RefEntity::new(RefEntityKind::Model(model), place)
    };
    let mut draw = |count: i32| {
        let mut scene = empty.clone();
        scene.views[0].entities.extend((0..count).map(weapon));
        studio.finish_loading();
        studio.draw(&scene);
        (studio.pixels(), studio.renderer.stats())
    };
    let (nothing, none) = draw(0);
    let (_, one) = draw(1);
    let (all, twenty) = draw(20);
    assert!(one.draws > none.draws);
    assert_eq!(twenty.draws, one.draws);
    assert_eq!(
        twenty.triangles - none.triangles,
        20 * (one.triangles - none.triangles)
    );
    save("alike", &all);
    for number in 0..20 {
        let (column, row) = (number % 5, number / 5);
        let part = [320 + 96 * column - 240, 259 - 53 * row, 96, 53].map(|x: i32| x as u32);
        assert!(
            changes(&nothing, &all, part) > 25,
            "weapon {number} in {part:?}"
        );
    }
}

#[test]
fn settings_take_effect_in_the_next_frame() {
    type Choice = fn(&mut RenderSettings);
    let choices: [(&str, Choice); 6] = [
        ("oa_dm1-torches", |settings| settings.picmip = 3),
        ("pul1ctf-ring", |settings| settings.curve_error = 60.0),
        ("oa_dm7-court", |settings| settings.fast_sky = true),
        ("kaos2-dlights", |settings| settings.dynamic_lights = false),
        ("oa_dm2-models", |settings| settings.lod_bias = 2),
        ("oa_dm2-hall", |settings| settings.vertex_light = true),
    ];
    let mut studio = Studio::open();
    for (view, choose) in choices {
        let scene = reference_scene(&mut studio, view);
        let mut draw = |settings: RenderSettings| {
            studio.renderer.configure(&settings);
            studio.draw(&scene);
            studio.pixels()
        };
        let plain = draw(RenderSettings::REFERENCE);
        let mut settings = RenderSettings::REFERENCE;
        choose(&mut settings);
        let chosen = draw(settings);
        let changed = changes(&plain, &chosen, [0, 0, WIDTH, HEIGHT]);
        assert!(
            changed > 300,
            "{view}: {changed} pixels changed by {settings:?}"
        );
        assert!(
            draw(RenderSettings::REFERENCE) == plain,
            "{view} does not come back"
        );
    }
}

#[test]
fn a_lost_adapter_is_noticed_and_harms_nobody() {
    let mut studio = Studio::open();
    let scene = reference_scene(&mut studio, "oa_dm1-torches");
    studio.draw(&scene);
    let before = studio.pixels();
    assert!(!studio.gpu.is_lost());
    studio.gpu.device.destroy();
    studio.draw(&scene);
    studio.renderer.resize([320, 180]);
    studio.draw(&scene);
    assert!(studio.gpu.is_lost());
    // What is fetched only now finds nobody who takes it.
    studio.assets.register_shader("gfx/damage/burn_med_mrk");
    studio.draw(&scene);
    let mut studio = Studio::open();
    let scene = reference_scene(&mut studio, "oa_dm1-torches");
    studio.draw(&scene);
    assert!(studio.pixels() == before);
}

#[test]
fn marks_lie_on_the_surfaces_that_are_hit() {
    let mut studio = Studio::open();
    let mut scene = reference_scene(&mut studio, "oa_dm2-hall");
    studio.draw(&scene);
    let before = studio.pixels();
    let bsp = studio.assets.world().expect("the map is loaded").clone();
    let clip = ClipMap::new(&bsp).expect("the map is sound");
    let mut marks = MarkMap::new(bsp);
    let shader = studio.assets.register_shader("gfx/damage/burn_med_mrk");
    let (eye, [forward, left, up]) = (scene.views[0].eye, scene.views[0].axis);
    for (x, y) in [
        (-0.5, -0.4),
        (0.0, -0.4),
        (0.5, -0.4),
        (-0.9, 0.0),
        (0.9, 0.0),
    ] {
        let trace = clip.trace(&Sweep {
            start: eye,
            end: eye + (forward - left * x + up * y) * 4000.0,
            mins: Vec3::ZERO,
            maxs: Vec3::ZERO,
            mask: contents::MASK_SOLID,
        });
        let normal = trace.plane.normal;
        let axis = normal.any_orthonormal_vector() * 24.0;
        let across = normal.cross(axis);
        let corners = [-across - axis, across - axis, across + axis, axis - across];
        let pieces = marks.fragments(&corners.map(|corner| trace.end + corner), normal * -20.0);
        assert!(!pieces.is_empty(), "nothing is hit at {x}, {y}: {trace:?}");
        for piece in pieces {
            let vertex = |position: Vec3| PolyVertex {
                position,
                tex_coord: [axis, across]
                    .map(|axis| 0.5 + (position - trace.end).dot(axis) / (2.0 * 24.0 * 24.0)),
                color: [255; 4],
            };
            scene.views[0]
                .polys
                .push(shader, piece.into_iter().map(vertex));
        }
    }
    studio.finish_loading();
    studio.draw(&scene);
    let after = studio.pixels();
    save("marks", &after);
    assert!(changes(&before, &after, [0, 0, WIDTH, HEIGHT]) > 500);
}

/// Two players are not shown themselves: only one of them throws a shadow.
#[test]
fn flat_shadows_darken_the_floor_below_and_nothing_else() {
    let mut studio = Studio::open();
    let empty = reference_scene(&mut studio, "oa_dm2-hall");
    let bsp = studio.assets.world().expect("the map is loaded").clone();
    let clip = ClipMap::new(&bsp).expect("the map is sound");
    let (eye, [forward, left, _]) = (empty.views[0].eye, empty.views[0].axis);
    let shader = studio.assets.register_shader("projectionShadow");
    let legs = legs(&mut studio, Vec3::ZERO);
    let mut draw = |throws: bool| {
        let mut scene = empty.clone();
        let start = eye + forward * 150.0 - left * if throws { 30.0 } else { -30.0 };
        let trace = clip.trace(&Sweep {
            start,
            end: start - Vec3::Z * 1000.0,
            mins: Vec3::ZERO,
            maxs: Vec3::ZERO,
            mask: contents::MASK_SOLID,
        });
        let mut body = legs.clone();
        body.origin = trace.end + Vec3::Z * 24.0;
        body.flags.third_person = true;
        body.shadow = throws.then_some(Shadow {
            floor: trace.end.z + 1.0,
            shader,
        });
        scene.views[0].entities.push(body);
        studio.finish_loading();
        studio.draw(&scene);
        studio.pixels()
    };
    let (without, with) = (draw(false), draw(true));
    save("shadow", &with);
    let [upper, lower] = [0, HEIGHT / 2].map(|top| [0, top, WIDTH, HEIGHT / 2]);
    assert_eq!(changes(&without, &with, upper), 0);
    let darker = changes(&without, &with, lower);
    assert!(darker > 100, "{darker} pixels differ");
    assert!(
        without
            .iter()
            .zip(&with)
            .all(|(before, after)| after <= before)
    );
}

/// A player's lower part, dressed.
fn legs(studio: &mut Studio, origin: Vec3) -> RefEntity {
    let [model, skin] =
        ["lower.md3", "lower_default.skin"].map(|name| format!("models/players/sarge/{name}"));
    let model = studio.assets.register_model(&model);
    let mut legs = RefEntity::new(RefEntityKind::Model(model), origin);
    legs.custom_skin = Some(studio.assets.register_skin(&skin));
    legs
}

/// Keeps a picture to look at.
fn save(name: &str, pixels: &[u8]) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let picture = image::RgbImage::from_raw(WIDTH, HEIGHT, pixels.to_vec());
    let saved = picture.map(|picture| picture.save(folder.join(format!("{name}.png"))));
    saved
        .expect("it has this size")
        .expect("the folder can be written");
}
