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
    /// Empty lists for those to come.
    spare: Vec<Vec<u32>>,
}

impl Overlays {
    pub fn clear(&mut self) {
        let lists = self.overlays.drain(..).map(|overlay| overlay.indices);
        self.spare.extend(lists);
        self.spare.iter_mut().for_each(Vec::clear);
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
        let found = self.overlays.iter().rposition(is_same);
        let place = found.unwrap_or_else(|| {
            self.overlays.push(Overlay {
                kind,
                ground,
                object: object.offset,
                placement: object.placement,
                indices: self.spare.pop().unwrap_or_default(),
            });
            self.overlays.len() - 1
        });
        &mut self.overlays[place].indices
    }

    /// Draws all of them.
    pub fn draw(&mut self, recorder: &mut Recorder<'_>) {
        sort_by_key(&mut self.overlays, |overlay| overlay.kind);
        for overlay in &self.overlays {
            let first = recorder.frame.indices.len();
            recorder.frame.indices.extend_from_slice(&overlay.indices);
            let place = DrawTarget {
                object: overlay.object,
                geometry: Geometry::World,
                indices: recorder.frame.indices_since(first),
                depth: DepthRange::Full,
                instances: 1,
            };
            let Placement { axis, origin, .. } = &overlay.placement;
            let mut uniform = materials::still_uniform();
            let (key, image) = match overlay.kind {
                OverlayKind::Light(number) => {
                    let Some(light) = recorder.lights.get(number) else {
                        continue;
                    };
                    let local = overlay.placement.to_local(light.origin);
                    uniform = materials::light_uniform(uniform, local, light.radius, light.color);
                    let key = materials::light_key(overlay.ground, light.additive);
                    (key, ImageId::DLIGHT)
                }
                OverlayKind::Fog(number) => {
                    let Some(fog) = recorder.fogs.get(number) else {
                        continue;
                    };
                    uniform = materials::fog_uniform(uniform, fog);
                    fog.fill(&mut uniform, axis, *origin, recorder.camera.eye);
                    (materials::equal_fog_key(overlay.ground), ImageId::FOG)
                }
            };
            let images = [recorder.image(image), TextureSlot::WHITE];
            recorder.draw_at(place, key, images, &uniform);
        }
    }
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
