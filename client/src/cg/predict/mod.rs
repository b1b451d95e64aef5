//! Predict: where the player is now, ahead of the server, and what is solid around him.
//!
//! It reads the timeline; what comes of it is one value, the [`PredictedView`].

pub mod case;
pub mod correct;
pub mod misses;
pub mod missile_bursts;
pub mod missile_lead;
pub mod other_players;
pub mod predictor;
mod pull;
pub mod rules;
pub mod solid;

use super::{
    angles,
    io::FrameInput,
    settings::Settings,
    timeline::{
        GameEvent, Timeline,
        entities::CEntity,
        game_static::{GameStatic, Profile as Game},
    },
};
use crate::assets::Assets;
use glam::Vec3;
use misses::{Miss, PredictionStats};
use missile_bursts::PredictedBursts;
use missile_lead::{LedMissile, lead_missiles};
use other_players::{LatencyEstimate, LedPlayer, lead_players};
use predictor::{PredictInput, Predictor};
use rules::{MoveRules, VariantChoice, clip_rounding};
use shared::{
    base::time::ServerTime,
    bg::pmove,
    cm::ClipMap,
    types::{configstring::index, playerstate::PlayerState},
};
use solid::SolidWorld;
use std::sync::Arc;

/// The local player as shown.
#[derive(Clone, Debug, Default)]
pub struct PredictedView {
    pub player: PlayerState,
    /// The same as an entity: the own body in mirrors and third person.
    pub entity: CEntity,
    /// Where he is seen from there, while a correction fades.
    pub offset: Vec3,
    /// Inside a teleporter: nothing is drawn until the server has answered.
    pub is_in_hyperspace: bool,
    /// He is somewhere or somebody else since the last frame.
    pub has_jumped: bool,
}

/// What a frame of prediction tells beside the view.
#[derive(Debug, Default)]
pub struct Progress {
    /// The player as shown before, where he was predicted.
    pub before: Option<PlayerState>,
    /// An abrupt change of his place is dealt with.
    pub has_landed: bool,
    /// Items that are taken already, as far as one can predict.
    pub taken: Vec<i32>,
    pub misses: Vec<Miss>,
    /// Usercmds are missing: the last state stays on the screen.
    pub is_frozen: bool,
}

/// Moves the local player ahead of the server.
#[derive(Clone, Debug)]
pub struct Predict {
    predictor: Predictor,
    view: PredictedView,
    has_map: bool,
    latency: LatencyEstimate,
    /// Shown before the server has told of them.
    bursts: PredictedBursts,
}

impl Predict {
    pub fn new(level: &GameStatic) -> Self {
        Self {
            predictor: Predictor::new(MoveRules::new(level), VariantChoice::new(level)),
            view: PredictedView::default(),
            has_map: false,
            latency: LatencyEstimate::default(),
            bursts: PredictedBursts::default(),
        }
    }

    /// Takes the map as soon as it is here; true if it has just come.
    pub fn take_map(&mut self, level: &GameStatic, assets: &Assets) -> bool {
        let Some(bsp) = assets.world().filter(|_| !self.has_map) else {
            return false;
        };
        // A defective map was already told by the assets; then nothing is solid.
        let clip = ClipMap::with_rounding(bsp, clip_rounding(level));
        self.predictor.world.clip = clip.ok().map(Arc::new);
        self.predictor.reset();
        self.has_map = self.predictor.world.has_map();
        true
    }

    /// A string of the level changed.
    pub fn set_configstring(&mut self, number: usize, level: &GameStatic) {
        if matches!(number, index::SERVERINFO | index::SYSTEMINFO) {
            self.predictor.rules = MoveRules::new(level);
            if level.profile == Game::RatMod && !self.predictor.choice.chosen().rules.ratmod {
                self.predictor.choice = VariantChoice::new(level);
            }
            self.predictor.reset();
        }
    }

    /// The match begins again.
    pub fn restart(&mut self) {
        self.predictor.reset();
    }

    /// The first snapshot is shown.
    pub fn begin(&mut self, player: &PlayerState) {
        self.view.player = player.clone();
    }

    /// Where missiles are shown.
    pub fn lead_missiles(
        &self,
        timeline: &Timeline,
        settings: &Settings,
        now: ServerTime,
    ) -> Vec<LedMissile> {
        let others_msec = self.others_msec(timeline, settings);
        lead_missiles(timeline, &self.predictor.world, settings, now, others_msec)
    }

    /// Where the other players are shown, if they are predicted.
    pub fn lead_players(
        &mut self,
        timeline: &Timeline,
        settings: &Settings,
        now: ServerTime,
    ) -> Vec<LedPlayer> {
        let ping_msec = timeline.lagometer().newest_ping_msec();
        let newest = timeline.snapshots().newest_time();
        self.latency.note(ping_msec, newest, now);
        match self.others_msec(timeline, settings) {
            Some(lead_msec) => lead_players(timeline, &self.predictor, now, lead_msec),
            None => Vec::new(),
        }
    }

    /// The bursts of missiles of this frame that are new.
    pub fn predict_bursts(
        &mut self,
        timeline: &Timeline,
        led: &[LedMissile],
        now: ServerTime,
    ) -> Vec<GameEvent> {
        self.bursts.predict(timeline, led, now)
    }

    /// Missiles that have burst and are not to be drawn.
    pub fn burst_missiles(&self) -> Vec<i32> {
        self.bursts.hidden()
    }

    /// Whether the server tells of a burst that was shown already; it is confirmed then.
    pub fn confirm_burst(&mut self, event: &GameEvent) -> bool {
        self.bursts.confirm(event)
    }

    /// How far ahead of the shown time others are shown, if they are predicted.
    fn others_msec(&self, timeline: &Timeline, settings: &Settings) -> Option<i32> {
        let is_wanted = settings.predict_others && !timeline.is_demo();
        let frame_msec = timeline.level().server_frame_msec();
        (is_wanted && self.predictor.world.has_map()).then(|| self.latency.lead_msec(frame_msec))
    }

    /// Moves the local player to the shown time: predicted, or interpolated where nothing can be predicted.
    pub fn run(
        &mut self,
        timeline: &Timeline,
        input: &FrameInput<'_>,
        now: ServerTime,
    ) -> Progress {
        self.view.is_in_hyperspace = false;
        let progress = if timeline.predicts(input.settings) && self.predictor.world.has_map() {
            self.run_prediction(timeline, input, now)
        } else {
            self.interpolate(timeline, input, now)
        };
        self.view.has_jumped = progress.has_landed;
        let decay_msec = input.settings.error_decay_msec;
        self.view.offset = self.predictor.correction.left(now, decay_msec);
        progress
    }

    fn interpolate(
        &mut self,
        timeline: &Timeline,
        input: &FrameInput<'_>,
        now: ServerTime,
    ) -> Progress {
        let takes_angles = timeline.is_demo() || timeline.is_following();
        let Some(mut player) = interpolated_player(timeline, now, takes_angles) else {
            return Progress::default();
        };
        let newest = input.provisional.as_ref().or(input.usercmds.newest());
        if let (Some(command), false) = (newest, takes_angles) {
            pmove::update_view_angles(&mut player, command);
        }
        self.predictor.reset();
        // Traces of effects need the solid entities even when nothing is predicted.
        if let Some(base) = timeline.snapshots().base() {
            self.predictor.world.rebuild(base);
        }
        self.view.player = player;
        Progress {
            has_landed: timeline.snapshots().this_teleport,
            ..Progress::default()
        }
    }

    fn run_prediction(
        &mut self,
        timeline: &Timeline,
        input: &FrameInput<'_>,
        now: ServerTime,
    ) -> Progress {
        let (snapshots, settings) = (timeline.snapshots(), input.settings);
        let Some(base) = snapshots.base() else {
            return Progress::default();
        };
        let predict_input = PredictInput {
            base,
            passed: timeline.passed(),
            usercmds: input.usercmds,
            provisional: input.provisional,
            now,
            is_abrupt: snapshots.this_teleport,
            predict_items: settings.predict_items,
            latency_msec: timeline.lagometer().newest_ping_msec().unwrap_or(0),
            waits_for_round: waits_for_round(timeline, now),
            keeps_results: settings.keeps_predicted,
            error_decay_msec: settings.error_decay_msec,
            explains: settings.show_miss > 0 || settings.draw_ghosts,
        };
        let Some(predicted) = self.predictor.run(&predict_input) else {
            return Progress {
                is_frozen: true,
                ..Progress::default()
            };
        };
        self.view.is_in_hyperspace = predicted.is_in_hyperspace;
        Progress {
            before: Some(std::mem::replace(&mut self.view.player, predicted.player)),
            has_landed: predicted.is_compared && snapshots.this_teleport,
            taken: predicted.taken,
            misses: predicted.misses,
            is_frozen: false,
        }
    }

    /// The own body follows the shown playerstate, once what is new about that is shown.
    pub fn update_entity(&mut self) {
        let PredictedView {
            player,
            entity,
            has_jumped,
            ..
        } = &mut self.view;
        let before = entity.current.number;
        entity.follow_player(player);
        *has_jumped |= entity.current.number != before;
    }

    pub fn view(&self) -> &PredictedView {
        &self.view
    }

    /// The solid side of the level as prediction sees it.
    pub fn world(&self) -> &SolidWorld {
        &self.predictor.world
    }

    /// The player after the usercmd that made an event, by the event's number.
    pub fn at_event(&self, number: i32) -> Option<&PlayerState> {
        self.predictor.at_event(number)
    }

    /// How well movement was predicted so far.
    pub fn stats(&self) -> &PredictionStats {
        &self.predictor.stats
    }

    /// The same, for whoever finds the cause of a miss.
    pub fn stats_mut(&mut self) -> &mut PredictionStats {
        &mut self.predictor.stats
    }
}

/// A round of RatMod has not begun, so that nothing is taken.
fn waits_for_round(timeline: &Timeline, now: ServerTime) -> bool {
    let level = timeline.level();
    let begins = timeline.team_info().round_start;
    level.has_rounds() && level.warmup == 0 && now.is_before(begins)
}

/// The playerstate between the two snapshots; all but place and view comes from the older one.
pub fn interpolated_player(
    timeline: &Timeline,
    now: ServerTime,
    with_angles: bool,
) -> Option<PlayerState> {
    let snap = timeline.snap()?;
    let mut player = snap.player.clone();
    let snapshots = timeline.snapshots();
    let Some(next) = snapshots.next.as_ref().filter(|_| !snapshots.next_teleport) else {
        return Some(player);
    };
    let fraction = snapshots.fraction(now);
    let to = &next.player;
    player.origin = player.origin.lerp(to.origin, fraction);
    player.velocity = player.velocity.lerp(to.velocity, fraction);
    if with_angles {
        player.view_angles = angles::lerp_angles(player.view_angles, to.view_angles, fraction);
    }
    let bob_to = if to.bob_cycle < player.bob_cycle {
        to.bob_cycle + 256
    } else {
        to.bob_cycle
    };
    player.bob_cycle += (fraction * (bob_to - player.bob_cycle) as f32) as i32;
    Some(player)
}
