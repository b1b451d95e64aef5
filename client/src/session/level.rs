//! One map of a session: from the gamestate through what it needs to the game's view.

use super::{
    FrameContext, Session,
    missing::{missing_map, missing_paks},
    next_map::NextMap,
    screens::Art,
};
use crate::{
    assets::{
        AssetState, Assets,
        source::{OWN_GAME, store_name},
        vfs::Fetched,
    },
    cg::{CGame, FrameInput, GapNote, LinkState, SnapshotArrival},
    cl::{Connection, Feed, PureProof, State, lag::LagWatch},
    con::cvar::Cvars,
    jobs::InFlight,
    output::Output,
    qvm::ModGame,
    settings,
};
use shared::{
    base::{info::Info, time::ClientTime},
    types::{configstring::index, gamestate::Gamestate, servercmd::ServerCommand},
};
use std::sync::Arc;

/// One map as the server began it; dropped at the next gamestate.
#[derive(Clone)]
pub(super) struct LevelState {
    pub(super) gamestate: Arc<Gamestate>,
    pub(super) map: String,
    pub(super) stage: LoadStage,
    pub(super) cgame: Option<CGame>,
    /// A mod's own cgame instead.
    pub(super) module: InFlight<Option<ModGame>>,
    pub(super) snapshots: Vec<SnapshotArrival>,
    pub(super) commands: Vec<ServerCommand>,
    pub(super) is_in_game: bool,
    /// A frame of the game has been drawn.
    pub(super) was_shown: bool,
    /// A recording has begun by itself, or was not to.
    pub(super) was_recorded: bool,
    pub(super) weapon: u8,
    /// Pictures of the loading screen, once the paks are known.
    pub(super) art: Option<Art>,
    /// 0 until the first drawn frame: the mouse is dead before.
    pub(super) sensitivity: f32,
    pub(super) next_map: NextMap,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoadStage {
    /// The directories of all paks are being read.
    Paks,
    /// Map, models, pictures are on their way.
    Media,
    Done,
}

/// Snapshots kept while a level loads; older ones would be skipped anyway.
pub(super) const MAX_WAITING_SNAPSHOTS: usize = 64;
/// Commands kept while a level loads; a server gives up beyond 64 unacknowledged ones.
pub(super) const MAX_WAITING_COMMANDS: usize = 1024;

/// A server that is silent for so long is told of in the game.
const INTERRUPTED_MSEC: i32 = 1000;

impl Session {
    pub(super) fn start_level(
        &mut self,
        gamestate: Arc<Gamestate>,
        cvars: &mut Cvars,
        assets: &mut Assets,
    ) {
        self.end_level(assets, cvars);
        if self.recording.as_ref().is_some_and(|one| one.is_automatic) {
            let ended = self.stop_recording();
            self.recorded.extend(ended);
        }
        self.follow_systeminfo(cvars);
        let serverinfo = Info::parse(gamestate.configstrings.get(index::SERVERINFO));
        let map = serverinfo.get("mapname").to_owned();
        let Some(systeminfo) = self.feed.as_ref().and_then(Feed::systeminfo) else {
            return;
        };
        let games = games(serverinfo.get("gamename"), &systeminfo.game);
        let pure: Vec<i32> = systeminfo.paks.iter().map(|pak| pak.checksum).collect();
        let referenced = systeminfo.referenced_paks.iter().map(|pak| pak.checksum);
        let listed = pure.iter().copied().chain(referenced).collect();
        // A demo's server is far away; any pak that holds its files will do.
        let fetched = match self.is_demo() {
            _ if self.is_own => Fetched::None,
            true => Fetched::Listed(listed),
            false => Fetched::From(store_name(&self.server), listed),
        };
        let pure = (systeminfo.is_pure && !self.is_demo()).then_some(pure);
        let settings = settings::assets();
        self.fetching.start_level();
        let is_other = assets.vfs_mut().set_exact(cvars.is_on("cl_exactContent"));
        if !self.shares_assets
            && (assets.choose_paks(&games, pure, fetched) || is_other || assets.is_crowded())
        {
            assets.reset(settings);
        }
        self.message.clear();
        self.past_prediction = self.prediction();
        self.level = Some(LevelState {
            gamestate,
            map,
            stage: LoadStage::Paks,
            cgame: None,
            module: InFlight(None),
            snapshots: Vec::new(),
            commands: Vec::new(),
            is_in_game: false,
            was_shown: false,
            was_recorded: false,
            weapon: 0,
            art: None,
            sensitivity: 0.0,
            next_map: NextMap::default(),
        });
    }

    pub(super) fn load(
        &mut self,
        now: ClientTime,
        context: &FrameContext,
        cvars: &mut Cvars,
        assets: &mut Assets,
    ) {
        let (Some(level), Some(feed)) = (&mut self.level, &mut self.feed) else {
            return;
        };
        match level.stage {
            // The first picture has the line for itself.
            LoadStage::Done if level.was_shown => {
                assets.load_rest();
                self.load_next_map(now, assets);
            }
            LoadStage::Done => {}
            LoadStage::Paks => {
                let is_fetching = feed.state() < State::Loading;
                if !assets.vfs().is_settled()
                    || is_fetching
                    || self.fetching.must_wait(now)
                    || self.fetch_missing(now, cvars, assets)
                {
                    return;
                }
                let Some(level) = &mut self.level else {
                    return;
                };
                level.art = Some(Art::register(&level.map, assets));
                assets.load_world(&level.map);
                level.stage = LoadStage::Media;
                self.choose_cgame(context.modules.engine.as_ref(), cvars, assets);
            }
            LoadStage::Media => {
                if assets.world_state() == AssetState::Missing {
                    let missing = missing_paks(feed, assets);
                    let accounts = missing.iter().map(|pak| self.fetching.account(pak));
                    self.end = Some(missing_map(&level.map, &accounts.collect::<Vec<_>>()));
                    return;
                }
                if !self.load_module(context, cvars, assets) {
                    return;
                }
                let (Some(level), Some(feed)) = (&mut self.level, &mut self.feed) else {
                    return;
                };
                if assets.awaited() == 0 {
                    level.stage = LoadStage::Done;
                    // Where Strafe's own cgame has taken over, the server knows already.
                    if feed.state() >= State::Primed {
                        return;
                    }
                    self.fetching.level_loaded();
                    let reply = assets.vfs().pure_reply(level.gamestate.checksum_feed);
                    let proof = PureProof {
                        cgame: reply.cgame.unwrap_or(0),
                        ui: reply.ui.unwrap_or(0),
                        referenced: reply.references,
                    };
                    feed.loading_finished(now, &proof);
                }
            }
        }
    }

    pub(super) fn run_game(
        &mut self,
        context: &FrameContext,
        assets: &mut Assets,
        output: &mut Output,
    ) {
        let (Some(level), Some(feed)) = (&mut self.level, &self.feed) else {
            return;
        };
        if level.stage != LoadStage::Done || feed.state() != State::Active {
            return;
        }
        let (Some(cgame), Some(usercmds)) = (&mut level.cgame, feed.usercmd_ring()) else {
            return;
        };
        let muted = self.muted.follow(!level.was_shown, |number| {
            let info = cgame.level().client(i32::try_from(number).ok()?)?;
            Some(info.name.clone())
        });
        let input = FrameInput {
            muted,
            now: context.now,
            time: feed.server_time(),
            snapshots: &level.snapshots,
            commands: &level.commands,
            usercmds,
            provisional: self.provisional,
            actions: &context.actions,
            screen: context.screen,
            is_connection_interrupted: feed.silence_msec(context.now) > INTERRUPTED_MSEC,
            link: LinkState {
                transport: self.transport,
                hops: self.hops,
                input_delay: context.input_delay,
                gap: feed.server().and_then(Connection::lag).and_then(newest_gap),
            },
            settings: &self.settings.game,
        };
        let mut frame = cgame.frame(&input, assets);
        level.snapshots.clear();
        level.commands.clear();
        level.is_in_game = frame.is_in_game;
        level.weapon = frame.weapon;
        level.sensitivity = frame.sensitivity;
        output.scene = std::mem::take(&mut frame.scene);
        self.printed.append(&mut frame.printed);
        self.restarts |= frame.restarts;
        for (old, new, time_offset) in &frame.shader_remaps {
            assets.remap_shader(old, new, *time_offset);
        }
        self.send_commands(frame.server_commands);
    }
}

fn newest_gap(lag: &LagWatch) -> Option<GapNote> {
    lag.gaps().back().map(|gap| GapNote {
        ended_at: gap.at,
        msec: gap.msec,
        cause: gap.cause.name(),
    })
}

/// The game folders of a level, first searched first: the mod, then its base.
pub fn games(gamename: &str, mod_folder: &str) -> Vec<String> {
    let mut games = Vec::new();
    for game in [mod_folder, gamename, "baseq3", "baseoa", OWN_GAME] {
        let game = game.to_ascii_lowercase();
        if !game.is_empty() && !games.contains(&game) {
            games.push(game);
        }
    }
    games
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mods_are_searched_before_their_base() {
        assert_eq!(games("baseoa", ""), ["baseoa", "baseq3", OWN_GAME]);
        assert_eq!(
            games("CPMA", "cpma"),
            ["cpma", "baseq3", "baseoa", OWN_GAME]
        );
    }
}
