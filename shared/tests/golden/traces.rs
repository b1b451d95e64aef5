//! Sweeps and position tests against the world, inline models and boxes.

use super::{
    Report,
    table::{Row, bits, hex, rows},
};
use glam::Vec3;
use shared::{
    cm::{ClipMap, Solid, Sweep},
    types::trace::Trace,
};

/// What a row asks.
struct Question {
    /// None: the world.
    solid: Option<Solid>,
    sweep: Sweep,
    origin: Vec3,
    angles: Vec3,
}

impl Question {
    fn answer(&self, clip: &ClipMap) -> Trace {
        match self.solid {
            None => clip.trace(&self.sweep),
            Some(solid) => clip.trace_solid(&self.sweep, solid, self.origin, self.angles),
        }
    }
}

pub fn check(clip: &ClipMap, text: &str, report: &mut Report) {
    for mut row in rows(text) {
        let question = question(&mut row);
        let trace = question.answer(clip);
        let found = describe(&trace, question.sweep.end);
        let wanted = expected(&mut row);
        report.expect(found == wanted, || {
            format!("{}\n  wanted {wanted}\n  found  {found}", row.line())
        });
    }
}

/// All sweeps of a table that go through the world alone.
pub fn world_sweeps(text: &str) -> Vec<Sweep> {
    rows(text)
        .map(|mut row| question(&mut row))
        .filter(|question| question.solid.is_none())
        .map(|question| question.sweep)
        .collect()
}

fn question(row: &mut Row<'_>) -> Question {
    let kind = row.text();
    let [mins, maxs] = BOXES[row.decimal::<usize>()];
    let mask = row.hex();
    let start = row.vec3();
    let end = match row.texts() {
        ["=", ..] => start,
        texts => Vec3::from_array(texts.map(|bits| f32::from_bits(hex(bits)))),
    };
    let origin = row.optional_vec3();
    let angles = row.optional_vec3();
    let solid = match kind.split_at(1) {
        ("M", number) => Some(Solid::Model(number.parse().expect("a model number"))),
        ("B", packed) => Solid::from_entity(hex(packed) as i32, 0),
        _ => None,
    };
    Question {
        solid,
        sweep: Sweep {
            start,
            end,
            mins: Vec3::from_array(mins),
            maxs: Vec3::from_array(maxs),
            mask,
        },
        origin: origin.unwrap_or_default(),
        angles: angles.unwrap_or_default(),
    }
}

/// A trace in the words of the table: meaningless fields are left out.
fn describe(trace: &Trace, end: Vec3) -> String {
    let vector = |vector: Vec3| {
        let [x, y, z] = bits(vector);
        format!("{x:08x},{y:08x},{z:08x}")
    };
    let came = if trace.fraction == 1.0 && bits(trace.end) == bits(end) {
        ",,".to_owned()
    } else {
        vector(trace.end)
    };
    let plane = if trace.fraction == 1.0 && !trace.all_solid {
        ",,,".to_owned()
    } else {
        format!(
            "{},{:08x}",
            vector(trace.plane.normal),
            trace.plane.dist.to_bits()
        )
    };
    format!(
        "{:08x},{came},{plane},{:x},{:x},{}",
        trace.fraction.to_bits(),
        trace.surface_flags,
        trace.contents,
        u8::from(trace.start_solid) | u8::from(trace.all_solid) << 1,
    )
}

fn expected(row: &mut Row<'_>) -> String {
    let mut fields = Vec::new();
    for _ in 0..11 {
        fields.push(row.text());
    }
    fields.join(",")
}

/// Mins and maxs by the number of a box.
const BOXES: [[[f32; 3]; 2]; 13] = [
    [[0.0; 3], [0.0; 3]],
    [[-15.0, -15.0, -24.0], [15.0, 15.0, 32.0]],
    [[-15.0, -15.0, -24.0], [15.0, 15.0, 16.0]],
    [[-15.0, -15.0, -24.0], [15.0, 15.0, -8.0]],
    [[-15.0; 3], [15.0; 3]],
    [[-1.0; 3], [1.0; 3]],
    [[-4.0, -8.0, -2.0], [12.0, 3.0, 30.0]],
    [[-42.0; 3], [42.0; 3]],
    [[-0.5; 3], [0.5; 3]],
    [[-100.0; 3], [100.0; 3]],
    [[0.0; 3], [10.0; 3]],
    [[0.0, 0.0, -24.0], [0.0, 0.0, 32.0]],
    [[-3.0, -3.0, 0.0], [3.0, 3.0, 0.0]],
];
