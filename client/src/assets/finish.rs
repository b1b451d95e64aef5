//! From a script, or from nothing but an image, to a finished material.

use super::{
    ImageId,
    image::ImageOptions,
    material::{Collapse, FogAdjust, FogPass, Lightmap, Material, Sky, Stage, StageImage},
};
use shared::formats::shader_script::{
    Map, Script, StageScript,
    terms::{AlphaGen, Blend, BlendFactor, RgbGen, SkyParms, TcGen, contents, sort},
};

/// What a material is finished with: images by name, if they exist.
pub(super) type FindImage<'a> = &'a mut dyn FnMut(&str, ImageOptions) -> Option<ImageId>;

/// The material for what is neither scripted nor pictured, or defective.
pub(super) fn default_material(name: &str, lightmap: Lightmap, order: u64) -> Material {
    let mut material = Material::blank(name, lightmap, order);
    material.is_default = true;
    let image = StageImage::Image(ImageId::DEFAULT);
    let stage = Stage::new(image, RgbGen::IdentityLighting);
    material.stages.push(stage);
    settle(&mut material, false);
    material
}

/// The material of an image without a script.
pub(super) fn implicit_material(
    name: &str,
    lightmap: Lightmap,
    order: u64,
    image: ImageId,
) -> Material {
    let mut material = Material::blank(name, lightmap, order);
    let image = StageImage::Image(image);
    let filter = |image| Stage {
        blend: Some(Blend::FILTER),
        depth_write: false,
        ..Stage::new(image, RgbGen::Identity)
    };
    material.stages = match lightmap {
        Lightmap::None => vec![Stage::new(image, RgbGen::LightingDiffuse)],
        Lightmap::Vertex => vec![Stage {
            alpha_gen: AlphaGen::Vertex,
            ..Stage::new(image, RgbGen::ExactVertex)
        }],
        Lightmap::TwoD => vec![Stage {
            blend: Some(Blend::ALPHA),
            alpha_gen: AlphaGen::Vertex,
            depth_test: false,
            depth_write: false,
            ..Stage::new(image, RgbGen::Vertex)
        }],
        Lightmap::White => vec![
            Stage::new(StageImage::Image(ImageId::WHITE), RgbGen::IdentityLighting),
            filter(image),
        ],
        Lightmap::Number(_) => vec![
            Stage {
                tc_gen: TcGen::Lightmap,
                ..Stage::new(StageImage::Lightmap, RgbGen::Identity)
            },
            filter(image),
        ],
    };
    settle(&mut material, false);
    material
}

/// The material of a script; an image that does not exist makes it the default one and is named.
pub(super) fn explicit_material(
    name: &str,
    lightmap: Lightmap,
    order: u64,
    script: Script,
    keeps_details: bool,
    find_image: FindImage<'_>,
) -> Result<Material, String> {
    let mut material = Material {
        is_explicit: true,
        sort: script.sort.unwrap_or(0.0),
        cull: script.cull,
        polygon_offset: script.polygon_offset,
        surface_flags: script.surface_flags,
        content_flags: script.content_flags,
        entity_mergable: script.entity_mergable,
        clamp_time: script.clamp_time,
        deforms: script.deforms,
        fog: script.fog,
        sun: script.sun,
        ..Material::blank(name, lightmap, order)
    };
    material.sky = script.sky.map(|parms| sky(parms, find_image));
    // All images count, even those of stages that are not drawn.
    let mut images = Vec::with_capacity(script.stages.len());
    for stage in &script.stages {
        images.push(stage_image(stage, lightmap, find_image)?);
    }
    for (stage, image) in script.stages.into_iter().zip(images) {
        let Some(image) = image else { break };
        if keeps_details || !stage.is_detail {
            material.stages.push(finished_stage(stage, image));
        }
    }
    settle(&mut material, script.sort.is_some_and(|sort| sort != 0.0));
    Ok(material)
}

fn finished_stage(script: StageScript, image: StageImage) -> Stage {
    let default_tc_gen = if script.map == Map::Lightmap {
        TcGen::Lightmap
    } else {
        TcGen::Base
    };
    Stage {
        blend: script.blend,
        alpha_func: script.alpha_func,
        depth_equal: script.depth_equal,
        depth_write: script.depth_write,
        alpha_gen: script.alpha_gen,
        tc_gen: script.tc_gen.unwrap_or(default_tc_gen),
        tc_mods: script.tc_mods,
        ..Stage::new(image, script.rgb_gen)
    }
}

/// `None` for a stage that names no image.
fn stage_image(
    script: &StageScript,
    lightmap: Lightmap,
    find_image: FindImage<'_>,
) -> Result<Option<StageImage>, String> {
    let mut find = |name: &str, clamp| {
        let options = ImageOptions {
            use_mipmaps: script.use_mipmaps,
            use_picmip: script.use_picmip,
            clamp,
        };
        find_image(name, options).ok_or_else(|| format!("its image {name} is missing"))
    };
    Ok(Some(match &script.map {
        // Films are not shown; as in the reference without the file, the stage ends the list.
        Map::None | Map::Video(_) => return Ok(None),
        Map::White => StageImage::Image(ImageId::WHITE),
        Map::Lightmap => match lightmap {
            Lightmap::Number(_) => StageImage::Lightmap,
            _ => StageImage::Image(ImageId::WHITE),
        },
        Map::Image { name, clamp } => StageImage::Image(find(name, *clamp)?),
        Map::Animation { fps, names } => {
            let frames: Result<Vec<ImageId>, String> =
                names.iter().map(|name| find(name, false)).collect();
            let frames = frames?;
            if frames.is_empty() {
                return Ok(None);
            }
            StageImage::Animation { fps: *fps, frames }
        }
    }))
}

fn sky(parms: SkyParms, find_image: FindImage<'_>) -> Sky {
    let far_box = parms.far_box.and_then(|base| {
        let mut sides =
            SkyParms::SIDES.map(|suffix| find_image(&format!("{base}{suffix}"), ImageOptions::SKY));
        // Stock scripts write "full" where there is no box.
        sides[0]?;
        Some(
            sides
                .each_mut()
                .map(|side| side.unwrap_or(ImageId::DEFAULT)),
        )
    });
    Sky {
        far_box,
        cloud_height: parms.cloud_height,
    }
}

/// Decides what follows from all stages together: sort, fog, collapse.
fn settle(material: &mut Material, mut has_sort: bool) {
    let mut set_sort = |material: &mut Material, value: f32, force: bool| {
        if force || !has_sort {
            material.sort = value;
            has_sort = true;
        }
    };
    if material.sky.is_some() {
        set_sort(material, sort::SKY, true);
    }
    if material.polygon_offset {
        set_sort(material, sort::DECAL, false);
    }
    let first_blends = material
        .stages
        .first()
        .is_some_and(|stage| stage.blend.is_some());
    for index in 0..material.stages.len() {
        let stage = &mut material.stages[index];
        if let Some(blend) = stage.blend.filter(|_| first_blends) {
            stage.fog_adjust = fog_adjust(blend);
            let value = if stage.depth_write {
                sort::SEE_THROUGH
            } else {
                sort::BLEND
            };
            set_sort(material, value, false);
        }
    }
    set_sort(material, sort::OPAQUE, false);
    material.collapse = collapse(&material.stages);
    if material.stages.is_empty() && material.sky.is_none() {
        material.sort = sort::FOG;
    }
    material.fog_pass = if material.sort <= sort::OPAQUE {
        FogPass::Equal
    } else if material.content_flags & contents::FOG != 0 {
        FogPass::LessEqual
    } else {
        FogPass::None
    };
}

fn fog_adjust(blend: Blend) -> FogAdjust {
    use BlendFactor::{One, OneMinusSrcAlpha, OneMinusSrcColor, SrcAlpha, Zero};
    match (blend.src, blend.dst) {
        (One, One) | (Zero, OneMinusSrcColor) => FogAdjust::Rgb,
        (SrcAlpha, OneMinusSrcAlpha) => FogAdjust::Alpha,
        (One, OneMinusSrcAlpha) => FogAdjust::Rgba,
        _ => FogAdjust::None,
    }
}

fn collapse(stages: &[Stage]) -> Option<Collapse> {
    let [first, second, ..] = stages else {
        return None;
    };
    let is_same = first.alpha_func == second.alpha_func
        && first.depth_equal == second.depth_equal
        && first.depth_test == second.depth_test
        && first.rgb_gen == second.rgb_gen
        && first.alpha_gen == second.alpha_gen;
    if !is_same {
        return None;
    }
    let is_product = |blend: Blend| {
        blend == Blend::FILTER || blend == Blend::new(BlendFactor::Zero, BlendFactor::SrcColor)
    };
    match (first.blend, second.blend?) {
        (None, second) if is_product(second) => Some(Collapse::Modulate { blend: None }),
        (Some(first), second) if is_product(first) && is_product(second) => {
            Some(Collapse::Modulate {
                blend: Some(Blend::FILTER),
            })
        }
        (first, Blend::ADD)
            if matches!(first, None | Some(Blend::ADD)) && second.rgb_gen == RgbGen::Identity =>
        {
            Some(Collapse::Add { blend: first })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::formats::shader_script::Library;

    fn finish(text: &str, lightmap: Lightmap) -> Result<Material, String> {
        let text = format!("x {{ {text} }}");
        let (library, _) = Library::new([("a.shader".to_owned(), text.as_bytes())]);
        let script = library
            .script("x")
            .expect("x is defined")
            .map_err(|error| error.to_string())?;
        let mut find =
            |name: &str, _| (!name.starts_with("no")).then_some(ImageId(name.len() as u32 + 100));
        explicit_material("x", lightmap, 7, script, true, &mut find)
    }

    #[test]
    fn sort_follows_from_the_stages() {
        let sort_of = |text: &str| finish(text, Lightmap::Number(0)).unwrap().sort;
        for (text, sort) in [
            ("{ map a }", sort::OPAQUE),
            ("{ map a\nblendFunc add\n}", sort::BLEND),
            ("{ map a\nblendFunc add\ndepthWrite\n}", sort::SEE_THROUGH),
            ("{ map a }\n{ map b\nblendFunc add\n}", sort::OPAQUE),
            ("polygonOffset\n{ map a\nblendFunc add\n}", sort::DECAL),
            ("skyparms - 300 -\nsort nearest\n", sort::SKY),
            ("surfaceparm fog\n", sort::FOG),
            ("{ }", sort::FOG),
        ] {
            assert_eq!(sort_of(text), sort, "{text}");
        }
    }

    #[test]
    fn missing_images_are_named() {
        let error = finish("{ map nothing.tga }", Lightmap::None).unwrap_err();
        assert_eq!(error, "its image nothing.tga is missing");
        let material = finish("skyparms none/x 0 -\n", Lightmap::None).unwrap();
        assert_eq!(material.sky.unwrap().far_box, None);
    }

    #[test]
    fn lightmap_and_texture_become_one() {
        let text = "{ map $lightmap\nrgbGen identity\n}\n{ map a\nblendFunc filter\n}";
        let material = finish(text, Lightmap::Number(3)).unwrap();
        assert_eq!(material.collapse, Some(Collapse::Modulate { blend: None }));
        assert_eq!(
            (&material.stages[0].image, material.stages[0].tc_gen),
            (&StageImage::Lightmap, TcGen::Lightmap)
        );
        let flat = finish(text, Lightmap::Vertex).unwrap();
        assert_eq!(flat.stages[0].image, StageImage::Image(ImageId::WHITE));
        let add = finish(
            "{ map a\nrgbGen identity\n}\n{ map b\nblendFunc add\nrgbGen identity\n}",
            Lightmap::None,
        )
        .unwrap();
        assert_eq!(add.collapse, Some(Collapse::Add { blend: None }));
    }

    #[test]
    fn pictures_without_script_depend_on_their_light() {
        let make = |lightmap| implicit_material("x", lightmap, 0, ImageId(9));
        let flat = make(Lightmap::TwoD);
        assert_eq!((flat.sort, flat.stages[0].depth_test), (sort::BLEND, false));
        let lit = make(Lightmap::Number(1));
        assert_eq!(lit.collapse, Some(Collapse::Modulate { blend: None }));
        assert_eq!(make(Lightmap::White).stages.len(), 2);
        let model = make(Lightmap::None);
        assert_eq!(model.stages[0].rgb_gen, RgbGen::LightingDiffuse);
        assert_eq!(model.fog_pass, FogPass::Equal);
    }
}
