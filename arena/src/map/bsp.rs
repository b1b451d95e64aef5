//! The bytes of a Quake III map, lump by lump, out of brushes, lit faces and entities.

use super::brush::Brush;
use super::build::{Entity, Face};
use super::geometry::{Plane, middle};
use super::light::{Baked, Placed};
use crate::materials::TABLE;
use glam::Vec3;

/// Planes, shaders and sides as they gather.
#[derive(Default)]
struct Lumps {
    planes: Vec<Plane>,
    data: [Vec<u8>; 17],
}

/// A model to write: its brushes and its faces' places in the list of all.
pub struct Part<'a> {
    pub brushes: &'a [Brush],
    pub faces: &'a [Face],
    pub lit: &'a [Placed],
}

/// Puts a map together; the first part is the world.
pub fn write(parts: &[Part], entities: &[Entity], baked: &Baked) -> Vec<u8> {
    let mut lumps = Lumps::default();
    lumps.data[0] = entity_text(entities);
    for material in TABLE {
        let mut record = [0; 72];
        record[..material.name.len()].copy_from_slice(material.name.as_bytes());
        record[64..68].copy_from_slice(&material.surface.to_le_bytes());
        record[68..].copy_from_slice(&material.contents.to_le_bytes());
        lumps.data[1].extend(record);
    }
    let (mut brushes, mut surfaces) = (0, 0);
    for part in parts {
        let bounds = part.brushes.iter().map(|b| (b.mins, b.maxs));
        let (mins, maxs) = bounds
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            .unwrap_or_default();
        lumps.points(7, &[mins, maxs]);
        lumps.ints(
            7,
            &[surfaces, part.faces.len(), brushes, part.brushes.len()],
        );
        brushes += part.brushes.len();
        surfaces += part.faces.len();
        part.brushes.iter().for_each(|brush| lumps.brush(brush));
        part.faces
            .iter()
            .zip(part.lit)
            .for_each(|(face, lit)| lumps.face(face, lit));
    }
    if let Some(world) = parts.first() {
        lumps.tree(world);
    }
    for plane in std::mem::take(&mut lumps.planes) {
        lumps.points(2, &[plane.normal]);
        lumps.data[2].extend(plane.dist.to_le_bytes());
    }
    lumps.data[14].clone_from(&baked.pages);
    lumps.data[15].clone_from(&baked.grid);
    lumps.file()
}

fn entity_text(entities: &[Entity]) -> Vec<u8> {
    let mut text = String::new();
    let mut model = 0;
    for entity in entities {
        text.push_str("{\n");
        for (key, value) in &entity.keys {
            text.push_str(&format!("\"{key}\" \"{value}\"\n"));
        }
        if !entity.brushes.is_empty() {
            model += 1;
            text.push_str(&format!("\"model\" \"*{model}\"\n"));
        }
        text.push_str("}\n");
    }
    text.push('\0');
    text.into_bytes()
}

impl Lumps {
    fn ints(&mut self, lump: usize, values: &[usize]) {
        for &value in values {
            self.data[lump].extend((value as u32).to_le_bytes());
        }
    }

    fn signed(&mut self, lump: usize, values: &[i32]) {
        values
            .iter()
            .for_each(|value| self.data[lump].extend(value.to_le_bytes()));
    }

    fn points(&mut self, lump: usize, points: &[Vec3]) {
        for value in points.iter().flat_map(|p| p.to_array()) {
            self.data[lump].extend(value.to_le_bytes());
        }
    }

    /// The number of a plane, which is stored with its opposite; the even one faces up its axis.
    fn plane(&mut self, plane: &Plane) -> usize {
        if let Some(known) = self.planes.iter().position(|p| p.same(plane)) {
            return known;
        }
        let first = self.planes.len();
        let backward = plane.normal.min_element() < -0.9999;
        let front = if backward { plane.flipped() } else { *plane };
        self.planes.extend([front, front.flipped()]);
        first + usize::from(backward)
    }

    fn brush(&mut self, brush: &Brush) {
        let first = self.data[9].len() / 8;
        for side in &brush.sides {
            let plane = self.plane(&side.plane);
            self.ints(9, &[plane, side.material]);
        }
        self.ints(8, &[first, brush.sides.len(), brush.material]);
    }

    fn face(&mut self, face: &Face, lit: &Placed) {
        let (first, first_index) = (self.data[10].len() / 44, self.data[11].len() / 4);
        let mut points = face.winding.clone();
        let corners = points.len();
        if corners > 4 {
            points.push(middle(&face.winding));
            for i in 0..corners {
                self.ints(11, &[corners, i, (i + 1) % corners]);
            }
        } else {
            for i in 2..corners {
                self.ints(11, &[0, i - 1, i]);
            }
        }
        for point in &points {
            let (s, t) = texture_axes(face.plane.normal);
            self.points(10, &[*point]);
            let st = [s.dot(*point) / 128.0, t.dot(*point) / 128.0];
            for value in st.into_iter().chain(lit.st(*point)) {
                self.data[10].extend(value.to_le_bytes());
            }
            self.points(10, &[face.plane.normal]);
            self.data[10].extend([255; 4]);
        }
        let indexes = self.data[11].len() / 4 - first_index;
        self.signed(13, &[face.material as i32, -1, 1]);
        self.ints(13, &[first, points.len(), first_index, indexes]);
        self.signed(13, &[lit.page, lit.x, lit.y, lit.width, lit.height]);
        self.points(13, &[lit.origin, lit.axes.0, lit.axes.1, face.plane.normal]);
        self.ints(13, &[0, 0]);
    }

    /// A tree that halves space until few brushes are left in a piece.
    fn tree(&mut self, world: &Part) {
        let brushes: Vec<Extent> = world.brushes.iter().map(|b| (b.mins, b.maxs)).collect();
        let faces: Vec<Extent> = world
            .faces
            .iter()
            .map(|f| {
                f.winding
                    .iter()
                    .fold((f.winding[0], f.winding[0]), |b, &p| {
                        (b.0.min(p), b.1.max(p))
                    })
            })
            .collect();
        let whole = brushes
            .iter()
            .copied()
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let all = [(0..brushes.len()).collect(), (0..faces.len()).collect()];
        self.node(whole.unwrap_or_default(), all, [&brushes, &faces]);
    }

    fn node(&mut self, bounds: Extent, lists: [Vec<usize>; 2], extents: [&[Extent]; 2]) -> i32 {
        let size = bounds.1 - bounds.0;
        let root = self.data[3].is_empty();
        if !root && (lists[0].len() <= 4 || size.max_element() <= 128.0) {
            return self.leaf(bounds, &lists);
        }
        let axis = (0..3).fold(0, |best, a| if size[a] > size[best] { a } else { best });
        let cut = ((bounds.0[axis] + bounds.1[axis]) / 128.0).round() * 64.0;
        let node = self.data[3].len() / 36;
        let mut normal = Vec3::ZERO;
        normal[axis] = 1.0;
        let plane = self.plane(&Plane { normal, dist: cut });
        self.ints(3, &[plane, 0, 0]);
        self.whole(3, bounds);
        let pick = |front: bool| {
            [0, 1].map(|k| {
                let near = |&&i: &&usize| {
                    let extent = extents[k][i];
                    if front {
                        extent.1[axis] >= cut
                    } else {
                        extent.0[axis] <= cut
                    }
                };
                lists[k].iter().filter(near).copied().collect::<Vec<_>>()
            })
        };
        let (front, back) = (pick(true), pick(false));
        let (mut upper, mut lower) = (bounds, bounds);
        upper.0[axis] = cut;
        lower.1[axis] = cut;
        for (child, (bounds, lists)) in [(upper, front), (lower, back)].into_iter().enumerate() {
            let number = self.node(bounds, lists, extents);
            let at = node * 36 + 4 + child * 4;
            self.data[3][at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        node as i32
    }

    fn leaf(&mut self, bounds: Extent, lists: &[Vec<usize>; 2]) -> i32 {
        let leaf = self.data[4].len() / 48;
        self.ints(4, &[0, 0]);
        self.whole(4, bounds);
        let (faces, brushes) = (self.data[5].len() / 4, self.data[6].len() / 4);
        self.ints(4, &[faces, lists[1].len(), brushes, lists[0].len()]);
        self.ints(5, &lists[1]);
        self.ints(6, &lists[0]);
        -1 - leaf as i32
    }

    fn whole(&mut self, lump: usize, (mins, maxs): Extent) {
        let values = mins
            .floor()
            .to_array()
            .into_iter()
            .chain(maxs.ceil().to_array());
        values.for_each(|value| self.data[lump].extend((value as i32).to_le_bytes()));
    }

    fn file(&self) -> Vec<u8> {
        let mut head = b"IBSP".to_vec();
        head.extend(46_u32.to_le_bytes());
        let mut body = Vec::new();
        for lump in &self.data {
            head.extend((144 + body.len() as u32).to_le_bytes());
            head.extend((lump.len() as u32).to_le_bytes());
            body.extend(lump);
            body.resize(body.len().next_multiple_of(4), 0);
        }
        head.extend(body);
        head
    }
}

type Extent = (Vec3, Vec3);

/// The directions along which pictures lie on a plane: walls upright, floors by the compass.
pub fn texture_axes(normal: Vec3) -> (Vec3, Vec3) {
    let a = normal.abs();
    if a.z >= a.x && a.z >= a.y {
        (Vec3::X, Vec3::NEG_Y)
    } else if a.x >= a.y {
        (Vec3::Y * normal.x.signum(), Vec3::NEG_Z)
    } else {
        (Vec3::NEG_X * normal.y.signum(), Vec3::NEG_Z)
    }
}
