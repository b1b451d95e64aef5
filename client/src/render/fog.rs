//! Fog: how thick it is at a point, and which fog volume a thing stands in.

use super::uniforms::StageUniform;
use glam::Vec3;

/// A brush filled with fog.
#[derive(Clone, Copy, Debug)]
pub struct FogVolume {
    pub mins: Vec3,
    pub maxs: Vec3,
    /// Color bytes as numbers.
    pub color: [f32; 3],
    pub tex_scale: f32,
    /// The visible surface of the fog, normal and distance.
    pub surface: Option<(Vec3, f32)>,
}

impl FogVolume {
    /// Tells the shader about this fog, for an object with this axis and origin seen from `eye`.
    pub fn fill(&self, stage: &mut StageUniform, axis: &[Vec3; 3], origin: Vec3, eye: Vec3) {
        if let Some((normal, distance)) = self.surface {
            let local = Vec3::from(axis.map(|axis| normal.dot(axis)));
            stage.fog_plane = (-local).extend(distance - normal.dot(origin)).to_array();
            stage.fog = [self.tex_scale, distance - normal.dot(eye), 0.0, 0.0];
        } else {
            stage.fog_plane = [0.0; 4];
            stage.fog = [self.tex_scale, 1.0, 0.0, 0.0];
        }
    }
}

/// The first fog whose box overlaps this one; touching does not count.
pub fn fog_around(fogs: &[FogVolume], mins: Vec3, maxs: Vec3) -> Option<usize> {
    fogs.iter()
        .position(|fog| mins.cmplt(fog.maxs).all() && maxs.cmpgt(fog.mins).all())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_fog_is_not_inside() {
        let fog = FogVolume {
            mins: Vec3::ZERO,
            maxs: Vec3::ONE,
            color: [0.0; 3],
            tex_scale: 1.0,
            surface: None,
        };
        assert_eq!(fog_around(&[fog], Vec3::ONE, Vec3::splat(2.0)), None);
        assert_eq!(
            fog_around(&[fog], Vec3::splat(0.5), Vec3::splat(2.0)),
            Some(0)
        );
    }
}
