//! Flares: the lamps of a map dazzle who looks into them; flat pictures over the view.

use super::{Present, frame::Frame};
use crate::cg::settings::Glare;
use crate::{
    assets::Assets,
    scene::{Draw2d, Refdef, ShaderId},
};
use glam::Vec3;
use shared::{
    formats::bsp::{Bsp, SurfaceKind},
    types::trace::contents,
};

/// Fog in which lamps stand.
#[derive(Clone, Copy, Debug)]
struct Mist {
    /// In units before the eye, where nothing can be seen any more.
    opaque_depth: f32,
    /// Normal and distance of the side that is seen from outside.
    surface: Option<(Vec3, f32)>,
}

#[derive(Clone, Copy, Debug)]
struct Lamp {
    at: Vec3,
    /// Zero for one that shines to all sides.
    normal: Vec3,
    /// 0 to 1 each.
    color: Vec3,
    mist: Option<Mist>,
    /// How much of it was seen last, 0 to 1.
    shown: f32,
}

/// All lamps of a map and what they are drawn with.
#[derive(Clone, Debug)]
pub struct Flares {
    lamps: Vec<Lamp>,
    shader: ShaderId,
}

impl Flares {
    fn new(bsp: &Bsp, assets: &mut Assets) -> Self {
        let mist = |fog: u32, assets: &Assets| {
            let shader = *assets.world_fog_shaders().get(fog as usize)?;
            let depth = assets.shader(shader)?.fog?.depth_for_opaque;
            let fog = &bsp.fogs[fog as usize];
            let sides = &bsp.brush_sides[bsp.brushes[fog.brush as usize].sides.range()];
            let plane = |side: u32| &bsp.planes[sides[side as usize].plane as usize];
            Some(Mist {
                opaque_depth: depth.max(1.0),
                surface: fog
                    .visible_side
                    .map(|side| (plane(side).normal, plane(side).dist)),
            })
        };
        let lamps = bsp
            .surfaces
            .iter()
            .filter(|surface| surface.kind == SurfaceKind::Flare)
            .map(|surface| Lamp {
                at: surface.lightmap_origin,
                normal: surface.lightmap_vectors[2],
                color: surface.lightmap_vectors[0],
                mist: surface.fog.and_then(|fog| mist(fog, assets)),
                shown: 0.0,
            })
            // Some maps have stray ones without a color in their middle.
            .filter(|lamp| lamp.color.max_element() > 0.0)
            .collect();
        Self {
            lamps,
            shader: assets.register_shader("flareShader"),
        }
    }
}

impl Present {
    /// Puts a flare over every lamp that is seen.
    pub(super) fn add_flares(&mut self, frame: &mut Frame<'_>) {
        let Some(glare) = frame.settings.glare() else {
            // Lamps that are looked at again begin anew.
            self.flares = None;
            return;
        };
        let Some(bsp) = frame.assets.world().cloned() else {
            return;
        };
        let mut flares = match self.flares.take() {
            Some(flares) => flares,
            None => Flares::new(&bsp, frame.assets),
        };
        let step = frame.msec as f32 / 1000.0 * glare.fade_per_sec;
        for lamp in &mut flares.lamps {
            let picture = lamp.picture(&glare, frame.view, flares.shader);
            let is_seen = picture.is_some() && self.sees(lamp.at, frame);
            let way = if is_seen { step } else { -step };
            lamp.shown = (lamp.shown + way).clamp(0.0, 1.0);
            if let Some(mut picture) = picture.filter(|_| lamp.shown > 0.0) {
                for part in &mut picture.color[..3] {
                    *part *= lamp.shown;
                }
                frame.flares.push(picture);
            }
        }
        // Games without the material show none.
        if frame.assets.is_missing(flares.shader) {
            frame.flares.clear();
        }
        self.flares = Some(flares);
    }

    /// Nothing stands before a place, or only what it is mounted in.
    fn sees(&self, place: Vec3, frame: &Frame<'_>) -> bool {
        const MOUNTING: f32 = 24.0;
        let mask = contents::SOLID | contents::BODY;
        let trace = frame
            .world
            .line(frame.view.eye, place, frame.viewed_client, mask);
        trace.end.distance(place) < MOUNTING
    }
}

impl Lamp {
    /// The flare of a lamp in full view; `None` where it cannot be seen from or is too faint.
    fn picture(&self, glare: &Glare, view: &Refdef, shader: ShaderId) -> Option<Draw2d> {
        const FAINTEST: f32 = 1.0 / 255.0;
        /// What lamps close by gain, in units.
        const NEAR_GAIN: f32 = 8.0;
        let [x, y] = view.project(self.at)?;
        let [left, top, width, height] = view.viewport;
        let is_inside = (left..left + width).contains(&x) && (top..top + height).contains(&y);
        let way = view.eye - self.at;
        let facing = if self.normal == Vec3::ZERO {
            1.0
        } else {
            way.normalize_or_zero().dot(self.normal)
        };
        if !is_inside || facing <= 0.0 {
            return None;
        }
        let depth = (-way).dot(view.axis[0]).max(1.0);
        let half = width * (glare.size / 640.0 + NEAR_GAIN / depth);
        let part = half / (depth + half * glare.reach.sqrt());
        let clear = 1.0
            - self
                .mist
                .map_or(0.0, |mist| mist.thickness(self.at, depth, view.eye));
        let color = self.color * (facing * glare.reach * part * part * clear);
        (color.max_element() >= FAINTEST).then(|| Draw2d {
            rect: [x - half, y - half, half * 2.0, half * 2.0],
            tex: [0.0, 0.0, 1.0, 1.0],
            color: color.min(Vec3::ONE).extend(1.0).to_array(),
            shader,
        })
    }
}

impl Mist {
    /// How much the fog hides of a place so deep in the picture, 0 to 1.
    fn thickness(&self, place: Vec3, depth: f32, eye: Vec3) -> f32 {
        let share = self.surface.map_or(1.0, |(normal, distance)| {
            let below = |point: Vec3| distance - normal.dot(point);
            let (place, eye) = (below(place), below(eye));
            match (eye < 0.0, place) {
                (true, place) if place < 1.0 => 0.0,
                (true, place) => place / (place - eye),
                (false, place) if place < 0.0 => 0.0,
                (false, _) => 1.0,
            }
        });
        (depth / self.opaque_depth * share).clamp(0.0, 1.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLARE: Glare = Glare {
        size: 40.0,
        fade_per_sec: 7.0,
        reach: 150.0,
    };

    fn lamp(normal: Vec3) -> Lamp {
        Lamp {
            at: Vec3::X * 500.0,
            normal,
            color: Vec3::new(1.0, 0.5, 0.0),
            mist: None,
            shown: 0.0,
        }
    }

    fn view(eye: Vec3) -> Refdef {
        Refdef {
            viewport: [0.0, 0.0, 640.0, 480.0],
            fov_y: 73.74,
            eye,
            ..Refdef::default()
        }
    }

    fn picture(lamp: &Lamp, eye: Vec3) -> Option<Draw2d> {
        lamp.picture(&GLARE, &view(eye), ShaderId(3))
    }

    #[test]
    fn flares_lie_on_their_lamps_and_pale_with_distance() {
        let near = picture(&lamp(-Vec3::X), Vec3::ZERO).expect("the lamp is before the eye");
        // 640 · (40 / 640 + 8 / 500) to each side.
        let half = 50.24;
        let want = [320.0 - half, 240.0 - half, half * 2.0, half * 2.0];
        for (got, want) in near.rect.into_iter().zip(want) {
            assert!((got - want).abs() < 0.01, "{:?}", near.rect);
        }
        // 150 · 50.24² / (500 + 50.24 · √150)².
        assert!((near.color[0] - 0.304).abs() < 0.001, "{:?}", near.color);
        assert!((near.color[1] - near.color[0] / 2.0).abs() < 1e-6);
        let far = picture(&lamp(-Vec3::X), Vec3::X * -1000.0).expect("it is still seen");
        assert!(far.color[0] < near.color[0] && far.rect[2] < near.rect[2]);
    }

    #[test]
    fn lamps_are_seen_from_before_them_only() {
        assert!(picture(&lamp(Vec3::X), Vec3::ZERO).is_none());
        assert!(picture(&lamp(Vec3::ZERO), Vec3::ZERO).is_some());
        // Behind the eye, beside the picture.
        assert!(picture(&lamp(Vec3::ZERO), Vec3::X * 600.0).is_none());
        assert!(picture(&lamp(Vec3::ZERO), Vec3::Y * 600.0).is_none());
    }

    #[test]
    fn fog_hides_lamps() {
        let mut lamp = lamp(Vec3::ZERO);
        let clear = picture(&lamp, Vec3::ZERO).expect("it is seen").color[0];
        let mut mist = Mist {
            opaque_depth: 2000.0,
            surface: None,
        };
        lamp.mist = Some(mist);
        let half = picture(&lamp, Vec3::ZERO).expect("it is seen").color[0];
        assert!((half - clear / 2.0).abs() < 1e-5, "{half} of {clear}");
        mist.opaque_depth = 500.0;
        lamp.mist = Some(mist);
        assert!(picture(&lamp, Vec3::ZERO).is_none());
        // From above the surface only the way below it counts.
        mist.surface = Some((Vec3::Z, 100.0));
        let eye = Vec3::Z * 200.0;
        assert_eq!(mist.thickness(Vec3::Z * 150.0, 500.0, eye), 0.0);
        assert!((mist.thickness(Vec3::ZERO, 500.0, eye) - 0.5_f32.sqrt()).abs() < 1e-6);
        assert_eq!(mist.thickness(Vec3::ZERO, 500.0, Vec3::ZERO), 1.0);
    }
}
