//! What mods' own cgames cost: translating, compiling and starting each, and its frames over a recorded match of 16
//! players, seen as in the demo and with the own player predicted. `--demos FOLDER` takes each module's from there: NAME.dm_71.

#[path = "../tests/it/disk.rs"]
#[expect(dead_code, reason = "tests need more")]
mod disk;
#[path = "../tests/it/zip.rs"]
mod zip;

use client::{
    assets::Assets,
    cg::SnapshotArrival,
    cl::{
        State, Update,
        playback::{Pace, Playback},
    },
    con::{cvar::Cvars, cvars},
    platform::modules,
    qvm::{Frame, Keys, ModGame},
};
use disk::Disk;
use flate2::read::GzDecoder;
use shared::{
    base::{
        info::Info,
        ring::Ring,
        time::{ClientTime, ServerTime},
    },
    bg::{
        numbers::configstring as cs,
        ruleset::{IOQUAKE3, OPENARENA_088, OPENARENA_MASTER, StatLayout},
    },
    types::{
        gamestate::Gamestate,
        servercmd::ServerCommand,
        snapshot::Snapshot,
        usercmd::{USERCMD_BACKUP, Usercmd, UsercmdRing},
    },
};
use std::{
    io::Read,
    sync::Arc,
    time::{Duration, Instant},
};

/// The first second fills pools and loads what is seen for the first time.
const WARM_UP: usize = 40;
const FRAME_MSEC: i32 = 25;
/// So many frames come at the pace of a match, while faster code is compiled beside them; then one comes after another.
const PACED: usize = 120;
const SCREEN: [f32; 2] = [1280.0, 720.0];
/// So far the newest usercmd is ahead of what the server has executed.
const AHEAD_MSEC: i32 = 100;
/// Each module, what its game calls its version, and where it keeps statistics.
const MODULES: [(&str, &str, StatLayout); 3] = [
    ("baseq3", "baseq3-1", IOQUAKE3.stats),
    ("openarena", "baseoa-1", OPENARENA_MASTER.stats),
    ("ratoa", "baseoa-1", OPENARENA_088.stats),
];

fn main() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let mut arguments = std::env::args().skip_while(|word| word != "--demos");
    let demos = arguments.nth(1);
    let crowd = unpacked(&format!("{folder}/tests/data/match/crowd.dm_71.gz"));
    let sound = std::fs::read(format!("{folder}/../fuzz/corpus/sound_ogg/fall1.ogg"))
        .expect("the sound is part of the repository");
    for (name, version, stats) in MODULES {
        let module = unpacked(&format!(
            "{folder}/../vm/tests/data/mods/{name}-cgame.qvm.gz"
        ));
        let own = demos.as_ref().map(|demos| {
            let path = format!("{demos}/{name}.dm_71");
            std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
        });
        for is_predicted in [false, true] {
            let (mut disk, mut assets) = Disk::assets();
            for (pak, bytes) in [
                ("z-mod.pk3", zip::pak("vm/cgame.qvm", &module)),
                // RatMod ends itself without.
                ("z-sound.pk3", zip::pak("sound/testoggvorbis.ogg", &sound)),
            ] {
                assets.add_source(disk.add("baseoa", pak, bytes));
            }
            disk.serve(&mut assets);
            let seen = Seen {
                demo: own.as_ref().unwrap_or(&crowd),
                version,
                stats: own.is_none().then_some(stats),
                is_predicted,
            };
            let run = play(&seen, &mut disk, &mut assets)
                .unwrap_or_else(|reason| panic!("{name}: {reason}"));
            let at = |part: f64| {
                let index = (run.frames.len() - 1) as f64 * part;
                run.frames[index as usize].as_secs_f64() * 1e6
            };
            println!(
                "{name} ({} kB){}: started in {:.0} ms; {} frames: p50 {:.0} µs, p99 {:.0} µs, longest {:.0} µs",
                module.len() / 1000,
                if is_predicted { ", predicted" } else { "" },
                run.start.as_secs_f64() * 1e3,
                run.frames.len(),
                at(0.5),
                at(0.99),
                at(1.0),
            );
        }
    }
}

struct Run {
    /// To translate, to compile, and the first call with all its files at hand.
    start: Duration,
    /// Sorted.
    frames: Vec<Duration>,
}

fn unpacked(path: &str) -> Vec<u8> {
    let packed = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut bytes = Vec::new();
    GzDecoder::new(packed.as_slice())
        .read_to_end(&mut bytes)
        .expect("the file unpacks");
    bytes
}

/// A match as a module's own server would have sent it.
struct Seen<'a> {
    demo: &'a [u8],
    version: &'a str,
    /// To which the layout of OpenArena 0.8.8 is changed.
    stats: Option<StatLayout>,
    is_predicted: bool,
}

impl Seen<'_> {
    fn convert(&self, snapshot: &mut Snapshot) {
        let (from, Some(to)) = (OPENARENA_088.stats, self.stats) else {
            return;
        };
        let old = snapshot.player.stats;
        let stats = &mut snapshot.player.stats;
        for (from, to) in [
            (from.weapons, to.weapons),
            (from.armor, to.armor),
            (from.dead_yaw, to.dead_yaw),
            (from.clients_ready, to.clients_ready),
            (from.max_health, to.max_health),
        ] {
            stats[to] = old[from];
        }
        if let (Some(from), Some(to)) = (from.persistent_powerup, to.persistent_powerup) {
            stats[to] = old[from];
        }
    }
}

fn play(seen: &Seen<'_>, disk: &mut Disk, assets: &mut Assets) -> Result<Run, String> {
    let Seen {
        version,
        is_predicted,
        ..
    } = *seen;
    let mut now = ClientTime(1000);
    let mut playback = Playback::new(seen.demo.to_vec(), now);
    let mut cvars = Cvars::new(cvars::TABLE);
    let mut usercmds: UsercmdRing = Ring::new(USERCMD_BACKUP);
    let mut game = None;
    let mut snapshots: Vec<SnapshotArrival> = Vec::new();
    let mut commands: Vec<ServerCommand> = Vec::new();
    let mut run = Run {
        start: Duration::ZERO,
        frames: Vec::new(),
    };
    let mut due = Instant::now();
    loop {
        if run.frames.len() < PACED {
            while Instant::now() < due {
                std::hint::spin_loop();
            }
            due = Instant::now() + Duration::from_millis(FRAME_MSEC as u64);
        }
        while let Some(update) = playback.poll_update() {
            match update {
                Update::Gamestate(gamestate) => {
                    let mut gamestate = Gamestate::clone(&gamestate);
                    let told = gamestate.configstrings.set(cs::GAME_VERSION, version);
                    told.map_err(|refusal| format!("{refusal:?}"))?;
                    let loaded = load(gamestate, !is_predicted, disk, assets, &mut cvars)?;
                    (game, run.start) = (Some(loaded.0), loaded.1);
                    playback.loading_finished(now);
                }
                Update::Snapshot {
                    mut snapshot,
                    ping_msec,
                } => {
                    seen.convert(Arc::make_mut(&mut snapshot));
                    snapshots.push(SnapshotArrival {
                        snapshot,
                        ping_msec,
                    });
                }
                Update::ServerCommand(command) => commands.push(command),
                Update::Disconnected(_) => {
                    run.frames.drain(..WARM_UP.min(run.frames.len()));
                    run.frames.sort_unstable();
                    return Ok(run);
                }
                _ => (),
            }
        }
        now = now + FRAME_MSEC;
        playback.frame(now, Pace::Clock { nudge_msec: 0 });
        let Some(game) = game.as_mut().filter(|_| playback.state() == State::Active) else {
            continue;
        };
        let time = playback.server_time();
        if is_predicted {
            usercmds.push(Usercmd {
                server_time: ServerTime(time.0 + AHEAD_MSEC),
                forward_move: 127,
                ..Usercmd::default()
            });
        }
        let frame = Frame {
            now,
            time,
            snapshots: &snapshots,
            commands: &commands,
            usercmds: &usercmds,
            inputs: &[],
            screen: SCREEN,
            unix_seconds: 0,
        };
        let began = Instant::now();
        game.frame(&frame, &Keys::default(), assets, &mut cvars)?;
        run.frames.push(began.elapsed());
        snapshots.clear();
        commands.clear();
        disk.serve(assets);
    }
}

/// The module with its map, and how long it took to compile and start once its files were there.
fn load(
    gamestate: Gamestate,
    is_demo: bool,
    disk: &mut Disk,
    assets: &mut Assets,
    cvars: &mut Cvars,
) -> Result<(ModGame, Duration), String> {
    let engine = modules::engine().ok_or("modules do not run here")?;
    let info = Info::parse(gamestate.configstrings.get(0));
    assets.load_world(info.get("mapname"));
    let mut game = ModGame::new(engine, Arc::new(gamestate), is_demo, assets);
    let mut start = Duration::ZERO;
    loop {
        disk.serve(assets);
        if game.poll_compiled() {
            game.go_on();
        }
        let began = Instant::now();
        let is_running = game.load(ClientTime(0), 0, SCREEN, assets, cvars)?;
        start += began.elapsed();
        if is_running {
            disk.serve(assets);
            return Ok((game, start));
        }
    }
}
