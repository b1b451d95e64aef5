//! A mod's module that asks the client's host for everything, with any arguments and any memory: made from bytes, in
//! place of a compiled one.

use super::choices;
use crate::{memory_files::MemoryFiles, room};
use arbitrary::{Result, Unstructured};
use client::{
    cg::SnapshotArrival,
    con::{cvar::Cvars, cvars},
    qvm::{Engine, Frame, Host, Input, Keys, ModGame, Program},
};
use shared::{
    base::{
        ring::Ring,
        time::{ClientTime, ServerTime},
    },
    bg::numbers::configstring as cs,
    types::{
        entitystate::EntityState,
        gamestate::Gamestate,
        servercmd::{ServerCommand, ServerCommandBody},
        snapshot::Snapshot,
        usercmd::{USERCMD_BACKUP, Usercmd, UsercmdRing},
    },
};
use std::{
    cell::Cell,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};
use vm::{BYTES_PER_UNIT, GUARD_BYTES, Machine, Memory, MemoryLayout, Syscall, Trap};

const LAYOUT: MemoryLayout = MemoryLayout {
    size: 1 << 18,
    lowest_stack: 0,
};
/// Where the arguments of a call lie.
const STACK: u32 = LAYOUT.size - 128;
const FRAMES: i32 = 4;
/// System calls in one call of the module.
const MAX_CALLS: usize = 96;
/// What a module may be told to do in one of its calls here, less than in the game.
const BUDGET: i32 = 1 << 22;
/// Beyond the last number that means something.
const LAST_NUMBER: u32 = 120;
const GET_VALUE: u32 = 700;
const LOAD_MAP: u32 = 18;

/// What a module names: files, cvars, models, and nonsense.
const NAMES: [&str; 20] = [
    "",
    "maps/room.bsp",
    "scripts/room.shader",
    "models/players/sarge/animation.cfg",
    "../../secret",
    "/etc/passwd",
    "x.cfg",
    "pak0.pk3",
    "*0",
    "*1",
    "*99999999999",
    "textures/floor",
    "cl_guid",
    "sensitivity",
    "name",
    "r_mode",
    "trap_R_AddRefEntityToScene2",
    "quit; say x\n",
    "a\\b\"c;d",
    "%s%n\u{7f}",
];

/// Runs a module whose system calls the bytes choose; gives how many were answered by more than an error.
pub fn play(bytes: &[u8]) -> u64 {
    static FILES: OnceLock<MemoryFiles> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        MemoryFiles::new([
            ("vm/cgame.qvm", &b"any"[..]),
            ("maps/room.bsp", room::room().as_slice()),
            ("scripts/room.shader", super::SHADERS),
            ("models/players/sarge/animation.cfg", super::ANIMATIONS),
        ])
    });
    let mut assets = files.assets();
    let mut cvars = Cvars::new(cvars::TABLE);
    let mut gamestate = Gamestate::default();
    for (index, text) in [
        (0, "\\mapname\\room\\g_gametype\\0"),
        (cs::GAME_VERSION, "any-1"),
    ] {
        let stored = gamestate.configstrings.set(index, text);
        assert_eq!(stored, Ok(true));
    }
    assets.load_world("room");
    let answered = Arc::new(AtomicU64::new(0));
    let engine = Arc::new(Hammer(bytes.to_vec(), answered.clone()));
    let mut game = ModGame::new(engine, Arc::new(gamestate), false, &mut assets);
    let screen = [640.0, 480.0];
    for _ in 0..8 {
        files.serve(&mut assets);
        if game.poll_compiled() {
            game.go_on();
        }
        match game.load(ClientTime(0), 0, screen, &mut assets, &mut cvars) {
            Ok(true) => break,
            Ok(false) => (),
            Err(_) => return answered.load(Ordering::Relaxed),
        }
    }
    let mut usercmds: UsercmdRing = Ring::new(USERCMD_BACKUP);
    for number in 1..=FRAMES {
        files.serve(&mut assets);
        let time = number * 50;
        usercmds.push(Usercmd {
            server_time: ServerTime(time),
            ..Usercmd::default()
        });
        let entities: Vec<EntityState> = (0..number as u16)
            .map(|number| EntityState {
                number,
                ..EntityState::default()
            })
            .collect();
        let snapshot = Snapshot {
            message_num: number,
            server_time: ServerTime(time),
            entities: entities.into(),
            server_command_num: number,
            ..Snapshot::default()
        };
        let words = ["cp", "hello", "7"].map(str::to_owned).to_vec();
        let body = match number {
            2 => ServerCommandBody::Words(vec!["map_restart".to_owned()]),
            _ => ServerCommandBody::Words(words),
        };
        let inputs = [
            Input::Line("any line".to_owned()),
            Input::Key {
                key: 13,
                is_down: true,
            },
            Input::Escape,
        ];
        let frame = Frame {
            now: ClientTime(time),
            time: ServerTime(time),
            snapshots: &[SnapshotArrival {
                snapshot: Arc::new(snapshot),
                ping_msec: 20,
            }],
            commands: &[ServerCommand { number, body }],
            usercmds: &usercmds,
            inputs: &inputs,
            screen,
            unix_seconds: i64::from(number) << (8 * number),
        };
        // An error ends the module, and the next frame is one without it.
        let _ = game.frame(&frame, &Keys::default(), &mut assets, &mut cvars);
    }
    game.shut_down(&mut assets, &mut cvars);
    answered.load(Ordering::Relaxed)
}

/// An engine whose modules are bytes; it counts what they were answered.
struct Hammer(Vec<u8>, Arc<AtomicU64>);

impl Engine for Hammer {
    fn compile(&self, _: &[u8]) -> std::result::Result<Box<dyn Program>, String> {
        Ok(Box::new(Self(self.0.clone(), self.1.clone())))
    }
}

impl Program for Hammer {
    fn is_ready(&self) -> std::result::Result<bool, String> {
        Ok(true)
    }

    fn start(&self, host: Host, _: i32) -> std::result::Result<Box<dyn Machine<Host>>, Trap> {
        Ok(Box::new(Hammering {
            host,
            memory: vec![0; (LAYOUT.size + GUARD_BYTES) as usize],
            bytes: self.0.clone(),
            answered: self.1.clone(),
            used: 0,
            budget: Cell::new(0),
            answers: [0; 8],
        }))
    }
}

/// A module that runs.
struct Hammering {
    host: Host,
    memory: Vec<u8>,
    bytes: Vec<u8>,
    answered: Arc<AtomicU64>,
    /// So many bytes have been chosen from.
    used: usize,
    budget: Cell<i32>,
    /// The last ones: handles and lengths, to be passed on.
    answers: [i32; 8],
}

impl Machine<Host> for Hammering {
    fn host(&mut self) -> &mut Host {
        &mut self.host
    }

    fn memory(&mut self) -> Memory<'_> {
        self.parts().1
    }

    fn parts(&mut self) -> (&mut Host, Memory<'_>) {
        let memory = Memory::new(&mut self.memory, LAYOUT).expect("it is as large as the layout");
        (&mut self.host, memory)
    }

    fn call(&mut self, _: &[i32]) -> std::result::Result<i32, Trap> {
        self.budget.set(BUDGET);
        let bytes = self.bytes.split_off(self.used.min(self.bytes.len()));
        let mut choices = Unstructured::new(&bytes);
        let mut outcome = Ok(0);
        for _ in 0..MAX_CALLS {
            if choices.is_empty() || outcome.is_err() {
                break;
            }
            match self.step(&mut choices) {
                Ok(answer) => outcome = answer,
                Err(_) => break,
            }
        }
        self.used = bytes.len() - choices.len();
        self.bytes = bytes;
        outcome
    }

    fn charge_bytes(&mut self, bytes: u32) -> std::result::Result<(), Trap> {
        let cost = i32::try_from(bytes / BYTES_PER_UNIT).unwrap_or(i32::MAX);
        self.budget.set(self.budget.get().saturating_sub(cost));
        match self.budget.get() {
            ..0 => Err(Trap::Engine("its budget ended".to_owned())),
            _ => Ok(()),
        }
    }
}

impl Hammering {
    /// Changes memory, then makes one system call. An error stops it, as a module, in one of 64 cases only.
    fn step(&mut self, choices: &mut Unstructured<'_>) -> Result<std::result::Result<i32, Trap>> {
        for _ in 0..choices.int_in_range(0..=3)? {
            let address = address(choices)?;
            if choices.ratio(1, 3)? {
                let name = (*choices.choose(&NAMES)?).as_bytes();
                let mut memory = self.memory();
                let room = name.len() as u32 + 1;
                if let Ok(place) = memory.slice_mut(address, room) {
                    place[..name.len()].copy_from_slice(name);
                    place[name.len()] = 0;
                }
            } else {
                let word = choices::word(choices)?.cast_signed();
                let count = choices.int_in_range(1..=40)?;
                let mut memory = self.memory();
                for index in 0..count {
                    memory.write_i32(address.wrapping_add(4 * index), word);
                }
            }
        }
        let number = match choices.int_in_range(0..=40)? {
            0 => choices.arbitrary()?,
            1 => GET_VALUE,
            2 => LOAD_MAP,
            _ => choices.int_in_range(0..=LAST_NUMBER)?,
        };
        for index in 0..choices.int_in_range(0..=9)? {
            let argument = match choices.int_in_range(0..=4)? {
                0 => choices::word(choices)?.cast_signed(),
                1 => self.answers[choices.int_in_range(0..=7)?],
                2 => choices.int_in_range(0..=64)?,
                _ => address(choices)?.cast_signed(),
            };
            self.memory().write_i32(STACK + 8 + 4 * index, argument);
        }
        let call = Syscall::read(number.cast_signed(), STACK, &self.memory());
        let answer = vm::Host::syscall(self, &call);
        match answer {
            Ok(value) => {
                self.answered.fetch_add(1, Ordering::Relaxed);
                self.answers.rotate_right(1);
                self.answers[0] = value;
                Ok(Ok(value))
            }
            // The files that it waits for.
            Err(trap) if self.host.awaits.is_some() => Ok(Err(trap)),
            Err(trap) if choices.ratio(1, 64)? => Ok(Err(trap)),
            Err(_) => Ok(Ok(0)),
        }
    }
}

/// Where structures begin, the ends of the memory, and anywhere.
fn address(choices: &mut Unstructured<'_>) -> Result<u32> {
    Ok(match choices.int_in_range(0..=7)? {
        0 => choices.arbitrary()?,
        1 => LAYOUT.size - choices.int_in_range(0..=64)?,
        2 => 0,
        _ => 1024 * choices.int_in_range(1..=200)?,
    })
}
