//! Test models, placed in the world or held like a weapon, for those who make models (`testmodel`, `testgun`).

use crate::cg::{angles, io::FrameOutput, io::TestModelStep, present::frame::Frame};
use crate::{
    assets::model::Model,
    scene::{ModelId, RefEntity, RefEntityKind, entity::EntityFlags},
};
use glam::Vec3;

/// How far in front of the eye a model is placed.
const DISTANCE: f32 = 100.0;

/// What is being tested, if anything is.
#[derive(Clone, Debug, Default)]
pub struct TestModels {
    /// Asked for, and not begun yet: where it goes is known when the camera stands.
    request: Option<(String, bool)>,
    test_model: Option<TestModel>,
}

#[derive(Clone, Debug)]
struct TestModel {
    name: String,
    model: ModelId,
    /// `None` is held in the hand.
    place: Option<(Vec3, angles::Axis)>,
    frame: i32,
    skin: i32,
}

impl TestModels {
    /// Wants another model; an empty name ends the test.
    pub fn request(&mut self, name: &str, is_held: bool) {
        self.test_model = None;
        self.request = (!name.is_empty()).then(|| (name.to_owned(), is_held));
    }

    /// Goes on to another frame or skin, and says which.
    pub fn step(&mut self, step: TestModelStep, output: &mut FrameOutput) {
        let text = match &mut self.test_model {
            Some(test_model) => test_model.step(step),
            None => "no model is being tested; testmodel MODEL begins\n".to_owned(),
        };
        output.printed.push(text);
    }

    pub fn add(&mut self, frame: &mut Frame<'_>) {
        if let Some((name, is_held)) = self.request.take() {
            self.test_model = Some(TestModel::new(name, is_held, frame));
        }
        if let Some(test_model) = &mut self.test_model {
            test_model.add(frame);
        }
    }
}

impl TestModel {
    fn new(name: String, is_held: bool, frame: &mut Frame<'_>) -> Self {
        let view = &frame.view;
        // In the world it faces the player, upright.
        let back = Vec3::new(-view.axis[0].x, -view.axis[0].y, 0.0).normalize_or(Vec3::X);
        let at = view.eye + view.axis[0] * DISTANCE;
        let place = (!is_held).then_some((at, [back, Vec3::Z.cross(back), Vec3::Z]));
        Self {
            model: frame.assets.register_model(&name),
            name,
            place,
            frame: 0,
            skin: 0,
        }
    }

    fn step(&mut self, step: TestModelStep) -> String {
        let (value, by, what) = match step {
            TestModelStep::Frame(by) => (&mut self.frame, by, "frame"),
            TestModelStep::Skin(by) => (&mut self.skin, by, "skin"),
        };
        *value = value.saturating_add(by).max(0);
        format!("{}: {what} {value}\n", self.name)
    }

    fn add(&mut self, frame: &mut Frame<'_>) {
        if let Some(Model::Mesh(mesh)) = frame.assets.model(self.model).map(|model| &**model) {
            let last = mesh.lods[0].mesh.frames.len() as i32 - 1;
            self.frame = self.frame.min(last);
        }
        let (origin, axis, flags) = match self.place {
            Some((origin, axis)) => (origin, axis, EntityFlags::default()),
            None => {
                let [x, y, z] = frame.settings.gun_offset();
                let [forward, left, up] = frame.view.axis;
                let held = EntityFlags {
                    first_person: true,
                    depth_hack: true,
                    ..EntityFlags::default()
                };
                let origin = frame.view.eye + forward * x + left * y + up * z;
                (origin, frame.view.axis, held)
            }
        };
        let mut entity = RefEntity::new(RefEntityKind::Model(self.model), origin);
        entity.axis = axis;
        entity.flags = flags;
        (entity.frame, entity.old_frame) = (self.frame, self.frame);
        entity.skin_num = self.skin;
        frame.add(entity);
    }
}
