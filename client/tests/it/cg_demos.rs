//! The game's view over recorded matches: nothing unknown, nothing that jumps, numbers that agree.
#![allow(
    clippy::disallowed_methods,
    reason = "what measures is no part of a frame"
)]

use super::disk::{Disk, SETTINGS};
use client::{
    assets::Assets,
    cg::{
        Action, CGame, FrameInput, FrameOutput, LevelStart, LinkState, Settings, SnapshotArrival,
    },
    cl::{
        State, Update,
        playback::{Pace, Playback},
    },
    scene::{Draw2d, RefEntityKind, ShaderId},
};
use flate2::read::GzDecoder;
use shared::{
    base::{ring::Ring, time::ClientTime},
    bg::numbers::{
        entity_flags::{KAMIKAZE, TELEPORT_BIT},
        entity_type, persistant, powerup, team,
    },
    formats::bsp::SurfaceKind,
    types::{
        entitystate::EntityState,
        servercmd::ServerCommand,
        snapshot::Snapshot,
        usercmd::{USERCMD_BACKUP, UsercmdRing},
    },
};
use std::{
    cell::RefCell,
    io::Read,
    sync::Arc,
    time::{Duration, Instant},
};

pub const DEMOS: [&str; 5] = [
    "oa_ctf2-play",
    "oa_dm1-play",
    "oa_dm4-follow",
    "oa_dm6-follow",
    "suspended-play",
];
pub const FRAME_MSEC: i32 = 25;

fn demo(name: &str) -> Vec<u8> {
    let path = format!(
        "{}/../shared/tests/data/demos/{name}.dm_71.gz",
        env!("CARGO_MANIFEST_DIR")
    );
    let packed = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut bytes = Vec::new();
    GzDecoder::new(packed.as_slice())
        .read_to_end(&mut bytes)
        .expect("the demo unpacks");
    bytes
}

/// Plays a demo through the view; `load` answers what the assets want, `look` sees every frame.
pub fn play(
    name: &str,
    assets: &mut Assets,
    load: impl FnMut(&mut Assets, &str),
    look: impl FnMut(&CGame, &FrameOutput, &mut Assets),
) -> CGame {
    let shown = Shown::default();
    play_bytes(name, demo(name), &shown, assets, load, look)
}

/// Plays a demo with all that the game files have for it.
fn play_with_files(
    name: &str,
    shown: &Shown,
    (disk, assets): (&mut Disk, &mut Assets),
    look: impl FnMut(&CGame, &FrameOutput, &mut Assets),
) {
    let load = |assets: &mut Assets, map: &str| {
        assets.load_world(map);
        disk.serve(assets);
    };
    play_bytes(name, demo(name), shown, assets, load, look);
}

/// How a demo is shown.
#[derive(Default)]
pub struct Shown {
    pub settings: Settings,
    /// Done in every frame.
    pub actions: Vec<Action>,
    /// Changes what the server tells before it is shown.
    pub disguise: Option<fn(&mut Snapshot)>,
    /// What each frame has taken.
    pub times: RefCell<Vec<Duration>>,
}

/// Gives everybody all runes, a shield, a kamikaze and haste.
pub fn dress(snapshot: &mut Snapshot) {
    const WORN: [usize; 6] = [
        powerup::HASTE,
        powerup::GUARD,
        powerup::SCOUT,
        powerup::DOUBLER,
        powerup::AMMOREGEN,
        powerup::INVULNERABILITY,
    ];
    let is_player = |state: &&mut EntityState| state.e_type == entity_type::PLAYER;
    let mut entities = snapshot.entities.to_vec();
    for state in entities.iter_mut().filter(is_player) {
        state.powerups |= WORN.iter().map(|worn| 1 << worn).sum::<i32>();
        state.e_flags |= KAMIKAZE;
    }
    snapshot.entities = entities.into();
    for worn in WORN {
        // What ends soon blinks.
        snapshot.player.powerups[worn] = snapshot.server_time.0 + 1000 * worn as i32;
    }
    snapshot.player.e_flags |= KAMIKAZE;
}

/// The same for any demo; each of its levels is loaded, the last one is given back.
pub fn play_bytes(
    name: &str,
    bytes: Vec<u8>,
    shown: &Shown,
    assets: &mut Assets,
    mut load: impl FnMut(&mut Assets, &str),
    mut look: impl FnMut(&CGame, &FrameOutput, &mut Assets),
) -> CGame {
    let mut now = ClientTime(1000);
    let mut playback = Playback::new(bytes, now);
    let settings = &shown.settings;
    let usercmds: UsercmdRing = Ring::new(USERCMD_BACKUP);
    let mut cgame = None;
    let mut snapshots: Vec<SnapshotArrival> = Vec::new();
    let mut commands: Vec<ServerCommand> = Vec::new();
    loop {
        while let Some(update) = playback.poll_update() {
            match update {
                Update::Gamestate(gamestate) => {
                    let start = LevelStart {
                        gamestate: &gamestate,
                        is_demo: true,
                    };
                    let new = CGame::new(&start, settings, assets);
                    load(assets, &new.level().map);
                    cgame = Some(new);
                    playback.loading_finished(now);
                }
                Update::Snapshot {
                    mut snapshot,
                    ping_msec,
                } => {
                    if let Some(disguise) = shown.disguise {
                        disguise(Arc::make_mut(&mut snapshot));
                    }
                    snapshots.push(SnapshotArrival {
                        snapshot,
                        ping_msec,
                    });
                }
                Update::ServerCommand(command) => commands.push(command),
                Update::StateChanged(_)
                | Update::Print(_)
                | Update::Notice(_)
                | Update::PakFetched { .. } => {}
                Update::Disconnected(_) => {
                    return cgame.unwrap_or_else(|| panic!("{name} has no level"));
                }
            }
        }
        now = now + FRAME_MSEC;
        playback.frame(now, Pace::Clock { nudge_msec: 0 });
        let Some(cgame) = cgame.as_mut().filter(|_| playback.state() == State::Active) else {
            continue;
        };
        let input = FrameInput {
            muted: 0,
            now,
            time: playback.server_time(),
            snapshots: &snapshots,
            commands: &commands,
            usercmds: &usercmds,
            provisional: None,
            actions: &shown.actions,
            screen: [1280.0, 720.0],
            is_connection_interrupted: false,
            link: LinkState::default(),
            settings,
        };
        let began = Instant::now();
        let output = cgame.frame(&input, assets);
        shown.times.borrow_mut().push(began.elapsed());
        snapshots.clear();
        commands.clear();
        look(cgame, &output, assets);
    }
}

#[test]
fn every_event_is_known_and_the_view_does_not_jump() {
    for name in DEMOS {
        let mut frames = 0_u32;
        let mut jumps = 0_u32;
        let mut last = None;
        let cgame = play(
            name,
            &mut Assets::new(SETTINGS),
            |_, _| (),
            |cgame, output, _| {
                let scene = &output.scene;
                frames += 1;
                let Some(view) = scene.views.first() else {
                    return;
                };
                assert!(view.eye.is_finite() && view.fov_x.is_finite());
                let player = cgame.player();
                let (origin, speed) = (player.origin, player.velocity.length());
                // A teleport or respawn toggles a bit; without it nobody outruns his velocity.
                let life = (player.e_flags & TELEPORT_BIT, player.client_num);
                if let Some((from, speed_before, life_before)) = last.replace((origin, speed, life))
                {
                    let allowed =
                        speed.max(speed_before) * (FRAME_MSEC as f32 / 1000.0) * 2.0 + 24.0;
                    jumps += u32::from(life == life_before && origin.distance(from) > allowed);
                }
            },
        );
        let events = cgame.event_counts();
        assert!(frames > 500, "{name}: {frames} frames");
        assert!(events.fired > 100, "{name}: {events:?}");
        assert_eq!(events.unknown, 0, "{name}: {events:?}");
        assert_eq!(jumps, 0, "{name}: the player jumped in {frames} frames");
        println!("{name}: {frames} frames, {} events", events.fired);
    }
}

#[test]
fn players_and_items_are_drawn_with_their_models() {
    let (mut disk, mut assets) = Disk::assets();
    disk.serve(&mut assets);
    let (mut max_models, mut pictures, mut figures) = (0, 0, 0);
    play(
        "oa_dm1-play",
        &mut assets,
        |assets, map| {
            assets.load_world(map);
            disk.serve(assets);
        },
        |_, output, _| {
            let scene = &output.scene;
            let Some(view) = scene.views.first() else {
                return;
            };
            let is_model = |kind: &RefEntityKind| matches!(kind, RefEntityKind::Model(_));
            max_models = max_models.max(
                view.entities
                    .iter()
                    .filter(|entity| is_model(&entity.kind))
                    .count(),
            );
            pictures = pictures.max(scene.draw2d.len());
            // Head, ammunition and armor of the status bar stand in views of their own.
            let flat = scene.views.iter().filter(|view| !view.has_world);
            figures = figures.max(flat.filter(|view| !view.entities.is_empty()).count());
        },
    );
    // Legs, torso, head and weapon of one player beside some items are more than this.
    assert!(max_models > 12, "{max_models} models at most");
    assert!(pictures > 10, "{pictures} flat pictures at most");
    assert!(figures >= 2, "{figures} models in the status bar at most");
    let missing = assets.progress().missing;
    println!("{max_models} models and {pictures} pictures at most, {missing} assets missing");
}

#[test]
fn what_players_carry_is_drawn_on_them() {
    let (mut disk, mut assets) = Disk::assets();
    disk.serve(&mut assets);
    let names = [
        "guard_player",
        "scout_player",
        "doubler_player",
        "ammo_player",
        "kamikazi",
        "shield/shield",
    ];
    let models = names.map(|name| assets.register_model(&format!("models/powerups/{name}.md3")));
    let smoke = assets.register_shader("hasteSmokePuff");
    let shown = Shown {
        disguise: Some(dress),
        ..Shown::default()
    };
    let (mut seen, mut puffs) = ([0_u32; 6], 0_u32);
    play_with_files(
        "oa_dm1-play",
        &shown,
        (&mut disk, &mut assets),
        |_, output, _| {
            for entity in output.scene.views.iter().flat_map(|view| &view.entities) {
                puffs += u32::from(entity.custom_shader == Some(smoke));
                for (seen, model) in seen.iter_mut().zip(models) {
                    *seen += u32::from(entity.kind == RefEntityKind::Model(model));
                }
            }
        },
    );
    for (name, seen) in names.iter().zip(seen) {
        assert!(seen > 100, "{name} was drawn {seen} times");
    }
    // A skull is drawn three times as often as a rune.
    assert!(seen[4] > seen[0], "{seen:?}");
    assert!(puffs > 100, "{puffs} puffs of haste");
    println!("{seen:?} models and {puffs} puffs");
}

#[test]
fn players_throw_the_shadows_that_are_wanted() {
    let (mut disk, mut assets) = Disk::assets();
    disk.serve(&mut assets);
    let mut flat_ones = |shadows: i32| {
        let shown = Shown {
            settings: Settings {
                shadows,
                ..Settings::default()
            },
            ..Shown::default()
        };
        let (mut own, mut others) = (0, 0);
        play_with_files(
            "oa_dm1-play",
            &shown,
            (&mut disk, &mut assets),
            |_, output, _| {
                let entities = output.scene.views.iter().flat_map(|view| &view.entities);
                for (entity, shadow) in entities.filter_map(|entity| Some((entity, entity.shadow?)))
                {
                    assert!(matches!(entity.kind, RefEntityKind::Model(_)), "{entity:?}");
                    let height = entity.origin.z - shadow.floor;
                    assert!((-40.0..200.0).contains(&height), "{height} above the floor");
                    *if entity.flags.third_person {
                        &mut own
                    } else {
                        &mut others
                    } += 1;
                }
            },
        );
        (own, others)
    };
    assert_eq!(flat_ones(1), (0, 0));
    let (own, others) = flat_ones(3);
    assert!(
        own > 1000 && others > 1000,
        "{own} of the own body, {others} of others"
    );
    assert_eq!(flat_ones(2), (own, others));
}

#[test]
fn lamps_dazzle_where_nothing_hides_them() {
    let (mut disk, mut assets) = Disk::assets();
    disk.serve(&mut assets);
    let shader = assets.register_shader("flareShader");
    let mut count = |settings: Settings| {
        let shown = Shown {
            settings,
            ..Shown::default()
        };
        let (mut flares, mut lamps_in_view, mut faintest, mut brightest) = (0, 0, 1.0_f32, 0.0_f32);
        play_with_files(
            "oa_ctf2-play",
            &shown,
            (&mut disk, &mut assets),
            |_, output, assets| {
                let (Some(view), Some(world)) = (output.scene.views.first(), assets.world()) else {
                    return;
                };
                let surfaces = world.surfaces.iter();
                let places: Vec<[f32; 2]> = surfaces
                    .filter(|surface| surface.kind == SurfaceKind::Flare)
                    .filter_map(|surface| view.project(surface.lightmap_origin))
                    .filter(|[x, y]| (0.0..1280.0).contains(x) && (0.0..720.0).contains(y))
                    .collect();
                lamps_in_view += places.len();
                let pictures = output.scene.draw2d.iter();
                for picture in pictures.filter(|picture| picture.shader == shader) {
                    flares += 1;
                    let [left, top, width, height] = picture.rect;
                    let (x, y) = (left + width / 2.0, top + height / 2.0);
                    let is_on = |place: &[f32; 2]| (place[0] - x).hypot(place[1] - y) < 0.1;
                    assert!(places.iter().any(is_on), "no lamp at {x} {y} of {places:?}");
                    faintest = faintest.min(picture.color[0]);
                    brightest = brightest.max(picture.color[0]);
                }
            },
        );
        (flares, lamps_in_view, faintest, brightest)
    };
    assert_eq!(count(Settings::default()).0, 0);
    let (flares, lamps, faintest, brightest) = count(Settings {
        flares: true,
        flare_size: 40.0,
        flare_fade: 7.0,
        flare_reach: 150.0,
        ..Settings::default()
    });
    println!("{flares} flares of {lamps} lamps in view, {faintest} to {brightest}");
    assert!(flares > 1000, "{flares} flares");
    assert!(lamps > flares * 2, "walls hide none of {lamps} lamps");
    // They come and go slowly, and pale with distance.
    assert!(faintest < 0.02 && brightest > 0.3, "{faintest} {brightest}");
}

/// The big number that begins at a place of the virtual screen, as its digits stand there.
fn number_at(pictures: &[Draw2d], digits: &[ShaderId], from: f32) -> Option<i32> {
    // At 1280 by 720 a unit of the virtual screen is one and a half pixels.
    const SCALE: f32 = 1.5;
    let mut shown: Vec<_> = pictures
        .iter()
        .filter(|picture| (picture.rect[1] - 432.0 * SCALE).abs() < 0.1)
        .filter(|picture| (from..from + 98.0 * SCALE).contains(&picture.rect[0]))
        .filter_map(|picture| {
            let digit = digits.iter().position(|id| *id == picture.shader)?;
            Some((picture.rect[0], digit as i32))
        })
        .collect();
    shown.sort_by(|a, b| a.0.total_cmp(&b.0));
    let digits = shown.into_iter().map(|(_, digit)| digit);
    digits.reduce(|number, digit| number * 10 + digit)
}

#[test]
fn the_status_bar_tells_the_players_numbers() {
    const NAMES: [&str; 10] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    ];
    for name in DEMOS {
        let mut assets = Assets::new(SETTINGS);
        let digits =
            NAMES.map(|name| assets.register_shader_no_mip(&format!("gfx/2d/numbers/{name}_32b")));
        let mut compared = [0; 3];
        play(
            name,
            &mut assets,
            |_, _| (),
            |cgame, output, _| {
                let (player, stats) = (cgame.player(), cgame.level().stats);
                let pictures = &output.scene.draw2d;
                let health = player.stats[stats.health];
                let is_playing = player.pm_type == 0
                    && player.persistant[persistant::TEAM] != team::SPECTATOR
                    && health > 0;
                if !is_playing || pictures.is_empty() {
                    return;
                }
                let side = (1280.0 - 640.0 * 1.5) / 2.0;
                let at = |x: f32| number_at(pictures, &digits, x);
                assert_eq!(at(side + 185.0 * 1.5), Some(health), "{name}: health");
                compared[0] += 1;
                let armor = Some(player.stats[stats.armor]).filter(|armor| *armor > 0);
                assert_eq!(at(side + 370.0 * 1.5), armor, "{name}: armor");
                compared[1] += u32::from(armor.is_some());
                let ammo = player.ammo[player.weapon as usize & 15];
                let ammo = Some(ammo).filter(|ammo| *ammo >= 0);
                assert_eq!(at(0.0), ammo, "{name}: ammunition");
                compared[2] += u32::from(ammo.is_some());
            },
        );
        assert!(compared[0] > 50 && compared[2] > 50, "{name}: {compared:?}");
        println!("{name}: {compared:?} numbers of health, armor and ammunition");
    }
}

/// Demos of strangers, which are not part of the repository.
#[test]
fn matches_of_strangers_hold_nothing_unknown() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/demos/real");
    let Ok(entries) = std::fs::read_dir(folder) else {
        println!("{folder} is absent: nothing to play");
        return;
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (mut frames, mut shown) = (0_u32, 0_u32);
        let mut assets = Assets::new(SETTINGS);
        let cgame = play_bytes(
            &name,
            bytes,
            &Shown::default(),
            &mut assets,
            |_, _| (),
            |cgame, output, _| {
                frames += 1;
                shown += u32::from(output.is_in_game);
                let counts = cgame.event_counts();
                assert_eq!(counts.unknown, 0, "{name}: {counts:?}");
                let eyes_are_finite = output.scene.views.iter().all(|view| view.eye.is_finite());
                assert!(eyes_are_finite, "{name}");
            },
        );
        println!(
            "{name}: {frames} frames, {shown} shown, {:?}",
            cgame.event_counts()
        );
        assert!(shown > 0, "{name}: nothing was shown in {frames} frames");
    }
}
