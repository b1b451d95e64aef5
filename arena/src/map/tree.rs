//! The tree of space: cut until each leaf lies in one cluster or in the rock, and holds little.

use super::carve::Carved;
use super::geometry::{Plane, extent};
use super::lumps::Lumps;
use super::{Extent, Part};
use glam::Vec3;

/// Leafs with no more brushes than this are not cut for their sake.
const FEW: usize = 4;
/// Nor are leafs of this size.
const SMALL: f32 = 128.0;

/// What is sorted into leafs.
struct Contents<'a> {
    carved: &'a Carved,
    brushes: Vec<Extent>,
    surfaces: Vec<Extent>,
}

/// Writes nodes, leafs and their lists.
pub(crate) fn write(lumps: &mut Lumps, world: &Part, carved: &Carved) {
    let faces = world.faces.iter().map(|face| extent(&face.winding));
    let curves = world.curves.iter().map(|curve| extent(&curve.points));
    let contents = Contents {
        carved,
        brushes: world.brushes.iter().map(|b| (b.mins, b.maxs)).collect(),
        surfaces: faces.chain(curves).collect(),
    };
    let whole = contents
        .brushes
        .iter()
        .copied()
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let lists = [
        (0..contents.brushes.len()).collect(),
        (0..contents.surfaces.len()).collect(),
    ];
    node(lumps, whole.unwrap_or_default(), lists, &contents);
}

fn node(lumps: &mut Lumps, bounds: Extent, lists: [Vec<usize>; 2], contents: &Contents) -> i32 {
    let Some((axis, cut)) = best_cut(lumps, bounds, &lists, contents) else {
        return leaf(lumps, bounds, &lists, contents.carved);
    };
    let node = lumps.data[3].len() / 36;
    let mut normal = Vec3::ZERO;
    normal[axis] = 1.0;
    let plane = lumps.plane(&Plane { normal, dist: cut });
    lumps.ints(3, &[plane, 0, 0]);
    lumps.whole(3, bounds);
    let pick = |is_in: &dyn Fn(&Extent) -> bool| {
        let near = |list: &[usize], extents: &[Extent]| {
            list.iter()
                .copied()
                .filter(|&i| is_in(&extents[i]))
                .collect::<Vec<_>>()
        };
        [
            near(&lists[0], &contents.brushes),
            near(&lists[1], &contents.surfaces),
        ]
    };
    let front = pick(&|extent| extent.1[axis] >= cut);
    let back = pick(&|extent| extent.0[axis] <= cut);
    let (mut upper, mut lower) = (bounds, bounds);
    upper.0[axis] = cut;
    lower.1[axis] = cut;
    for (child, (bounds, lists)) in [(upper, front), (lower, back)].into_iter().enumerate() {
        let number = self::node(lumps, bounds, lists, contents);
        let at = node * 36 + 4 + child * 4;
        lumps.data[3][at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    node as i32
}

/// Along the borders of clusters first, then through the middle, while much is left. The root is always cut.
fn best_cut(
    lumps: &Lumps,
    bounds: Extent,
    lists: &[Vec<usize>; 2],
    contents: &Contents,
) -> Option<(usize, f32)> {
    if let Some(cut) = contents.carved.best_cut(bounds.0, bounds.1) {
        return Some(cut);
    }
    let size = bounds.1 - bounds.0;
    let is_rock = contents
        .carved
        .room_at((bounds.0 + bounds.1) / 2.0)
        .is_none();
    let is_little = is_rock || lists[0].len() <= FEW || size.max_element() <= SMALL;
    if is_little && !lumps.data[3].is_empty() {
        return None;
    }
    let axis = (0..3).fold(0, |best, a| if size[a] > size[best] { a } else { best });
    let middle = ((bounds.0[axis] + bounds.1[axis]) / 128.0).round() * 64.0;
    Some((axis, middle))
}

fn leaf(lumps: &mut Lumps, bounds: Extent, lists: &[Vec<usize>; 2], carved: &Carved) -> i32 {
    let leaf = lumps.data[4].len() / 48;
    let middle = (bounds.0 + bounds.1) / 2.0;
    let (cluster, area) = match carved.cluster_at(middle) {
        Some(cluster) => (cluster as i32, 0),
        None => (-1, -1),
    };
    lumps.signed(4, &[cluster, area]);
    lumps.whole(4, bounds);
    let (surfaces, brushes) = (lumps.data[5].len() / 4, lumps.data[6].len() / 4);
    lumps.ints(4, &[surfaces, lists[1].len(), brushes, lists[0].len()]);
    lumps.ints(5, &lists[1]);
    lumps.ints(6, &lists[0]);
    -1 - leaf as i32
}
