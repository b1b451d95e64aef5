//! A map's or model's records turned into columns, in which values that resemble each other lie side by side: packed,
//! they take a fifth to a half fewer bytes.

mod map;
mod model;

use crate::base::sort::sort_by_key;
use std::ops::Range;

/// Records of one kind that lie one behind the other in a file.
struct Records {
    range: Range<usize>,
    /// What becomes columns: how many bytes a value has, and how many of these values follow each other in a record.
    values: &'static [(usize, usize)],
    /// Each byte becomes its difference to the one before it in the column.
    has_differences: bool,
    /// The records are those of so many frames, and a column has all frames of the first one, then of the second one.
    frames: usize,
}

/// What a file is made of.
struct Layout {
    records: Vec<Records>,
    /// Everything else that lies at a known place.
    others: Vec<Range<usize>>,
}

/// Turns the records of a map's or model's file into columns. What is neither, or has parts that overlap, stays as it is.
pub fn to_columns(file: &mut [u8]) {
    for records in Records::of(file) {
        let columns = &mut file[records.range.clone()];
        let rows = columns.to_vec();
        let mut last = 0;
        records.for_each_value(|row, column, width| {
            let values = columns[column..].iter_mut().zip(&rows[row..]);
            for (value, &exact) in values.take(width) {
                *value = exact.wrapping_sub(last);
                last = if records.has_differences { exact } else { 0 };
            }
        });
    }
}

/// Undoes [`to_columns`].
pub fn from_columns(file: &mut [u8]) {
    for records in Records::of(file) {
        let rows = &mut file[records.range.clone()];
        let columns = rows.to_vec();
        let mut last = 0_u8;
        records.for_each_value(|row, column, width| {
            let values = columns[column..].iter().zip(&mut rows[row..]);
            for (&value, exact) in values.take(width) {
                *exact = value.wrapping_add(last);
                last = if records.has_differences { *exact } else { 0 };
            }
        });
    }
}

impl Records {
    /// At least one record, and as many of these as there is room for.
    fn new(range: Range<usize>, values: &'static [(usize, usize)]) -> Option<Self> {
        let size = size(values);
        let count = range.len() / size;
        (count > 0).then(|| Self {
            range: range.start..range.start + count * size,
            values,
            has_differences: false,
            frames: 1,
        })
    }

    fn with_differences(self) -> Self {
        Self {
            has_differences: true,
            ..self
        }
    }

    /// All that a file has. Where they lie is said by what is the same before and after.
    fn of(file: &[u8]) -> Vec<Self> {
        let layout = map::layout(file).or_else(|| model::layout(file));
        let Some(Layout { records, others }) = layout else {
            return Vec::new();
        };
        let ranges = records.iter().map(|records| &records.range);
        let mut ranges: Vec<_> = ranges.chain(&others).collect();
        sort_by_key(&mut ranges, |range| range.start);
        let is_apart = ranges.windows(2).all(|pair| pair[0].end <= pair[1].start);
        match ranges.last() {
            Some(last) if is_apart && last.end <= file.len() => records,
            _ => Vec::new(),
        }
    }

    /// Goes through the columns: where each value lies in the rows, where in the columns, and its bytes.
    fn for_each_value(&self, mut take: impl FnMut(usize, usize, usize)) {
        let size = size(self.values);
        let each = self.range.len() / size / self.frames;
        let widths = self.values.iter();
        let widths = widths.flat_map(|&(width, count)| std::iter::repeat_n(width, count));
        let (mut at, mut column) = (0, 0);
        for width in widths {
            for number in 0..each {
                for frame in 0..self.frames {
                    take((frame * each + number) * size + at, column, width);
                    column += width;
                }
            }
            at += width;
        }
    }
}

/// Bytes of a record.
fn size(values: &[(usize, usize)]) -> usize {
    values.iter().map(|(width, count)| width * count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_side_by_side() {
        let records = |bytes, values| Records::new(0..bytes, values).unwrap();
        let places = |records: Records| {
            let mut places = Vec::new();
            records.for_each_value(|row, column, width| places.push((row, column, width)));
            places
        };
        // Two records of two bytes and four, and what is no whole one.
        let two = records(17, &[(1, 2), (4, 1)]);
        assert_eq!(two.range, 0..12);
        let expected = [
            (0, 0, 1),
            (6, 1, 1),
            (1, 2, 1),
            (7, 3, 1),
            (2, 4, 4),
            (8, 8, 4),
        ];
        assert_eq!(places(two), expected);
        // Three records in two frames.
        let frames = Records {
            frames: 2,
            ..records(6, &[(1, 1)])
        };
        let rows: Vec<_> = places(frames).iter().map(|place| place.0).collect();
        assert_eq!(rows, [0, 3, 1, 4, 2, 5]);
        assert!(Records::new(0..5, &[(4, 1), (2, 1)]).is_none());
    }

    #[test]
    fn what_is_neither_map_nor_model_stays_as_it_is() {
        for begin in ["", "IBSP", "IDP3", "RIFF"] {
            let exact = begin.repeat(100).into_bytes();
            let mut file = exact.clone();
            to_columns(&mut file);
            from_columns(&mut file);
            assert_eq!(file, exact);
        }
    }
}
