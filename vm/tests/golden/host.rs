//! The stub host of the golden data: what it answers is written down in tests/data/golden/README.md.
#![allow(
    clippy::disallowed_methods,
    reason = "what measures is no part of a frame"
)]

use super::memory_writes::{game_state, snapshot, trace, user_command};
use flate2::Crc;
use std::collections::HashMap;
use vm::{Host, Machine, Memory, Syscall, Trap};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    Test,
    Cgame,
    Ui,
    Game,
}

/// Answers system calls, and keeps a hash of them.
pub struct Stub {
    pub profile: Profile,
    pub frame: i32,
    pub words: Vec<String>,
    pub lines: Vec<String>,
    pub game_version: String,
    /// By number: one letter for each argument.
    signatures: HashMap<u32, String>,
    hash: Crc,
    hashed_calls: u32,
    milliseconds: i32,
    variables: Vec<Variable>,
    handles: i32,
    files: [Option<Vec<u8>>; 7],
    catcher: i32,
    is_updating: bool,
    entity_tokens: std::vec::IntoIter<&'static str>,
}

struct Variable {
    name: Vec<u8>,
    value: Vec<u8>,
    changes: i32,
}

const ENTITIES: &str = r#"{ "classname" "worldspawn" "message" "Test map" } { "classname" "info_player_deathmatch" "origin" "0 0 40" "angle" "90" } { "classname" "info_player_deathmatch" "origin" "500 0 40" } { "classname" "weapon_rocketlauncher" "origin" "100 100 40" } { "classname" "item_health_large" "origin" "200 100 40" }"#;

const USER_INFO: &[u8] = br"\name\Alpha\ip\localhost\rate\25000\snaps\20\model\sarge\headmodel\sarge\handicap\100\color1\4\color2\5\sex\male\cl_anonymous\0";

type Answer = Result<i32, Trap>;

impl Stub {
    pub fn new(profile: Profile, signatures: HashMap<u32, String>) -> Self {
        Self {
            profile,
            frame: 0,
            words: Vec::new(),
            lines: Vec::new(),
            game_version: String::new(),
            signatures,
            hash: Crc::new(),
            hashed_calls: 0,
            milliseconds: 0,
            variables: Vec::new(),
            handles: 0,
            files: Default::default(),
            catcher: 0,
            is_updating: false,
            entity_tokens: entity_tokens().into_iter(),
        }
    }

    /// The hash of all calls so far, and how many they were.
    pub fn hash(&self) -> (u32, u32) {
        (self.hash.sum(), self.hashed_calls)
    }

    fn add_to_hash(&mut self, call: &Syscall, memory: &Memory) {
        if (100..=111).contains(&call.number) {
            return;
        }
        self.hashed_calls += 1;
        self.hash.update(&call.number.to_le_bytes());
        let letters = self.signatures.get(&call.number).cloned();
        for (index, letter) in letters.unwrap_or_default().chars().enumerate() {
            let address = call.address(index);
            let is_null = address == 0;
            match letter {
                'i' | 'f' => self.hash.update(&address.to_le_bytes()),
                'p' => self.hash.update(&[u8::from(!is_null)]),
                's' | 'v' | 'c' if is_null => self.hash.update(&[0xff]),
                's' => {
                    self.hash.update(memory.c_string(address, usize::MAX));
                    self.hash.update(&[0]);
                }
                'v' => self.hash.update(&memory.read::<12>(address)),
                'c' => self.hash.update(&memory.read::<16>(address)),
                'r' => self.hash.update(&memory.read::<140>(address)),
                'd' => self.hash.update(&memory.read::<368>(address)),
                _ => {
                    for vertex in 0..call.address(index - 1) {
                        let at = address.wrapping_add(24 * vertex);
                        self.hash.update(&memory.read::<24>(at));
                    }
                }
            }
        }
    }

    fn handle(&mut self) -> Answer {
        self.handles += 1;
        Ok(self.handles)
    }

    fn variable(&mut self, name: &[u8]) -> Option<&mut Variable> {
        let name = &name[..name.len().min(63)];
        self.variables
            .iter_mut()
            .find(|known| known.name.eq_ignore_ascii_case(name))
    }

    fn value_of(&mut self, memory: &Memory, name: u32) -> Vec<u8> {
        let found = self.variable(memory.c_string(name, usize::MAX));
        found.map(|known| known.value.clone()).unwrap_or_default()
    }

    /// The value of a variable, into the buffer that is argument 1.
    fn tell_value(&mut self, call: &Syscall, memory: &mut Memory) -> Answer {
        let value = self.value_of(memory, call.address(0));
        text(memory, call, 1, &value)
    }

    fn create(&mut self, name: &[u8], value: &[u8]) {
        if self.variable(name).is_none() {
            self.variables.push(Variable {
                name: name[..name.len().min(63)].to_vec(),
                value: value[..value.len().min(255)].to_vec(),
                changes: 1,
            });
        }
    }

    fn set(&mut self, name: &[u8], value: &[u8]) -> Answer {
        let value = &value[..value.len().min(255)];
        match self.variable(name) {
            None => self.create(name, value),
            Some(known) if known.value != value => {
                known.value = value.to_vec();
                known.changes += 1;
            }
            Some(_) => {}
        }
        Ok(0)
    }

    fn register(&mut self, call: &Syscall, memory: &mut Memory) -> Answer {
        let name = string(memory, call.address(1));
        let default = string(memory, call.address(2));
        self.create(&name, &default);
        let name = &name[..name.len().min(63)];
        let index = self
            .variables
            .iter()
            .position(|known| known.name.eq_ignore_ascii_case(name));
        let address = call.address(0);
        if address == 0 {
            return Ok(0);
        }
        memory.write_i32(address, index.map_or(-1, |index| index as i32));
        memory.write_i32(address + 4, -1);
        self.update(address, memory)
    }

    fn update(&mut self, address: u32, memory: &mut Memory) -> Answer {
        let index = memory.read_i32(address) as usize;
        let known = self.variables.get(index);
        let known = known.ok_or_else(|| Trap::Host(format!("no variable {index}")))?;
        if memory.read_i32(address + 4) == known.changes {
            return Ok(0);
        }
        memory.write_i32(address + 4, known.changes);
        memory.write_f32(address + 8, float(&known.value));
        memory.write_i32(address + 12, integer(&known.value));
        let size = known.value.len() as i32 + 1;
        memory.write_c_string(address + 16, size, &known.value)?;
        Ok(0)
    }

    fn word(&self, index: i32) -> &[u8] {
        let word = usize::try_from(index)
            .ok()
            .and_then(|at| self.words.get(at));
        word.map_or(b"", |word| word.as_bytes())
    }

    fn open(&mut self, call: &Syscall, memory: &mut Memory) -> Answer {
        let handle = call.address(1);
        if handle != 0 {
            memory.write_i32(handle, 0);
        }
        let name =
            String::from_utf8_lossy(memory.c_string(call.address(0), usize::MAX)).into_owned();
        let content = if call.int(2) != 0 {
            return Ok(-1);
        } else if name.ends_with("animation.cfg") {
            let lines = (0..48).map(|line| format!("{} 8 8 15\n", 8 * line));
            lines.collect::<String>()
        } else if name.ends_with(".skin") || name.ends_with(".tga") {
            "\n".to_owned()
        } else if name.starts_with("ui/") && name.ends_with(".txt") {
            "{}\n".to_owned()
        } else {
            return Ok(-1);
        };
        let length = content.len() as i32;
        if handle != 0 {
            let free = self.files.iter().position(Option::is_none);
            let free = free.ok_or_else(|| Trap::Host("no free file".to_owned()))?;
            self.files[free] = Some(content.into_bytes());
            memory.write_i32(handle, free as i32 + 1);
        }
        Ok(length)
    }

    fn file(&mut self, handle: i32) -> Option<&mut Option<Vec<u8>>> {
        let index = usize::try_from(handle).ok()?.checked_sub(1)?;
        self.files.get_mut(index)
    }

    fn common(&mut self, call: &Syscall, memory: &mut Memory) -> Option<Answer> {
        let (a, b) = (call.float(0), call.float(1));
        let real = |value: f64| Some(Ok((value as f32).to_bits() as i32));
        let number = match (self.profile, call.number) {
            (Profile::Game, 110) => 107,
            (Profile::Game, 111) => 108,
            (Profile::Game, 107 | 108) | (Profile::Ui, 111) => return None,
            (_, number) => number,
        };
        match number {
            2 if self.profile != Profile::Test => {
                self.milliseconds += 1;
                Some(Ok(self.milliseconds))
            }
            100..=102 => {
                let [to, from, bytes] = [0, 1, 2].map(|index| call.address(index));
                let done = match number {
                    100 => memory.fill(to, from as u8, bytes),
                    101 => memory.copy(to, from, bytes),
                    _ => {
                        let mut text = memory.c_string(from, bytes as usize).to_vec();
                        text.resize(bytes as usize, 0);
                        let buffer = memory.slice_mut(to, bytes);
                        buffer.map(|buffer| buffer.copy_from_slice(&text))
                    }
                };
                Some(done.map(|()| call.int(0)))
            }
            103 => real(f64::from(a).sin()),
            104 => real(f64::from(a).cos()),
            105 => real(f64::from(a).atan2(f64::from(b))),
            106 => real(f64::from(a).sqrt()),
            107 => real(f64::from(a).floor()),
            108 => real(f64::from(a).ceil()),
            111 => real(f64::from(a).acos()),
            _ => None,
        }
    }

    fn cgame(&mut self, call: &Syscall, memory: &mut Memory) -> Answer {
        let address = call.address(0);
        match call.number {
            1 => error(call, memory),
            3 => self.register(call, memory),
            4 => self.update(address, memory),
            5 => self.set_from(call, memory),
            6 => self.tell_value(call, memory),
            7 => Ok(self.words.len() as i32),
            8 => text(memory, call, 1, self.word(call.int(0))),
            9 => text(memory, call, 0, b""),
            10 => self.open(call, memory),
            11 => {
                let room = usize::try_from(call.int(1)).unwrap_or(0);
                if let Some(Some(file)) = self.file(call.int(2)) {
                    let read = file.drain(..room.min(file.len())).collect::<Vec<_>>();
                    memory
                        .slice_mut(address, read.len() as u32)?
                        .copy_from_slice(&read);
                }
                Ok(0)
            }
            13 => {
                if let Some(file) = self.file(call.int(0)) {
                    *file = None;
                }
                Ok(0)
            }
            19 => Ok(1),
            20 => Ok(call.int(0)),
            22 => Ok(255),
            25 | 26 => trace(memory, [0, 1, 2, 3].map(|index| call.address(index)), None),
            34 | 37 | 38 | 39 | 57 => self.handle(),
            47 => {
                for axis in 0..3 {
                    memory.write_f32(call.address(1) + 4 * axis, -16.0);
                    memory.write_f32(call.address(2) + 4 * axis, 16.0);
                }
                Ok(0)
            }
            48 => tag(memory, address),
            49 => gl_config(memory, address),
            50 => game_state(memory, address, &self.game_version),
            51 => {
                let number = 1 + self.frame / 2;
                memory.write_i32(address, number);
                memory.write_i32(call.address(1), 1000 + 50 * number);
                Ok(0)
            }
            52 => snapshot(memory, call.address(1), call.int(0), 1 + self.frame / 2),
            54 => Ok(self.frame),
            55 => user_command(memory, call.address(1), call.int(0), self.frame),
            58 => Ok(16_777_216),
            70 => clear(memory, address, 36),
            71 => snap_vector(memory, address),
            _ => Ok(0),
        }
    }

    fn ui(&mut self, call: &Syscall, memory: &mut Memory) -> Answer {
        let address = call.address(0);
        match call.number {
            0 => error(call, memory),
            3 => self.set_from(call, memory),
            4 => {
                let value = self.value_of(memory, address);
                Ok(float(&value).to_bits() as i32)
            }
            5 => self.tell_value(call, memory),
            6 => {
                let value = call.float(1);
                let value = match value.fract() == 0.0 {
                    true => format!("{}", value as i32),
                    false => format!("{value:.6}"),
                };
                let name = string(memory, address);
                self.set(&name, value.as_bytes())
            }
            8 => {
                let name = string(memory, address);
                let value = string(memory, call.address(1));
                self.create(&name, &value);
                Ok(0)
            }
            9 | 34 | 45 | 49 => text(memory, call, 1, b""),
            10 => Ok(self.words.len() as i32),
            11 => text(memory, call, 1, self.word(call.int(0))),
            13 => no_file(call, memory),
            17 | 38 if call.address(2) != 0 => {
                memory.write(call.address(2), [0]);
                Ok(0)
            }
            18 | 19 | 20 | 31 => self.handle(),
            29 => tag(memory, address),
            33 => text(memory, call, 1, b"KEY"),
            40 => Ok(self.catcher),
            41 => {
                self.catcher = call.int(0);
                Ok(0)
            }
            42 | 53 => text(memory, call, 0, b""),
            43 => gl_config(memory, address),
            44 => {
                clear(memory, address, 3084)?;
                memory.write_i32(address, 1);
                Ok(0)
            }
            48 => {
                if call.address(3) != 0 {
                    memory.write_i32(call.address(3), 0);
                }
                text(memory, call, 1, b"")
            }
            50 => self.register(call, memory),
            51 => self.update(address, memory),
            52 => Ok(16_777_216),
            64 => clear(memory, address, 36),
            66 | 67 => text(memory, call, 2, b""),
            82 if call.address(1) != 0 => text(memory, call, 1, b""),
            _ => Ok(0),
        }
    }

    fn game(&mut self, call: &Syscall, memory: &mut Memory) -> Answer {
        let address = call.address(0);
        match call.number {
            1 => error(call, memory),
            3 => self.register(call, memory),
            4 => self.update(address, memory),
            5 => self.set_from(call, memory),
            6 => {
                let value = self.value_of(memory, address);
                Ok(integer(&value))
            }
            7 => self.tell_value(call, memory),
            8 => Ok(self.words.len() as i32),
            9 => text(memory, call, 1, self.word(call.int(0))),
            10 => no_file(call, memory),
            19 => text(memory, call, 1, b""),
            22 => text(memory, call, 0, b""),
            20 => text(memory, call, 1, USER_INFO),
            24 => trace(
                memory,
                [0, 1, 4, 2].map(|index| call.address(index)),
                Some((1022, 1023)),
            ),
            29 => Ok(1),
            34 => Ok(-1),
            36 => {
                user_command(memory, call.address(1), self.frame, self.frame)?;
                Ok(0)
            }
            37 => {
                let token = self.entity_tokens.next();
                text(memory, call, 0, token.unwrap_or("").as_bytes())?;
                Ok(i32::from(token.is_some()))
            }
            38 if call.address(2) != 0 => {
                memory.write(call.address(2), [0]);
                Ok(0)
            }
            41 => clear(memory, address, 36),
            42 => snap_vector(memory, address),
            _ => Ok(0),
        }
    }

    fn set_from(&mut self, call: &Syscall, memory: &Memory) -> Answer {
        let name = string(memory, call.address(0));
        let value = string(memory, call.address(1));
        self.set(&name, &value)
    }

    fn test(&mut self, call: &Syscall, memory: &Memory) -> Answer {
        match call.number {
            0 => {
                let text = memory.c_string(call.address(0), usize::MAX);
                self.lines.push(format!("print {}", printable(text)));
                Ok(0)
            }
            1 => error(call, memory),
            501 => {
                let count = call.int(0).clamp(0, 14) as usize;
                let words = (1..=count).map(|index| format!(" {:08x}", call.int(index)));
                let line = format!("args{}", words.collect::<String>());
                self.lines.push(line);
                Ok(call.int(1).wrapping_add(1))
            }
            502 => Ok(call.int(0)),
            503 => Ok((call.float(0) * 2.0 + call.float(1)).to_bits() as i32),
            number => {
                self.lines.push(format!("unknown trap {number}"));
                Ok(0)
            }
        }
    }
}

impl Host for Stub {
    fn syscall(machine: &mut dyn Machine<Self>, call: &Syscall) -> Answer {
        let (stub, mut memory) = machine.parts();
        stub.add_to_hash(call, &memory);
        if let Some(answer) = stub.common(call, &mut memory) {
            return answer;
        }
        match stub.profile {
            Profile::Test if call.number == 500 => {
                machine.call(&[call.int(0), call.int(1), call.int(2), call.int(3)])
            }
            Profile::Test => stub.test(call, &memory),
            Profile::Cgame if call.number == 17 => {
                if !stub.is_updating {
                    stub.is_updating = true;
                    let result = machine.call(&[3]);
                    machine.host().is_updating = false;
                    result?;
                }
                Ok(0)
            }
            Profile::Cgame => stub.cgame(call, &mut memory),
            Profile::Ui => stub.ui(call, &mut memory),
            Profile::Game => stub.game(call, &mut memory),
        }
    }
}

fn string(memory: &Memory, address: u32) -> Vec<u8> {
    memory.c_string(address, usize::MAX).to_vec()
}

fn error(call: &Syscall, memory: &Memory) -> Answer {
    let text = String::from_utf8_lossy(memory.c_string(call.address(0), usize::MAX));
    Err(Trap::Host(format!("trap_Error: {text}")))
}

/// Into the buffer that is argument `index`, whose size is the next argument.
fn text(memory: &mut Memory, call: &Syscall, index: usize, text: &[u8]) -> Answer {
    memory.write_c_string(call.address(index), call.int(index + 1), text)?;
    Ok(0)
}

fn no_file(call: &Syscall, memory: &mut Memory) -> Answer {
    if call.address(1) != 0 {
        memory.write_i32(call.address(1), 0);
    }
    Ok(-1)
}

fn clear(memory: &mut Memory, address: u32, bytes: u32) -> Answer {
    if address != 0 {
        memory.fill(address, 0, bytes)?;
    }
    Ok(0)
}

fn tag(memory: &mut Memory, address: u32) -> Answer {
    for index in 0..12 {
        let value = if matches!(index, 3 | 7 | 11) {
            1.0
        } else {
            0.0
        };
        memory.write_f32(address + 4 * index, value);
    }
    Ok(1)
}

fn gl_config(memory: &mut Memory, address: u32) -> Answer {
    memory.fill(address, 0, 11332)?;
    memory.write_i32(address + 11304, 640);
    memory.write_i32(address + 11308, 480);
    memory.write_f32(address + 11312, 640.0 / 480.0);
    Ok(0)
}

fn snap_vector(memory: &mut Memory, address: u32) -> Answer {
    for axis in 0..3 {
        let at = address + 4 * axis;
        let value = memory.read_f32(at);
        memory.write_f32(at, value.round_ties_even());
    }
    Ok(0)
}

fn printable(text: &[u8]) -> String {
    text.iter()
        .map(|byte| match byte {
            b'\\' => r"\x5c".to_owned(),
            32..=126 => char::from(*byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        })
        .collect()
}

/// The leading decimal number.
fn float(text: &[u8]) -> f32 {
    let text = std::str::from_utf8(text).unwrap_or("");
    (0..=text.len())
        .rev()
        .filter_map(|end| text.get(..end))
        .filter(|start| start.bytes().all(|byte| b"0123456789+-.eE".contains(&byte)))
        .find_map(|start| start.parse::<f64>().ok())
        .unwrap_or(0.0) as f32
}

fn integer(text: &[u8]) -> i32 {
    let text = std::str::from_utf8(text).unwrap_or("");
    (0..=text.len())
        .rev()
        .filter_map(|end| text.get(..end))
        .find_map(|start| start.parse::<i64>().ok())
        .unwrap_or(0) as i32
}

fn entity_tokens() -> Vec<&'static str> {
    ENTITIES
        .split('"')
        .enumerate()
        .flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().collect::<Vec<_>>(),
            _ => vec![part],
        })
        .collect()
}
