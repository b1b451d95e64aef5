//! The lumps of a map's file: their records, as they gather.

use super::Extent;
use super::brush::Brush;
use super::face::Face;
use super::geometry::{Plane, middle};
use super::lightmap::{Placed, Rect};
use super::patch::Patch;
use glam::Vec3;

/// Planes, shaders and sides as they gather.
#[derive(Default)]
pub(crate) struct Lumps {
    pub(super) planes: Vec<Plane>,
    pub data: [Vec<u8>; 17],
}

impl Lumps {
    pub(crate) fn ints(&mut self, lump: usize, values: &[usize]) {
        for &value in values {
            self.data[lump].extend((value as u32).to_le_bytes());
        }
    }

    pub(crate) fn signed(&mut self, lump: usize, values: &[i32]) {
        values
            .iter()
            .for_each(|value| self.data[lump].extend(value.to_le_bytes()));
    }

    pub(crate) fn points(&mut self, lump: usize, points: &[Vec3]) {
        for value in points.iter().flat_map(|p| p.to_array()) {
            self.data[lump].extend(value.to_le_bytes());
        }
    }

    /// The number of a plane, which is stored with its opposite; the even one faces up its axis.
    pub(crate) fn plane(&mut self, plane: &Plane) -> usize {
        if let Some(known) = self.planes.iter().position(|p| p.same(plane)) {
            return known;
        }
        let first = self.planes.len();
        let backward = plane.normal.min_element() < -0.9999;
        let front = if backward { plane.flipped() } else { *plane };
        self.planes.extend([front, front.flipped()]);
        first + usize::from(backward)
    }

    pub(super) fn brush(&mut self, brush: &Brush) {
        let first = self.data[9].len() / 8;
        for side in &brush.sides {
            let plane = self.plane(&side.plane);
            self.ints(9, &[plane, side.material]);
        }
        self.ints(8, &[first, brush.sides.len(), brush.material]);
    }

    pub(super) fn face(&mut self, face: &Face, lit: Option<&Placed>) {
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
            let light = lit.map_or([0.0; 2], |lit| lit.st(*point));
            self.vertex(*point, face.mapping.st(*point), light, face.plane.normal);
        }
        let indexes = self.data[11].len() / 4 - first_index;
        self.signed(13, &[face.material as i32, fog(face.fog), 1]);
        self.ints(13, &[first, points.len(), first_index, indexes]);
        self.rect(lit.map(|lit| &lit.rect));
        // Where the light map lies in the world is for tools alone; the plane is read from here.
        self.points(13, &[Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, face.plane.normal]);
        self.ints(13, &[0, 0]);
    }

    pub(super) fn curve(&mut self, curve: &Patch, rect: &Rect) {
        let first = self.data[10].len() / 44;
        for (number, (&point, &st)) in curve.points.iter().zip(&curve.st).enumerate() {
            let (column, row) = (number % curve.width, number / curve.width);
            let normal = curve.at(column as f32, row as f32).1;
            let share = [
                column as f32 / (curve.width - 1) as f32,
                row as f32 / (curve.height - 1) as f32,
            ];
            self.vertex(point, st, rect.st(share), normal);
        }
        let first_index = self.data[11].len() / 4;
        self.signed(13, &[curve.material as i32, fog(curve.fog), 2]);
        self.ints(13, &[first, curve.points.len(), first_index, 0]);
        self.rect(Some(rect));
        self.points(13, &[Vec3::ZERO, curve.group.0, curve.group.1, Vec3::ZERO]);
        self.ints(13, &[curve.width, curve.height]);
    }

    fn vertex(&mut self, point: Vec3, st: [f32; 2], light: [f32; 2], normal: Vec3) {
        self.points(10, &[point]);
        for value in st.into_iter().chain(light) {
            self.data[10].extend(value.to_le_bytes());
        }
        self.points(10, &[normal]);
        self.data[10].extend([255; 4]);
    }

    /// The lightmap and the place on it; by vertex where there is none.
    fn rect(&mut self, rect: Option<&Rect>) {
        match rect {
            Some(r) => self.signed(13, &[r.page, r.x, r.y, r.width, r.height]),
            None => self.signed(13, &[-3, 0, 0, 0, 0]),
        }
    }

    pub(crate) fn whole(&mut self, lump: usize, (mins, maxs): Extent) {
        let values = mins
            .floor()
            .to_array()
            .into_iter()
            .chain(maxs.ceil().to_array());
        values.for_each(|value| self.data[lump].extend((value as i32).to_le_bytes()));
    }

    pub(super) fn file(&self) -> Vec<u8> {
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

fn fog(number: Option<usize>) -> i32 {
    number.map_or(-1, |number| number as i32)
}
