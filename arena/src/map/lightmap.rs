//! Where each face and curve lies on the lightmaps, and the points of the world that their luxels stand for.

use super::Part;
use super::face::Face;
use super::geometry::{extent, middle};
use super::patch::Patch;
use glam::Vec3;

/// Luxels of a page along each side.
pub(crate) const PAGE: usize = 128;
/// Units of the map for a luxel of floors, walls with curves, and ceilings, where a face is not too large for that. Shadows are
/// seen best on floors, and ceilings are lit evenly.
const LUXELS: [f32; 3] = [16.0, 24.0, 32.0];
/// The most luxels of a face or curve along a side.
const MAX_SIDE: usize = 126;

/// A rectangle of luxels.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rect {
    pub page: i32,
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

/// Where a face lies on the lightmaps.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub rect: Rect,
    /// Units of a luxel.
    step: f32,
    /// The two axes of the world along which luxels lie.
    along: [usize; 2],
    least: [f32; 2],
}

/// The places of all surfaces, part by part; none for what needs no light.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    faces: Vec<Vec<Option<Placed>>>,
    curves: Vec<Vec<Rect>>,
}

/// The bytes of the lightmaps and of the light grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Baked {
    pub pages: Vec<u8>,
    pub grid: Vec<u8>,
}

impl Rect {
    /// Where a share of the rectangle's width and height lies on its page.
    pub(crate) fn st(&self, share: [f32; 2]) -> [f32; 2] {
        let at = |first: i32, count: i32, share: f32| {
            (first as f32 + 0.5 + share * (count - 1) as f32) / PAGE as f32
        };
        [
            at(self.x, self.width, share[0]),
            at(self.y, self.height, share[1]),
        ]
    }
}

impl Placed {
    /// Where a point of the face lies on its page.
    pub(crate) fn st(&self, point: Vec3) -> [f32; 2] {
        let at = |k: usize| (point[self.along[k]] - self.least[k]) / self.step + 0.5;
        [
            (self.rect.x as f32 + at(0)) / PAGE as f32,
            (self.rect.y as f32 + at(1)) / PAGE as f32,
        ]
    }

    fn new(face: &Face, coarse: f32) -> Self {
        let a = face.plane.normal.abs();
        let drop = (0..3).fold(0, |best, axis| if a[axis] > a[best] { axis } else { best });
        let along = match drop {
            0 => [1, 2],
            1 => [0, 2],
            _ => [0, 1],
        };
        let (low, high) = extent(&face.winding);
        let kind = match face.plane.normal.z {
            up if up > 0.7 => 0,
            up if up < -0.7 => 2,
            _ => 1,
        };
        let mut step = LUXELS[kind] * coarse;
        let count =
            |k: usize, step: f32| ((high[along[k]] - low[along[k]]) / step).ceil() as usize + 1;
        while count(0, step).max(count(1, step)) > MAX_SIDE {
            step *= 2.0;
        }
        Self {
            rect: Rect {
                width: count(0, step) as i32,
                height: count(1, step) as i32,
                ..Rect::default()
            },
            step,
            along,
            least: [low[along[0]], low[along[1]]],
        }
    }
}

impl Placement {
    pub(crate) fn face(&self, part: usize, face: usize) -> Option<&Placed> {
        self.faces.get(part)?.get(face)?.as_ref()
    }

    pub(crate) fn curve(&self, part: usize, curve: usize) -> Option<&Rect> {
        self.curves.get(part)?.get(curve)
    }

    /// How many lightmaps there are.
    pub(crate) fn pages(&self) -> usize {
        let faces = self
            .faces
            .iter()
            .flatten()
            .flatten()
            .map(|placed| &placed.rect);
        let rects = faces.chain(self.curves.iter().flatten());
        rects.map(|rect| rect.page as usize + 1).max().unwrap_or(0)
    }
}

/// Gives everything its place: the highest first, in shelves from page to page. Luxels are `coarse` times as large as usual.
pub(crate) fn place(parts: &[Part], coarse: f32) -> Placement {
    let faces = |part: &Part| {
        let placed = |face: &Face| face.is_lightmapped().then(|| Placed::new(face, coarse));
        part.faces.iter().map(placed).collect()
    };
    let curves = |part: &Part| {
        let placed = |curve| luxels_of_curve(curve, coarse);
        part.curves.iter().map(placed).collect()
    };
    let mut placement = Placement {
        faces: parts.iter().map(faces).collect(),
        curves: parts.iter().map(curves).collect(),
    };
    let of_faces = placement.faces.iter_mut().flatten().flatten();
    let of_curves = placement.curves.iter_mut().flatten();
    let mut rects: Vec<&mut Rect> = of_faces
        .map(|placed| &mut placed.rect)
        .chain(of_curves)
        .collect();
    rects.sort_by_key(|rect| (-rect.height, -rect.width));
    let (mut page, mut x, mut y, mut shelf) = (0, 0, 0, 0);
    for rect in rects {
        if x + rect.width > PAGE as i32 {
            (x, y, shelf) = (0, y + shelf, 0);
        }
        if y + rect.height > PAGE as i32 {
            (page, x, y, shelf) = (page + 1, 0, 0, 0);
        }
        (rect.page, rect.x, rect.y) = (page, x, y);
        x += rect.width;
        shelf = shelf.max(rect.height);
    }
    placement
}

fn luxels_of_curve(curve: &Patch, coarse: f32) -> Rect {
    let [width, height] = curve.lengths().map(|length| {
        ((length / (LUXELS[1] * coarse)).ceil() as usize + 1).clamp(3, MAX_SIDE) as i32
    });
    Rect {
        width,
        height,
        ..Rect::default()
    }
}

/// The points before a face's luxels, moved inside where they lie on its edge, and which way they look.
pub(crate) fn luxels<'a>(
    face: &'a Face,
    placed: &'a Placed,
) -> impl Iterator<Item = (Vec3, Vec3)> + 'a {
    let (low, high) = extent(&face.winding);
    let center = middle(&face.winding);
    (0..placed.rect.width * placed.rect.height).map(move |number| {
        let (x, y) = (number % placed.rect.width, number / placed.rect.width);
        let mut at = center;
        for (k, step) in [(0, x), (1, y)] {
            let axis = placed.along[k];
            let inset = 1.0_f32.min((high[axis] - low[axis]) / 2.0);
            let wanted = placed.least[k] + step as f32 * placed.step;
            at[axis] = wanted.clamp(low[axis] + inset, high[axis] - inset);
        }
        // Back onto the plane along the axis that luxels do not lie on.
        let drop = 3 - placed.along[0] - placed.along[1];
        let normal = face.plane.normal;
        at[drop] += -face.plane.distance(at) / normal[drop];
        (at + normal, normal)
    })
}

/// The same for a curve.
pub(crate) fn curve_luxels<'a>(
    curve: &'a Patch,
    rect: &'a Rect,
) -> impl Iterator<Item = (Vec3, Vec3)> + 'a {
    (0..rect.width * rect.height).map(move |number| {
        let share = |at: i32, count: i32| at as f32 / (count - 1).max(1) as f32;
        let u = share(number % rect.width, rect.width).clamp(0.01, 0.99);
        let v = share(number / rect.width, rect.height).clamp(0.01, 0.99);
        let (point, normal) = curve.at(u * (curve.width - 1) as f32, v * (curve.height - 1) as f32);
        (point + normal, normal)
    })
}
