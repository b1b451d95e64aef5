//! Case: what it takes to look for the cause of a missed prediction later, as one value.

use super::{
    pull::Pull,
    solid::{Bounds, SolidWorld},
};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{pmove::Settings, triggers::TriggerSettings},
    types::{playerstate::PlayerState, usercmd::Usercmd},
};

/// Everything that a second opinion needs.
#[derive(Clone, Debug)]
pub struct Case {
    /// What was solid when the commands were predicted, and what the server has there now.
    pub predicted_world: SolidWorld,
    pub actual_world: SolidWorld,
    pub settings: Settings<'static>,
    pub triggers: TriggerSettings<'static>,
    pub pull: Pull,
    /// Where the server had the player before these commands, and its time then.
    pub start: PlayerState,
    pub start_time: ServerTime,
    /// No command ended when that state did: the server had cut one short.
    pub is_cut: bool,
    /// The commands between the two snapshots as they ran, oldest first, and what was predicted after each.
    pub steps: Vec<(Usercmd, PlayerState)>,
    /// The size of the player.
    pub bounds: Bounds,
    /// What was predicted in the end, and what the server made of it.
    pub predicted: PlayerState,
    pub actual: PlayerState,
    /// How far movers carried the player afterwards.
    pub carried: Vec3,
}
