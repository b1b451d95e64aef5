//! A map as its author says it: rooms carved out of rock, brushes in them, entities, and curves.

use super::brush::{Brush, point};
use super::geometry::{Plane, Winding, base_winding, split};
use crate::materials::id;
use glam::Vec3;

/// What the insides of a room wear. Walls are dark below, then plain, with a trim at the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub floor: usize,
    pub lower: usize,
    pub wall: usize,
    pub top: usize,
    pub ceiling: usize,
}

/// A box of air.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub mins: [i32; 3],
    pub maxs: [i32; 3],
    pub style: Style,
}

/// Keys of an entity, and the brushes of its own model.
#[derive(Clone, Debug, Default)]
pub struct Entity {
    pub keys: Vec<(&'static str, String)>,
    pub brushes: Vec<Brush>,
}

/// A whole map before it is compiled.
#[derive(Clone, Debug, Default)]
pub struct Level {
    pub rooms: Vec<Room>,
    pub brushes: Vec<Brush>,
    pub entities: Vec<Entity>,
}

/// A flat piece of a surface.
#[derive(Clone, Debug)]
pub struct Face {
    pub winding: Winding,
    pub plane: Plane,
    pub material: usize,
}

impl Level {
    /// Carves a room; where rooms overlap the later one counts.
    pub fn room(&mut self, mins: [i32; 3], maxs: [i32; 3], style: Style) {
        self.rooms.push(Room { mins, maxs, style });
    }

    /// The first entity, which is the map itself.
    pub fn world(&mut self, keys: &[(&'static str, &str)]) {
        let mut all = vec![("classname", "worldspawn".to_owned())];
        all.extend(keys.iter().map(|(key, value)| (*key, (*value).to_owned())));
        self.entities.push(Entity {
            keys: all,
            brushes: Vec::new(),
        });
    }

    /// A solid box.
    pub fn solid(&mut self, mins: [i32; 3], maxs: [i32; 3], material: usize) {
        self.brushes.push(Brush::cuboid(mins, maxs, material));
    }

    /// An entity at a point, with more keys.
    pub fn place(&mut self, class: &str, at: [i32; 3], keys: &[(&'static str, &str)]) {
        let mut all = vec![
            ("classname", class.to_owned()),
            ("origin", format!("{} {} {}", at[0], at[1], at[2])),
        ];
        all.extend(keys.iter().map(|(key, value)| (*key, (*value).to_owned())));
        self.entities.push(Entity {
            keys: all,
            brushes: Vec::new(),
        });
    }

    /// An entity with a model of one brush.
    pub fn model(&mut self, class: &str, brush: Brush, keys: &[(&'static str, &str)]) {
        let mut all = vec![("classname", class.to_owned())];
        all.extend(keys.iter().map(|(key, value)| (*key, (*value).to_owned())));
        self.entities.push(Entity {
            keys: all,
            brushes: vec![brush],
        });
    }

    /// A jump pad of 96 units that throws to a target point.
    pub fn pad(&mut self, at: [i32; 3], target: [i32; 3], name: &str) {
        let [x, y, z] = at;
        self.solid([x - 48, y - 48, z], [x + 48, y + 48, z + 8], id::JUMPPAD);
        let trigger = Brush::cuboid(
            [x - 40, y - 40, z + 8],
            [x + 40, y + 40, z + 32],
            id::TRIGGER,
        );
        self.model("trigger_push", trigger, &[("target", name)]);
        self.place("target_position", target, &[("targetname", name)]);
    }

    /// Steps of 16 units that rise towards `axis` (0 x, 1 y), upwards or downwards along it.
    pub fn stairs(&mut self, mins: [i32; 3], maxs: [i32; 3], (axis, forward): (usize, bool)) {
        let steps = (maxs[2] - mins[2]) / 16;
        let tread = (maxs[axis] - mins[axis]) / steps;
        for step in 0..steps {
            let (mut low, mut high) = (mins, maxs);
            high[2] = mins[2] + 16 * (step + 1);
            if forward {
                low[axis] = mins[axis] + tread * step;
            } else {
                high[axis] = maxs[axis] - tread * step;
            }
            if step + 1 < steps {
                let end = if forward {
                    low[axis] + tread
                } else {
                    high[axis] - tread
                };
                if forward {
                    high[axis] = end
                } else {
                    low[axis] = end
                }
            }
            self.solid(low, high, id::FLOOR_METAL);
        }
    }
}

/// The rooms on a grid of all their coordinates.
pub struct Carved {
    axes: [Vec<i32>; 3],
    room: Vec<Option<usize>>,
}

impl Carved {
    /// Lays the rooms on the grid, with rock around.
    pub fn new(rooms: &[Room]) -> Self {
        let axes = [0, 1, 2].map(|axis| {
            let mut all: Vec<i32> = rooms
                .iter()
                .flat_map(|room| [room.mins[axis], room.maxs[axis]])
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
        };
        let [nx, ny, nz] = carved.size();
        for cell in 0..nx * ny * nz {
            let at = [cell % nx, cell / nx % ny, cell / (nx * ny)];
            let low = [0, 1, 2].map(|a| carved.axes[a][at[a]]);
            let inside =
                |room: &Room| (0..3).all(|a| room.mins[a] <= low[a] && low[a] < room.maxs[a]);
            carved.room.push(rooms.iter().rposition(inside));
        }
        carved
    }

    /// The highest number of a room, and one more.
    pub fn rooms(&self) -> usize {
        self.room.iter().flatten().max().map_or(0, |room| room + 1)
    }

    fn size(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.axes[axis].len() - 1)
    }

    fn at(&self, at: [usize; 3]) -> Option<usize> {
        let [nx, ny, _] = self.size();
        self.room[at[0] + nx * (at[1] + ny * at[2])]
    }

    /// The room that holds a point.
    pub fn room_at(&self, p: Vec3) -> Option<usize> {
        let mut at = [0; 3];
        for axis in 0..3 {
            let cell = self.axes[axis].partition_point(|&c| c as f32 <= p[axis]);
            if cell == 0 || cell >= self.axes[axis].len() {
                return None;
            }
            at[axis] = cell - 1;
        }
        self.at(at)
    }

    /// The rock as few boxes.
    pub fn brushes(&self, rooms: &[Room]) -> Vec<Brush> {
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
    pub fn faces(&self, rooms: &[Room]) -> Vec<Face> {
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
        let n = self.size();
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let look = |i: usize, j: usize| {
            let mut air = [0; 3];
            (air[u], air[v]) = (i, j);
            let mut rock = air;
            (air[axis], rock[axis]) = if forward {
                (slice, slice - 1)
            } else {
                (slice - 1, slice)
            };
            self.at(air).filter(|_| self.at(rock).is_none())
        };
        let mut done = vec![false; n[u] * n[v]];
        for j in 0..n[v] {
            for i in 0..n[u] {
                let Some(room) = look(i, j).filter(|_| !done[i + n[u] * j]) else {
                    continue;
                };
                let free = |i: usize, j: usize, done: &[bool]| {
                    look(i, j) == Some(room) && !done[i + n[u] * j]
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
                bands(&rooms[room], (axis, forward), (low, high), faces);
            }
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
    let levels = [
        (i32::MIN, room.mins[2] + 64, style.lower),
        (room.mins[2] + 64, room.maxs[2] - 32, style.wall),
        (room.maxs[2] - 32, i32::MAX, style.top),
    ];
    for (from, to, material) in levels {
        let (from, to) = (from.max(low[2]), to.min(high[2]));
        if from < to {
            let (mut low, mut high) = (low, high);
            (low[2], high[2]) = (from, to);
            faces.push(rectangle((axis, forward), low, high, material));
        }
    }
}

fn rectangle(
    (axis, forward): (usize, bool),
    low: [i32; 3],
    high: [i32; 3],
    material: usize,
) -> Face {
    let normal = super::brush::AXIAL[axis * 2 + usize::from(forward)];
    let plane = Plane {
        normal,
        dist: normal.dot(point(low)),
    };
    let mut winding = base_winding(&plane);
    for side in Brush::cuboid(low, high, material).sides {
        if side.plane.normal.dot(normal).abs() < 0.5 {
            winding = split(&winding, &side.plane).1;
        }
    }
    Face {
        winding,
        plane,
        material,
    }
}
