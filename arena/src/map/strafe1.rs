//! The arena `strafe1`: an open court, four rooms around it, galleries above, a pool below.

use super::brush::{AXIAL, Brush};
use super::build::{Level, Style};
use crate::materials::id;

const COURT: Style = Style {
    floor: id::ICE,
    lower: id::BASALT,
    wall: id::CONCRETE,
    top: id::TRIM,
    ceiling: id::SKY,
};
const HALL: Style = Style {
    floor: id::FLOOR,
    lower: id::CONCRETE_DARK,
    wall: id::PANEL_STRIPE,
    top: id::TRIM,
    ceiling: id::CEILING,
};
const ENGINE: Style = Style {
    floor: id::FLOOR_METAL,
    lower: id::CONCRETE_DARK,
    wall: id::PANEL,
    top: id::TRIM,
    ceiling: id::CEILING,
};
const POOL: Style = Style {
    floor: id::BASALT,
    lower: id::BASALT,
    wall: id::CONCRETE,
    top: id::TRIM,
    ceiling: id::CEILING,
};
const WAY: Style = Style {
    floor: id::FLOOR,
    lower: id::CONCRETE_DARK,
    wall: id::CONCRETE,
    top: id::TRIM,
    ceiling: id::CEILING,
};

/// The whole level.
pub fn level() -> Level {
    let mut level = Level::default();
    level.world(&[("message", "Strafe One")]);
    rooms(&mut level);
    fittings(&mut level);
    lamps(&mut level);
    ways(&mut level);
    players(&mut level);
    items(&mut level);
    level
}

fn rooms(level: &mut Level) {
    // The court, with the sky above.
    level.room([-384, -384, 0], [384, 384, 512], COURT);
    // North: a tall hall with a balcony.
    level.room([-256, 512, 0], [256, 1152, 384], HALL);
    // East: the engine room.
    level.room([512, -256, 0], [1152, 256, 384], ENGINE);
    // South: the pool.
    level.room([-320, -1152, -160], [320, -512, 288], POOL);
    // West: the tower.
    level.room([-1152, -320, 0], [-512, 320, 512], HALL);
    // North-east above, north-west and south-east below.
    level.room([512, 384, 160], [1024, 1024, 384], ENGINE);
    level.room([-1024, 448, 0], [-448, 1088, 256], POOL);
    level.room([448, -1024, 0], [1024, -448, 224], WAY);
    // Doorways from the court.
    level.room([-96, 384, 0], [96, 512, 176], WAY);
    level.room([384, -96, 0], [512, 96, 176], WAY);
    level.room([-96, -512, 0], [96, -384, 176], WAY);
    level.room([-512, -96, 0], [-384, 96, 176], WAY);
    // A window high in the court's wall leads to the tower's platform.
    level.room([-512, -80, 256], [-384, 80, 416], WAY);
    // The ring outside.
    level.room([-448, 704, 0], [-256, 864, 160], WAY);
    level.room([-896, 320, 0], [-736, 448, 160], WAY);
    level.room([704, -448, 0], [864, -256, 160], WAY);
    level.room([320, -864, 0], [448, -704, 160], WAY);
    level.room([-576, -864, 0], [-320, -704, 160], WAY);
    level.room([-736, -864, 0], [-576, -320, 160], WAY);
    // Above: from the engine room's stairs to the gallery and on to the hall's balcony.
    level.room([608, 256, 160], [768, 384, 320], WAY);
    level.room([256, 704, 160], [512, 864, 320], WAY);
}

/// Platforms, stairs, the pool's edge and its water.
fn fittings(level: &mut Level) {
    // The hall's balcony, with a rail.
    level.solid([96, 512, 144], [256, 1152, 160], id::FLOOR_METAL);
    level.solid([96, 512, 160], [104, 656, 184], id::TRIM);
    level.solid([96, 912, 160], [104, 1152, 184], id::TRIM);
    // Stairs up to it, and those of the engine room.
    level.stairs([-256, 1056, 0], [96, 1152, 160], (0, true));
    level.stairs([800, 160, 0], [1120, 256, 160], (0, false));
    level.solid([608, 160, 144], [800, 256, 160], id::FLOOR_METAL);
    // The machine in its middle.
    level.solid([768, -96, 0], [896, 32, 128], id::PANEL);
    level.solid([784, -80, 128], [880, 16, 256], id::PIPE);
    level.solid([768, -96, 256], [896, 32, 272], id::TRIM);
    // The pool: a walk around it at the height of the doors.
    level.solid([-320, -640, -160], [320, -512, 0], id::CONCRETE);
    level.solid([-320, -1152, -160], [-192, -640, 0], id::CONCRETE);
    level.solid([192, -1152, -160], [320, -640, 0], id::CONCRETE);
    level.solid([-192, -1152, -160], [192, -1024, 0], id::CONCRETE);
    level.brushes.push(Brush::cuboid(
        [-192, -1024, -160],
        [192, -640, -24],
        id::WATER,
    ));
    // Out of the water by a ramp.
    let ramp = Brush::ramp([-192, -736, -160], [-96, -640, 0], AXIAL[2], id::BASALT);
    level.brushes.push(ramp);
    // The tower's platform, reached by lift, pad and window.
    level.solid([-640, -320, 240], [-512, 320, 256], id::FLOOR_METAL);
    level.solid([-1152, 192, 240], [-640, 320, 256], id::FLOOR_METAL);
    level.solid([-1152, -32, 0], [-1088, 32, 512], id::CONCRETE_DARK);
    // Cover in the court and in the corners.
    for (x, y) in [(-224, -224), (224, 224)] {
        level.solid([x - 32, y - 32, 0], [x + 32, y + 32, 192], id::PILLAR);
        level.solid([x - 40, y - 40, 192], [x + 40, y + 40, 208], id::TRIM);
    }
    level.solid([-784, 704, 0], [-688, 832, 96], id::BASALT);
    level.solid([704, -800, 0], [800, -672, 64], id::PANEL);
    level.solid([720, 640, 160], [816, 768, 224], id::PANEL);
}

/// Panels that give light.
fn lamps(level: &mut Level) {
    let panel = |level: &mut Level, at: [i32; 3], size: [i32; 3], material| {
        let high = [0, 1, 2].map(|k| at[k] + size[k]);
        level.solid(at, high, material);
    };
    for y in [640, 832, 1024] {
        panel(level, [-96, y - 32, 376], [64, 64, 8], id::LIGHT_WHITE);
        panel(level, [160, y - 32, 376], [64, 64, 8], id::LIGHT_CYAN);
    }
    for x in [640, 832, 1024] {
        for y in [-160, 96] {
            panel(level, [x - 32, y, 376], [64, 64, 8], id::LIGHT_AMBER);
        }
    }
    for y in [-1088, -832, -576] {
        for x in [-256, 192] {
            panel(level, [x, y - 32, 280], [64, 64, 8], id::LIGHT_CYAN);
        }
    }
    for (x, y) in [(-1024, -192), (-704, -192), (-1024, 128), (-768, 0)] {
        panel(level, [x - 32, y - 32, 504], [64, 64, 8], id::LIGHT_WHITE);
    }
    for y in [-256, 0, 256] {
        panel(level, [-608, y - 32, 232], [64, 64, 8], id::LIGHT_CYAN);
    }
    for (x, y) in [(640, 512), (896, 512), (640, 896), (896, 896)] {
        panel(level, [x - 32, y - 32, 376], [64, 64, 8], id::LIGHT_AMBER);
    }
    for (x, y) in [(-880, 576), (-592, 576), (-880, 960), (-592, 960)] {
        panel(level, [x - 32, y - 32, 248], [64, 64, 8], id::LIGHT_WHITE);
    }
    for (x, y) in [(576, -880), (896, -880), (576, -576), (896, -576)] {
        panel(level, [x - 32, y - 32, 216], [64, 64, 8], id::LIGHT_AMBER);
    }
    // One in each doorway and corridor.
    let ways = [
        [-32, 432, 168],
        [432, -32, 168],
        [-32, -464, 168],
        [-464, -32, 168],
        [-464, -32, 408],
        [-368, 752, 152],
        [-848, 368, 152],
        [752, -368, 152],
        [352, -816, 152],
        [-688, -544, 152],
        [-688, -800, 152],
        [-448, -816, 152],
        [656, 304, 312],
        [368, 752, 312],
    ];
    for at in ways {
        panel(level, at, [64, 64, 8], id::LIGHT_WHITE);
    }
}

/// Pads, the lift and the teleporter.
fn ways(level: &mut Level) {
    level.pad([-240, 0, 0], [-420, 0, 348], "window");
    level.pad([-896, -224, 0], [-576, -224, 400], "tower");
    let lift = Brush::cuboid([-1136, 208, 0], [-1024, 304, 16], id::LIFT);
    level.model(
        "func_plat",
        lift,
        &[("height", "240"), ("speed", "200"), ("lip", "0")],
    );
    // From the depth of the south-east to the gallery.
    let gate = Brush::cuboid([1000, -800, 0], [1024, -672, 128], id::TELEPORTER);
    level.brushes.push(gate);
    let trigger = Brush::cuboid([984, -784, 0], [1000, -688, 112], id::TRIGGER);
    level.model("trigger_teleport", trigger, &[("target", "gallery")]);
    level.place(
        "misc_teleporter_dest",
        [960, 704, 192],
        &[("targetname", "gallery"), ("angle", "180")],
    );
}

fn players(level: &mut Level) {
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
        level.place("info_player_deathmatch", at, &[("angle", angle)]);
    }
    level.place(
        "info_player_intermission",
        [-320, -320, 384],
        &[("angles", "25 45 0")],
    );
}

fn items(level: &mut Level) {
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
        level.place(class, at, &[]);
    }
}
