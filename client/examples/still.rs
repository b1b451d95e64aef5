//! Makes demos that stand still at places of a map, of which the reference client can take pictures to compare with.
//!
//! `still DEMO OUT X,Y,Z,PITCH,YAW…`: DEMO was recorded on the map; of it only the gamestate is used. For each place a demo
//! OUT0.dm_71 and so on; with `cl_freezeDemo 1` the client shows the same frame for ever.

use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::numbers::{configstring, entity_type, persistant, pm_type, team},
    net::{
        demo::{END_MARK, Records, write_record},
        svc::{Decoder, Origin, ServerOp, Writer},
    },
    types::{
        gamestate::Gamestate, limits::ENTITYNUM_NONE, playerstate::PlayerState, snapshot::Snapshot,
    },
};
use std::{error::Error, fs, process::ExitCode};

/// The scene's time, and the times of the snapshots, which the client wants more than one of.
const TIMES: [i32; 3] = [5000, 5050, 5100];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [demo, out, places @ ..] = arguments.as_slice() else {
        eprintln!("still DEMO OUT X,Y,Z,PITCH,YAW…");
        return ExitCode::FAILURE;
    };
    match run(demo, out, places) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(demo: &str, out: &str, places: &[String]) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(demo)?;
    let mut gamestate = gamestate_of(&bytes)?;
    let start = configstring::LEVEL_START_TIME;
    gamestate.configstrings.set(start, "0")?;
    for (number, place) in places.iter().enumerate() {
        let numbers: Vec<f32> = place.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let [x, y, z, pitch, yaw] = numbers[..] else {
            return Err(format!("{place}: five numbers are needed").into());
        };
        let view = (Vec3::new(x, y, z), Vec3::new(pitch, yaw, 0.0));
        let path = format!("{out}{number}.dm_71");
        fs::write(&path, still(&gamestate, view)?)?;
        println!("{path}");
    }
    Ok(())
}

fn gamestate_of(bytes: &[u8]) -> Result<Gamestate, Box<dyn Error>> {
    let mut decoder = Decoder::new(Origin::Demo);
    for record in Records::new(bytes) {
        let message = decoder.read(record.sequence, record.message, 0)?;
        for op in message.ops {
            if let ServerOp::Gamestate(gamestate) = op {
                return Ok((*gamestate).clone());
            }
        }
    }
    Err("the demo holds no gamestate".into())
}

/// A demo with nothing in it but what a spectator at a place sees of the map itself.
fn still(gamestate: &Gamestate, (eye, angles): (Vec3, Vec3)) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut first = Writer::new(0);
    first.gamestate(gamestate);
    let mut demo = write_record(0, &first.finish()?);
    for (number, time) in (1..).zip(TIMES) {
        let mut player = PlayerState {
            command_time: time,
            pm_type: pm_type::SPECTATOR,
            origin: eye,
            view_angles: angles,
            ground_entity_num: ENTITYNUM_NONE,
            ..PlayerState::default()
        };
        player.stats[0] = 100;
        player.persistant[persistant::TEAM] = team::SPECTATOR;
        let is_part_of_map = |kind: i32| kind == entity_type::MOVER || kind == entity_type::PORTAL;
        let entities = gamestate.baselines.iter();
        let snapshot = Snapshot {
            message_num: number,
            server_time: ServerTime(time),
            player,
            entities: entities
                .filter(|state| is_part_of_map(state.e_type))
                .copied()
                .collect(),
            ..Snapshot::default()
        };
        let mut message = Writer::new(0);
        message.snapshot(&snapshot, None, gamestate);
        demo.extend(write_record(number, &message.finish()?));
    }
    demo.extend(END_MARK);
    Ok(demo)
}
