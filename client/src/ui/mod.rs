//! Screens over the game: menus, console, chat line, connection screen; and the letters of menus.

pub mod chat;
pub mod connect;
pub mod console;
pub mod font;
pub mod graph;
pub mod loading;
pub mod menu;
pub mod meter;
pub mod painter;
pub mod touch;

/// Whether a place lies within a rectangle: left, top, width, height.
pub fn holds([left, top, width, height]: [f32; 4], [x, y]: [f32; 2]) -> bool {
    (left..left + width).contains(&x) && (top..top + height).contains(&y)
}

/// What tests write with.
#[cfg(test)]
const CHARSET: crate::scene::text::Charset = crate::scene::text::Charset {
    shader: crate::scene::ShaderId(0),
    white: crate::scene::ShaderId(1),
};
