//! The lumps of a map that hold records.

use super::{Layout, Records};
use crate::formats::bsp::{LIGHT_GRID, Lumps};

/// Mark, version and the places of all lumps.
const HEAD: usize = 8 + 17 * 8;
/// Lumps and what their records hold.
const RECORDS: [(usize, &[(usize, usize)]); 14] = [
    (1, &[(1, 72)]),
    // Planes follow each other in pairs of opposite ones.
    (2, &[(12, 1), (4, 1), (12, 1), (4, 1)]),
    (3, &[(1, 36)]),
    (4, &[(1, 48)]),
    (5, &[(1, 4)]),
    (6, &[(1, 4)]),
    (7, &[(1, 40)]),
    (8, &[(1, 12)]),
    (9, &[(1, 8)]),
    // Place, both places in images, normal, color.
    (10, &[(4, 7), (12, 1), (4, 1)]),
    (11, &[(1, 4)]),
    (12, &[(1, 72)]),
    (13, &[(4, 12), (12, 4), (4, 2)]),
    (LIGHT_GRID, &[(1, 8)]),
];

pub(super) fn layout(file: &[u8]) -> Option<Layout> {
    let directory = Lumps::read(file).ok()?.directory;
    let range = |(start, length): (usize, usize)| start..start.saturating_add(length);
    let all = RECORDS.iter().filter_map(|&(number, values)| {
        let records = Records::new(range(directory[number]), values)?;
        Some(match number {
            LIGHT_GRID => records.with_differences(),
            _ => records,
        })
    });
    let has_records = |number| RECORDS.iter().any(|&(one, _)| one == number);
    let others = (0..directory.len()).filter(|&number| !has_records(number));
    let others = others.map(|number| range(directory[number]));
    Some(Layout {
        records: all.collect(),
        others: others
            .filter(|range| !range.is_empty())
            .chain(std::iter::once(0..HEAD))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::columns::{from_columns, to_columns};

    /// A map whose lumps have so many bytes each, or lie one upon the other.
    fn map(length: usize, overlaps: bool) -> Vec<u8> {
        let mut file = b"IBSP\x2e\0\0\0".to_vec();
        for lump in 0..17 {
            let start = HEAD + if overlaps { lump } else { lump * length };
            file.extend(
                [start, length]
                    .map(|number| (number as u32).to_le_bytes())
                    .concat(),
            );
        }
        file.extend((0..17 * length).map(|at| (at * at / 7) as u8));
        file
    }

    #[test]
    fn records_come_back() {
        for length in [0, 3, 44, 1000, 1144] {
            let exact = map(length, false);
            let mut file = exact.clone();
            to_columns(&mut file);
            assert_eq!(file == exact, length < 4, "{length}");
            assert_eq!(file[..HEAD], exact[..HEAD]);
            from_columns(&mut file);
            assert!(file == exact, "{length}");
        }
        // The differences of what rises evenly are all the same.
        let mut file = map(80, false);
        let grid = HEAD + LIGHT_GRID * 80;
        (0..10).for_each(|at| file[grid + at * 8] = 5 * at as u8);
        to_columns(&mut file);
        assert_eq!(file[grid..grid + 10], [0, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
    }

    #[test]
    fn what_could_not_be_undone_stays_as_it_is() {
        let mut cut = map(1000, false);
        cut.truncate(9000);
        for exact in [map(1000, true), cut] {
            let mut file = exact.clone();
            to_columns(&mut file);
            assert!(file == exact);
        }
    }
}
