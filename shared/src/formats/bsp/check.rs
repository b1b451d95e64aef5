//! Makes sure that everything in a map refers to things that exist.

use super::{
    Bsp, Child, MAX_PATCH_POINTS, MAX_SPAN_ELEMENTS, MAX_TREE_DEPTH, Span, Surface, SurfaceKind,
    parse::SUBJECT,
};
use crate::base::error::DecodeError;
use std::fmt::Display;

/// All checks that need more than one record.
pub(super) fn all(bsp: &Bsp) -> Result<(), DecodeError> {
    let needed = [
        ("shaders", bsp.shaders.len()),
        ("planes", bsp.planes.len()),
        ("nodes", bsp.nodes.len()),
        ("leafs", bsp.leafs.len()),
        ("models", bsp.models.len()),
    ];
    for (name, count) in needed {
        if count == 0 {
            return Err(problem(format!("it has no {name}")));
        }
    }
    tree(bsp)?;
    leafs(bsp)?;
    brushes(bsp)?;
    for (number, model) in bsp.models.iter().enumerate() {
        let name = format_args!("model {number}");
        span(name, "surfaces", model.surfaces, bsp.surfaces.len())?;
        span(name, "brushes", model.brushes, bsp.brushes.len())?;
    }
    for (number, surface) in bsp.surfaces.iter().enumerate() {
        one_surface(bsp, number, surface)?;
    }
    totals(bsp)?;
    for (number, fog) in bsp.fogs.iter().enumerate() {
        let name = format_args!("fog {number}");
        index(name, "brush", fog.brush, bsp.brushes.len())?;
        if let Some(side) = fog.visible_side {
            let sides = bsp.brushes[fog.brush as usize].sides.count;
            index(name, "side", side, sides as usize)?;
        }
    }
    Ok(())
}

/// What all spans of one kind come to.
fn totals(bsp: &Bsp) -> Result<(), DecodeError> {
    let (leafs, models, surfaces) = (&bsp.leafs, &bsp.models, &bsp.surfaces);
    total("surfaces of leafs", leafs, |leaf| leaf.surfaces)?;
    total("brushes of leafs", leafs, |leaf| leaf.brushes)?;
    total("surfaces of models", models, |model| model.surfaces)?;
    total("brushes of models", models, |model| model.brushes)?;
    total("sides of brushes", &bsp.brushes, |brush| brush.sides)?;
    total("vertices of surfaces", surfaces, |surface| surface.verts)?;
    total("vertex indexes of surfaces", surfaces, |surface| {
        surface.indexes
    })
}

fn total<T>(name: &str, owners: &[T], span: fn(&T) -> Span) -> Result<(), DecodeError> {
    let total: u64 = owners
        .iter()
        .map(|owner| u64::from(span(owner).count))
        .sum();
    if total <= MAX_SPAN_ELEMENTS {
        return Ok(());
    }
    Err(problem(format!(
        "there are {total} {name}, each counted as often as it is referred to; \
         at most {MAX_SPAN_ELEMENTS} can be read"
    )))
}

/// Every node must be reached at most once from the root: then no walk can go in circles.
fn tree(bsp: &Bsp) -> Result<(), DecodeError> {
    for (number, node) in bsp.nodes.iter().enumerate() {
        let name = format_args!("node {number}");
        index(name, "plane", node.plane, bsp.planes.len())?;
        for child in node.children {
            match child {
                Child::Node(node) => index(name, "node", node, bsp.nodes.len())?,
                Child::Leaf(leaf) => index(name, "leaf", leaf, bsp.leafs.len())?,
            }
        }
    }
    let mut reached = vec![false; bsp.nodes.len()];
    let mut waiting = vec![(0, 1)];
    while let Some((number, depth)) = waiting.pop() {
        if std::mem::replace(&mut reached[number as usize], true) {
            return Err(problem(format!("node {number} has two parents")));
        }
        if depth > MAX_TREE_DEPTH {
            return Err(problem(format!(
                "its tree of nodes is deeper than {MAX_TREE_DEPTH}"
            )));
        }
        for child in bsp.nodes[number as usize].children {
            if let Child::Node(child) = child {
                waiting.push((child, depth + 1));
            }
        }
    }
    Ok(())
}

fn leafs(bsp: &Bsp) -> Result<(), DecodeError> {
    for (number, leaf) in bsp.leafs.iter().enumerate() {
        let name = format_args!("leaf {number}");
        span(name, "surfaces", leaf.surfaces, bsp.leaf_surfaces.len())?;
        span(name, "brushes", leaf.brushes, bsp.leaf_brushes.len())?;
    }
    for (number, &surface) in bsp.leaf_surfaces.iter().enumerate() {
        let name = format_args!("leaf surface {number}");
        index(name, "surface", surface, bsp.surfaces.len())?;
    }
    for (number, &brush) in bsp.leaf_brushes.iter().enumerate() {
        let name = format_args!("leaf brush {number}");
        index(name, "brush", brush, bsp.brushes.len())?;
    }
    Ok(())
}

fn brushes(bsp: &Bsp) -> Result<(), DecodeError> {
    for (number, brush) in bsp.brushes.iter().enumerate() {
        let name = format_args!("brush {number}");
        span(name, "sides", brush.sides, bsp.brush_sides.len())?;
        index(name, "shader", brush.shader, bsp.shaders.len())?;
        if brush.sides.count < 6 {
            return Err(problem(format!(
                "{name} has {} sides where at least 6 are needed",
                brush.sides.count
            )));
        }
    }
    for (number, side) in bsp.brush_sides.iter().enumerate() {
        let name = format_args!("brush side {number}");
        index(name, "plane", side.plane, bsp.planes.len())?;
        index(name, "shader", side.shader, bsp.shaders.len())?;
    }
    Ok(())
}

fn one_surface(bsp: &Bsp, number: usize, surface: &Surface) -> Result<(), DecodeError> {
    let name = format_args!("surface {number}");
    index(name, "shader", surface.shader, bsp.shaders.len())?;
    span(name, "vertices", surface.verts, bsp.draw_verts.len())?;
    span(name, "indexes", surface.indexes, bsp.draw_indexes.len())?;
    match surface.kind {
        SurfaceKind::Planar | SurfaceKind::TriangleSoup => {
            for &vertex in &bsp.draw_indexes[surface.indexes.range()] {
                index(name, "vertex", vertex, surface.verts.count as usize)?;
            }
        }
        SurfaceKind::Patch { width, height } => {
            let odd = width % 2 == 1 && height % 2 == 1 && width >= 3 && height >= 3;
            let points = width.checked_mul(height);
            if !odd || points.is_none_or(|points| points > MAX_PATCH_POINTS) {
                return Err(problem(format!(
                    "{name} is a curve of {width} × {height} points; both must be odd, from 3 on, \
                     and together at most {MAX_PATCH_POINTS}"
                )));
            }
            if points.is_none_or(|points| points > surface.verts.count) {
                return Err(problem(format!(
                    "{name} is a curve of {width} × {height} points, but has only {}",
                    surface.verts.count
                )));
            }
        }
        SurfaceKind::Flare => {}
    }
    Ok(())
}

fn index(name: impl Display, what: &str, number: u32, count: usize) -> Result<(), DecodeError> {
    if (number as usize) < count {
        return Ok(());
    }
    Err(problem(format!(
        "{name} refers to {what} {number} of {count}"
    )))
}

fn span(name: impl Display, what: &str, span: Span, count: usize) -> Result<(), DecodeError> {
    if u64::from(span.first) + u64::from(span.count) <= count as u64 {
        return Ok(());
    }
    Err(problem(format!(
        "{name} refers to {what} {} and the following, {} in all, of {count}",
        span.first, span.count
    )))
}

/// These checks work on finished arrays, so the place is in the sentence instead of an offset.
fn problem(text: String) -> DecodeError {
    DecodeError::new(SUBJECT, 0, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::bsp::{Leaf, MapShader, Model, Node};
    use crate::types::trace::Plane;
    use glam::Vec3;

    /// The least that a map needs, with leafs that all refer to the same surfaces.
    fn map(leafs: usize, surfaces_of_each: u32) -> Bsp {
        let leaf = Leaf {
            cluster: 0,
            area: 0,
            mins: [0; 3],
            maxs: [0; 3],
            surfaces: Span {
                first: 0,
                count: surfaces_of_each,
            },
            brushes: Span::default(),
        };
        Bsp {
            shaders: vec![MapShader::default()],
            planes: vec![Plane::default()],
            nodes: vec![Node {
                plane: 0,
                children: [Child::Leaf(0); 2],
                mins: [0; 3],
                maxs: [0; 3],
            }],
            leafs: vec![leaf; leafs],
            leaf_surfaces: vec![0; surfaces_of_each as usize],
            models: vec![Model {
                mins: Vec3::ZERO,
                maxs: Vec3::ZERO,
                surfaces: Span::default(),
                brushes: Span::default(),
            }],
            surfaces: vec![Surface {
                kind: SurfaceKind::Flare,
                shader: 0,
                fog: None,
                verts: Span::default(),
                indexes: Span::default(),
                lightmap: -1,
                lightmap_origin: Vec3::ZERO,
                lightmap_vectors: [Vec3::ZERO; 3],
            }],
            ..Bsp::default()
        }
    }

    #[test]
    fn spans_that_share_their_elements_are_bounded_together() {
        assert_eq!(all(&map(1000, 4000)), Ok(()));
        let error = all(&map(1100, 4000)).expect_err("too many").to_string();
        assert!(error.contains("4400000 surfaces of leafs"), "{error}");
    }
}
