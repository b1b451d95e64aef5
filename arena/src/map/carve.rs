//! Rooms on a grid: the rock around them as boxes, the faces of their insides, and the openings between them.

use super::brush::{AXIAL, Brush, point};
use super::face::Face;
use super::geometry::{Plane, base_winding, split};
use super::source::Room;
use super::visibility::Portal;
use crate::materials::{Tiling, id, tiling_of};
use glam::Vec3;

/// The rooms on a grid of all their coordinates.
pub(crate) struct Carved {
    axes: [Vec<i32>; 3],
    room: Vec<Option<usize>>,
    /// Large rooms are several clusters, so that less is seen from each.
    cluster: Vec<Option<usize>>,
    clusters: usize,
}

/// Rooms longer than this are halved for visibility.
const LONG: i32 = 400;

impl Carved {
    /// Lays the rooms on the grid, with rock around.
    pub(crate) fn new(rooms: &[Room]) -> Self {
        let axes = [0, 1, 2].map(|axis| {
            let mut all: Vec<i32> = rooms
                .iter()
                .flat_map(|room| [room.mins[axis], room.halved_at(axis), room.maxs[axis]])
                .collect();
            all.sort_unstable();
            all.dedup();
            let ends = (
                all.first().copied().unwrap_or(0),
                all.last().copied().unwrap_or(0),
            );
            all.insert(0, ends.0 - 64);
            all.push(ends.1 + 64);
            all
        });
        let mut carved = Self {
            axes,
            room: Vec::new(),
            cluster: Vec::new(),
            clusters: 0,
        };
        let mut known = Vec::new();
        let [nx, ny, nz] = carved.size();
        for cell in 0..nx * ny * nz {
            let at = [cell % nx, cell / nx % ny, cell / (nx * ny)];
            let low = [0, 1, 2].map(|a| carved.axes[a][at[a]]);
            let inside =
                |room: &Room| (0..3).all(|a| room.mins[a] <= low[a] && low[a] < room.maxs[a]);
            let room = rooms.iter().rposition(inside);
            let cluster = room.map(|room| {
                let half = [0, 1, 2].map(|axis| low[axis] >= rooms[room].halved_at(axis));
                let found = known.iter().position(|&one| one == (room, half));
                found.unwrap_or_else(|| {
                    known.push((room, half));
                    known.len() - 1
                })
            });
            carved.room.push(room);
            carved.cluster.push(cluster);
        }
        carved.clusters = known.len();
        carved
    }

    /// The highest number of a room, and one more.
    pub(crate) fn rooms(&self) -> usize {
        self.room.iter().flatten().max().map_or(0, |room| room + 1)
    }

    fn size(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.axes[axis].len() - 1)
    }

    /// How many clusters there are.
    pub(crate) fn clusters(&self) -> usize {
        self.clusters
    }

    fn index(&self, at: [usize; 3]) -> usize {
        let [nx, ny, _] = self.size();
        at[0] + nx * (at[1] + ny * at[2])
    }

    fn at(&self, at: [usize; 3]) -> Option<usize> {
        self.room[self.index(at)]
    }

    fn cell_of(&self, p: Vec3) -> Option<usize> {
        let mut at = [0; 3];
        for axis in 0..3 {
            let cell = self.axes[axis].partition_point(|&c| c as f32 <= p[axis]);
            if cell == 0 || cell >= self.axes[axis].len() {
                return None;
            }
            at[axis] = cell - 1;
        }
        Some(self.index(at))
    }

    /// The room that holds a point.
    pub(crate) fn room_at(&self, p: Vec3) -> Option<usize> {
        self.room[self.cell_of(p)?]
    }

    /// The cluster that holds a point.
    pub(crate) fn cluster_at(&self, p: Vec3) -> Option<usize> {
        self.cluster[self.cell_of(p)?]
    }

    /// The rock as few boxes.
    pub(crate) fn brushes(&self, rooms: &[Room]) -> Vec<Brush> {
        let n = self.size();
        let kind = |at: [usize; 3]| match self.at(at) {
            Some(_) => None,
            None if at[2] > 0 => match self.at([at[0], at[1], at[2] - 1]) {
                Some(room) if rooms[room].style.ceiling == id::SKY => Some(id::SKY),
                _ => Some(id::CONCRETE),
            },
            None => Some(id::CONCRETE),
        };
        let mut done = vec![false; n[0] * n[1] * n[2]];
        let index = |at: [usize; 3]| at[0] + n[0] * (at[1] + n[1] * at[2]);
        let mut brushes = Vec::new();
        for cell in 0..done.len() {
            let low = [cell % n[0], cell / n[0] % n[1], cell / (n[0] * n[1])];
            let Some(material) = kind(low).filter(|_| !done[cell]) else {
                continue;
            };
            let mut high = low.map(|c| c + 1);
            for axis in 0..3 {
                while high[axis] < n[axis] {
                    let (mut from, mut to) = (low, high);
                    from[axis] = high[axis];
                    to[axis] += 1;
                    let fits =
                        cells(from, to).all(|at| !done[index(at)] && kind(at) == Some(material));
                    if !fits {
                        break;
                    }
                    high[axis] += 1;
                }
            }
            cells(low, high).for_each(|at| done[index(at)] = true);
            let corner = |at: [usize; 3]| [0, 1, 2].map(|a| self.axes[a][at[a]]);
            brushes.push(Brush::cuboid(corner(low), corner(high), material));
        }
        brushes
    }

    /// The faces of the rock that look into rooms.
    pub(crate) fn faces(&self, rooms: &[Room]) -> Vec<Face> {
        let n = self.size();
        let mut faces = Vec::new();
        for (axis, &count) in n.iter().enumerate() {
            for forward in [false, true] {
                for slice in 1..count {
                    self.slice_faces(rooms, (axis, forward, slice), &mut faces);
                }
            }
        }
        faces
    }

    fn slice_faces(
        &self,
        rooms: &[Room],
        (axis, forward, slice): (usize, bool, usize),
        faces: &mut Vec<Face>,
    ) {
        let look =
            |air: [usize; 3], rock: [usize; 3]| self.at(air).filter(|_| self.at(rock).is_none());
        for (room, low, high) in self.rectangles((axis, forward, slice), look) {
            bands(&rooms[room], (axis, forward), (low, high), faces);
        }
    }

    /// The openings from each cluster into those beside it.
    pub(crate) fn portals(&self) -> Vec<Portal> {
        let mut portals = Vec::new();
        let cluster = |at| self.cluster[self.index(at)];
        for axis in 0..3 {
            for forward in [false, true] {
                for slice in 1..self.size()[axis] {
                    let look = |to: [usize; 3], from: [usize; 3]| {
                        let (from, to) = (cluster(from)?, cluster(to)?);
                        (from != to).then_some(from * self.clusters + to)
                    };
                    let found = self.rectangles((axis, forward, slice), look);
                    portals.extend(found.into_iter().map(|(pair, low, high)| {
                        let face = rectangle((axis, forward), low, high, id::NODRAW);
                        Portal {
                            winding: face.winding,
                            plane: face.plane,
                            from: pair / self.clusters,
                            to: pair % self.clusters,
                        }
                    }));
                }
            }
        }
        portals
    }

    /// The cells on both sides of a slice of the grid, joined to rectangles where `look` says the same of them. It is asked about the
    /// cell that an axis (or, not `forward`, its opposite) enters through the slice, and the one it comes from.
    fn rectangles(
        &self,
        (axis, forward, slice): (usize, bool, usize),
        look: impl Fn([usize; 3], [usize; 3]) -> Option<usize>,
    ) -> Vec<(usize, [i32; 3], [i32; 3])> {
        let n = self.size();
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let look = |i: usize, j: usize| {
            let mut entered = [0; 3];
            (entered[u], entered[v]) = (i, j);
            let mut left = entered;
            (entered[axis], left[axis]) = if forward {
                (slice, slice - 1)
            } else {
                (slice - 1, slice)
            };
            look(entered, left)
        };
        let mut found = Vec::new();
        let mut done = vec![false; n[u] * n[v]];
        for j in 0..n[v] {
            for i in 0..n[u] {
                let Some(kind) = look(i, j).filter(|_| !done[i + n[u] * j]) else {
                    continue;
                };
                let free = |i: usize, j: usize, done: &[bool]| {
                    look(i, j) == Some(kind) && !done[i + n[u] * j]
                };
                let (mut i2, mut j2) = (i + 1, j + 1);
                while i2 < n[u] && free(i2, j, &done) {
                    i2 += 1;
                }
                while j2 < n[v] && (i..i2).all(|i| free(i, j2, &done)) {
                    j2 += 1;
                }
                for b in j..j2 {
                    done[i + n[u] * b..i2 + n[u] * b].fill(true);
                }
                let (mut low, mut high) =
                    ([self.axes[axis][slice]; 3], [self.axes[axis][slice]; 3]);
                (low[u], high[u]) = (self.axes[u][i], self.axes[u][i2]);
                (low[v], high[v]) = (self.axes[v][j], self.axes[v][j2]);
                found.push((kind, low, high));
            }
        }
        found
    }

    /// Where a box of space is best cut, if it is not all of one cluster or all rock: axis and coordinate.
    pub(crate) fn best_cut(&self, low: Vec3, high: Vec3) -> Option<(usize, f32)> {
        let whole = self.kinds(low, high);
        if whole < 2 {
            return None;
        }
        let mut best = None;
        for axis in 0..3 {
            for &cut in &self.axes[axis] {
                let cut = cut as f32;
                if cut <= low[axis] || cut >= high[axis] {
                    continue;
                }
                let (mut upper, mut lower) = (low, high);
                (upper[axis], lower[axis]) = (cut, cut);
                let kinds = self.kinds(upper, high) + self.kinds(low, lower);
                let uneven = ((cut - low[axis]) - (high[axis] - cut)).abs() as usize;
                let cost = (kinds, uneven, axis);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, cut));
                }
            }
        }
        best.map(|((_, _, axis), cut)| (axis, cut))
    }

    /// How many clusters, and rock, a box of space has parts of.
    fn kinds(&self, low: Vec3, high: Vec3) -> usize {
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let cells = self.axes[axis].windows(2);
            let touched = cells
                .enumerate()
                .filter(|(_, ends)| ends[1] as f32 > low[axis] && (ends[0] as f32) < high[axis]);
            let mut numbers = touched.map(|(cell, _)| cell);
            let first = numbers.next().unwrap_or(0);
            (first, numbers.next_back().unwrap_or(first) + 1)
        });
        let mut found = Vec::new();
        for at in cells([x.0, y.0, z.0], [x.1, y.1, z.1]) {
            let cluster = self.cluster[self.index(at)];
            if !found.contains(&cluster) {
                found.push(cluster);
            }
        }
        found.len()
    }
}

impl Room {
    /// Where a long room is halved along an axis; its end where it is short. Heights are not halved.
    fn halved_at(&self, axis: usize) -> i32 {
        let (low, high) = (self.mins[axis], self.maxs[axis]);
        match axis < 2 && high - low > LONG {
            true => (low + high) / 2,
            false => low,
        }
    }
}

fn cells(low: [usize; 3], high: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (low[2]..high[2]).flat_map(move |z| {
        (low[1]..high[1]).flat_map(move |y| (low[0]..high[0]).map(move |x| [x, y, z]))
    })
}

/// One rectangle of a room's inside, walls in bands of their materials.
fn bands(
    room: &Room,
    (axis, forward): (usize, bool),
    (low, high): ([i32; 3], [i32; 3]),
    faces: &mut Vec<Face>,
) {
    let style = room.style;
    if axis == 2 {
        let material = if forward { style.floor } else { style.ceiling };
        faces.push(rectangle((axis, forward), low, high, material));
        return;
    }
    let head = room.maxs[2] - style.head;
    let foot = (room.mins[2] + style.foot).min(head);
    let levels = [
        (i32::MIN, foot, room.mins[2], style.lower),
        (foot, head, foot, style.wall),
        (head, i32::MAX, head, style.top),
    ];
    for (from, to, base, material) in levels {
        let (from, to) = (from.max(low[2]), to.min(high[2]));
        if from < to {
            let (mut low, mut high) = (low, high);
            (low[2], high[2]) = (from, to);
            let mut face = rectangle((axis, forward), low, high, material);
            if let Tiling::Every(size) = tiling_of(material) {
                // Pictures begin where the band does.
                face.mapping.offset[1] = base as f32 / size[1];
            }
            faces.push(face);
        }
    }
}

fn rectangle(
    (axis, forward): (usize, bool),
    low: [i32; 3],
    high: [i32; 3],
    material: usize,
) -> Face {
    let normal = AXIAL[axis * 2 + usize::from(forward)];
    let plane = Plane::through(normal, point(low));
    let mut winding = base_winding(&plane);
    for side in Brush::cuboid(low, high, material).sides {
        if side.plane.normal.dot(normal).abs() < 0.5 {
            winding = split(&winding, &side.plane).1;
        }
    }
    Face::new(winding, plane, material)
}
