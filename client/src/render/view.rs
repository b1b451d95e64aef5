//! A view as numbers: where points of a model land on the screen, and what bounds it.

use super::uniforms::ObjectUniform;
use super::visibility::Frustum;
use crate::scene::View;
use glam::{Mat4, Vec3, Vec4};

const NEAR: f32 = 4.0;
/// How far one sees where there is no map.
const FAR_WITHOUT_WORLD: f32 = 2048.0;

/// What a view looks through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Window {
    Screen,
    /// A portal or mirror: only what lies before the plane is seen (`normal · p >= distance`).
    Portal {
        is_mirror: bool,
        normal: Vec3,
        distance: f32,
    },
}

/// A camera.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    pub eye: Vec3,
    /// Forward, left, up.
    pub axis: [Vec3; 3],
    pub fov_x: f32,
    pub fov_y: f32,
    pub pvs_origin: Vec3,
    pub window: Window,
    pub far: f32,
}

impl Camera {
    pub fn of_view(view: &View) -> Self {
        Self {
            eye: view.eye,
            axis: view.axis,
            fov_x: view.fov_x.clamp(1.0, 179.0),
            fov_y: view.fov_y.clamp(1.0, 179.0),
            pvs_origin: view.eye,
            window: Window::Screen,
            far: FAR_WITHOUT_WORLD,
        }
    }

    pub fn is_mirror(&self) -> bool {
        matches!(
            self.window,
            Window::Portal {
                is_mirror: true,
                ..
            }
        )
    }

    pub fn is_portal(&self) -> bool {
        self.window != Window::Screen
    }

    pub fn frustum(&self) -> Frustum {
        Frustum::new(self.eye, &self.axis, self.fov_x, self.fov_y)
    }

    /// The view's left and up for things that face the viewer; left is negated in a mirror.
    pub fn facing(&self) -> [Vec3; 2] {
        let left = if self.is_mirror() {
            -self.axis[1]
        } else {
            self.axis[1]
        };
        [left, self.axis[2]]
    }

    pub fn clip_from_world(&self) -> Mat4 {
        let [forward, left, up] = self.axis;
        let x = -left / (self.fov_x.to_radians() * 0.5).tan();
        let y = up / (self.fov_y.to_radians() * 0.5).tan();
        let far = self.far.max(NEAR * 2.0);
        let depth = far / (far - NEAR);
        let row = |v: Vec3, offset: f32| v.extend(offset - v.dot(self.eye));
        let rows = [
            row(x, 0.0),
            row(y, 0.0),
            row(forward * depth, -depth * NEAR),
            row(forward, 0.0),
        ];
        Mat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose()
    }

    /// The eye in the space of something with this place.
    pub fn local_eye(&self, placement: &Placement) -> Vec3 {
        placement.to_local(self.eye) / placement.scale
    }

    /// What the shader needs to know about something with this place; unlit.
    pub fn object(&self, placement: &Placement) -> ObjectUniform {
        let [forward, ..] = self.axis;
        let clip_plane = match self.window {
            Window::Screen => Vec4::W,
            Window::Portal {
                normal, distance, ..
            } => placement.linear(normal, distance),
        };
        ObjectUniform {
            clip_from_model: (self.clip_from_world() * placement.world_from_model())
                .to_cols_array_2d(),
            depth: placement.linear(forward, forward.dot(self.eye)).to_array(),
            clip_plane: clip_plane.to_array(),
            local_eye: self.local_eye(placement).extend(0.0).to_array(),
            world_eye: self.eye.extend(0.0).to_array(),
            light_dir: [0.0; 4],
            ambient: [0.0; 4],
            directed: [0.0; 4],
            frame: [0.0; 4],
            spare: [[0.0; 4]; 4],
        }
    }
}

/// Where a model stands in the world.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    pub origin: Vec3,
    pub axis: [Vec3; 3],
    /// Length of the axes; 1 unless they are scaled.
    pub scale: f32,
}

impl Placement {
    pub const WORLD: Self = Self {
        origin: Vec3::ZERO,
        axis: [Vec3::X, Vec3::Y, Vec3::Z],
        scale: 1.0,
    };

    pub fn world_from_model(&self) -> Mat4 {
        let [x, y, z] = self.axis.map(|axis| axis.extend(0.0));
        Mat4::from_cols(x, y, z, self.origin.extend(1.0))
    }

    /// A world point's parts along the axes.
    pub fn to_local(self, point: Vec3) -> Vec3 {
        self.direction_to_local(point - self.origin)
    }

    pub fn direction_to_local(&self, direction: Vec3) -> Vec3 {
        Vec3::from(self.axis.map(|axis| axis.dot(direction)))
    }

    pub fn to_world(self, point: Vec3) -> Vec3 {
        self.origin + self.axis[0] * point.x + self.axis[1] * point.y + self.axis[2] * point.z
    }

    /// `normal · p − distance` as a linear function of the point in model space.
    fn linear(&self, normal: Vec3, distance: f32) -> Vec4 {
        self.direction_to_local(normal)
            .extend(normal.dot(self.origin) - distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_land_where_they_are_seen() {
        let camera = Camera {
            eye: Vec3::new(10.0, 0.0, 0.0),
            axis: [Vec3::Y, -Vec3::X, Vec3::Z],
            fov_x: 90.0,
            fov_y: 90.0,
            pvs_origin: Vec3::ZERO,
            window: Window::Screen,
            far: 1000.0,
        };
        let see = |p: Vec3| camera.clip_from_world().project_point3(p);
        let near = see(Vec3::new(10.0, NEAR, 0.0));
        assert!(near.length() < 1e-5, "{near}");
        let corner = see(Vec3::new(110.0, 100.0, 100.0));
        assert!(
            (corner.x - 1.0).abs() < 1e-5 && (corner.y - 1.0).abs() < 1e-5,
            "{corner}"
        );
        assert!((see(Vec3::new(10.0, 1000.0, 0.0)).z - 1.0).abs() < 1e-5);
    }
}
