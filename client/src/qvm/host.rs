//! Host: answers what a module asks, over the client's own parts.

use super::{
    arithmetic::calculate,
    calendar::put_time,
    files::{Files, Mode, Opened},
    game_feed::GameFeed,
    layout::{Answer, Fields, GLCONFIG_BYTES, SNAPSHOT_BYTES, put_vec3, text_of},
    noise::Noise,
    picture::{Picture, handle_of, model_of},
    scripts::{Scripts, Word},
    variables::{GET_VALUE_CALL, Variables},
    world::World,
};
use crate::{
    assets::{AssetState, Assets, model::Model, source::OWN_GAME},
    con::cvar::{Cvars, leading_number},
    scene::ModelId,
};
use glam::Vec3;
use shared::cm::Rounding;
use std::{collections::BTreeMap, sync::Arc};
use vm::{BYTES_PER_UNIT, Machine, Memory, Syscall, Trap};

/// What a module may print in one frame, in bytes.
const MAX_PRINTED: usize = 1 << 18;
const MAX_COMMANDS: usize = 512;
/// The longest command that a server takes.
const MAX_COMMAND: usize = 1023;
/// What a call that searches the map or the paks costs of the budget, as if it moved so many bytes.
const SEARCH_COST: u32 = 1 << 15;
/// Modules do without players' models where there is less memory than this.
const MEMORY_LEFT: i32 = 64 << 20;

/// What modules reach of the client while they run: lent for one call.
pub struct ClientAccess {
    pub assets: Assets,
    pub cvars: Cvars,
}

/// Everything that answers one module.
pub struct Host {
    /// `None` while the module does not run.
    pub access: Option<ClientAccess>,
    pub feed: GameFeed,
    pub picture: Picture,
    pub noise: Noise,
    pub files: Files,
    pub variables: Variables,
    pub scripts: Scripts,
    pub world: Option<World>,
    /// Numbers of the map's models, by the ids that they are registered under.
    inline_models: BTreeMap<ModelId, usize>,
    pub keys: Keys,
    pub out: Out,
    pub surroundings: Surroundings,
    /// The name of a file that the module needs and that is on its way.
    pub awaits: Option<String>,
    /// It was told nothing of a model that is on its way.
    pub lacks_model: bool,
    /// It has asked for calls that some engines have more; before, their numbers mean other things to it.
    knows_extensions: bool,
}

/// What goes out of a module beside pictures and sounds.
#[derive(Debug, Default)]
pub struct Out {
    pub printed: String,
    pub server_commands: Vec<String>,
    /// For the player's own console.
    pub console_commands: Vec<String>,
    /// Materials that are drawn as others: old, new, time offset in seconds.
    pub shader_remaps: Vec<(String, String, f32)>,
    pub weapon: u8,
    pub sensitivity: f32,
}

/// Keys as far as modules know them.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// Who gets the keys: 1 console, 2 menus, 4 chat, 8 the module.
    pub catcher: i32,
    pub down: Vec<u16>,
    /// Keys and what they are bound to.
    pub binds: Vec<(u16, String)>,
}

/// What is so around a module in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings {
    pub now_msec: i32,
    pub unix_seconds: i64,
    pub screen: [f32; 2],
    pub rounding: Option<Rounding>,
    /// The first call is still running: files that are not here are waited for.
    pub is_starting: bool,
}

impl vm::Host for Host {
    fn syscall(machine: &mut dyn Machine<Self>, call: &Syscall) -> Answer {
        machine.charge_bytes(cost(call))?;
        let (host, mut memory) = machine.parts();
        host.serve(call, &mut memory)
    }

    fn answer(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Option<Answer> {
        (cost(call) < BYTES_PER_UNIT).then(|| self.serve(call, memory))
    }
}

/// What a call costs beside its own instructions, in bytes moved.
fn cost(call: &Syscall) -> u32 {
    match call.number {
        11 | 12 => call.address(1),
        18 | 36 => 1 << 22,
        10 | 23..=27 | 34 | 37..=39 | 57 | 65 | 67 | 79 | 88 => SEARCH_COST,
        42 | 87 => call.address(1).saturating_mul(24),
        50 | 52 => SNAPSHOT_BYTES,
        100..=102 => call.address(2),
        _ => 0,
    }
}

impl Host {
    pub fn new(feed: GameFeed, files: Files, surroundings: Surroundings) -> Self {
        Self {
            access: None,
            feed,
            picture: Picture::default(),
            noise: Noise::default(),
            files,
            variables: Variables::default(),
            scripts: Scripts::default(),
            world: None,
            inline_models: BTreeMap::new(),
            keys: Keys::default(),
            out: Out::default(),
            surroundings,
            awaits: None,
            lacks_model: false,
            knows_extensions: false,
        }
    }

    fn access(&mut self) -> Result<&mut ClientAccess, Trap> {
        let missing = || Trap::Host("it runs outside of a frame".to_owned());
        self.access.as_mut().ok_or_else(missing)
    }

    fn world(&mut self) -> Result<&mut World, Trap> {
        let missing = || Trap::Host("it asks for the map before it has loaded it".to_owned());
        self.world.as_mut().ok_or_else(missing)
    }

    fn serve(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Answer {
        match call.number {
            // OpenArena's own engine has particles here.
            112..=117 if !self.knows_extensions => Ok(0),
            0..=2 | 7..=9 | 14..=17 | 58 | 60..=63 | 70 | 72 => self.answer_console(call, memory),
            3..=6 | 116 | GET_VALUE_CALL => self.answer_variables(call, memory),
            10..=13 | 89 => self.answer_files(call, memory),
            18..=27 | 82..=84 | 86 | 88 => self.answer_world(call, memory),
            28..=35 | 69 | 80 | 81 => self.answer_sound(call, memory),
            36..=49 | 57 | 59 | 73 | 79 | 85 | 87 | 112..=114 => self.answer_drawing(call, memory),
            50..=56 => self.answer_game(call, memory),
            // Films are not shown; modules go on without them.
            74 => Ok(-1),
            64..=68 => self.answer_scripts(call, memory),
            75..=78 | 115 | 117 => Ok(0),
            71 | 100..=111 => calculate(call, memory),
            number => Err(Trap::Host(format!("system call {number} is unknown"))),
        }
    }

    fn answer_console(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Answer {
        let text = |index| text_of(memory, call.address(index));
        match call.number {
            0 if self.out.printed.len() < MAX_PRINTED => self.out.printed.push_str(&text(0)),
            1 => return Err(Trap::Host(text(0))),
            2 => return Ok(self.surroundings.now_msec),
            7 => return Ok(self.feed.word_count()),
            8 => {
                let word = self.feed.word(call.int(0)).to_owned();
                put_text(memory, call.address(1), call.int(2), &word)?;
            }
            9 => {
                let rest = self.feed.rest();
                put_text(memory, call.address(0), call.int(1), &rest)?;
            }
            14 => push_command(&mut self.out.console_commands, text(0)),
            16 => push_command(&mut self.out.server_commands, text(0)),
            58 => return Ok(MEMORY_LEFT),
            60 => {
                let key = u16::try_from(call.int(0)).ok();
                return Ok(i32::from(
                    key.is_some_and(|key| self.keys.down.contains(&key)),
                ));
            }
            61 => return Ok(self.keys.catcher),
            62 => self.keys.catcher = self.keys.catcher & 1 | call.int(0) & !1,
            63 => {
                let wanted = text(0);
                let mut binds = self.keys.binds.iter();
                let key = binds.find(|(_, command)| command.eq_ignore_ascii_case(&wanted));
                return Ok(key.map_or(-1, |(key, _)| i32::from(*key)));
            }
            70 => return put_time(memory, call.address(0), self.surroundings.unix_seconds),
            // Names of commands need not be known, and pictures come when the frame is over.
            _ => {}
        }
        Ok(0)
    }

    fn answer_variables(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Answer {
        let text = |index| text_of(memory, call.address(index));
        let missing = || Trap::Host("it runs outside of a frame".to_owned());
        let access = self.access.as_mut().ok_or_else(missing)?;
        let cvars = &mut access.cvars;
        match call.number {
            3 => {
                let (name, default) = (text(1), text(2));
                let flags = call.int(3);
                let handle = self.variables.register(cvars, (&name, &default), flags)?;
                if call.address(0) != 0 {
                    (self.variables).attach(cvars, memory, call.address(0), handle)?;
                }
            }
            4 => self.variables.update(cvars, memory, call.address(0))?,
            5 => {
                let name = text(0);
                let value = (call.address(1) != 0).then(|| text(1));
                self.variables.set(cvars, &name, value.as_deref());
            }
            6 => {
                let value = self.variables.text(cvars, &text(0));
                put_text(memory, call.address(1), call.int(2), &value)?;
            }
            // What a variable is for can be asked of the mod.
            116 => {}
            _ => {
                let found = extension(&text(2));
                self.knows_extensions |= found.is_some();
                let number = found.map(|number| number.to_string()).unwrap_or_default();
                put_text(memory, call.address(0), call.int(1), &number)?;
                return Ok(i32::from(found.is_some()));
            }
        }
        Ok(0)
    }

    fn answer_files(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Answer {
        match call.number {
            10 => return self.open_file(call, memory),
            11 => {
                if let Ok(length) = u32::try_from(call.int(1)) {
                    let buffer = memory.slice_mut(call.address(0), length)?;
                    self.files.read(call.int(2), buffer);
                }
            }
            12 => {
                if let Ok(length) = u32::try_from(call.int(1)) {
                    let buffer = memory.slice(call.address(0), length)?;
                    self.files.write(call.int(2), buffer);
                }
            }
            13 => self.files.close(call.int(0)),
            _ => {
                let moved = self.files.seek(call.int(0), call.int(1), call.int(2));
                return Ok(if moved { 0 } else { -1 });
            }
        }
        Ok(0)
    }

    fn open_file(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Answer {
        let path = text_of(memory, call.address(0));
        let is_starting = self.surroundings.is_starting;
        let missing = || Trap::Host("it runs outside of a frame".to_owned());
        let access = self.access.as_mut().ok_or_else(missing)?;
        if call.address(1) == 0 {
            let size = self.files.size(&access.assets, &path);
            return Ok(size.map_or(-1, |size| size.max(1)));
        }
        let mode = match call.int(2) {
            0 => Mode::Read,
            1 => Mode::Write,
            _ => Mode::Append,
        };
        let (number, length) = match self.files.open(&mut access.assets, &path, mode) {
            Opened::File(number, length) => (number, length),
            Opened::OnItsWay if is_starting => {
                let told = format!("{path} is on its way");
                self.awaits = Some(path);
                return Err(Trap::Host(told));
            }
            Opened::Missing | Opened::OnItsWay => (0, -1),
        };
        memory.write_i32(call.address(1), number);
        Ok(length)
    }

    /// A file as a script reads it.
    fn script_file(&mut self, path: &str) -> Result<Option<Arc<Vec<u8>>>, Trap> {
        let is_starting = self.surroundings.is_starting;
        let assets = &mut self.access()?.assets;
        if !assets.vfs().exists(path) {
            return Ok(None);
        }
        let id = assets.register_file(path);
        match (assets.file(id), assets.state(id)) {
            (Some(bytes), _) => Ok(Some(bytes.clone())),
            (None, AssetState::Wanted) if is_starting => {
                self.awaits = Some(path.to_owned());
                Err(Trap::Host(format!("{path} is on its way")))
            }
            (None, _) => Ok(None),
        }
    }

    fn answer_scripts(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Answer {
        Ok(match call.number {
            64 => i32::from(self.scripts.define(&text_of(memory, call.address(0)))),
            65 => {
                let path = text_of(memory, call.address(0));
                let bytes = self.script_file(&path)?;
                bytes.map_or(0, |bytes| self.scripts.open(&path, bytes))
            }
            66 => i32::from(self.scripts.close(call.int(0))),
            67 => {
                let mut scripts = std::mem::take(&mut self.scripts);
                let word = scripts.next(call.int(0), &mut |path| self.script_file(path));
                self.scripts = scripts;
                match word? {
                    Some(word) => put_word(memory, call.address(1), &word)?,
                    None => return Ok(0),
                }
                1
            }
            _ => {
                // The buffer for the name has no length; all have this much.
                const ROOM: i32 = 64;
                let Some((name, line)) = self.scripts.place(call.int(0)) else {
                    return Ok(0);
                };
                put_text(memory, call.address(1), ROOM, name)?;
                memory.write_i32(call.address(2), line);
                1
            }
        })
    }

    fn answer_world(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Answer {
        match call.number {
            18 if self.world.is_none() => {
                let rounding = self.surroundings.rounding.unwrap_or(Rounding::Written);
                let bsp = self.access()?.assets.world().cloned();
                let missing = || Trap::Host("the map is not here".to_owned());
                self.world = Some(World::new(&bsp.ok_or_else(missing)?, rounding)?);
            }
            19 => return Ok(self.world()?.model_count()),
            20 => return self.world()?.inline_model(call.int(0)),
            22 => return Ok(self.world()?.make_box(memory, call, false)),
            82 => return Ok(self.world()?.make_box(memory, call, true)),
            23 => return self.world()?.contents(memory, call, false),
            24 => return self.world()?.contents(memory, call, true),
            // A capsule is taken for the box around it; no known module uses one.
            25 | 83 => self.world()?.trace(memory, call, false)?,
            26 | 84 => self.world()?.trace(memory, call, true)?,
            27 => return self.world()?.marks(memory, call),
            86 => {
                let token = self.world()?.next_token();
                let token = token.map(str::to_owned);
                let text = token.as_deref().unwrap_or("");
                put_text(memory, call.address(0), call.int(1), text)?;
                return Ok(i32::from(token.is_some()));
            }
            88 => return Ok(i32::from(self.world()?.sees(memory, call))),
            // Number 21 is reserved and does nothing.
            _ => {}
        }
        Ok(0)
    }

    fn answer_sound(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Answer {
        match call.number {
            28 => self.noise.start(memory, call)?,
            29 => self.noise.start_local(call),
            30 => self.noise.clear_loops(call.int(0) != 0),
            31 => self.noise.add_loop(memory, call, false)?,
            32 => self.noise.place(memory, call)?,
            33 => self.noise.listen(memory, call),
            34 => {
                let name = text_of(memory, call.address(0));
                let assets = &mut self.access()?.assets;
                return Ok(match is_sound(assets, &name) {
                    true => handle_of(assets.register_sound(&name).0),
                    false => 0,
                });
            }
            35 => {
                let [intro, rest] = [0, 1].map(|index| text_of(memory, call.address(index)));
                self.noise.play_music(&intro, &rest);
            }
            69 => self.noise.play_music("", ""),
            80 => self.noise.add_loop(memory, call, true)?,
            _ => self.noise.stop_loop(call.int(0)),
        }
        Ok(0)
    }

    fn answer_drawing(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Answer {
        match call.number {
            37..=39 | 57 => return self.register(call, memory),
            40 => self.picture.clear_scene(),
            41 => self.picture.add_entity(memory, call.address(0), false)?,
            112 => self.picture.add_entity(memory, call.address(0), true)?,
            42 => self.picture.add_polys(memory, call, 1)?,
            87 => self.picture.add_polys(memory, call, call.int(3))?,
            43 => self.picture.add_light(memory, call, false),
            85 => self.picture.add_light(memory, call, true),
            44 => self.picture.render(memory, call.address(0)),
            45 => self.picture.set_color(memory, call.address(0)),
            46 => self.picture.stretch_pic(call),
            47 => {
                let [mins, maxs] = self.model_bounds(call.int(0))?;
                put_vec3(memory, call.address(1), mins);
                put_vec3(memory, call.address(2), maxs);
            }
            48 => return self.lerp_tag(call, memory),
            49 => put_display(memory, call.address(0), self.surroundings.screen)?,
            79 => {
                let [old, new, offset] =
                    [0, 1, 2].map(|index| text_of(memory, call.address(index)));
                if self.out.shader_remaps.len() < MAX_COMMANDS {
                    let offset = leading_number(&offset);
                    self.out.shader_remaps.push((old, new, offset));
                }
            }
            // The world is drawn as soon as it is loaded; there are no fonts, no light to be asked for, and lights are
            // as they are.
            _ => {}
        }
        Ok(0)
    }

    fn register(&mut self, call: &Syscall, memory: &Memory<'_>) -> Answer {
        const MAX_NAME: usize = 63;
        let name = text_of(memory, call.address(0));
        if name.is_empty() || name.len() > MAX_NAME {
            return Ok(0);
        }
        let assets = &mut self.access()?.assets;
        Ok(match call.number {
            37 if is_model(assets, &name) => {
                let id = assets.register_model(&name);
                let number = name
                    .strip_prefix('*')
                    .and_then(|number| number.parse().ok());
                if let Some(number) = number {
                    self.inline_models.insert(id, number);
                }
                handle_of(id.0)
            }
            38 if !name.ends_with(".skin") || assets.vfs().exists(&name) => {
                handle_of(assets.register_skin(&name).0)
            }
            39 | 57 => {
                let shader = match call.number {
                    39 => assets.register_shader(&name),
                    _ => assets.register_shader_no_mip(&name),
                };
                match assets.state(shader) {
                    AssetState::Missing => 0,
                    _ => handle_of(shader.0),
                }
            }
            _ => 0,
        })
    }

    /// A model, if it is here.
    fn model(&mut self, id: ModelId) -> Result<Option<&Model>, Trap> {
        let assets = &self.access()?.assets;
        if assets.model(id).is_none() && assets.state(id) == AssetState::Wanted {
            self.lacks_model = true;
        }
        Ok(self.access()?.assets.model(id).map(|model| &**model))
    }

    fn model_bounds(&mut self, handle: i32) -> Result<[Vec3; 2], Trap> {
        let nothing = [Vec3::ZERO; 2];
        let Some(id) = model_of(handle) else {
            return Ok(nothing);
        };
        if let (Some(number), Some(world)) = (self.inline_models.get(&id), &self.world) {
            return Ok(world.drawn_bounds(*number).unwrap_or(nothing));
        }
        Ok(match self.model(id)? {
            Some(Model::Mesh(mesh)) => {
                let lod = mesh.lods.first();
                let frame = lod.and_then(|lod| lod.mesh.frames.first());
                frame.map_or(nothing, |frame| [frame.mins, frame.maxs])
            }
            _ => nothing,
        })
    }

    fn lerp_tag(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Answer {
        let name = text_of(memory, call.address(5));
        let model = match model_of(call.int(1)) {
            Some(id) => self.model(id)?,
            None => None,
        };
        let frame = |index| usize::try_from(call.int(index)).unwrap_or(0);
        let tag = match model {
            Some(Model::Mesh(mesh)) => mesh.lods.first().and_then(|lod| {
                let mesh = &lod.mesh;
                mesh.lerp_tag(frame(2), frame(3), call.float(4), &name)
            }),
            _ => None,
        };
        let upright = [Vec3::X, Vec3::Y, Vec3::Z];
        let (origin, axis) = tag.map_or((Vec3::ZERO, upright), |tag| (tag.origin, tag.axis));
        let mut fields = Fields(memory.slice_mut(call.address(0), 48)?);
        fields.vec3(0, origin);
        for (index, row) in axis.into_iter().enumerate() {
            fields.vec3(12 + 12 * index, row);
        }
        Ok(i32::from(tag.is_some()))
    }

    fn answer_game(&mut self, call: &Syscall, memory: &mut Memory<'_>) -> Answer {
        match call.number {
            50 => self.feed.put_game_state(memory, call.address(0))?,
            51 => self.feed.put_newest_snapshot(memory, call),
            52 => return self.feed.put_snapshot(memory, call).map(i32::from),
            53 => return Ok(i32::from(self.feed.execute(call.int(0)))),
            54 => return Ok(self.feed.newest_usercmd()),
            55 => return self.feed.put_usercmd(memory, call).map(i32::from),
            _ => {
                self.out.weapon = call.int(0) as u8;
                self.out.sensitivity = call.float(1);
            }
        }
        Ok(0)
    }
}

/// What an extension that modules ask for by name is called by.
fn extension(key: &str) -> Option<u32> {
    let known = [
        ("trap_R_AddRefEntityToScene2", 112),
        ("trap_R_ForceFixedDLights", 113),
        ("trap_IsRecordingDemo", 115),
        ("trap_Cvar_SetDescription_Q3E", 116),
        ("trap_Key_CapsLockOn_Q3E", 117),
    ];
    let found = known
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(key));
    found.map(|(_, number)| *number)
}

fn push_command(commands: &mut Vec<String>, mut text: String) {
    if commands.len() < MAX_COMMANDS {
        let end = text.floor_char_boundary(MAX_COMMAND);
        text.truncate(end);
        commands.push(text);
    }
}

fn put_text(memory: &mut Memory<'_>, address: u32, room: i32, text: &str) -> Result<(), Trap> {
    memory.write_c_string(address, room, &super::layout::bytes_of(text))
}

fn put_word(memory: &mut Memory<'_>, address: u32, word: &Word) -> Result<(), Trap> {
    const WORD_BYTES: u32 = 1040;
    let mut fields = Fields(memory.slice_mut(address, WORD_BYTES)?);
    fields.i32s(0, &[word.kind as i32, word.subtype, word.value as i32]);
    fields.f32(12, word.value as f32);
    fields.text(16, 1024, &word.text);
    Ok(())
}

/// Whether a file is there for modules: Strafe's own arena stands in where no game is installed, and else is none of
/// theirs, for what a game lacks its modules have other pictures for.
fn exists(assets: &Assets, name: &str) -> bool {
    /// What every game has.
    const LETTERS: &str = "gfx/2d/bigchars.tga";
    let is_own = |name: &str| assets.vfs().game_of(name) == Some(OWN_GAME);
    assets.vfs().exists(name) && (!is_own(name) || is_own(LETTERS))
}

fn is_sound(assets: &Assets, name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let exists = |name: &str| exists(assets, name);
    let is_there = exists(name)
        || [".wav", ".ogg"]
            .iter()
            .any(|end| exists(&format!("{stem}{end}")));
    !name.starts_with('*') && is_there
}

fn is_model(assets: &Assets, name: &str) -> bool {
    let stem = &name[..name.find('.').unwrap_or(name.len())];
    name.starts_with('*') || exists(assets, &format!("{stem}.md3"))
}

/// The display: what modules make their pictures for.
fn put_display(memory: &mut Memory<'_>, address: u32, screen: [f32; 2]) -> Result<(), Trap> {
    const SMALLEST_TEXTURES: i32 = 4096;
    let block = memory.slice_mut(address, GLCONFIG_BYTES)?;
    block.fill(0);
    let mut fields = Fields(block);
    fields.text(0, 1024, b"Strafe");
    fields.text(1024, 1024, b"Strafe");
    fields.text(2048, 1024, env!("CARGO_PKG_VERSION").as_bytes());
    fields.i32s(11_264, &[SMALLEST_TEXTURES, 2, 32, 24, 8]);
    let [width, height] = screen.map(|pixels| pixels.max(1.0));
    fields.i32s(11_304, &[width as i32, height as i32]);
    fields.f32(11_312, width / height);
    fields.i32(11_316, 60);
    Ok(())
}
