//! A graph of a value per frame at the bottom of the screen (`timegraph`, `cl_debugMove`).

use crate::scene::{Draw2d, text::Charset};
use std::collections::VecDeque;

/// Pixels of the highest bar, for letters of single size.
const HEIGHT: f32 = 32.0;
/// The widest screen; older values are forgotten.
const MAX: usize = 7680;

/// The values of the last frames, newest last.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    values: VecDeque<f32>,
}

impl Graph {
    /// Adds the value of a frame, in pixels of height.
    pub fn add(&mut self, value: f32) {
        if self.values.len() == MAX {
            self.values.pop_front();
        }
        self.values.push_back(value);
    }

    /// Draws one bar per value from the right edge on, as far as the screen is wide.
    ///
    /// A value below zero hangs from the top of the graph, as it wraps around there.
    pub fn draw(&self, out: &mut Vec<Draw2d>, charset: Charset, screen: [f32; 2], scale: f32) {
        let height = HEIGHT * scale;
        let top = screen[1] - height;
        let mut fill = |rect, color| charset.fill(out, rect, color);
        fill([0.0, top, screen[0], height], [0.0, 0.0, 0.0, 0.5]);
        let columns = (screen[0] / scale) as usize;
        for (age, value) in self.values.iter().rev().take(columns).enumerate() {
            let bar = (value * scale).rem_euclid(height);
            let x = screen[0] - (age + 1) as f32 * scale;
            fill([x, screen[1] - bar, scale, bar], [0.8, 0.8, 0.8, 0.8]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::CHARSET;

    #[test]
    fn bars_stand_at_the_right_newest_last_and_stay_inside() {
        let mut graph = Graph::default();
        for value in [4.0, 40.0, -1.0] {
            graph.add(value);
        }
        let mut out = Vec::new();
        graph.draw(&mut out, CHARSET, [100.0, 50.0], 1.0);
        let bars: Vec<[f32; 4]> = out[1..].iter().map(|bar| bar.rect).collect();
        assert_eq!(
            bars,
            [
                [99.0, 19.0, 1.0, 31.0],
                [98.0, 42.0, 1.0, 8.0],
                [97.0, 46.0, 1.0, 4.0]
            ]
        );
    }
}
