//! Frame: the picture and the sounds being put together, and what everybody needs for it.

use crate::cg::{
    angles::{self, Axis},
    io::{FrameInput, FrameOutput},
    predict::{Predict, PredictedView, solid::SolidWorld},
    settings::Settings,
    timeline::{Timeline, entities::CEntity, game_static::GameStatic},
};
use crate::{
    assets::{Assets, model::Model},
    scene::{
        Draw2d, DynamicLight, ModelId, RefEntity, RefEntityKind, Refdef, ShaderId, SoundId,
        SoundScene,
        sound::{SoundLoop, SoundOrigin, SoundStart},
    },
};
use glam::Vec3;
use shared::base::time::ServerTime;
use shared::{
    bg::{random::Random, ruleset::dmflags},
    formats::md3::Tag,
    types::limits,
};

/// Channels of sounds; they only say who never gives way to others: the announcer.
pub mod channel {
    pub const AUTO: u8 = 0;
    pub const WEAPON: u8 = 2;
    pub const VOICE: u8 = 3;
    pub const ITEM: u8 = 4;
    pub const BODY: u8 = 5;
    pub const LOCAL_SOUND: u8 = 6;
    pub const ANNOUNCER: u8 = 7;
}

/// The picture and the sounds of one frame as far as they are made.
#[derive(Debug)]
pub struct Picture<'a> {
    pub input: &'a FrameInput<'a>,
    pub assets: &'a mut Assets,
    pub view: Refdef,
    /// Flat pictures over the view.
    pub flares: Vec<Draw2d>,
    /// Views that are drawn over the flat pictures.
    pub figures: Vec<Refdef>,
    pub sound: SoundScene,
    pub is_third_person: bool,
    pub random: Random,
    pub output: FrameOutput,
}

impl Picture<'_> {
    /// The frame at one moment of the timeline.
    pub fn frame<'f>(
        &'f mut self,
        now: ServerTime,
        timeline: &'f Timeline,
        predict: &'f Predict,
    ) -> Frame<'f> {
        let (level, settings) = (timeline.level(), self.input.settings);
        Frame {
            now,
            msec: 0,
            number: 0,
            input: self.input,
            settings,
            assets: self.assets,
            timeline,
            level,
            predict,
            predicted: predict.view(),
            world: predict.world(),
            predicts: timeline.predicts(settings),
            viewed_client: timeline.viewed_client(),
            hides_invisible: level.profile.is_open_arena()
                && level.dm_flags & dmflags::INVISIBLE != 0,
            view: &mut self.view,
            flares: &mut self.flares,
            sound: &mut self.sound,
            is_third_person: &mut self.is_third_person,
            random: &mut self.random,
            output: &mut self.output,
        }
    }
}

/// What one frame is made from and what it is made into, at one moment of the timeline.
#[derive(Debug)]
pub struct Frame<'a> {
    /// Server time that is shown, in milliseconds.
    pub now: ServerTime,
    /// Milliseconds since the frame before; never negative.
    pub msec: i32,
    /// Counts frames.
    pub number: u32,
    pub input: &'a FrameInput<'a>,
    pub settings: &'a Settings,
    pub assets: &'a mut Assets,
    pub timeline: &'a Timeline,
    pub level: &'a GameStatic,
    pub predict: &'a Predict,
    pub predicted: &'a PredictedView,
    pub world: &'a SolidWorld,
    /// The own movement is computed here.
    pub predicts: bool,
    /// Whom one looks through.
    pub viewed_client: i32,
    /// The server wants the invisible not to shimmer.
    pub hides_invisible: bool,
    pub view: &'a mut Refdef,
    pub flares: &'a mut Vec<Draw2d>,
    pub sound: &'a mut SoundScene,
    pub is_third_person: &'a mut bool,
    pub random: &'a mut Random,
    pub output: &'a mut FrameOutput,
}

impl<'a> Frame<'a> {
    /// Whom one looks through, or another player, as an entity.
    pub fn entity(&self, number: i32) -> Option<&'a CEntity> {
        match number == self.viewed_client {
            true => Some(&self.predicted.entity),
            false => self.timeline.entity(number),
        }
    }
}

impl Frame<'_> {
    pub fn add(&mut self, entity: RefEntity) {
        self.view.entities.push(entity);
    }

    /// Adds what belongs to a team; a shell brings the color over it that the player chose for that.
    pub fn add_of_team(&mut self, shell: ShaderId, thing: RefEntity, side: i32) {
        /// More than on players, whom one wants to tell from each other.
        const ALPHA: f32 = 0.85;
        if let Some([r, g, b]) = self.settings.chosen_team_color(side) {
            self.add(RefEntity {
                custom_shader: Some(shell),
                custom_skin: None,
                color: [r, g, b, ALPHA].map(|part| (part * 255.0) as u8),
                ..thing.clone()
            });
        }
        self.add(thing);
    }

    pub fn add_light(&mut self, origin: Vec3, radius: f32, color: [f32; 3]) {
        if radius > 0.0 {
            self.view.lights.push(DynamicLight {
                origin,
                radius,
                color,
                additive: false,
            });
        }
    }

    /// A sound that moves with an entity.
    pub fn start_on(&mut self, entity_num: i32, channel: u8, sound: impl Into<Option<SoundId>>) {
        self.start(SoundOrigin::Entity, entity_num, channel, sound);
    }

    /// A sound that stays where it began.
    pub fn start_at(
        &mut self,
        origin: Vec3,
        entity_num: i32,
        channel: u8,
        sound: impl Into<Option<SoundId>>,
    ) {
        self.start(SoundOrigin::Fixed(origin), entity_num, channel, sound);
    }

    /// A sound at the listener's own ear.
    pub fn start_local(&mut self, channel: u8, sound: impl Into<Option<SoundId>>) {
        self.start(SoundOrigin::Local, self.viewed_client, channel, sound);
    }

    fn start(
        &mut self,
        place: SoundOrigin,
        entity_num: i32,
        channel: u8,
        sound: impl Into<Option<SoundId>>,
    ) {
        let start = |sound| SoundStart {
            sound,
            place,
            entity_num: sound_entity(entity_num),
            channel,
        };
        self.sound.starts.extend(sound.into().map(start));
    }

    /// A sound as long as it is asked for in every frame.
    pub fn add_loop(&mut self, entity_num: i32, origin: Vec3, velocity: Vec3, sound: SoundId) {
        self.push_loop(entity_num, origin, velocity, sound, false);
    }

    /// The loop of a speaker or another part of the map.
    pub fn add_ambient_loop(&mut self, entity_num: i32, origin: Vec3, sound: SoundId) {
        self.push_loop(entity_num, origin, Vec3::ZERO, sound, true);
    }

    fn push_loop(
        &mut self,
        entity_num: i32,
        origin: Vec3,
        velocity: Vec3,
        sound: SoundId,
        is_ambient: bool,
    ) {
        self.sound.loops.push(SoundLoop {
            sound,
            entity_num: sound_entity(entity_num),
            origin,
            velocity,
            is_ambient,
        });
    }

    /// Where the sounds that follow an entity are heard from now on.
    pub fn place_sound(&mut self, entity_num: i32, origin: Vec3) {
        self.sound
            .positions
            .push((sound_entity(entity_num), origin));
    }

    /// 0 to 1 by chance.
    pub fn chance(&mut self) -> f32 {
        self.random.uniform()
    }

    /// One of some by chance.
    pub fn one_of<T: Copy, const N: usize>(&mut self, all: [T; N]) -> T {
        all[self.random.below(N)]
    }

    /// The light of a powerup or muzzle flickers a little.
    pub fn flicker(&mut self) -> f32 {
        self.random.below(32) as f32
    }

    /// A tag of a model between two frames, if the model is here and has it.
    pub fn tag(
        &self,
        model: ModelId,
        old_frame: i32,
        frame: i32,
        backlerp: f32,
        name: &str,
    ) -> Option<Tag> {
        let Model::Mesh(mesh) = &**self.assets.model(model)? else {
            return None;
        };
        let index = |frame: i32| usize::try_from(frame).unwrap_or(0);
        mesh.lods
            .first()?
            .mesh
            .lerp_tag(index(old_frame), index(frame), 1.0 - backlerp, name)
    }

    /// The box of a model's first frame.
    pub fn bounds(&self, model: ModelId) -> Option<(Vec3, Vec3)> {
        bounds(self.assets, model)
    }

    /// Puts `child` on a tag of `parent`, turned by its own axis; without the tag it sits at the parent's origin.
    pub fn attach(
        &self,
        child: &mut RefEntity,
        parent: &RefEntity,
        parent_model: ModelId,
        name: &str,
    ) {
        let tag = self.tag(
            parent_model,
            parent.old_frame,
            parent.frame,
            parent.backlerp,
            name,
        );
        let (origin, axis) =
            tag.map_or((Vec3::ZERO, angles::UPRIGHT), |tag| (tag.origin, tag.axis));
        child.origin = parent.origin + angles::to_world(origin, &parent.axis);
        let turned: Axis = angles::multiply(&child.axis, &axis);
        child.axis = angles::multiply(&turned, &parent.axis);
        child.backlerp = parent.backlerp;
    }
}

/// The box of a model's first frame.
pub fn bounds(assets: &Assets, model: ModelId) -> Option<(Vec3, Vec3)> {
    match &**assets.model(model)? {
        Model::Mesh(mesh) => mesh
            .lods
            .first()?
            .mesh
            .frames
            .first()
            .map(|frame| (frame.mins, frame.maxs)),
        Model::Brush(number) => {
            let model = assets.world()?.models.get(*number)?;
            Some((model.mins, model.maxs))
        }
    }
}

/// A picture in the world that faces the viewer.
pub fn sprite(at: Vec3, radius: f32, shader: ShaderId) -> RefEntity {
    let kind = RefEntityKind::Sprite {
        radius,
        rotation_deg: 0.0,
    };
    let mut sprite = RefEntity::new(kind, at);
    sprite.custom_shader = Some(shader);
    sprite
}

/// A model at the place of what it is to hang on, seen by the same eyes and lit by the same light.
pub fn part_of(whole: &RefEntity, model: ModelId) -> RefEntity {
    let mut part = RefEntity::new(RefEntityKind::Model(model), whole.origin);
    part.flags = whole.flags;
    part.lighting_origin = whole.lighting_origin;
    part
}

/// Sounds of nobody belong to the number that stands for nothing.
fn sound_entity(entity_num: i32) -> u16 {
    u16::try_from(entity_num).unwrap_or(limits::ENTITYNUM_NONE as u16)
}

/// 0 to 1 each to bytes.
pub fn rgba(color: Vec3) -> [u8; 4] {
    let [r, g, b] = color
        .to_array()
        .map(|part| (part.clamp(0.0, 1.0) * 255.0) as u8);
    [r, g, b, 255]
}
