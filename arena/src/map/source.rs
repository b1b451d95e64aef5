//! A map as its author says it: rooms carved out of rock, brushes and curves in them, decals, fog and entities.

use super::brush::{AXIAL, Brush, point};
use super::face::Face;
use super::geometry::{Mapping, extent, texture_axes};
use super::patch::Patch;
use crate::materials::id;
use glam::Vec3;

/// The number of the upper side in [`AXIAL`].
pub(crate) const TOP: usize = 5;
/// The number of the lower side.
pub(crate) const BOTTOM: usize = 4;
/// All of a picture.
pub(crate) const WHOLE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

/// What the insides of a room wear. Walls are dark below, then plain, with a trim at the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub floor: usize,
    pub lower: usize,
    pub wall: usize,
    pub top: usize,
    pub ceiling: usize,
    /// The height of the dark part below, and of the trim at the top.
    pub foot: i32,
    pub head: i32,
}

/// A box of air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub mins: [i32; 3],
    pub maxs: [i32; 3],
    pub style: Style,
}

/// Keys of an entity, and the brushes of its own model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entity {
    pub keys: Vec<(&'static str, String)>,
    pub brushes: Vec<Brush>,
}

impl Entity {
    /// Where it stands by its keys.
    pub(crate) fn origin(&self) -> Vec3 {
        let text = self.keys.iter().find(|(key, _)| *key == "origin");
        let mut numbers = text
            .map_or("", |(_, value)| value.as_str())
            .split(' ')
            .map(|number| number.parse().unwrap_or(0.0));
        Vec3::from_array([(); 3].map(|()| numbers.next().unwrap_or(0.0)))
    }
}

/// A whole map before it is compiled.
#[derive(Clone, Debug)]
pub(crate) struct MapSource {
    pub rooms: Vec<Room>,
    pub brushes: Vec<Brush>,
    pub curves: Vec<Patch>,
    /// Thin pictures that lie on other faces.
    pub decals: Vec<Face>,
    pub fogs: Vec<Brush>,
    pub entities: Vec<Entity>,
    pub sun: Option<Sun>,
    /// How many times as large as usual the luxels of baked light are.
    pub coarse: f32,
    /// Cells of the light grid; other than the usual ones must be told in the world's key `gridsize`.
    pub cell: Vec3,
}

impl Default for MapSource {
    fn default() -> Self {
        Self {
            rooms: Vec::new(),
            brushes: Vec::new(),
            curves: Vec::new(),
            decals: Vec::new(),
            fogs: Vec::new(),
            entities: Vec::new(),
            sun: None,
            coarse: 1.0,
            cell: Vec3::new(64.0, 64.0, 128.0),
        }
    }
}

/// Light from the sky that comes from one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sun {
    pub towards: Vec3,
    pub color: Vec3,
}

impl MapSource {
    /// Carves a room; where rooms overlap the later one counts.
    pub(crate) fn room(&mut self, mins: [i32; 3], maxs: [i32; 3], style: Style) {
        self.rooms.push(Room { mins, maxs, style });
    }

    /// The first entity, which is the map itself.
    pub(crate) fn world(&mut self, keys: &[(&'static str, &str)]) {
        self.entity("worldspawn", None, keys);
    }

    /// A solid box.
    pub(crate) fn solid(&mut self, mins: [i32; 3], maxs: [i32; 3], material: usize) {
        self.brushes.push(Brush::cuboid(mins, maxs, material));
    }

    /// An entity at a point, with more keys.
    pub(crate) fn place(
        &mut self,
        class: &str,
        [x, y, z]: [i32; 3],
        keys: &[(&'static str, &str)],
    ) {
        self.entity(class, Some(format!("{x} {y} {z}")), keys);
    }

    /// An entity with a model of one brush.
    pub(crate) fn model(&mut self, class: &str, brush: Brush, keys: &[(&'static str, &str)]) {
        self.entity(class, None, keys).brushes.push(brush);
    }

    fn entity(
        &mut self,
        class: &str,
        origin: Option<String>,
        keys: &[(&'static str, &str)],
    ) -> &mut Entity {
        let mut all = vec![("classname", class.to_owned())];
        all.extend(origin.map(|at| ("origin", at)));
        all.extend(keys.iter().map(|(key, value)| (*key, (*value).to_owned())));
        self.entities.push_mut(Entity {
            keys: all,
            brushes: Vec::new(),
        })
    }

    /// A jump pad of 96 units that throws to a target point.
    pub(crate) fn pad(&mut self, at: [i32; 3], target: [i32; 3], name: &str) {
        let [x, y, z] = at;
        let plate = Brush::cuboid([x - 48, y - 48, z], [x + 48, y + 48, z + 8], id::TRIM);
        self.brushes.push(plate.wearing(TOP, id::JUMPPAD));
        let trigger = Brush::cuboid(
            [x - 40, y - 40, z + 8],
            [x + 40, y + 40, z + 32],
            id::TRIGGER,
        );
        self.model("trigger_push", trigger, &[("target", name)]);
        self.place("target_position", target, &[("targetname", name)]);
    }

    /// A box with metal sides that gives light on one side, a number of [`AXIAL`].
    pub(crate) fn lamp(&mut self, mins: [i32; 3], maxs: [i32; 3], side: usize, material: usize) {
        let housing = Brush::cuboid(mins, maxs, id::TRIM);
        self.brushes.push(housing.wearing(side, material));
    }

    /// Fog in a box, seen from above.
    pub(crate) fn fog(&mut self, mins: [i32; 3], maxs: [i32; 3]) {
        let fog = Brush::cuboid(mins, maxs, id::NODRAW).wearing(TOP, id::FOG);
        self.fogs.push(Brush {
            material: id::FOG,
            ..fog
        });
    }

    /// A part of a picture (left, top, right, bottom) on one side of a box that lies in a wall or floor. `axes`: which way its rows and
    /// columns run, if not as usual on such a face.
    pub(crate) fn decal(
        &mut self,
        (mins, maxs): ([i32; 3], [i32; 3]),
        side: usize,
        material: usize,
        axes: Option<(Vec3, Vec3)>,
        part: [f32; 4],
    ) {
        const LIFT: f32 = 0.5;
        let normal = AXIAL[side];
        let brush = Brush::cuboid(mins, maxs, material);
        let mut plane = brush.sides[side].plane;
        plane.dist += LIFT;
        let winding: Vec<Vec3> = brush
            .winding(side)
            .iter()
            .map(|&p| p.round() + normal * LIFT)
            .collect();
        let axes = axes.unwrap_or_else(|| texture_axes(normal));
        let mapping = Mapping::once(axes, extent(&winding), part);
        self.decals.push(Face {
            mapping,
            ..Face::new(winding, plane, material)
        });
    }

    /// A whole picture on the upper side of a box that lies in a floor.
    pub(crate) fn stripe(&mut self, mins: [i32; 3], maxs: [i32; 3], material: usize) {
        self.decal((mins, maxs), TOP, material, None, WHOLE);
    }

    /// A number on the floor, read while looking along +X, whose first digit's far left corner is at a place.
    pub(crate) fn floor_number(&mut self, number: i32, at: [i32; 3], size: [i32; 2]) {
        let [x, mut y, z] = at;
        for digit in number.to_string().bytes().map(|b| b.wrapping_sub(b'0')) {
            let (column, row) = (f32::from(digit % 8), f32::from(digit / 8));
            let part = [
                column / 8.0,
                row / 2.0,
                (column + 1.0) / 8.0,
                (row + 1.0) / 2.0,
            ];
            let span = ([x - size[1], y - size[0], z - 8], [x, y, z]);
            let axes = Some((Vec3::NEG_Y, Vec3::NEG_X));
            self.decal(span, TOP, id::NUMBERS, axes, part);
            y -= size[0];
        }
    }

    /// A round column between a foot and a head of metal, with something solid in it.
    pub(crate) fn column(&mut self, [x, y]: [i32; 2], [low, high]: [i32; 2], radius: i32) {
        let half = radius * 11 / 16;
        let square = |r: i32, z0: i32, z1: i32| ([x - r, y - r, z0], [x + r, y + r, z1]);
        let (mins, maxs) = square(half, low, high);
        self.solid(mins, maxs, id::CAULK);
        for (from, to) in [(low, low + 16), (high - 16, high)] {
            let (mins, maxs) = square(radius + 6, from, to);
            self.solid(mins, maxs, id::TRIM);
        }
        let base = point([x, y, low + 16]);
        let way = Vec3::Z * (high - low - 32) as f32;
        self.curves
            .push(Patch::tube(base, way, radius as f32, id::PILLAR));
    }

    /// A pipe from one point to another.
    pub(crate) fn pipe(&mut self, from: [i32; 3], to: [i32; 3], radius: i32) {
        let (from, to) = (point(from), point(to));
        let tube = Patch::tube(from, to - from, radius as f32, id::PIPE);
        self.curves.push(tube);
    }

    /// Makes a passage along an axis (0 x, 1 y): rounds the two upper corners and puts a frame around both ends.
    pub(crate) fn doorway(&mut self, mins: [i32; 3], maxs: [i32; 3], axis: usize) {
        const ROUND: f32 = 48.0;
        let other = 1 - axis;
        let top = maxs[2] as f32;
        let way = Vec3::AXES[axis] * (maxs[axis] - mins[axis]) as f32;
        for (edge, inward) in [(mins[other], 1.0), (maxs[other], -1.0)] {
            let mut corner = Vec3::Z * top;
            corner[axis] = mins[axis] as f32;
            corner[other] = edge as f32;
            let ends = [
                corner - Vec3::Z * ROUND,
                corner + Vec3::AXES[other] * (inward * ROUND),
            ];
            let fillet = Patch::fillet(ends, corner, way, id::CONCRETE);
            let group = fillet.group;
            self.curves.push(fillet);
            for (from, normal) in [(Vec3::ZERO, -Vec3::AXES[axis]), (way, Vec3::AXES[axis])] {
                let cap = Patch::cap(ends.map(|p| p + from), corner + from, normal, id::CONCRETE);
                self.curves.push(Patch { group, ..cap });
            }
        }
        self.frame(mins, maxs, axis);
    }

    /// A raised frame around both ends of a passage.
    pub(crate) fn frame(&mut self, mins: [i32; 3], maxs: [i32; 3], axis: usize) {
        const WIDE: i32 = 16;
        const DEEP: i32 = 6;
        let other = 1 - axis;
        for (from, to) in [
            (mins[axis] - DEEP, mins[axis]),
            (maxs[axis], maxs[axis] + DEEP),
        ] {
            let part = |across: [i32; 2], upright: [i32; 2]| {
                let (mut low, mut high) = (mins, maxs);
                (low[axis], high[axis]) = (from, to);
                [low[other], high[other]] = across;
                [low[2], high[2]] = upright;
                Brush::cuboid(low, high, id::TRIM)
            };
            let (a, b) = (mins[other], maxs[other]);
            let (foot, top) = (mins[2], maxs[2]);
            self.brushes.push(part([a - WIDE, a], [foot, top]));
            self.brushes.push(part([b, b + WIDE], [foot, top]));
            self.brushes
                .push(part([a - WIDE, b + WIDE], [top, top + WIDE]));
        }
    }

    /// Steps of 16 units that rise towards `axis` (0 x, 1 y), upwards or downwards along it.
    pub(crate) fn stairs(
        &mut self,
        mins: [i32; 3],
        maxs: [i32; 3],
        (axis, forward): (usize, bool),
    ) {
        let steps = (maxs[2] - mins[2]) / 16;
        let tread = (maxs[axis] - mins[axis]) / steps;
        for step in 0..steps {
            let (mut low, mut high) = (mins, maxs);
            high[2] = mins[2] + 16 * (step + 1);
            // The last step takes what is left.
            let near = tread * step;
            let far = if step + 1 < steps {
                near + tread
            } else {
                maxs[axis] - mins[axis]
            };
            (low[axis], high[axis]) = if forward {
                (mins[axis] + near, mins[axis] + far)
            } else {
                (maxs[axis] - far, maxs[axis] - near)
            };
            self.solid(low, high, id::FLOOR_METAL);
        }
    }
}
