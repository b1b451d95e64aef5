//! A view as numbers: where points of a model land on the screen, and what bounds it.

use super::uniforms::ObjectUniform;
use super::visibility::Frustum;
use crate::scene::Refdef;
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
    /// Stands in where only flat pictures are drawn.
    pub const FLAT: Self = Self {
        eye: Vec3::ZERO,
        axis: [Vec3::X, Vec3::Y, Vec3::Z],
        fov_x: 90.0,
        fov_y: 90.0,
        pvs_origin: Vec3::ZERO,
        window: Window::Screen,
        far: FAR_WITHOUT_WORLD,
    };

    pub fn of_view(view: &Refdef) -> Self {
        Self {
            eye: view.eye,
            axis: view.axis,
            fov_x: view.fov_x.clamp(1.0, 179.0),
            fov_y: view.fov_y.clamp(1.0, 179.0),
            pvs_origin: view.eye,
            ..Self::FLAT
        }
    }

    pub fn is_mirror(&self) -> bool {
        matches!(self.window, Window::Portal { is_mirror, .. } if is_mirror)
    }

    pub fn is_portal(&self) -> bool {
        self.window != Window::Screen
    }

    pub fn frustum(&self) -> Frustum {
        Frustum::new(self.eye, &self.axis, self.fov_x, self.fov_y)
    }

    /// The view's left and up for things that face the viewer; left is negated in a mirror.
    pub fn facing(&self) -> [Vec3; 2] {
        let [_, left, up] = self.axis;
        [if self.is_mirror() { -left } else { left }, up]
    }

    pub fn clip_from_world(&self) -> Mat4 {
        self.clip_from_offset() * Mat4::from_translation(-self.eye)
    }

    /// Of points measured from the eye.
    fn clip_from_offset(&self) -> Mat4 {
        let [forward, left, up] = self.axis;
        let x = -left / (self.fov_x.to_radians() * 0.5).tan();
        let y = up / (self.fov_y.to_radians() * 0.5).tan();
        let far = self.far.max(NEAR * 2.0);
        let depth = far / (far - NEAR);
        let rows = [
            x.extend(0.0),
            y.extend(0.0),
            (forward * depth).extend(-depth * NEAR),
            forward.extend(0.0),
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
        let local_eye = self.local_eye(placement);
        // The shader measures a model's points from `local_eye`: what lies before one's nose is then exact to the last
        // bits, however far from the map's middle it is.
        let offset_from_local = placement.axes(placement.to_world(local_eye) - self.eye);
        ObjectUniform {
            clip_from_local: (self.clip_from_offset() * offset_from_local).to_cols_array_2d(),
            depth: placement.linear(forward, forward.dot(self.eye)).to_array(),
            clip_plane: clip_plane.to_array(),
            local_eye: local_eye.extend(0.0).to_array(),
            world_eye: self.eye.extend(0.0).to_array(),
            ..bytemuck::Zeroable::zeroed()
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

    /// The axes, with another origin.
    fn axes(&self, origin: Vec3) -> Mat4 {
        let [x, y, z] = self.axis.map(|axis| axis.extend(0.0));
        Mat4::from_cols(x, y, z, origin.extend(1.0))
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
    use super::super::pipelines::LIFT;
    use super::*;

    #[test]
    fn points_land_where_they_are_seen() {
        let camera = Camera {
            eye: Vec3::new(10.0, 0.0, 0.0),
            axis: [Vec3::Y, -Vec3::X, Vec3::Z],
            far: 1000.0,
            ..Camera::FLAT
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

    /// Where the shader sees a model's point, as it measures it.
    fn shown(camera: &Camera, placement: &Placement, point: Vec3) -> Vec3 {
        let object = camera.object(placement);
        let eye = Vec4::from_array(object.local_eye).truncate();
        Mat4::from_cols_array_2d(&object.clip_from_local).project_point3(point - eye)
    }

    #[test]
    fn the_shader_sees_turned_and_scaled_models_where_they_stand() {
        let camera = Camera {
            eye: Vec3::new(700.0, -320.0, 90.0),
            axis: [Vec3::Y, -Vec3::X, Vec3::Z],
            fov_y: 70.0,
            far: 4000.0,
            ..Camera::FLAT
        };
        let placement = Placement {
            origin: Vec3::new(650.0, -100.0, 60.0),
            axis: [Vec3::Z * 1.5, Vec3::X * 1.5, Vec3::Y * 0.5],
            scale: 1.5,
        };
        let point = Vec3::new(3.0, -20.0, 7.0);
        let expected = camera
            .clip_from_world()
            .project_point3(placement.to_world(point));
        let shown = shown(&camera, &placement, point);
        assert!(shown.distance(expected) < 1e-5, "{shown} {expected}");
    }

    #[test]
    fn points_of_one_wall_before_the_nose_have_one_depth() {
        let forward = Vec3::new(0.6, 0.8, 0.0);
        let camera = Camera {
            eye: Vec3::new(3071.37, -2048.81, 517.13),
            axis: [forward, Vec3::new(-0.8, 0.6, 0.0), Vec3::Z],
            fov_y: 70.0,
            far: 9000.0,
            ..Camera::FLAT
        };
        let depths: Vec<f32> = (-50..50)
            .map(|step| {
                let across = camera.axis[1] * step as f32 * 0.13 + Vec3::Z * step as f32 * 0.07;
                let point = camera.eye + forward * 16.0 + across;
                shown(&camera, &Placement::WORLD, point).z
            })
            .collect();
        let spread = depths.iter().copied().fold(f32::MIN, f32::max)
            - depths.iter().copied().fold(f32::MAX, f32::min);
        let lift = LIFT as f32 / (1 << 24) as f32;
        assert!(spread < lift, "{spread} of {lift}");
    }
}
