//! A drawing: shapes whose look is told by a few words, in light and in dark.

use svg::{
    Document, Node,
    node::element::{Line, Path, Rectangle, Style, Text, Title},
};

/// Where something is, to the right and down, in pixels at the usual size.
pub(super) type Point = [f64; 2];

/// How the words look. A picture stands in pages of others too, so it brings its own.
const LOOK: &str = "
text { font: 12px system-ui, sans-serif; fill: #24292f }
.small { font-size: 10px } .mono { font: 11px ui-monospace, monospace } .faint { fill: #6e7781 }
.middle { text-anchor: middle } .end { text-anchor: end } .strong { font-weight: 600 }
line, path { stroke: #57606a; fill: none; stroke-width: 1.2 }
line.grid { stroke: #d0d7de; stroke-width: 1 }
.server { stroke: #0969da } .client { stroke: #1a7f37 } .lost { stroke: #cf222e } .base { stroke: #8250df }
text.lost { fill: #cf222e; stroke: none; font-weight: 600 }
rect { stroke: none; fill: #d0d7de }
rect.head { fill: #afb8c1 } rect.player { fill: #54aeff } rect.entities { fill: #a475f9 } rect.commands { fill: #4ac26b }
rect.first { fill: #2da44e } rect.again { fill: #aceebb } rect.gone { fill: #ffaba8 } rect.replay { fill: #ffd8a8 }
circle { fill: #0969da; stroke: none }
@media (prefers-color-scheme: dark) {
text { fill: #c9d1d9 } .faint { fill: #8b949e } line, path { stroke: #8b949e } line.grid { stroke: #30363d }
.server { stroke: #58a6ff } .client { stroke: #3fb950 } .lost { stroke: #f85149 } .base { stroke: #bc8cff } text.lost { fill: #f85149 }
rect { fill: #30363d } rect.head { fill: #484f58 } rect.player { fill: #1f6feb } rect.entities { fill: #8957e5 }
rect.commands { fill: #238636 } rect.first { fill: #2ea043 } rect.again { fill: #1b4721 } rect.gone { fill: #8e1519 }
rect.replay { fill: #9e6a03 } circle { fill: #58a6ff }
}
";

/// A picture in the making.
pub(super) struct Picture {
    size: Point,
    document: Document,
}

impl Picture {
    pub(super) fn new(size: Point) -> Self {
        let document = Document::new()
            .set("viewBox", (0, 0, size[0], size[1]))
            .set("width", size[0])
            .set("height", size[1])
            .add(Style::new(LOOK));
        Self { size, document }
    }

    pub(super) fn width(&self) -> f64 {
        self.size[0]
    }

    pub(super) fn line(&mut self, class: &str, from: Point, to: Point) {
        let line = Line::new()
            .set("class", class)
            .set("x1", round(from[0]))
            .set("y1", round(from[1]))
            .set("x2", round(to[0]))
            .set("y2", round(to[1]));
        self.add(line);
    }

    /// A line with a head at its end.
    pub(super) fn arrow(&mut self, class: &str, from: Point, to: Point) {
        self.line(class, from, to);
        let [x, y] = [to[0] - from[0], to[1] - from[1]];
        let length = (x * x + y * y).sqrt().max(1e-9);
        let [x, y] = [x / length, y / length];
        let side = |sign: f64| {
            [
                to[0] - 7.0 * x + 3.5 * sign * y,
                to[1] - 7.0 * y - 3.5 * sign * x,
            ]
        };
        self.path(class, &[side(1.0), to, side(-1.0)]);
    }

    /// A way that ends before it is at its end.
    pub(super) fn lost(&mut self, from: Point, to: Point) {
        const GOT: f64 = 0.55;
        let end = [
            from[0] + GOT * (to[0] - from[0]),
            from[1] + GOT * (to[1] - from[1]),
        ];
        self.line("lost", from, end);
        for sign in [1.0, -1.0] {
            self.line(
                "lost",
                [end[0] - 4.0, end[1] - 4.0 * sign],
                [end[0] + 4.0, end[1] + 4.0 * sign],
            );
        }
    }

    pub(super) fn path(&mut self, class: &str, points: &[Point]) {
        let mut data = String::new();
        for (number, [x, y]) in points.iter().enumerate() {
            let command = if number == 0 { 'M' } else { 'L' };
            data.push_str(&format!("{command}{} {} ", round(*x), round(*y)));
        }
        self.add(Path::new().set("class", class).set("d", data.trim_end()));
    }

    /// A bow above two points of one height.
    pub(super) fn bow(&mut self, class: &str, from: Point, to: Point, height: f64) {
        let middle = [(from[0] + to[0]) / 2.0, from[1] - 2.0 * height];
        let [from_x, from_y, x, y, to_x, to_y] =
            [from[0], from[1], middle[0], middle[1], to[0], to[1]].map(round);
        let data = format!("M{from_x} {from_y} Q{x} {y} {to_x} {to_y}");
        self.add(Path::new().set("class", class).set("d", data));
    }

    /// `title` is shown to whoever points at it.
    pub(super) fn rect(&mut self, class: &str, at: Point, size: Point, title: &str) {
        let rect = Rectangle::new()
            .set("class", class)
            .set("x", round(at[0]))
            .set("y", round(at[1]))
            .set("width", round(size[0]))
            .set("height", round(size[1]))
            .add(Title::new(title));
        self.add(rect);
    }

    pub(super) fn dot(&mut self, at: Point, title: &str) {
        let dot = svg::node::element::Circle::new()
            .set("cx", round(at[0]))
            .set("cy", round(at[1]))
            .set("r", 3)
            .add(Title::new(title));
        self.add(dot);
    }

    pub(super) fn text(&mut self, class: &str, at: Point, words: impl Into<String>) {
        let text = Text::new(words)
            .set("class", class)
            .set("x", round(at[0]))
            .set("y", round(at[1]));
        self.add(text);
    }

    fn add(&mut self, node: impl Into<Box<dyn Node>>) {
        self.document.append(node);
    }

    pub(super) fn finish(self) -> String {
        format!("{}\n", self.document)
    }
}

/// Files stay small, and the same on every machine.
fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
