//! Scene: what to draw and hear this frame, as plain data.

pub mod draw2d;
pub mod effects;
pub mod entity;
pub mod refdef;
pub mod sound;
pub mod text;

pub use draw2d::Draw2d;
pub use effects::{DynamicLight, Poly, PolyVertex, Polys};
pub use entity::{RefEntity, RefEntityKind, Shadow};
pub use refdef::Refdef;
pub use sound::SoundScene;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
            pub struct $name(pub u32);
        )*
    };
}

ids! {
    /// A model by registration; `assets` knows its name and state.
    ModelId,
    /// A material ("shader" in Quake 3's words) by registration; the order of registration decides ties in draw order.
    ShaderId,
    /// A skin: which material each surface of a model wears.
    SkinId,
    /// A sound by registration.
    SoundId,
}

/// One frame: views into the world in drawing order, then flat pictures over them, then what is heard.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub views: Vec<Refdef>,
    /// Milliseconds of the client's own clock; animates flat pictures.
    pub time_msec: i32,
    pub draw2d: Vec<Draw2d>,
    pub sound: SoundScene,
}
