//! Model: meshes by level of detail with their materials, or a part of the map.

use crate::scene::ShaderId;
use shared::formats::md3::Md3;

/// What a registered model name stands for.
#[derive(Clone, Debug)]
pub enum Model {
    Mesh(MeshModel),
    /// `*N`: a brush model of the map.
    Brush(usize),
}

/// An MD3 model with all its levels of detail.
#[derive(Clone, Debug)]
pub struct MeshModel {
    pub name: String,
    /// Finest first; never empty.
    pub lods: Vec<Lod>,
}

/// One level of detail.
#[derive(Clone, Debug)]
pub struct Lod {
    pub mesh: Md3,
    /// For each surface of `mesh` its materials; an entity's skin number chooses among them.
    pub shaders: Vec<Vec<ShaderId>>,
}

/// Which material each surface of a model wears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skin {
    pub name: String,
    /// Lower-case surface names.
    pub surfaces: Vec<(String, ShaderId)>,
}

impl Skin {
    /// The material of a surface, by its lower-case name.
    pub fn shader(&self, surface: &str) -> Option<ShaderId> {
        self.surfaces
            .iter()
            .find(|(name, _)| name == surface)
            .map(|&(_, shader)| shader)
    }
}
