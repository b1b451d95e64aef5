//! Patches that share edges agree on what they leave out, so that no cracks open between them.

use super::Grid;
use crate::base::sort::sort_by_key;
use glam::Vec3;
use std::collections::HashMap;

impl Grid {
    /// What patches of one group have in common; `None` for one that has no group.
    fn group(&self) -> Option<Group> {
        let sphere = [
            self.lod_center.x,
            self.lod_center.y,
            self.lod_center.z,
            self.lod_radius,
        ];
        // Zero and its negative are one place.
        (!sphere.iter().any(|value| value.is_nan())).then(|| sphere.map(|v| (v + 0.0).to_bits()))
    }

    /// The inner vertices of one border: their places, and where their error stands.
    fn border(&self, side: usize) -> Vec<(Vec3, usize, usize)> {
        let (w, h) = (self.width, self.height);
        let line: Vec<_> = match side {
            0 => (1..w - 1).map(|k| (self.position(k), 0, k)).collect(),
            1 => (1..w - 1)
                .map(|k| (self.position((h - 1) * w + k), 0, k))
                .collect(),
            2 => (1..h - 1).map(|k| (self.position(k * w), 1, k)).collect(),
            _ => (1..h - 1)
                .map(|k| (self.position(k * w + w - 1), 1, k))
                .collect(),
        };
        let folds = line
            .iter()
            .enumerate()
            .any(|(i, a)| line[i + 1..].iter().any(|b| is_same_place(a.0, b.0)));
        if folds { Vec::new() } else { line }
    }
}

/// What came of [`share_edges`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// How many vertices of borders were compared.
    pub steps: u64,
    /// The work was not given up for needing too many steps.
    pub is_complete: bool,
}

/// Makes patches of one group agree on the errors of shared edges, so that they leave out the same vertices.
///
/// Patches that meet are found by the places of their border vertices: to compare each patch with each other one
/// takes minutes in a map that is made for it.
pub fn share_edges(grids: &mut [Grid]) -> Sharing {
    let mut borders = Borders::new(grids);
    let mut fixed = vec![false; grids.len()];
    let mut open = Vec::new();
    for first in 0..grids.len() {
        if std::mem::replace(&mut fixed[first], true) {
            continue;
        }
        open.push(first);
        while let Some(current) = open.pop() {
            let Some(matches) = borders.matches(current, &fixed) else {
                return Sharing {
                    steps: borders.steps,
                    is_complete: false,
                };
            };
            for Match { from, to } in matches {
                let (from, to) = (borders.places[from], borders.places[to]);
                let error = grids[current].errors[from.table][from.k];
                grids[to.grid].errors[to.table][to.k] = error;
                if !std::mem::replace(&mut fixed[to.grid], true) {
                    open.push(to.grid);
                }
            }
        }
    }
    Sharing {
        steps: borders.steps,
        is_complete: true,
    }
}

/// Sides of the cubes by which places are found.
const CUBE_SIZE: f64 = 0.25;
/// A little more than the distance of [`is_same_place`], whatever the rounding.
const CUBE_REACH: f64 = 0.11;
/// Comparisons for all patches of a map: less than a second, a thousand times what real maps need.
const MAX_SHARING_STEPS: u64 = 1 << 26;

/// The inner border vertices of all patches.
struct Borders {
    /// Patch after patch, side after side.
    places: Vec<BorderPlace>,
    /// Those of each patch.
    of_grid: Vec<std::ops::Range<usize>>,
    /// The group of each patch that is not alone in it.
    groups: Vec<Option<Group>>,
    /// Numbers in `places` of patches that may still be unfixed.
    by_cube: HashMap<(Group, [i64; 3]), Vec<usize>>,
    steps: u64,
}

#[derive(Clone, Copy)]
struct BorderPlace {
    at: Vec3,
    grid: usize,
    /// Where its error stands in [`Grid::errors`].
    table: usize,
    k: usize,
}

/// Two border vertices at one place, by number; in this order the later one decides.
#[derive(Clone, Copy)]
struct Match {
    from: usize,
    to: usize,
}

/// The sphere that patches of one group have in common, as bits.
type Group = [u32; 4];

impl Borders {
    fn new(grids: &[Grid]) -> Self {
        let mut sizes = HashMap::new();
        let groups: Vec<_> = grids.iter().map(Grid::group).collect();
        for &group in groups.iter().flatten() {
            *sizes.entry(group).or_insert(0) += 1;
        }
        // Most patches are alone in their group, and share nothing.
        let is_shared = |group: &Group| sizes.get(group) > Some(&1);
        let mut borders = Self {
            places: Vec::new(),
            of_grid: Vec::with_capacity(grids.len()),
            groups: groups
                .into_iter()
                .map(|group| group.filter(is_shared))
                .collect(),
            by_cube: HashMap::new(),
            steps: 0,
        };
        for (number, grid) in grids.iter().enumerate() {
            let first = borders.places.len();
            let Some(group) = borders.groups[number] else {
                borders.of_grid.push(first..first);
                continue;
            };
            let sides = (0..4).flat_map(|side| grid.border(side));
            let places = sides.map(|(at, table, k)| BorderPlace {
                at,
                grid: number,
                table,
                k,
            });
            borders.places.extend(places);
            borders.of_grid.push(first..borders.places.len());
            for (offset, place) in borders.places[first..].iter().enumerate() {
                let key = (group, cube_of(place.at, 0.0));
                borders.by_cube.entry(key).or_default().push(first + offset);
            }
        }
        borders
    }

    /// The vertices of unfixed patches where vertices of this one are, patch after patch; `None` if that takes too
    /// long.
    fn matches(&mut self, current: usize, fixed: &[bool]) -> Option<Vec<Match>> {
        let mut matches = Vec::new();
        let Some(group) = self.groups[current] else {
            return Some(matches);
        };
        for from in self.of_grid[current].clone() {
            let at = self.places[from].at;
            let (low, high) = (cube_of(at, -CUBE_REACH), cube_of(at, CUBE_REACH));
            for x in low[0]..=high[0] {
                for y in low[1]..=high[1] {
                    for z in low[2]..=high[2] {
                        let Some(cube) = self.by_cube.get_mut(&(group, [x, y, z])) else {
                            continue;
                        };
                        self.steps += cube.len() as u64;
                        cube.retain(|&to| !fixed[self.places[to].grid]);
                        let near = |&to: &usize| is_same_place(at, self.places[to].at);
                        let here = cube.iter().copied().filter(near);
                        matches.extend(here.map(|to| Match { from, to }));
                    }
                }
            }
            if self.steps > MAX_SHARING_STEPS {
                return None;
            }
        }
        sort_by_key(&mut matches, |&Match { from, to }| {
            (self.places[to].grid, from, to)
        });
        Some(matches)
    }
}

fn cube_of(place: Vec3, offset: f64) -> [i64; 3] {
    let along = |value: f32| ((f64::from(value) + offset) / CUBE_SIZE).floor() as i64;
    place.to_array().map(along)
}

fn is_same_place(a: Vec3, b: Vec3) -> bool {
    (a - b).abs().max_element() <= 0.1
}

#[cfg(test)]
mod tests {
    use super::super::tests::vertex;
    use super::*;

    /// Curves high and narrow, side by side, all of one group.
    fn arches(count: usize, apart: f32) -> Vec<Grid> {
        let arch = |number: usize| {
            let control: Vec<_> = (0..9)
                .map(|k| {
                    let (x, y) = ((k % 3) as f32, (k / 3) as f32);
                    let z = if k % 3 == 1 { 7000.0 } else { 0.0 };
                    vertex(x * 8000.0 - 8000.0, y * 64.0 + number as f32 * apart, z)
                })
                .collect();
            Grid::new([3, 3], &control, [Vec3::ZERO, Vec3::ONE], 4.0)
        };
        (0..count).map(arch).collect()
    }

    /// What [`share_edges`] does, by comparing each patch with each other one.
    fn share_edges_slowly(grids: &mut [Grid]) {
        let mut fixed = vec![false; grids.len()];
        for first in 0..grids.len() {
            if std::mem::replace(&mut fixed[first], true) {
                continue;
            }
            let mut open = vec![first];
            while let Some(current) = open.pop() {
                for other in 0..grids.len() {
                    let is_open = !fixed[other] && grids[current].group() == grids[other].group();
                    if is_open && copy_errors(grids, current, other) {
                        fixed[other] = true;
                        open.push(other);
                    }
                }
            }
        }
    }

    fn copy_errors(grids: &mut [Grid], from: usize, to: usize) -> bool {
        let mut touched = false;
        for side in 0..4 {
            for (place, table, k) in grids[from].border(side) {
                let error = grids[from].errors[table][k];
                for to_side in 0..4 {
                    for (to_place, to_table, to_k) in grids[to].border(to_side) {
                        if is_same_place(place, to_place) {
                            grids[to].errors[to_table][to_k] = error;
                            touched = true;
                        }
                    }
                }
            }
        }
        touched
    }

    #[test]
    fn edges_are_shared_as_by_comparing_all_patches() {
        let mut rng = crate::base::rng::Rng::new(3);
        for round in 0..40 {
            // Nets of patches on a coarse lattice, many of which meet, some turned around.
            let mut grids: Vec<_> = (0..12)
                .map(|_| {
                    let mut pick = |count: usize| rng.below(count) as f32;
                    let (at, turn) = (Vec3::new(pick(3), pick(3), pick(2)) * 64.0, pick(2));
                    let height = pick(3) * 20.0;
                    let control: Vec<_> = (0..9)
                        .map(|k| {
                            let (a, b) = ((k % 3) as f32 * 32.0, (k / 3) as f32 * 32.0);
                            let (x, y) = if turn == 1.0 { (b, a) } else { (a, b) };
                            let z = if k % 3 == 1 { height } else { 0.0 } + pick(2) * 0.05;
                            vertex(at.x + x, at.y + y, at.z + z)
                        })
                        .collect();
                    let bounds = [Vec3::ZERO, Vec3::splat(1.0 + pick(2))];
                    Grid::new([3, 3], &control, bounds, 1.0 + pick(4))
                })
                .collect();
            let mut slowly = grids.clone();
            assert!(share_edges(&mut grids).is_complete);
            share_edges_slowly(&mut slowly);
            for (number, (a, b)) in grids.iter().zip(&slowly).enumerate() {
                assert_eq!(a.errors, b.errors, "round {round}, patch {number}");
            }
        }
    }

    #[test]
    fn the_work_to_share_edges_grows_with_the_patches() {
        let steps = |count, apart| share_edges(&mut arches(count, apart)).steps;
        for apart in [9.0, 0.15, 0.0] {
            let (few, many) = (steps(25, apart), steps(100, apart));
            assert!(many < few.max(100) * 6, "{few} {many} at {apart}");
        }
    }

    #[test]
    fn sharing_edges_is_given_up_where_it_would_take_too_long() {
        // Two heaps of patches, so near that each looks through the other one, and never at one place.
        let heap = |z: f32| {
            let control: Vec<_> = (0..9)
                .map(|k| {
                    let bend = if k % 3 == 1 { 100.0 } else { 0.0 };
                    vertex((k % 3) as f32 * 100.0, (k / 3) as f32 * 100.0, bend + z)
                })
                .collect();
            Grid::new([3, 3], &control, [Vec3::ZERO, Vec3::ONE], 1.0)
        };
        let (low, high) = (heap(0.0), heap(0.12));
        let mut grids = vec![low; 6000];
        grids.extend(vec![high; 6000]);
        let sharing = share_edges(&mut grids);
        assert!(!sharing.is_complete);
        assert!(
            sharing.steps < MAX_SHARING_STEPS + 100_000,
            "{}",
            sharing.steps
        );
    }
}
