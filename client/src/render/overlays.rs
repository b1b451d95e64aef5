//! Dynamic lights and fog over the map: one draw for each, whatever the materials beneath.
//!
//! The reference lays lights and fog over each material's surfaces at once. Both meet only pixels of exactly the same
//! depth, so the picture stays the same when they wait until everything solid is drawn, and then go together.

use super::frame::{DepthRange, DrawTarget, Geometry, Object, Recorder};
use super::materials::{self, Ground};
use super::textures::TextureSlot;
use super::view::Placement;
use super::world::WorldVertex;
use crate::assets::ImageId;
use crate::scene::DynamicLight;
use glam::Vec3;
use shared::base::sort::sort_by_key;

/// What is laid over surfaces; the order in which it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OverlayKind {
    /// A dynamic light of the view, by number.
    Light(usize),
    /// A fog of the map, by number.
    Fog(usize),
}

/// Triangles of the map under one light or fog.
#[derive(Debug)]
struct Overlay {
    kind: OverlayKind,
    ground: Ground,
    object: u32,
    placement: Placement,
    indices: Vec<u32>,
}

/// The overlays of one view; kept between frames to reuse their memory.
#[derive(Debug, Default)]
pub struct Overlays {
    overlays: Vec<Overlay>,
    used: usize,
}

impl Overlays {
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Adds the triangles that a light can reach; `at` is its place in the space of the triangles.
    pub fn add_light(
        &mut self,
        number: usize,
        (at, radius): (Vec3, f32),
        (ground, object): (Ground, &Object),
        vertices: &[WorldVertex],
        triangles: &[u32],
    ) {
        let list = self.list(OverlayKind::Light(number), ground, object);
        let is_outside =
            |index: u32| outside(at - Vec3::from(vertices[index as usize].position), radius);
        for corners in triangles.chunks_exact(3) {
            let jobs = corners
                .iter()
                .fold(u8::MAX, |bits, &index| bits & is_outside(index));
            if jobs == 0 {
                list.extend_from_slice(corners);
            }
        }
    }

    /// Adds triangles that lie in fog.
    pub fn add_fog(&mut self, number: usize, ground: Ground, object: &Object, triangles: &[u32]) {
        self.list(OverlayKind::Fog(number), ground, object)
            .extend_from_slice(triangles);
    }

    fn list(&mut self, kind: OverlayKind, ground: Ground, object: &Object) -> &mut Vec<u32> {
        let is_same = |overlay: &Overlay| {
            (overlay.kind, overlay.ground, overlay.object) == (kind, ground, object.offset)
        };
        let found = self.overlays[..self.used].iter().rposition(is_same);
        let place = found.unwrap_or_else(|| {
            let place = self.used;
            self.used += 1;
            let mut indices = self
                .overlays
                .get_mut(place)
                .map_or_else(Vec::new, |old| std::mem::take(&mut old.indices));
            indices.clear();
            let overlay = Overlay {
                kind,
                ground,
                object: object.offset,
                placement: object.placement,
                indices,
            };
            match self.overlays.get_mut(place) {
                Some(old) => *old = overlay,
                None => self.overlays.push(overlay),
            }
            place
        });
        &mut self.overlays[place].indices
    }

    /// Draws all of them.
    pub fn draw(&mut self, recorder: &mut Recorder<'_>) {
        let overlays = &mut self.overlays[..self.used];
        sort_by_key(overlays, |overlay| overlay.kind);
        for overlay in overlays {
            let first = recorder.frame.indices.len();
            recorder.frame.indices.extend_from_slice(&overlay.indices);
            let place = DrawTarget {
                object: overlay.object,
                geometry: Geometry::World,
                indices: recorder.frame.indices_since(first),
                depth: DepthRange::Full,
                instances: 1,
            };
            match overlay.kind {
                OverlayKind::Light(number) => {
                    if let Some(light) = recorder.lights.get(number) {
                        draw_light(recorder, overlay, place, *light);
                    }
                }
                OverlayKind::Fog(number) => {
                    if let Some(fog) = recorder.fogs.get(number) {
                        let mut uniform = materials::fog_uniform(materials::still_uniform(), fog);
                        let Placement { axis, origin, .. } = &overlay.placement;
                        fog.fill(&mut uniform, axis, *origin, recorder.camera.eye);
                        let image = recorder.image(ImageId::FOG);
                        let key = materials::equal_fog_key(overlay.ground);
                        recorder.draw_at(place, key, [image, TextureSlot::WHITE], &uniform);
                    }
                }
            }
        }
    }
}

fn draw_light(
    recorder: &mut Recorder<'_>,
    overlay: &Overlay,
    place: DrawTarget,
    light: DynamicLight,
) {
    let local = overlay.placement.to_local(light.origin);
    let uniform =
        materials::light_uniform(materials::still_uniform(), local, light.radius, light.color);
    let key = materials::light_key(overlay.ground, light.additive);
    let image = recorder.image(ImageId::DLIGHT);
    recorder.draw_at(place, key, [image, TextureSlot::WHITE], &uniform);
}

/// The sides of the light's box beyond which a point lies, given the way from it to the light, one bit each.
fn outside(to_light: Vec3, radius: f32) -> u8 {
    let Vec3 { x, y, z } = to_light;
    // Across, the light's picture reaches half the radius to each side of the middle.
    let half = radius * 0.5;
    [
        x < -half,
        x > half,
        y < -half,
        y > half,
        z > radius,
        z < -radius,
    ]
    .into_iter()
    .enumerate()
    .fold(0, |bits, (k, is_beyond)| bits | u8::from(is_beyond) << k)
}
