//! Pipelines and images of what has been loaded, made ready before a picture needs them.

use super::Renderer;
use super::materials;
use super::pipeline_key::PipelineKey;
use crate::assets::Assets;
use crate::scene::ShaderId;

/// Which materials have been made ready for the GPU.
#[derive(Debug, Default)]
pub struct WarmUp {
    /// Materials registered so far.
    known: u32,
    cold: Vec<ShaderId>,
    /// Pipelines that the first picture seldom needs; they wait until the game runs.
    later: Vec<PipelineKey>,
    /// Of these what only maps with fog need, while the map has none.
    fogs: Vec<PipelineKey>,
    /// Frames of the game.
    frame: u32,
}

/// Where pipelines are made on the frame's own thread: in every so many frames one that a picture lacked. In the frame
/// between, drivers do their part, which they put off until something is drawn with it.
const MISSED_EVERY: u32 = 2;
/// The same for one that no picture has lacked yet.
const EXPECTED_EVERY: u32 = 4;

impl Renderer {
    /// Makes pipelines and uploads images of what has been loaded, so that it need not happen while playing: as much
    /// as there is behind a loading screen, a little in every other frame.
    pub(super) fn warm_up(&mut self, assets: &Assets, is_loading: bool) {
        let mut budget = if is_loading { 64 } else { 2 };
        let all = assets.shader_count() as u32;
        self.warm_up
            .cold
            .extend((self.warm_up.known..all).map(ShaderId));
        self.warm_up.known = all;
        let Self {
            pipelines,
            textures,
            warm_up,
            world,
            ..
        } = self;
        let has_fog = world.as_ref().is_some_and(|world| !world.fogs.is_empty());
        pipelines.prepare(materials::wipe_key());
        let mut later = std::mem::take(&mut warm_up.later);
        if has_fog {
            later.append(&mut warm_up.fogs);
        }
        while budget > 0 && !is_loading {
            let Some(key) = later.pop() else { break };
            if key.needs_fog() && !has_fog {
                warm_up.fogs.push(key);
                continue;
            }
            budget -= usize::from(pipelines.prepare(key));
        }
        warm_up.cold.retain(|&shader| {
            let Some(material) = assets.shader(shader).filter(|_| budget > 0) else {
                return true;
            };
            let mut keys = materials::likely_keys(material);
            // Where all is made on this thread, what may halt a frame is made behind the loading screen.
            let occasional = materials::occasional_keys(material).into_iter();
            let (ahead, patient): (Vec<_>, Vec<_>) =
                occasional.partition(|key| !key.is_instanced && pipelines.makes_at_once());
            keys.extend(ahead);
            let made = keys.iter().filter(|key| pipelines.prepare(**key)).count();
            let uploaded = textures.len();
            for image in material.images() {
                textures.slot(assets, image);
            }
            let waits = assets.complete_shader(shader).is_none();
            budget -= (made + textures.len() - uploaded).min(budget);
            if !waits {
                later.extend(patient);
            }
            waits
        });
        warm_up.later = later;
    }

    /// Makes a pipeline while the first load waits for files: what is made now halts no frame of the game.
    pub(super) fn make_pipeline_while_loading(&mut self, assets: &Assets) {
        if !assets.has_arrivals() {
            self.pipelines.make_usual();
        }
    }

    /// Makes a pipeline that was put off, if it is time for one; for the next frame, since this one is drawn.
    pub(super) fn make_put_off_pipeline(&mut self) {
        let frame = self.warm_up.frame.wrapping_add(1);
        self.warm_up.frame = frame;
        if frame.is_multiple_of(MISSED_EVERY) {
            let has_time = frame.is_multiple_of(EXPECTED_EVERY);
            self.pipelines.make_one(has_time);
        }
    }
}
