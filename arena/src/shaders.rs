//! Shader scripts: those written by hand, and those that are alike for many pictures.

use crate::{
    PakFile,
    effects::FIRE_FRAMES,
    models::{KIT, KIT_GLOW},
    textures::SUITS,
};
use std::fmt::Write as _;

const MAPS: &str = include_str!("scripts/strafe.shader");
const MODELS: &str = include_str!("scripts/models.shader");
const EFFECTS: &str = include_str!("scripts/effects.shader");

/// All scripts, given the pictures that there are.
pub(crate) fn files(pictures: &[PakFile]) -> Vec<PakFile> {
    let models = format!("{MODELS}{}", worn());
    let effects = format!("{EFFECTS}{}{}", puffs(), explosion_frames());
    [
        ("strafe", MAPS.to_owned() + &signs()),
        ("strafe_models", models),
        ("strafe_effects", effects),
        ("strafe_pictures", flat_pictures(pictures)),
    ]
    .into_iter()
    .map(|(name, text)| PakFile::new(format!("scripts/{name}.shader"), text.into_bytes()))
    .collect()
}

/// A script of one stage.
fn simple(name: &str, general: &str, stage: &[&str]) -> String {
    let lines: String = stage.iter().map(|line| format!("\t\t{line}\n")).collect();
    let general = general_line(general);
    format!("\n{name}\n{{\n{general}\t{{\n{lines}\t}}\n}}\n")
}

/// What stands before the stages; nothing makes no line.
fn general_line(general: &str) -> String {
    match general {
        "" => String::new(),
        _ => format!("\t{general}\n"),
    }
}

/// Signs need no light.
fn signs() -> String {
    ["play", "lab", "1", "2", "3", "4"]
        .iter()
        .map(|sign| {
            let name = format!("textures/strafe/sign_{sign}");
            let map = format!("map {name}.jpg");
            simple(&name, "surfaceparm nolightmap", &[&map, "rgbGen identity"])
        })
        .collect()
}

/// Kit, suits and flags; flashes and shells in their colors.
fn worn() -> String {
    let mut text = String::new();
    let suits = SUITS.map(|(suit, _)| {
        let name = format!("models/strafe/suit_{suit}");
        (name.clone(), format!("{name}_glow"))
    });
    let kit = [(KIT.to_owned(), KIT_GLOW.to_owned())];
    for (lit, shining) in kit.iter().chain(&suits) {
        write!(
            text,
            "\n{lit}\n{{\n\t{{\n\t\tmap {lit}.jpg\n\t\trgbGen lightingDiffuse\n\t}}\n\t{{\n\t\tmap models/strafe/sheen.jpg\n\t\t\
             blendFunc add\n\t\ttcGen environment\n\t\trgbGen lightingDiffuse\n\t}}\n}}\n"
        )
        .expect("text takes anything");
        let map = format!("map {lit}.jpg");
        text += &simple(shining, "", &[&map, "rgbGen identity"]);
    }
    for color in ["red", "blue", "white"] {
        let name = format!("models/strafe/flag_{color}");
        let map = format!("map {name}.jpg");
        let general = "cull none\n\tdeformVertexes wave 40 sin 0 0.9 0 0.6";
        text += &simple(&name, general, &[&map, "rgbGen lightingDiffuse"]);
    }
    for (name, color) in [
        ("flash_plasma", "0.45 0.6 1"),
        ("flash_green", "0.4 1 0.4"),
        ("flash_spark", "0.55 0.8 1"),
        ("flare_amber", "1 0.6 0.2"),
        ("flare_green", "0.3 0.9 0.3"),
    ] {
        let paint = format!("rgbGen const ( {color} )");
        let name = format!("models/strafe/{name}");
        for (name, picture) in [(name.clone(), "flare"), (format!("{name}_front"), "spark")] {
            let map = format!("clampmap gfx/strafe/{picture}.jpg");
            text += &simple(&name, "cull none", &[&map, "blendFunc add", &paint]);
        }
    }
    for (name, color) in [
        ("shell_green", "0.3 1 0.4"),
        ("shell_yellow", "1 0.85 0.3"),
        ("shell_red", "1 0.35 0.25"),
        ("shell_blue", "0.35 0.6 1"),
        ("energy_green", "0.3 1 0.35"),
    ] {
        text += &shell(&format!("models/strafe/{name}"), "", color, 0.35);
    }
    for (name, swell, color) in [
        ("quad", 1.2, "0.3 0.45 1"),
        ("quadWeapon", 0.4, "0.3 0.45 1"),
        ("blueflag", 1.2, "1 0.2 0.45"),
        ("battleSuit", 1.0, "1 0.75 0.2"),
        ("battleWeapon", 0.4, "1 0.75 0.2"),
        ("regen", 1.0, "1 0.25 0.2"),
    ] {
        let deform = format!("deformVertexes wave 100 sin {swell} 0 0 0");
        text += &shell(&format!("powerups/{name}"), &deform, color, 0.8);
    }
    text
}

/// A glassy skin with moving light in it.
fn shell(name: &str, general: &str, color: &str, web: f32) -> String {
    let general = general_line(general);
    let dim: Vec<String> = color
        .split(' ')
        .map(|part| format!("{:.3}", part.parse::<f32>().unwrap_or(1.0) * web))
        .collect();
    let dim = dim.join(" ");
    format!(
        "\n{name}\n{{\n{general}\t{{\n\t\tmap models/strafe/sheen.jpg\n\t\tblendFunc add\n\t\ttcGen environment\n\t\t\
         rgbGen const ( {color} )\n\t}}\n\t{{\n\t\tmap gfx/strafe/energy.jpg\n\t\tblendFunc add\n\t\ttcMod scroll 0.13 0.31\n\t\t\
         rgbGen const ( {dim} )\n\t}}\n}}\n"
    )
}

fn puffs() -> String {
    [
        "smokePuff",
        "hasteSmokePuff",
        "shotgunSmokePuff",
        "smokePuffRagePro",
    ]
    .iter()
    .map(|name| {
        simple(
            name,
            "cull none\n\tentityMergable",
            &[
                "clampmap gfx/strafe/smoke.tga",
                "blendFunc blend",
                "rgbGen vertex",
            ],
        )
    })
    .collect()
}

/// The puff that is animated by name: 23 steps through the frames of fire.
fn explosion_frames() -> String {
    const STEPS: usize = 23;
    (1..=STEPS)
        .map(|step| {
            let frame = 1 + (step - 1) * (FIRE_FRAMES - 1) / (STEPS - 1);
            let map = format!("clampmap gfx/strafe/fire{frame}.jpg");
            simple(
                &format!("explode1{step}"),
                "cull none",
                &[&map, "blendFunc add", "rgbGen vertex"],
            )
        })
        .collect()
}

/// Pictures with alpha that are drawn flat on the screen, and as sprites in the world.
fn flat_pictures(pictures: &[PakFile]) -> String {
    let mut text = String::from("// Icons, digits, sprites and medals.\n");
    for file in pictures {
        let Some(name) = file.name.strip_suffix(".tga") else {
            continue;
        };
        let shader = match name.strip_prefix("gfx/strafe/") {
            Some(medal) if medal.starts_with("medal_") => medal,
            Some(_) => continue,
            None if [
                "icons/",
                "gfx/2d/numbers/",
                "gfx/2d/select",
                "gfx/2d/crosshair",
                "sprites/",
            ]
            .iter()
            .any(|start| name.starts_with(start)) =>
            {
                name
            }
            None => continue,
        };
        let map = format!("clampmap {name}.tga");
        text += &simple(
            shader,
            "nopicmip\n\tcull none",
            &[&map, "blendFunc blend", "rgbGen vertex"],
        );
    }
    text
}
