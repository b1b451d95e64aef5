//! How long the own view takes to answer: from a key or the mouse to the first frame that shows it.

use super::{
    disk::Disk,
    practice::{Server, map},
};
use client::{
    assets::Assets,
    cg::{
        CGame, FrameInput, FrameOutput, LevelStart, LinkState, Settings, SnapshotArrival,
        timeline::game_static::GameStatic,
    },
    cl::clock::Clock,
    scene::Scene,
};
use glam::Vec3;
use shared::{
    base::{ring::Ring, time::ClientTime},
    cm::ClipMap,
    types::{
        gamestate::Gamestate,
        snapshot::Snapshot,
        usercmd::{USERCMD_BACKUP, Usercmd, UsercmdRing},
    },
};
use std::{collections::VecDeque, sync::Arc};

/// The display of the measurement: 125 Hz.
pub const FRAME_MSEC: i32 = 8;
const SNAPSHOT_MSEC: i32 = 50;
const MAP: &str = "oa_dm4";

/// A map that is ready to be played.
pub struct Range {
    pub assets: Assets,
    pub clip: Arc<ClipMap>,
    pub start: [f32; 3],
    pub gamestate: Gamestate,
}

/// Milliseconds until the view answered; 0 is the frame that took the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// A walk that a key began.
    pub walk_msec: i32,
    /// A turn by the mouse.
    pub turn_msec: i32,
}

impl Range {
    pub fn new() -> Self {
        let (clip, start) = map(MAP);
        let (mut disk, mut assets) = Disk::assets();
        disk.serve(&mut assets);
        assets.load_world(MAP);
        disk.serve(&mut assets);
        let mut gamestate = Gamestate::default();
        let serverinfo = format!("\\mapname\\{MAP}\\gamename\\baseoa");
        for (index, text) in [(0, serverinfo.as_str()), (20, "baseoa-1")] {
            gamestate
                .configstrings
                .set(index, text)
                .expect("the strings fit");
        }
        Self {
            assets,
            clip,
            start,
            gamestate,
        }
    }

    /// Stands still, walks and turns at `input_at`, and waits for the first frames that show it.
    pub fn measure(&mut self, one_way_msec: i32, predicts: bool, input_at: i32) -> Answer {
        let settings = Settings {
            no_predict: !predicts,
            ..Settings::default()
        };
        let level = GameStatic::new(&self.gamestate);
        let mut server = Server::new(&self.clip, &level, self.start);
        let mut player = DistantPlayer::new(self, settings, one_way_msec);
        let mut before: Option<(Vec3, Vec3)> = None;
        let mut answer: [Option<i32>; 2] = [None; 2];
        for now in 1001..input_at + 3000 {
            while let Some(command) = player.poll_usercmd(now) {
                server.execute(command);
            }
            if now % SNAPSHOT_MSEC == 0 {
                player.send(now, server.snapshot(now));
            }
            let has_begun = now >= input_at;
            let command = Usercmd {
                forward_move: if has_begun { 127 } else { 0 },
                angles: [0, if has_begun { 2000 } else { 0 }, 0],
                weapon: 2,
                ..Usercmd::default()
            };
            let output = player.frame(now, command, &mut self.assets);
            let Some(eye) = output.and_then(|output| eye(&output.scene)) else {
                continue;
            };
            if !has_begun {
                before = Some(eye);
                continue;
            }
            let (place, forward) = before.expect("the player stood there before");
            let msec = now - first_frame(input_at);
            let has_walked = (eye.0 - place).truncate().length() > 0.01;
            let has_turned = eye.1.distance(forward) > 0.01;
            for (answer, is_shown) in answer.iter_mut().zip([has_walked, has_turned]) {
                if is_shown {
                    answer.get_or_insert(msec);
                }
            }
            if let [Some(walk_msec), Some(turn_msec)] = answer {
                return Answer {
                    walk_msec,
                    turn_msec,
                };
            }
        }
        panic!("the view never answered: {answer:?}");
    }
}

/// The view of a player on a line of a certain length: usercmds go up, snapshots come down, frames are shown.
pub struct DistantPlayer {
    cgame: CGame,
    settings: Settings,
    one_way_msec: i32,
    clock: Option<Clock>,
    upstream: VecDeque<(i32, Usercmd)>,
    downstream: VecDeque<(i32, Snapshot)>,
    arrived: Vec<SnapshotArrival>,
    usercmds: UsercmdRing,
}

impl DistantPlayer {
    pub fn new(range: &mut Range, settings: Settings, one_way_msec: i32) -> Self {
        let start = LevelStart {
            gamestate: &range.gamestate,
            is_demo: false,
        };
        Self {
            cgame: CGame::new(&start, &settings, &mut range.assets),
            settings,
            one_way_msec,
            clock: None,
            upstream: VecDeque::new(),
            downstream: VecDeque::new(),
            arrived: Vec::new(),
            usercmds: Ring::new(USERCMD_BACKUP),
        }
    }

    /// A usercmd that has come to the server by now.
    pub fn poll_usercmd(&mut self, now: i32) -> Option<Usercmd> {
        let arrived = self.upstream.pop_front_if(|(at, _)| *at <= now);
        arrived.map(|(_, command)| command)
    }

    /// The server sends a snapshot.
    pub fn send(&mut self, now: i32, snapshot: Snapshot) {
        let arrives = now + self.one_way_msec;
        self.downstream.push_back((arrives, snapshot));
    }

    /// Shows a frame if one is due and a snapshot has come; `command` gets its time.
    pub fn frame(
        &mut self,
        now: i32,
        mut command: Usercmd,
        assets: &mut Assets,
    ) -> Option<FrameOutput> {
        while let Some((_, snapshot)) = self.downstream.pop_front_if(|(at, _)| *at <= now) {
            let time = snapshot.server_time;
            self.clock
                .get_or_insert_with(|| Clock::start(ClientTime(now), time))
                .handle_snapshot(time);
            self.arrived.push(SnapshotArrival {
                snapshot: Arc::new(snapshot),
                ping_msec: 2 * self.one_way_msec,
            });
        }
        let clock = self.clock.as_mut().filter(|_| now % FRAME_MSEC == 0)?;
        clock.frame(ClientTime(now), 0);
        command.server_time = clock.server_time();
        self.usercmds.push(command);
        self.upstream.push_back((now + self.one_way_msec, command));
        let input = FrameInput {
            muted: 0,
            now: ClientTime(now),
            time: command.server_time,
            snapshots: &self.arrived,
            commands: &[],
            usercmds: &self.usercmds,
            provisional: None,
            actions: &[],
            screen: [1280.0, 720.0],
            is_connection_interrupted: false,
            link: LinkState::default(),
            settings: &self.settings,
        };
        let output = self.cgame.frame(&input, assets);
        self.arrived.clear();
        Some(output)
    }
}

/// The frame that takes what came in at this time.
fn first_frame(input_at: i32) -> i32 {
    (input_at + FRAME_MSEC - 1) / FRAME_MSEC * FRAME_MSEC
}

/// Where the view is, and where it looks.
fn eye(scene: &Scene) -> Option<(Vec3, Vec3)> {
    let view = scene.views.first()?;
    Some((view.eye, view.axis[0]))
}
