//! Plays without window and GPU for a while, and reports what came of it in one line of JSON.

use super::terminal;
use crate::{
    app::{App, StartOptions, wake::Wake},
    cl::State,
    client::Status,
    event::Event,
    scene::Scene,
};
use shared::base::time::ClientTime;
use std::{process::ExitCode, time::Duration};

/// What the simulated player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Play {
    /// Stands still.
    Idle,
    /// Runs forward and turns slowly.
    Walk,
    /// Runs, jumps, turns and shoots without plan.
    Random,
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub seconds: f64,
    pub prints_json: bool,
    pub play: Play,
    /// Watches this player instead of playing.
    pub follow: Option<String>,
}

/// The originals' usual rate: commands of 8 ms.
const FRAME_MSEC: u64 = 8;

/// Plays as planned; good is who reached the game and is still in it.
pub fn run(options: StartOptions, plan: Plan) -> Result<ExitCode, String> {
    let mut app = App::start(options, Wake::default())?;
    let mut player = Player {
        play: plan.play,
        random: 1,
        held: Vec::new(),
    };
    let mut active_since = None;
    let mut follower = Follower {
        name: plan.follow,
        ..Follower::default()
    };
    let mut errors = Vec::new();
    app.push(Event::Resized {
        width: 1280,
        height: 720,
    });
    while app.clock.now_exact() < plan.seconds * 1000.0 && !app.wants_quit() {
        let was_active = active_since.is_some();
        let _: Scene = app.frame().scene;
        let status = app.client.status();
        if status.state == State::Active {
            active_since.get_or_insert(app.clock.now());
            player.play(&mut app);
            follower.follow(&mut app, &status);
        }
        if let Some(error) = status.error.filter(|error| !errors.contains(error)) {
            errors.push(error);
        }
        if was_active && app.client.status().session.is_none() {
            break;
        }
        std::thread::sleep(Duration::from_millis(FRAME_MSEC));
    }
    let status = app.client.status();
    if plan.prints_json {
        let mut report = report(&status, active_since, app.clock.now(), &errors);
        if let Some(name) = &follower.name {
            report["followed"] = name.as_str().into();
            report["travelled"] = follower.travelled.into();
        }
        terminal::show_json(&report);
    }
    let is_good = status.state == State::Active && errors.is_empty();
    app.leave();
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn report(
    status: &Status,
    active_since: Option<ClientTime>,
    now: ClientTime,
    errors: &[String],
) -> serde_json::Value {
    let seconds = active_since.map_or(0.0, |since| f64::from(now - since) / 1000.0);
    let mut report = serde_json::json!({
        "state": status.state.to_string(),
        "map": status.map,
        "seconds": seconds,
        "errors": errors,
    });
    if let Some(session) = &status.session {
        let stats = &session.stats;
        let faults = stats.faults.iter().chain(errors).collect::<Vec<_>>();
        let more = serde_json::json!({
            "protocol": session.protocol,
            "pure": session.is_pure,
            "module": session.runs_module,
            "snapshots": stats.snapshots,
            "snapshots_lost": stats.messages_lost + stats.snapshots_without_base,
            "packets_sent": stats.packets_sent,
            "packets_received": stats.packets_received,
            "usercmds": stats.usercmds,
            "ping_ms": stats.ping_msec,
            "reliable_commands": session.reliable_commands,
            "origin": session.origin,
            "predicted": session.prediction.predicted,
            "exact": session.prediction.exact,
            "missed": session.prediction.missed,
            "max_error": session.prediction.max_error,
            "causes": session.prediction.causes,
            "steps_run": session.prediction.steps_run,
            "steps_kept": session.prediction.steps_kept,
            "others": session.smoothness,
            "frozen": session.prediction.frozen,
            "line_lost": session.lines.map(|line| line.lost),
            "line_held_back": session.lines.map(|line| line.held_back),
            "errors": faults,
        });
        if let (Some(report), serde_json::Value::Object(more)) = (report.as_object_mut(), more) {
            report.extend(more);
        }
    }
    report
}

/// Presses keys and moves the mouse.
struct Player {
    play: Play,
    random: u32,
    held: Vec<&'static str>,
}

impl Player {
    fn play(&mut self, app: &mut App) {
        if self.play == Play::Idle {
            return;
        }
        let at = app.clock.now();
        self.hold(app, "forward", true);
        app.push(Event::MouseMotion {
            dx: 2.0,
            dy: 0.0,
            at,
        });
        if self.play == Play::Walk {
            return;
        }
        let chance = self.chance();
        let is_down = chance & 64 != 0;
        match chance % 40 {
            0 => app.push(Event::MouseMotion {
                dx: ((chance >> 3) % 2000) as f32 - 1000.0,
                dy: 0.0,
                at,
            }),
            1..4 => self.hold(app, "attack", is_down),
            4..7 => self.hold(app, "moveup", is_down),
            7..9 => self.hold(app, "moveleft", is_down),
            9 => self.hold(app, "back", is_down),
            _ => {}
        }
    }

    fn hold(&mut self, app: &mut App, action: &'static str, is_down: bool) {
        let is_held = self.held.contains(&action);
        if is_held == is_down {
            return;
        }
        if is_down {
            self.held.push(action);
        } else {
            self.held.retain(|held| *held != action);
        }
        let sign = if is_down { '+' } else { '-' };
        app.push(Event::Command(format!("{sign}{action}\n")));
    }

    fn chance(&mut self) -> u32 {
        self.random = self
            .random
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        self.random >> 16
    }
}

/// Watches one player and adds up how far that player moves.
#[derive(Default)]
struct Follower {
    name: Option<String>,
    asked_at: Option<ClientTime>,
    asks: u32,
    last_origin: Option<[f32; 3]>,
    travelled: f32,
    /// Whoever started the program may wait until the player is watched.
    is_told: bool,
}

impl Follower {
    fn follow(&mut self, app: &mut App, status: &Status) {
        /// Servers refuse commands that come faster.
        const MSEC_BETWEEN_COMMANDS: i32 = 1500;
        /// A longer way between two frames is a respawn or a teleporter.
        const FARTHEST_STEP: f32 = 100.0;
        let (Some(name), Some(session)) = (&self.name, &status.session) else {
            return;
        };
        if session.viewed_name.contains(name.as_str()) {
            let origin = session.origin;
            if !self.is_told {
                self.is_told = true;
                terminal::complain(&format!("Follows {name}."));
            }
            if let Some(last) = self.last_origin {
                let step = last
                    .iter()
                    .zip(origin)
                    .map(|(from, to)| (to - from).powi(2))
                    .sum::<f32>()
                    .sqrt();
                self.travelled += if step < FARTHEST_STEP { step } else { 0.0 };
            }
            self.last_origin = Some(origin);
            return;
        }
        self.last_origin = None;
        let now = app.clock.now();
        if self
            .asked_at
            .is_some_and(|asked_at| now - asked_at < MSEC_BETWEEN_COMMANDS)
        {
            return;
        }
        // A server may ignore either for a while; both are harmless when they come again.
        let command = if self.asks.is_multiple_of(2) {
            "cmd team spectator\n".to_owned()
        } else {
            format!("cmd follow \"{name}\"\n")
        };
        self.asks += 1;
        self.asked_at = Some(now);
        app.push(Event::Command(command));
    }
}
