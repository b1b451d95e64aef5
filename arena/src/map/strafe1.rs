//! The arena `strafe1`: an open court, four rooms around it, galleries above, a pool below.

use super::brush::{AXIAL, Brush};
use super::source::{BOTTOM, MapSource, Style, Sun, WHOLE};
use crate::materials::id;
use glam::Vec3;

const COURT: Style = Style {
    floor: id::ICE,
    lower: id::BASALT,
    wall: id::CONCRETE,
    top: id::TRIM,
    ceiling: id::SKY,
    foot: 96,
    head: 32,
};
const HALL: Style = Style {
    floor: id::FLOOR,
    lower: id::CONCRETE_DARK,
    wall: id::PANEL_STRIPE,
    top: id::TRIM,
    ceiling: id::CEILING,
    foot: 64,
    head: 32,
};
const ENGINE: Style = Style {
    floor: id::FLOOR_METAL,
    wall: id::PANEL,
    ..HALL
};
const POOL: Style = Style {
    floor: id::BASALT,
    lower: id::BASALT,
    wall: id::CONCRETE,
    foot: 160,
    ..HALL
};
const CAVE: Style = Style {
    lower: id::BASALT,
    wall: id::BASALT,
    foot: 128,
    ..POOL
};
const WAY: Style = Style {
    wall: id::CONCRETE,
    ..HALL
};

/// The whole map.
pub(crate) fn source() -> MapSource {
    let mut map = MapSource {
        sun: Some(Sun {
            towards: Vec3::new(0.52, 0.44, 0.73).normalize(),
            color: Vec3::new(66.0, 52.0, 36.0),
        }),
        ..MapSource::default()
    };
    map.world(&[("message", "Strafe One")]);
    rooms(&mut map);
    fittings(&mut map);
    curves(&mut map);
    lamps(&mut map);
    ways(&mut map);
    players(&mut map);
    items(&mut map);
    map
}

fn rooms(map: &mut MapSource) {
    // The court, with the sky above.
    map.room([-384, -384, 0], [384, 384, 512], COURT);
    // North: a tall hall with a balcony.
    map.room([-256, 512, 0], [256, 1152, 384], HALL);
    // East: the engine room.
    map.room([512, -256, 0], [1152, 256, 384], ENGINE);
    // South: the pool.
    map.room([-320, -1152, -160], [320, -512, 288], POOL);
    // West: the tower.
    map.room([-1152, -320, 0], [-512, 320, 512], HALL);
    // North-east above, north-west and south-east below.
    map.room([512, 384, 160], [1024, 1024, 384], ENGINE);
    map.room([-1024, 448, 0], [-448, 1088, 256], CAVE);
    map.room([448, -1024, 0], [1024, -448, 224], WAY);
    // Doorways from the court.
    map.room([-96, 384, 0], [96, 512, 176], WAY);
    map.room([384, -96, 0], [512, 96, 176], WAY);
    map.room([-96, -512, 0], [96, -384, 176], WAY);
    map.room([-512, -96, 0], [-384, 96, 176], WAY);
    // A window high in the court's wall leads to the tower's platform.
    map.room([-512, -80, 256], [-384, 80, 416], WAY);
    // The ring outside.
    map.room([-448, 704, 0], [-256, 864, 160], WAY);
    map.room([-896, 320, 0], [-736, 448, 160], WAY);
    map.room([704, -448, 0], [864, -256, 160], WAY);
    map.room([320, -864, 0], [448, -704, 160], WAY);
    map.room([-576, -864, 0], [-320, -704, 160], WAY);
    map.room([-736, -864, 0], [-576, -320, 160], WAY);
    // Above: from the engine room's stairs to the gallery and on to the hall's balcony.
    map.room([608, 256, 160], [768, 384, 320], WAY);
    map.room([256, 704, 160], [512, 864, 320], WAY);
}

/// Platforms, stairs, the pool's edge and its water.
fn fittings(map: &mut MapSource) {
    // The hall's balcony, with a rail.
    map.solid([96, 512, 144], [256, 1152, 160], id::FLOOR_METAL);
    map.solid([96, 512, 160], [104, 656, 184], id::TRIM);
    map.solid([96, 912, 160], [104, 1152, 184], id::TRIM);
    // Stairs up to it, and those of the engine room.
    map.stairs([-256, 1056, 0], [96, 1152, 160], (0, true));
    map.stairs([800, 160, 0], [1120, 256, 160], (0, false));
    map.solid([608, 160, 144], [800, 256, 160], id::FLOOR_METAL);
    // The machine in its middle.
    map.solid([768, -96, 0], [896, 32, 128], id::PANEL);
    map.solid([768, -96, 256], [896, 32, 272], id::TRIM);
    // The pool: a walk around it at the height of the doors.
    map.solid([-320, -640, -160], [320, -512, 0], id::CONCRETE);
    map.solid([-320, -1152, -160], [-192, -640, 0], id::CONCRETE);
    map.solid([192, -1152, -160], [320, -640, 0], id::CONCRETE);
    map.solid([-192, -1152, -160], [192, -1024, 0], id::CONCRETE);
    map.brushes.push(Brush::cuboid(
        [-192, -1024, -160],
        [192, -640, -24],
        id::WATER,
    ));
    // Out of the water by a ramp.
    let ramp = Brush::ramp([-192, -736, -160], [-96, -640, 0], AXIAL[2], id::BASALT);
    map.brushes.push(ramp);
    // The tower's platform, reached by lift, pad and window.
    map.solid([-640, -320, 240], [-512, 320, 256], id::FLOOR_METAL);
    map.solid([-1152, 192, 240], [-640, 320, 256], id::FLOOR_METAL);
    map.solid([-1152, -32, 0], [-1088, 32, 512], id::CONCRETE_DARK);
    // Cover in the corners.
    map.solid([-784, 704, 0], [-688, 832, 96], id::BASALT);
    map.solid([704, -800, 0], [800, -672, 64], id::PANEL);
    map.solid([720, 640, 160], [816, 768, 224], id::PANEL);
}

/// Columns, pipes and rounded passages, and beams under the ceilings.
fn curves(map: &mut MapSource) {
    for [x, y] in [[-224, -224], [224, 224], [-224, 224], [224, -224]] {
        map.column([x, y], [0, 208], 32);
        map.solid([x - 24, y - 24, 208], [x + 24, y + 24, 216], id::PANEL);
    }
    for at in [[-608, 640], [-608, 880]] {
        map.column(at, [0, 256], 28);
    }
    for at in [[640, -864], [832, -640]] {
        map.column(at, [0, 224], 24);
    }
    for at in [[640, 768], [880, 576]] {
        map.column(at, [160, 384], 24);
    }
    // The machine's vessel.
    map.solid([804, -60, 128], [860, -4, 256], id::CAULK);
    map.pipe([832, -32, 128], [832, -32, 256], 40);
    for x in [808, 856] {
        map.pipe([x, -32, 272], [x, -32, 384], 14);
    }
    for z in [276, 316] {
        map.pipe([512, -238, z], [1152, -238, z], 12);
    }
    map.pipe([1134, -238, 0], [1134, -238, 264], 12);
    map.pipe([-300, -1134, 0], [-300, -1134, 288], 14);
    map.pipe([300, -1134, 0], [300, -1134, 288], 14);
    map.pipe([-320, -1134, 224], [320, -1134, 224], 10);
    for x in [-1136, -528] {
        map.pipe([x, -300, 0], [x, -300, 512], 14);
    }
    for (mins, maxs, axis) in [
        ([-96, 384, 0], [96, 512, 176], 1),
        ([384, -96, 0], [512, 96, 176], 0),
        ([-96, -512, 0], [96, -384, 176], 1),
        ([-512, -96, 0], [-384, 96, 176], 0),
        ([-512, -80, 256], [-384, 80, 416], 0),
        ([-448, 704, 0], [-256, 864, 160], 0),
        ([-896, 320, 0], [-736, 448, 160], 1),
        ([704, -448, 0], [864, -256, 160], 1),
        ([320, -864, 0], [448, -704, 160], 0),
        ([608, 256, 160], [768, 384, 320], 1),
        ([256, 704, 160], [512, 864, 320], 0),
    ] {
        map.doorway(mins, maxs, axis);
    }
    for y in [720, 912] {
        map.solid([-256, y, 352], [256, y + 32, 384], id::CONCRETE_DARK);
    }
    for x in [720, 912] {
        map.solid([x, -256, 344], [x + 32, 256, 384], id::CONCRETE_DARK);
    }
    for y in [-976, -704] {
        map.solid([-320, y, 256], [320, y + 32, 288], id::CONCRETE_DARK);
    }
    for x in [-1000, -760] {
        map.solid([x, -320, 472], [x + 32, 320, 512], id::CONCRETE_DARK);
    }
    for x in [-832, -688] {
        map.solid([x, 448, 224], [x + 24, 1088, 256], id::CONCRETE_DARK);
    }
    map.fog([-1024, 448, 0], [-448, 1088, 40]);
}

/// Panels that give light.
fn lamps(map: &mut MapSource) {
    let mut hang = |x: i32, y: i32, ceiling: i32, [long, wide]: [i32; 2], material| {
        let mins = [x - long / 2, y - wide / 2, ceiling - 8];
        map.lamp(
            mins,
            [mins[0] + long, mins[1] + wide, ceiling],
            BOTTOM,
            material,
        );
    };
    for y in [640, 832, 1024] {
        hang(-96, y, 384, [64, 64], id::LIGHT_WHITE);
    }
    for y in [592, 832, 1088] {
        hang(192, y, 384, [64, 32], id::LIGHT_CYAN);
    }
    for x in [624, 832, 1040] {
        hang(x, -128, 384, [96, 48], id::LIGHT_AMBER);
        hang(x, 128, 384, [96, 48], id::LIGHT_AMBER);
    }
    for y in [-1088, -832, -576] {
        hang(-256, y, 288, [64, 32], id::LIGHT_CYAN);
        hang(256, y, 288, [64, 32], id::LIGHT_CYAN);
    }
    hang(0, -1088, 288, [64, 64], id::LIGHT_WHITE);
    for (x, y) in [(-1064, -160), (-640, -160), (-1064, 96), (-848, 0)] {
        hang(x, y, 512, [64, 64], id::LIGHT_WHITE);
    }
    for y in [-224, 0, 224] {
        hang(-576, y, 240, [64, 32], id::LIGHT_CYAN);
    }
    for (x, y) in [(640, 512), (896, 512), (640, 912), (896, 912)] {
        hang(x, y, 384, [96, 48], id::LIGHT_AMBER);
    }
    for (x, y) in [(-912, 576), (-568, 560), (-912, 960), (-568, 992)] {
        hang(x, y, 256, [64, 32], id::LIGHT_CYAN);
    }
    for (x, y) in [(560, -912), (912, -896), (560, -560), (912, -544)] {
        hang(x, y, 224, [64, 32], id::LIGHT_AMBER);
    }
    hang(736, -736, 224, [64, 64], id::LIGHT_WHITE);
    // One in each doorway and corridor.
    for (x, y, ceiling, material) in [
        (0, 448, 176, id::LIGHT_WHITE),
        (448, 0, 176, id::LIGHT_AMBER),
        (0, -448, 176, id::LIGHT_CYAN),
        (-448, 0, 176, id::LIGHT_WHITE),
        (-352, 784, 160, id::LIGHT_CYAN),
        (-816, 384, 160, id::LIGHT_CYAN),
        (784, -352, 160, id::LIGHT_AMBER),
        (384, -784, 160, id::LIGHT_CYAN),
        (-656, -432, 160, id::LIGHT_WHITE),
        (-656, -784, 160, id::LIGHT_AMBER),
        (-432, -784, 160, id::LIGHT_CYAN),
        (688, 320, 320, id::LIGHT_AMBER),
        (384, 784, 320, id::LIGHT_CYAN),
    ] {
        hang(x, y, ceiling, [48, 48], material);
    }
    accents(map);
}

/// Small lights on walls and lines on floors.
fn accents(map: &mut MapSource) {
    // Beside the court's doors.
    for (a, b) in [(-152, -120), (120, 152)] {
        map.lamp([a, 376, 112], [b, 384, 128], 2, id::LIGHT_CYAN);
        map.lamp([376, a, 112], [384, b, 128], 0, id::LIGHT_AMBER);
        map.lamp([a, -384, 112], [b, -376, 128], 3, id::LIGHT_CYAN);
        map.lamp([-384, a, 112], [-376, b, 128], 1, id::LIGHT_AMBER);
    }
    // Numbers over them.
    let sign = |map: &mut MapSource, mins: [i32; 3], maxs: [i32; 3], side: usize, material| {
        let plate = Brush::cuboid(mins, maxs, id::TRIM);
        map.brushes.push(plate.showing(side, material, WHOLE));
    };
    sign(map, [-48, 378, 212], [48, 384, 260], 2, id::SIGN_1);
    sign(map, [378, -48, 212], [384, 48, 260], 0, id::SIGN_2);
    sign(map, [-48, -384, 212], [48, -378, 260], 3, id::SIGN_3);
    sign(map, [-384, -48, 196], [-378, 48, 244], 1, id::SIGN_4);
    // In the pool's walls, under water.
    for y in [-944, -784] {
        map.lamp([-192, y - 32, -112], [-184, y + 32, -80], 1, id::LIGHT_CYAN);
        map.lamp([184, y - 32, -112], [192, y + 32, -80], 0, id::LIGHT_CYAN);
    }
    // Around what is worth most.
    for (mins, maxs) in [
        ([-136, -136, -8], [136, -128, 0]),
        ([-136, 128, -8], [136, 136, 0]),
        ([-136, -128, -8], [-128, 128, 0]),
        ([128, -128, -8], [136, 128, 0]),
    ] {
        map.stripe(mins, maxs, id::STRIPE_CYAN);
    }
    for (mins, maxs) in [
        ([-204, -1036, -8], [204, -1028, 0]),
        ([-204, -1028, -8], [-196, -640, 0]),
        ([196, -1028, -8], [204, -640, 0]),
    ] {
        map.stripe(mins, maxs, id::STRIPE_AMBER);
    }
}

/// Pads, the lift and the teleporter.
fn ways(map: &mut MapSource) {
    map.pad([-240, 0, 0], [-420, 0, 348], "window");
    map.pad([-896, -224, 0], [-576, -224, 400], "tower");
    let lift = Brush::cuboid([-1136, 208, 0], [-1024, 304, 16], id::LIFT);
    map.model(
        "func_plat",
        lift,
        &[("height", "240"), ("speed", "200"), ("lip", "0")],
    );
    // From the depth of the south-east to the gallery.
    let gate = Brush::cuboid([1000, -800, 0], [1024, -672, 128], id::TELEPORTER);
    map.brushes.push(gate);
    let trigger = Brush::cuboid([984, -784, 0], [1000, -688, 112], id::TRIGGER);
    map.model("trigger_teleport", trigger, &[("target", "gallery")]);
    map.place(
        "misc_teleporter_dest",
        [960, 704, 192],
        &[("targetname", "gallery"), ("angle", "180")],
    );
}

fn players(map: &mut MapSource) {
    let places = [
        ([0, -256, 32], "90"),
        ([-160, 960, 32], "270"),
        ([1056, -160, 32], "135"),
        ([-256, -1088, 32], "45"),
        ([256, -1088, 32], "135"),
        ([-1024, -240, 32], "45"),
        ([960, 448, 192], "225"),
        ([-512, 1024, 32], "225"),
        ([-960, 512, 32], "45"),
        ([512, -960, 32], "45"),
        ([960, -512, 32], "225"),
        ([-576, 256, 288], "270"),
    ];
    for (at, angle) in places {
        map.place("info_player_deathmatch", at, &[("angle", angle)]);
    }
    map.place(
        "info_player_intermission",
        [-320, -320, 384],
        &[("angles", "25 45 0")],
    );
}

fn items(map: &mut MapSource) {
    let items = [
        ("item_quad", [0, 0, 24]),
        ("item_armor_body", [-832, 256, 280]),
        ("item_health_mega", [0, -832, -136]),
        ("item_armor_combat", [832, 832, 184]),
        ("holdable_medkit", [-736, 960, 24]),
        ("weapon_rocketlauncher", [0, 832, 24]),
        ("weapon_railgun", [-576, -64, 280]),
        ("weapon_lightning", [1056, 64, 24]),
        ("weapon_shotgun", [0, -1088, 24]),
        ("weapon_plasmagun", [896, -960, 24]),
        ("weapon_grenadelauncher", [-896, 896, 24]),
        ("ammo_rockets", [176, 1088, 184]),
        ("ammo_rockets", [176, 576, 184]),
        ("ammo_slugs", [-960, 0, 24]),
        ("ammo_lightning", [576, -192, 24]),
        ("ammo_shells", [-256, -576, 24]),
        ("ammo_cells", [576, -576, 24]),
        ("ammo_grenades", [-512, 512, 24]),
        ("ammo_bullets", [960, 704, 184]),
        ("item_health", [256, -768, 24]),
        ("item_health", [-256, -768, 24]),
        ("item_health", [-800, -96, 24]),
        ("item_health", [640, 512, 184]),
        ("item_health_large", [-656, -784, 24]),
        ("item_health_large", [784, -352, 24]),
        ("item_armor_shard", [-320, 784, 24]),
        ("item_armor_shard", [-384, 784, 24]),
        ("item_armor_shard", [384, -784, 24]),
        ("item_armor_shard", [304, 784, 184]),
        ("item_armor_shard", [384, 784, 184]),
    ];
    for (class, at) in items {
        map.place(class, at, &[]);
    }
}
