//! The practice field: a measured runway to strafe-jump along, gaps to jump, targets that move, and a mirror.

use super::brush::{AXIAL, Brush};
use super::source::{MapSource, Style, Sun, WHOLE};
use crate::materials::id;
use glam::Vec3;

const YARD: Style = Style {
    floor: id::ICE,
    lower: id::BASALT,
    wall: id::CONCRETE,
    top: id::TRIM,
    ceiling: id::SKY,
    foot: 64,
    head: 32,
};
const LANE: Style = Style {
    floor: id::RUNWAY,
    ..YARD
};
const PIT: Style = Style {
    floor: id::BASALT,
    foot: 256,
    ..YARD
};

/// Both ends of the field along the runway.
const WEST: i32 = -2048;
const EAST: i32 = 2304;
const HIGH: i32 = 320;
/// The runway's sides, and where it is measured from.
const LANE_Y: [i32; 2] = [-640, -256];
const START: i32 = -1792;
/// The pit's sides and floor, and each gap's first and last coordinate along it.
const PIT_Y: [i32; 2] = [96, 416];
const PIT_FLOOR: i32 = -128;
const GAPS: [[i32; 2]; 5] = [
    [-1408, -1216],
    [-1024, -768],
    [-576, -256],
    [-64, 320],
    [512, 960],
];

/// The whole map.
pub(crate) fn source() -> MapSource {
    let mut map = MapSource {
        sun: Some(Sun {
            towards: Vec3::new(0.52, 0.44, 0.73).normalize(),
            color: Vec3::new(58.0, 47.0, 34.0),
        }),
        coarse: 2.0,
        cell: Vec3::splat(128.0),
        ..MapSource::default()
    };
    map.world(&[("message", "Strafe Field"), ("gridsize", "128 128 128")]);
    map.room([WEST, LANE_Y[1], 0], [EAST, 768, HIGH], YARD);
    map.room([WEST, LANE_Y[0], 0], [EAST, LANE_Y[1], HIGH], LANE);
    runway(&mut map);
    gaps(&mut map);
    range(&mut map);
    mirror(&mut map);
    players_and_items(&mut map);
    map
}

/// A line every 256 units with its distance, and the way back at the end.
fn runway(map: &mut MapSource) {
    for mark in 0..16 {
        let (x, distance) = (START + mark * 256, mark * 256);
        let material = if mark % 4 == 0 {
            id::STRIPE_CYAN
        } else {
            id::STRIPE_AMBER
        };
        map.stripe([x, LANE_Y[0], -8], [x + 8, LANE_Y[1], 0], material);
        let digits = distance.to_string().len() as i32;
        let middle = (LANE_Y[0] + LANE_Y[1]) / 2;
        let first = [x + 96, middle + digits * 20, 0];
        map.floor_number(distance, first, [40, 80]);
    }
    // A low wall towards the yard, open at the start.
    map.solid([-1536, LANE_Y[1], 0], [EAST, LANE_Y[1] + 16, 24], id::TRIM);
    for x in [-1024, 0, 1024, 2048] {
        map.column([x, -232], [0, HIGH - 64], 20);
    }
    let gate = Brush::cuboid([EAST - 24, -528, 0], [EAST, -368, 160], id::TRIM);
    map.brushes.push(gate.wearing(0, id::TELEPORTER));
    let trigger = Brush::cuboid([EAST - 40, -512, 0], [EAST - 24, -384, 144], id::TRIGGER);
    map.model("trigger_teleport", trigger, &[("target", "start")]);
    map.place(
        "misc_teleporter_dest",
        [START - 96, -448, 32],
        &[("targetname", "start"), ("angle", "0")],
    );
}

/// A pit with platforms whose distances grow; who falls in is thrown back onto the platform before.
fn gaps(map: &mut MapSource) {
    for (number, [from, to]) in GAPS.into_iter().enumerate() {
        map.room([from, PIT_Y[0], PIT_FLOOR], [to, PIT_Y[1], 0], PIT);
        let edge = [from, PIT_Y[1], 0];
        map.stripe([from - 8, PIT_Y[0], -8], edge, id::STRIPE_AMBER);
        let digits = (to - from).to_string().len() as i32;
        let first = [from - 16, (PIT_Y[0] + PIT_Y[1]) / 2 + digits * 16, 0];
        map.floor_number(to - from, first, [32, 64]);
        let (middle, across) = ((from + to) / 2, (PIT_Y[0] + PIT_Y[1]) / 2);
        let name = ["gap1", "gap2", "gap3", "gap4", "gap5"][number];
        map.pad([middle, across, PIT_FLOOR], [from - 64, across, 88], name);
        for y in PIT_Y {
            let (side, wall) = if y == PIT_Y[0] {
                (3, [y, y + 8])
            } else {
                (2, [y - 8, y])
            };
            map.lamp(
                [middle - 32, wall[0], -64],
                [middle + 32, wall[1], -32],
                side,
                id::LIGHT_CYAN,
            );
        }
    }
}

/// Targets at the end of the yard: two that swing, one that travels.
fn range(map: &mut MapSource) {
    map.solid([1216, -64, 0], [1232, 704, 40], id::PANEL);
    map.solid([2272, -160, 0], [EAST, 704, 16], id::BASALT);
    let disc = |[x, y, z]: [i32; 3]| {
        let brush = Brush::cuboid([x - 8, y - 48, z - 48], [x + 8, y + 48, z + 48], id::TRIM);
        brush.showing(0, id::TARGET, WHOLE)
    };
    map.model(
        "func_bobbing",
        disc([2160, 160, 96]),
        &[
            ("spawnflags", "2"),
            ("height", "192"),
            ("speed", "5"),
            ("dmg", "0"),
        ],
    );
    map.model(
        "func_bobbing",
        disc([2064, 544, 160]),
        &[("height", "96"), ("speed", "3"), ("dmg", "0")],
    );
    let stations = [
        ("t1", "t2", "1760 64 224"),
        ("t2", "t3", "1760 640 224"),
        ("t3", "t4", "1904 640 112"),
        ("t4", "t1", "1904 64 112"),
    ];
    map.model(
        "func_train",
        disc([0, 0, 0]),
        &[
            ("target", "t1"),
            ("speed", "160"),
            ("dmg", "0"),
            ("origin", stations[0].2),
        ],
    );
    for (name, next, at) in stations {
        let mut numbers = at.split(' ').map(|number| number.parse().unwrap_or(0));
        let at = [(); 3].map(|()| numbers.next().unwrap_or(0));
        map.place("path_corner", at, &[("targetname", name), ("target", next)]);
    }
    for y in [-96, 736] {
        map.column([1760, y], [0, HIGH - 32], 24);
        map.column([2160, y], [0, HIGH - 32], 24);
    }
}

/// A wall of glass behind the start, in which one sees oneself run.
fn mirror(map: &mut MapSource) {
    let low = [WEST, -576, 0];
    map.solid(low, [WEST + 8, -320, 16], id::TRIM);
    map.solid([WEST, -576, 192], [WEST + 8, -320, 208], id::TRIM);
    let glass = Brush::cuboid([WEST, -576, 16], [WEST + 4, -320, 192], id::PANEL);
    map.brushes.push(glass.wearing(1, id::MIRROR));
    map.place("misc_portal_surface", [WEST + 16, -448, 104], &[]);
    // Something to see in it.
    let ramp = Brush::ramp([WEST, -224, 0], [WEST + 192, -96, 64], AXIAL[1], id::BASALT);
    map.brushes.push(ramp);
}

fn players_and_items(map: &mut MapSource) {
    for (x, y) in [
        (-1920, -576),
        (-1920, -320),
        (-1968, -448),
        (-1856, 0),
        (-1856, 256),
        (-1856, 512),
        (-1600, 600),
        (-1600, -96),
    ] {
        map.place("info_player_deathmatch", [x, y, 32], &[("angle", "0")]);
    }
    map.place(
        "info_player_intermission",
        [-1984, 704, 288],
        &[("angles", "18 -28 0")],
    );
    let weapons = [
        "weapon_rocketlauncher",
        "weapon_railgun",
        "weapon_plasmagun",
        "weapon_lightning",
        "weapon_grenadelauncher",
        "weapon_shotgun",
    ];
    let ammo = [
        "ammo_rockets",
        "ammo_slugs",
        "ammo_cells",
        "ammo_lightning",
        "ammo_grenades",
        "ammo_shells",
    ];
    for (number, (weapon, ammo)) in weapons.into_iter().zip(ammo).enumerate() {
        let y = -32 + number as i32 * 128;
        map.place(weapon, [1120, y, 24], &[]);
        map.place(ammo, [1184, y, 24], &[]);
    }
    for (class, at) in [
        ("weapon_rocketlauncher", [-1728, -128, 24]),
        ("weapon_plasmagun", [-1728, 560, 24]),
        ("item_health", [-1664, 448, 24]),
        ("item_health", [-1664, 64, 24]),
        ("item_health_large", [1056, -160, 24]),
        ("item_armor_combat", [1056, 640, 24]),
        ("item_haste", [-1664, -448, 24]),
    ] {
        map.place(class, at, &[]);
    }
}
