//! A map's records turned into columns, in which bytes that resemble each other lie side by side: packed, they take a
//! fifth to a third fewer bytes.

use super::parse::Lumps;
use std::ops::Range;

/// Lumps of records, how many bytes each record has, and whether each column holds differences.
const RECORDS: [(usize, usize, bool); 14] = [
    (1, 72, false),
    (2, 16, false),
    (3, 36, false),
    (4, 48, false),
    (5, 4, false),
    (6, 4, false),
    (7, 40, false),
    (8, 12, false),
    (9, 8, false),
    (10, 44, true),
    (11, 4, false),
    (12, 72, false),
    (13, 104, false),
    (15, 8, true),
];

/// Turns the records of a map's file into columns. What is no map, or has lumps that overlap, stays as it is.
pub fn to_columns(file: &mut [u8]) {
    for (range, size, has_differences) in lumps(file) {
        let lump = &mut file[range];
        let records = lump.to_vec();
        let count = records.len() / size;
        for (column, values) in lump.chunks_exact_mut(count).take(size).enumerate() {
            let mut last = 0;
            for (value, record) in values.iter_mut().zip(records.chunks_exact(size)) {
                *value = record[column].wrapping_sub(last);
                last = if has_differences { record[column] } else { 0 };
            }
        }
    }
}

/// Undoes [`to_columns`].
pub fn from_columns(file: &mut [u8]) {
    for (range, size, has_differences) in lumps(file) {
        let lump = &mut file[range];
        let columns = lump.to_vec();
        let count = columns.len() / size;
        for (column, values) in columns.chunks_exact(count).take(size).enumerate() {
            let mut last = 0_u8;
            for (value, record) in values.iter().zip(lump.chunks_exact_mut(size)) {
                record[column] = value.wrapping_add(last);
                last = if has_differences { record[column] } else { 0 };
            }
        }
    }
}

/// The head says the same before and after.
fn lumps(file: &[u8]) -> Vec<(Range<usize>, usize, bool)> {
    let Ok(all) = Lumps::read(file) else {
        return Vec::new();
    };
    let mut ranges: Vec<_> = (all.directory.iter())
        .map(|&(start, length)| start..start.saturating_add(length))
        .filter(|range| !range.is_empty())
        .collect();
    ranges.sort_by_key(|range| range.start);
    let is_apart = ranges.windows(2).all(|pair| pair[0].end <= pair[1].start);
    let is_inside = ranges
        .iter()
        .all(|range| range.start >= HEAD && range.end <= file.len());
    if !is_apart || !is_inside {
        return Vec::new();
    }
    let lump = |&(number, size, has_differences): &(usize, usize, bool)| {
        let (start, length) = all.directory[number];
        (length >= size).then(|| (start..start + length / size * size, size, has_differences))
    };
    RECORDS.iter().filter_map(lump).collect()
}

/// Mark, version and the places of all lumps.
const HEAD: usize = 8 + 17 * 8;

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut file = map(440, false);
        let vertices = HEAD + 10 * 440;
        (0..10).for_each(|at| file[vertices + at * 44] = 5 * at as u8);
        to_columns(&mut file);
        assert_eq!(
            file[vertices..vertices + 10],
            [0, 5, 5, 5, 5, 5, 5, 5, 5, 5]
        );
    }

    #[test]
    fn what_could_not_be_undone_stays_as_it_is() {
        let exact = map(1000, true);
        let mut file = exact.clone();
        to_columns(&mut file);
        assert!(file == exact);
        let mut cut = map(1000, false);
        cut.truncate(9000);
        let exact = cut.clone();
        to_columns(&mut cut);
        assert!(cut == exact);
        let mut model = b"IDP3".repeat(100);
        to_columns(&mut model);
        from_columns(&mut model);
        assert_eq!(model, b"IDP3".repeat(100));
    }
}
