//! What tcMods make of texture coordinates.

use crate::assets::material::Stage;
use glam::{Mat2, Vec2};
use shared::formats::shader_script::terms::TcMod;
use shared::formats::wave::{sine, table_index};

/// A chain of tcMods as one affine map, plus what turbulences in between have become.
#[derive(Clone, Debug)]
pub struct TexChain {
    pub matrix: Mat2,
    pub offset: Vec2,
    /// Turbulences: what their waves contribute, and their phases.
    pub turbs: Vec<(Mat2, f32)>,
}

impl Default for TexChain {
    fn default() -> Self {
        Self {
            matrix: Mat2::IDENTITY,
            offset: Vec2::ZERO,
            turbs: Vec::new(),
        }
    }
}

impl TexChain {
    /// All changes of a stage at a moment of its clock, on an entity that scrolls so much a second.
    pub fn of(stage: &Stage, time: f64, entity_scroll: Vec2) -> Self {
        let mut chain = Self::default();
        for tc_mod in &stage.tc_mods {
            chain.apply(*tc_mod, time, entity_scroll);
        }
        chain
    }

    fn apply(&mut self, tc_mod: TcMod, time: f64, entity_scroll: Vec2) {
        match tc_mod {
            TcMod::Scale(scale) => self.then(Mat2::from_diagonal(scale), Vec2::ZERO),
            TcMod::Scroll(speed) => self.scroll(speed, time),
            TcMod::EntityTranslate => self.scroll(entity_scroll, time),
            TcMod::Rotate(degrees) => {
                let index = table_index(-f64::from(degrees) * time / 360.0);
                let (s, c) = (sine(index), sine(index + 256));
                let offset = Vec2::new(0.5 - 0.5 * c + 0.5 * s, 0.5 - 0.5 * s - 0.5 * c);
                self.then(Mat2::from_cols_array(&[c, s, -s, c]), offset);
            }
            TcMod::Stretch(wave) => {
                /// A picture that has no size yet is a point: all around it its edges are repeated.
                const TO_A_POINT: f32 = 1.0e6;
                let p = (1.0 / wave.at(time)).clamp(-TO_A_POINT, TO_A_POINT);
                if p.is_finite() {
                    self.then(
                        Mat2::from_diagonal(Vec2::splat(p)),
                        Vec2::splat(0.5 - 0.5 * p),
                    );
                }
            }
            TcMod::Turb {
                amplitude,
                phase,
                frequency,
            } => {
                let phase = (f64::from(phase) + time * f64::from(frequency)).rem_euclid(1.0);
                self.turbs
                    .push((Mat2::from_diagonal(Vec2::splat(amplitude)), phase as f32));
            }
            TcMod::Transform {
                m00,
                m01,
                m10,
                m11,
                t0,
                t1,
            } => {
                self.then(
                    Mat2::from_cols_array(&[m00, m01, m10, m11]),
                    Vec2::new(t0, t1),
                );
            }
        }
    }

    fn then(&mut self, matrix: Mat2, offset: Vec2) {
        self.matrix = matrix * self.matrix;
        self.offset = matrix * self.offset + offset;
        for turb in &mut self.turbs {
            turb.0 = matrix * turb.0;
        }
    }

    fn scroll(&mut self, speed: Vec2, time: f64) {
        let turns = |speed: f32| (f64::from(speed) * time).rem_euclid(1.0) as f32;
        self.offset += Vec2::new(turns(speed.x), turns(speed.y));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::formats::wave::Wave;

    fn chain(mods: &[TcMod], time: f64) -> TexChain {
        let mut chain = TexChain::default();
        for tc_mod in mods {
            chain.apply(*tc_mod, time, Vec2::ZERO);
        }
        chain
    }

    #[test]
    fn texture_changes_apply_in_order() {
        let scaled = chain(
            &[
                TcMod::Scroll(Vec2::new(0.5, 0.25)),
                TcMod::Scale(Vec2::new(2.0, 4.0)),
            ],
            3.0,
        );
        assert_eq!(
            scaled.matrix * Vec2::ONE + scaled.offset,
            Vec2::new(3.0, 7.0)
        );
        let turned = chain(&[TcMod::Rotate(90.0)], 1.0);
        let corner = turned.matrix * Vec2::new(1.0, 1.0) + turned.offset;
        assert!((corner - Vec2::new(1.0, 0.0)).length() < 0.01, "{corner}");
    }

    #[test]
    fn a_picture_without_size_is_all_edge() {
        let grows = Wave {
            amplitude: 2.0,
            frequency: 0.4,
            ..Wave::default()
        };
        let stretched = chain(&[TcMod::Stretch(grows)], 0.0);
        let corner = stretched.matrix * Vec2::new(0.51, 0.49) + stretched.offset;
        assert!(corner.x > 1000.0 && corner.y < -1000.0, "{corner}");
    }

    #[test]
    fn turbulence_is_scaled_by_what_follows() {
        let turb = TcMod::Turb {
            amplitude: 0.5,
            phase: 0.25,
            frequency: 1.0,
        };
        let found = chain(&[turb, TcMod::Scale(Vec2::new(2.0, 3.0))], 1.5);
        assert_eq!(
            found.turbs,
            [(Mat2::from_diagonal(Vec2::new(1.0, 1.5)), 0.75)]
        );
    }
}
