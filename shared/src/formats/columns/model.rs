//! The parts of a model that hold records.

use super::{Layout, Records};
use crate::formats::md3::{FileHead, SurfaceHead};
use crate::formats::reader::Reader;

const FRAME: [(usize, usize); 1] = [(1, 56)];
const TAG: [(usize, usize); 1] = [(1, 112)];
const TRIANGLE: [(usize, usize); 1] = [(1, 12)];
const VERTEX: [(usize, usize); 1] = [(1, 8)];

pub(super) fn layout(file: &[u8]) -> Option<Layout> {
    let mut reader = Reader::new("model", file);
    let head = FileHead::read(&mut reader).ok()?;
    let mut others = Vec::new();
    others.push(0..reader.at());
    let range = |start: usize, length: usize| start..start.saturating_add(length);
    let frames = head.frame_count;
    let mut records: Vec<_> = [
        Records::new(range(head.frames_at, frames * 56), &FRAME),
        Records::new(range(head.tags_at, frames * head.tag_count * 112), &TAG),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut start = head.surfaces_at;
    for _ in 0..head.surface_count {
        let mut reader = reader.part(start, file.len().checked_sub(start)?).ok()?;
        let surface = SurfaceHead::read(&mut reader, frames).ok()?;
        others.push(start..reader.at());
        let part = |at: usize, length| range(start.saturating_add(at), length);
        let vertices = frames * surface.vertex_count * 8;
        let vertices = Records::new(part(surface.vertices_at, vertices), &VERTEX);
        records.extend(vertices.map(|vertices| Records {
            frames,
            ..vertices.with_differences()
        }));
        let triangles = part(surface.triangles_at, surface.triangle_count * 12);
        records.extend(Records::new(triangles, &TRIANGLE));
        start = start.checked_add(surface.size)?;
    }
    Some(Layout { records, others })
}

#[cfg(test)]
mod tests {
    use crate::formats::columns::{from_columns, to_columns};

    /// A model of two frames with a tag and a surface; its vertices lie so many bytes behind the surface's start.
    fn model(vertices_at: u32) -> Vec<u8> {
        let text = [b'x'; 64];
        let numbers = |numbers: &[u32]| -> Vec<u8> {
            numbers.iter().flat_map(|one| one.to_le_bytes()).collect()
        };
        let surfaces_at = 108 + 2 * 56 + 2 * 112;
        let body = |bytes: u32| (0..bytes).map(|at| (at * at / 5) as u8).collect::<Vec<_>>();
        [
            b"IDP3\x0f\0\0\0".to_vec(),
            text.to_vec(),
            numbers(&[0, 2, 1, 1, 0, 108, 108 + 2 * 56, surfaces_at, 0]),
            body(2 * 56 + 2 * 112),
            b"IDP3".to_vec(),
            text.to_vec(),
            numbers(&[0, 2, 0, 3, 2, 108, 0, 0, vertices_at, 200]),
            body(24 + 48 + 20),
        ]
        .concat()
    }

    #[test]
    fn records_come_back() {
        let exact = model(132);
        let mut file = exact.clone();
        to_columns(&mut file);
        let surface = 108 + 2 * 56 + 2 * 112;
        let heads = [0..108, surface..surface + 108];
        assert!(
            heads
                .into_iter()
                .all(|head| file[head.clone()] == exact[head])
        );
        // First bytes of the first vertex in both frames.
        let [first, second] = [0, 24].map(|at| exact[surface + 132 + at]);
        let columns = &file[surface + 132..];
        assert_eq!(columns[..2], [first, second.wrapping_sub(first)]);
        from_columns(&mut file);
        assert!(file == exact);
    }

    #[test]
    fn what_could_not_be_undone_stays_as_it_is() {
        // The vertices lie on the surface's head, on the triangles, outside.
        for vertices_at in [100, 120, 200, u32::MAX] {
            let exact = model(vertices_at);
            let mut file = exact.clone();
            to_columns(&mut file);
            assert!(file == exact, "{vertices_at}");
        }
    }
}
