//! Rows of comma-separated numbers, floats as bit patterns.

use glam::Vec3;

/// The fields of one line, taken from left to right.
pub struct Row<'a> {
    line: &'a str,
    fields: std::str::Split<'a, char>,
}

/// The rows after the heading.
pub fn rows(text: &str) -> impl Iterator<Item = Row<'_>> {
    text.lines().skip(1).map(|line| Row {
        line,
        fields: line.split(','),
    })
}

impl<'a> Row<'a> {
    pub fn line(&self) -> &'a str {
        self.line
    }

    pub fn text(&mut self) -> &'a str {
        self.fields.next().expect("every row has all fields")
    }

    pub fn decimal<T: std::str::FromStr>(&mut self) -> T {
        let text = self.text();
        let Ok(number) = text.parse() else {
            panic!("{text:?} is no number in {}", self.line);
        };
        number
    }

    pub fn hex(&mut self) -> u32 {
        hex(self.text())
    }

    pub fn vec3(&mut self) -> Vec3 {
        Vec3::from_array(self.texts().map(|bits| f32::from_bits(hex(bits))))
    }

    /// Three fields; None if they are empty.
    pub fn optional_vec3(&mut self) -> Option<Vec3> {
        let texts = self.texts();
        (!texts[0].is_empty())
            .then(|| Vec3::from_array(texts.map(|bits| f32::from_bits(hex(bits)))))
    }

    pub fn texts(&mut self) -> [&'a str; 3] {
        [self.text(), self.text(), self.text()]
    }
}

pub fn hex(digits: &str) -> u32 {
    u32::from_str_radix(digits, 16).expect("the golden data holds hexadecimal digits")
}

/// The bit patterns of a vector.
pub fn bits(vector: Vec3) -> [u32; 3] {
    vector.to_array().map(f32::to_bits)
}
