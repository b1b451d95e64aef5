//! The virtual screen of 640 × 480 units, kept in proportion on any screen, with groups at its edges.

use super::HudInput;
use crate::{
    assets::Assets,
    cg::{
        angles,
        media::roles::{ItemMedia, Media},
    },
    scene::{
        Draw2d, ModelId, PolyVertex, RefEntity, RefEntityKind, Refdef, ShaderId, SkinId,
        text::{Charset, Color, TextStyle},
    },
};
use glam::Vec3;
use shared::base::text::without_colors;

/// Sizes of a character: width and height in virtual units.
pub const SMALL: [f32; 2] = [8.0, 16.0];
pub const BIG: [f32; 2] = [16.0, 16.0];
pub const GIANT: [f32; 2] = [32.0, 48.0];
pub const WHITE: Color = [1.0; 4];
/// How wide icons are seen, in degrees.
const FIGURE_FOV: f32 = 30.0;

/// Which edge a thing stays at when the screen is wider than 4:3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Left,
    Center,
    Right,
}

/// A model that stands in a picture of its own, before an eye at zero that looks along x.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    pub model: ModelId,
    pub skin: Option<SkinId>,
    pub origin: Vec3,
    /// Pitch, yaw, roll in degrees.
    pub angles: Vec3,
}

/// Collects pictures in virtual units, and has at hand what they are made from.
#[derive(Debug)]
pub struct Canvas<'a> {
    pub input: &'a HudInput<'a>,
    pub media: &'a mut Media,
    pub assets: &'a mut Assets,
    out: Vec<Draw2d>,
    /// Little scenes, which lie below the flat pictures.
    views: Vec<Refdef>,
    scale: f32,
    /// What is left of the width at each side.
    margin: f32,
    top: f32,
}

impl<'a> Canvas<'a> {
    pub fn new(input: &'a HudInput<'a>, media: &'a mut Media, assets: &'a mut Assets) -> Self {
        let [width, height] = input.screen;
        let scale = (width / 640.0).min(height / 480.0);
        Self {
            input,
            media,
            assets,
            out: Vec::new(),
            views: Vec::new(),
            scale,
            margin: (width - 640.0 * scale) / 2.0,
            top: (height - 480.0 * scale) / 2.0,
        }
    }

    /// What an item is drawn with; `None` for no or an unknown item.
    pub fn item(&mut self, number: i32) -> Option<ItemMedia> {
        self.media.item(number, self.assets)
    }

    pub fn weapon_icon(&mut self, number: i32) -> Option<ShaderId> {
        self.media.weapon(number, self.assets)?.icon
    }

    pub fn extend(&mut self, pictures: impl Iterator<Item = Draw2d>) {
        self.out.extend(pictures);
    }

    /// The flat pictures, and the little scenes below them.
    pub fn finish(self) -> (Vec<Draw2d>, Vec<Refdef>) {
        (self.out, self.views)
    }

    /// A model in a picture of its own; nothing where that would leave the screen.
    pub fn figure(&mut self, rect: [f32; 4], figure: &Figure, anchor: Anchor) {
        let Some(viewport) = self.viewport(rect, anchor) else {
            return;
        };
        let mut view = flat_view(viewport, self.input.now.0);
        let mut entity = RefEntity::new(RefEntityKind::Model(figure.model), figure.origin);
        entity.axis = angles::axis_from_angles(figure.angles);
        entity.custom_skin = figure.skin;
        entity.flags.no_shadow = true;
        view.entities.push(entity);
        self.views.push(view);
    }

    /// A bar across the whole screen, below the models.
    pub fn backdrop(&mut self, y: f32, height: f32, color: Color) {
        let across = self.input.screen[0] / self.scale;
        let rect = [0.0, y, across, height];
        let Some(viewport) = self.viewport(rect, Anchor::Left) else {
            return;
        };
        const DISTANCE: f32 = 10.0;
        let mut view = flat_view(viewport, 0);
        let edge = libm::tanf((FIGURE_FOV / 2.0).to_radians());
        let corner = |left: f32, up: f32| PolyVertex {
            position: Vec3::new(1.0, left * edge, up * edge) * DISTANCE,
            tex_coord: [(1.0 - left) / 2.0, (1.0 - up) / 2.0],
            color: color.map(|part| (part * 255.0) as u8),
        };
        let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        let vertices = corners.map(|(left, up)| corner(left, up));
        view.polys.push(self.media.pictures.color_bar, vertices);
        self.views.push(view);
    }

    fn viewport(&self, rect: [f32; 4], anchor: Anchor) -> Option<[f32; 4]> {
        let [x, y, width, height] = rect;
        let (left, top) = (self.x(x, anchor).round(), self.y(y).round());
        let [across, down] = self.input.screen;
        let width = (width * self.scale).round().min(across - left);
        let height = (height * self.scale).round().min(down - top);
        let fits = left >= 0.0 && top >= 0.0 && width >= 1.0 && height >= 1.0;
        fits.then_some([left, top, width, height])
    }

    fn x(&self, x: f32, anchor: Anchor) -> f32 {
        let edge = match anchor {
            Anchor::Left => 0.0,
            Anchor::Center => self.margin,
            Anchor::Right => self.margin * 2.0,
        };
        edge + x * self.scale
    }

    fn y(&self, y: f32) -> f32 {
        // A tall screen keeps the bottom at the bottom and the top at the top.
        let shift = if y > 240.0 { self.top * 2.0 } else { 0.0 };
        shift + y * self.scale
    }

    pub fn picture(&mut self, rect: [f32; 4], shader: ShaderId, color: Color, anchor: Anchor) {
        self.part(rect, [0.0, 0.0, 1.0, 1.0], shader, color, anchor);
    }

    pub fn part(
        &mut self,
        rect: [f32; 4],
        tex: [f32; 4],
        shader: ShaderId,
        color: Color,
        anchor: Anchor,
    ) {
        let [x, y, width, height] = rect;
        let rect = [
            self.x(x, anchor),
            self.y(y),
            width * self.scale,
            height * self.scale,
        ];
        self.out.push(Draw2d {
            rect,
            tex,
            color,
            shader,
        });
    }

    pub fn fill(&mut self, rect: [f32; 4], color: Color, anchor: Anchor) {
        self.picture(rect, self.media.pictures.white, color, anchor);
    }

    /// One line with a shadow.
    #[expect(
        clippy::too_many_arguments,
        reason = "every text of the HUD names all of them"
    )]
    pub fn text(
        &mut self,
        x: f32,
        y: f32,
        text: &str,
        size: [f32; 2],
        color: Color,
        anchor: Anchor,
    ) {
        let style = TextStyle {
            size: size.map(|side| side * self.scale),
            color,
            has_shadow: true,
            ignores_codes: false,
        };
        let (x, y) = (self.x(x, anchor), self.y(y));
        self.charset().line(&mut self.out, x, y, text, style);
    }

    fn charset(&self) -> Charset {
        Charset {
            shader: self.media.pictures.charset,
            white: self.media.pictures.white,
        }
    }

    /// Small lines in the world, each above a place in pixels; where two would cover each other, the later one moves up.
    /// Places off the screen have none: there a line could move up for ever without getting anywhere.
    pub fn labels<'l>(&mut self, labels: impl Iterator<Item = ([f32; 2], &'l str)>, color: Color) {
        let size = [SMALL[0], SMALL[1] * 0.5].map(|side| side * self.scale);
        let style = TextStyle {
            size,
            color,
            has_shadow: true,
            ignores_codes: true,
        };
        let mut taken: Vec<[f32; 3]> = Vec::new();
        for ([middle, foot], text) in labels {
            let [width, height] = self.input.screen;
            if !((0.0..=width).contains(&middle) && (0.0..=height).contains(&foot)) {
                continue;
            }
            let half = text.len() as f32 * size[0] / 2.0;
            let mut top = foot - size[1];
            let covers = |top: f32, [other_middle, other_half, other_top]: &[f32; 3]| {
                (middle - other_middle).abs() < half + other_half
                    && (top - other_top).abs() < size[1] * 0.99
            };
            // Each of those before can be in the way once.
            for _ in 0..taken.len() {
                let Some(other) = taken.iter().find(|other| covers(top, other)) else {
                    break;
                };
                top = other[2] - size[1];
            }
            taken.push([middle, half, top]);
            self.charset()
                .line(&mut self.out, middle - half, top, text, style);
        }
    }

    /// One line in the middle of the screen.
    pub fn centered(&mut self, y: f32, text: &str, size: [f32; 2], alpha: f32) {
        let x = 320.0 - width(text, size) / 2.0;
        self.text(x, y, text, size, [1.0, 1.0, 1.0, alpha], Anchor::Center);
    }

    /// One line in the middle in giant letters, or in big ones where it is too long for these.
    pub fn title(&mut self, y: f32, text: &str) {
        let size = if width(text, GIANT) > 620.0 {
            BIG
        } else {
            GIANT
        };
        self.centered(y, text, size, 1.0);
    }

    /// The same all in one color, whatever codes the text has.
    pub fn centered_plain(&mut self, y: f32, text: &str, size: [f32; 2], color: Color) {
        let text = without_colors(text);
        let x = 320.0 - width(&text, size) / 2.0;
        self.text(x, y, &text, size, color, Anchor::Center);
    }

    /// One line that ends at the right edge of the screen.
    pub fn right(&mut self, y: f32, text: &str, size: [f32; 2], color: Color) {
        self.text(
            635.0 - width(text, size),
            y,
            text,
            size,
            color,
            Anchor::Right,
        );
    }
}

/// A scene without a world, seen with the narrow angle of icons.
fn flat_view(viewport: [f32; 4], time_msec: i32) -> Refdef {
    Refdef {
        viewport,
        fov_x: FIGURE_FOV,
        fov_y: FIGURE_FOV,
        time_msec,
        has_world: false,
        ..Refdef::default()
    }
}

/// Width of a text without its color codes, in virtual units.
pub fn width(text: &str, size: [f32; 2]) -> f32 {
    let shown = crate::scene::text::pieces(text)
        .filter(|piece| matches!(piece, crate::scene::text::Piece::Char(_)))
        .count();
    shown as f32 * size[0]
}

/// How visible a message is: whole, then fading over its last 200 ms, then gone.
pub fn fade(elapsed: i32, total: i32) -> f32 {
    const FADE_MSEC: i32 = 200;
    if !(0..total).contains(&elapsed) {
        return 0.0;
    }
    ((total - elapsed) as f32 / FADE_MSEC as f32).min(1.0)
}
