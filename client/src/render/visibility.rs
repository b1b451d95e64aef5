//! Which surfaces of the map a view can see, and which dynamic lights reach them.

use super::world::{Shape, World, WorldSurface};
use crate::scene::DynamicLight;
use glam::Vec3;
use shared::formats::bsp::Child;
use shared::formats::shader_script::terms::Cull;

/// The four sides of a view, normals inwards.
#[derive(Clone, Copy, Debug)]
pub struct Frustum {
    planes: [(Vec3, f32); 4],
}

impl Frustum {
    pub fn new(eye: Vec3, axis: &[Vec3; 3], fov_x: f32, fov_y: f32) -> Self {
        let [forward, left, up] = *axis;
        let side = |fov: f32, across: Vec3| {
            let (sin, cos) = (fov.to_radians() * 0.5).sin_cos();
            [forward * sin + across * cos, forward * sin - across * cos]
        };
        let [a, b] = side(fov_x, left);
        let [c, d] = side(fov_y, up);
        Self {
            planes: [a, b, c, d].map(|normal| (normal, normal.dot(eye))),
        }
    }

    /// Whether a box lies completely behind one of the sides.
    pub fn hides_box(&self, mins: Vec3, maxs: Vec3) -> bool {
        self.planes.iter().any(|&(normal, distance)| {
            let nearest = Vec3::select(normal.cmpge(Vec3::ZERO), maxs, mins);
            normal.dot(nearest) < distance
        })
    }

    pub fn hides_sphere(&self, center: Vec3, radius: f32) -> bool {
        self.planes
            .iter()
            .any(|&(normal, distance)| normal.dot(center) - distance <= -radius)
    }

    /// Whether a sphere lies in front of all sides.
    pub fn holds_sphere(&self, center: Vec3, radius: f32) -> bool {
        self.planes
            .iter()
            .all(|&(normal, distance)| normal.dot(center) - distance >= radius)
    }
}

/// What a view asks of the map.
#[derive(Clone, Copy, Debug)]
pub struct VisibilityQuery<'a> {
    pub eye: Vec3,
    /// Whose potentially visible set counts: the eye, or a portal's camera.
    pub pvs_origin: Vec3,
    pub frustum: Frustum,
    pub area_mask: &'a [u8; 32],
    pub lights: &'a [DynamicLight],
}

/// A visible surface and the lights on it, one bit each.
#[derive(Clone, Copy, Debug)]
pub struct VisibleSurface {
    pub surface: u32,
    pub lights: u32,
    /// From the eye to its box, squared.
    pub distance: f32,
}

/// The visible surfaces of a view, by batch; kept between frames to reuse its memory.
#[derive(Debug, Default)]
pub struct Visible {
    /// By batch of the map.
    pub batches: Vec<Vec<VisibleSurface>>,
    /// Distance to the farthest corner of what was reached.
    pub far: f32,
    seen: Vec<u32>,
    walk: u32,
    /// Nodes and leafs that hold something potentially visible, for `marked_for`.
    node_marks: Vec<bool>,
    leaf_marks: Vec<bool>,
    marked_for: Option<(usize, i32, [u8; 32])>,
}

impl Visible {
    /// Walks the tree of the map.
    pub fn update(&mut self, world: &World, query: VisibilityQuery<'_>) {
        self.mark(world, query);
        self.batches.iter_mut().for_each(Vec::clear);
        self.batches.resize_with(world.batches.len(), Vec::new);
        if self.seen.len() != world.surfaces.len() {
            self.seen = vec![0; world.surfaces.len()];
            self.walk = 0;
        }
        self.walk += 1;
        let (mut mins, mut maxs) = (query.eye, query.eye);
        let all_lights = (1_u64 << query.lights.len().min(32)) - 1;
        let mut open = vec![(Child::Node(0), all_lights as u32)];
        while let Some((child, lights)) = open.pop() {
            let (is_marked, box_mins, box_maxs) = match child {
                Child::Node(node) => {
                    let found = &world.bsp.nodes[node as usize];
                    (self.node_marks[node as usize], found.mins, found.maxs)
                }
                Child::Leaf(leaf) => {
                    let found = &world.bsp.leafs[leaf as usize];
                    (self.leaf_marks[leaf as usize], found.mins, found.maxs)
                }
            };
            let (box_mins, box_maxs) = (to_vec3(box_mins), to_vec3(box_maxs));
            if !is_marked || query.frustum.hides_box(box_mins, box_maxs) {
                continue;
            }
            match child {
                Child::Node(node) => {
                    let node = &world.bsp.nodes[node as usize];
                    let plane = &world.bsp.planes[node.plane as usize];
                    let [front, back] =
                        split_lights(query.lights, lights, plane.normal, plane.dist);
                    open.push((node.children[1], back));
                    open.push((node.children[0], front));
                }
                Child::Leaf(leaf) => {
                    (mins, maxs) = (mins.min(box_mins), maxs.max(box_maxs));
                    self.add_leaf(world, leaf as usize, lights, query);
                }
            }
        }
        self.far = (maxs - query.eye)
            .abs()
            .max((mins - query.eye).abs())
            .length();
    }

    fn add_leaf(&mut self, world: &World, leaf: usize, lights: u32, query: VisibilityQuery<'_>) {
        for &number in &world.bsp.leaf_surfaces[world.bsp.leafs[leaf].surfaces.range()] {
            let Some(surface) = world.surfaces.get(number as usize) else {
                continue;
            };
            if std::mem::replace(&mut self.seen[number as usize], self.walk) == self.walk {
                continue;
            }
            let Some(batch) = surface.batch else { continue };
            if !is_culled(surface, query.eye, query.frustum) {
                let lights = lights_on(surface, query.lights, lights);
                self.batches[batch].push(VisibleSurface {
                    surface: number,
                    lights,
                    distance: surface.distance_squared(query.eye),
                });
            }
        }
    }

    /// Finds the potentially visible leafs and what leads to them, unless that is known from the last frame.
    fn mark(&mut self, world: &World, query: VisibilityQuery<'_>) {
        let bsp = &world.bsp;
        let cluster = bsp.leafs[bsp.leaf_at(query.pvs_origin)].cluster;
        let wanted = (
            std::sync::Arc::as_ptr(bsp) as usize,
            cluster,
            *query.area_mask,
        );
        if self.marked_for == Some(wanted) {
            return;
        }
        let sees_all = cluster < 0 || bsp.visibility.is_none();
        self.leaf_marks = bsp
            .leafs
            .iter()
            .map(|leaf| {
                let is_hidden_area = usize::try_from(leaf.area)
                    .ok()
                    .and_then(|area| Some(query.area_mask.get(area >> 3)? >> (area & 7) & 1 == 1))
                    .unwrap_or(false);
                sees_all
                    || (leaf.cluster >= 0
                        && bsp.cluster_sees(cluster, leaf.cluster)
                        && !is_hidden_area)
            })
            .collect();
        self.node_marks = vec![false; bsp.nodes.len()];
        self.mark_nodes(world);
        self.marked_for = Some(wanted);
    }

    fn mark_nodes(&mut self, world: &World) {
        let mut order = Vec::with_capacity(world.bsp.nodes.len());
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            order.push(node);
            let children = world.bsp.nodes[node as usize].children;
            open.extend(children.into_iter().filter_map(|child| match child {
                Child::Node(node) => Some(node),
                Child::Leaf(_) => None,
            }));
        }
        for &node in order.iter().rev() {
            self.node_marks[node as usize] = world.bsp.nodes[node as usize]
                .children
                .into_iter()
                .any(|child| match child {
                    Child::Node(node) => self.node_marks[node as usize],
                    Child::Leaf(leaf) => self.leaf_marks[leaf as usize],
                });
        }
    }
}

/// The lights whose bits are set, with their numbers.
pub fn chosen(lights: &[DynamicLight], bits: u32) -> impl Iterator<Item = (usize, &DynamicLight)> {
    let numbered = lights.iter().enumerate().take(32);
    numbered.filter(move |(k, _)| bits >> k & 1 == 1)
}

/// Which of the lights reach the front and the back of a plane.
fn split_lights(lights: &[DynamicLight], bits: u32, normal: Vec3, distance: f32) -> [u32; 2] {
    let (mut front, mut back) = (0, 0);
    for (k, light) in chosen(lights, bits) {
        let side = normal.dot(light.origin) - distance;
        front |= u32::from(side > -light.radius) << k;
        back |= u32::from(side < light.radius) << k;
    }
    [front, back]
}

fn lights_on(surface: &WorldSurface, lights: &[DynamicLight], bits: u32) -> u32 {
    let mut found = bits;
    for (k, light) in chosen(lights, bits) {
        let reaches = match surface.shape {
            Shape::Planar { normal, distance } => {
                (normal.dot(light.origin) - distance).abs() <= light.radius
            }
            Shape::Curve { .. } => {
                reaches_box((light.origin, light.radius), surface.mins, surface.maxs)
            }
            Shape::Triangles => true,
        };
        if !reaches {
            found &= !(1 << k);
        }
    }
    found
}

/// Whether a light at a place, with a radius, reaches a box.
pub fn reaches_box((at, radius): (Vec3, f32), mins: Vec3, maxs: Vec3) -> bool {
    (at - radius).cmple(maxs).all() && (at + radius).cmpge(mins).all()
}

/// Whether a surface faces away or lies beside the view; `eye` and `frustum` are in the space of the surface.
pub fn is_culled(surface: &WorldSurface, eye: Vec3, frustum: Frustum) -> bool {
    match surface.shape {
        Shape::Planar { normal, distance } => match surface.cull {
            Cull::None => false,
            Cull::Back => normal.dot(eye) < distance - 8.0,
            Cull::Front => normal.dot(eye) > distance + 8.0,
        },
        Shape::Curve { .. } | Shape::Triangles => frustum.hides_box(surface.mins, surface.maxs),
    }
}

fn to_vec3(v: [i32; 3]) -> Vec3 {
    Vec3::from(v.map(|x| x as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_beside_the_view_are_hidden() {
        let frustum = Frustum::new(Vec3::ZERO, &[Vec3::X, Vec3::Y, Vec3::Z], 90.0, 60.0);
        let hides = |x: f32, y: f32, z: f32| {
            let center = Vec3::new(x, y, z);
            frustum.hides_box(center - 1.0, center + 1.0)
        };
        assert!(!hides(100.0, 90.0, 0.0));
        assert!(hides(100.0, 110.0, 0.0));
        assert!(hides(100.0, 0.0, 70.0));
        assert!(hides(-100.0, 0.0, 0.0));
    }

    #[test]
    fn lights_go_to_the_sides_they_reach() {
        let light = DynamicLight {
            origin: Vec3::new(10.0, 0.0, 0.0),
            radius: 5.0,
            color: [1.0; 3],
            additive: false,
        };
        let wide = DynamicLight {
            radius: 20.0,
            ..light
        };
        assert_eq!(split_lights(&[light, wide], 3, Vec3::X, 0.0), [3, 2]);
    }
}
