//! Play: shows a demo by a rewritten module in this client; keeps the calls that it writes down, and the pictures that
//! it asks for.

use crate::{
    answers::Answers,
    places,
    rewrite::{LOG_NAME, PICTURE_COMMAND},
};
use client::{
    app::{App, StartOptions, screen::settings, wake::Wake},
    assets::Limits,
    cl::State,
    event::Event,
    qvm::{Engine, Host, Program},
    render::{
        Renderer,
        gpu::{Gpu, Offscreen},
    },
};
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use vm::{Image, Machine, Memory, NativeCode, NativeModule, Syscall, Trap};

/// The number by which the module knows the file with its calls.
const LOG_HANDLE: i32 = 0x7ca1;
/// Writing things down costs more than a frame may.
const BUDGET: i32 = i32::MAX;
/// What modules are called with first, and for each frame.
const INIT: i32 = 0;
const DRAW_ACTIVE_FRAME: i32 = 3;
const SIZE: [u32; 2] = [640, 480];
/// While a level loads, and while pictures arrive.
const PAUSE: Duration = Duration::from_millis(1);
/// So many pauses for what the shown frame is the first to need.
const MAX_PAUSES: u32 = 400;

/// Who shows the demo.
pub enum Cgame {
    /// A rewritten module, which says when it wants pictures; told the reference's answers, where there are some.
    Module(Option<Answers>),
    /// Strafe's own, of which a picture is taken every so many milliseconds of the demo, as of the module.
    Own { picture_msec: i32 },
}

/// Plays a demo from a folder that holds game folders; `folder` gets the pictures, and a module's calls.
pub fn play(
    demo: &Path,
    data: &[PathBuf],
    folder: &Path,
    lines: &[String],
    cgame: Cgame,
) -> Result<(), String> {
    let (choice, answers, picture_msec) = match cgame {
        Cgame::Module(answers) => ("2", answers, None),
        Cgame::Own { picture_msec } => ("0", None, Some(picture_msec)),
    };
    let wants_picture = Arc::new(AtomicBool::new(false));
    let mut commands = vec![
        "set timedemo 1".to_owned(),
        "set nextdemo quit".to_owned(),
        format!("set vm_cgame {choice}"),
    ];
    commands.extend(lines.iter().cloned());
    commands.push(format!("demo \"{}\"", demo.display()));
    let options = StartOptions {
        data: data.to_vec(),
        commands: commands.into_iter().map(|line| line + "\n").collect(),
        limits: Limits::DESKTOP,
        opens_menus: false,
        shows_keyboard: false,
        has_speaker: false,
        rerun: None,
    };
    let mut app = App::start(options, Wake::default())?;
    app.client.set_module_engine(Some(Arc::new(WatchingEngine {
        log: folder.join(LOG_NAME),
        wants_picture: wants_picture.clone(),
        answers: Arc::new(Mutex::new(answers)),
    })));
    app.push(Event::Resized {
        width: SIZE[0],
        height: SIZE[1],
    });
    let gpu = pollster::block_on(Gpu::open_offscreen()).map_err(|error| error.to_string())?;
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let target = Offscreen::new(&gpu, SIZE, format);
    let mut renderer = Renderer::new(&gpu, format, SIZE);
    let (mut pictures, mut last_picture) = (0, None);
    let path = folder.join(places::FILE_NAME);
    let failed = |error| format!("{}: {error}", path.display());
    let mut places_file = BufWriter::new(File::create(&path).map_err(failed)?);
    while !app.wants_quit() {
        let output = app.frame();
        // What a frame is the first to need is on its way; the reference waits for it as well.
        let mut pauses = 0;
        let is_active = app.client.state() == State::Active;
        while is_active && app.client.assets().progress().wanted > 0 && pauses < MAX_PAUSES {
            app.pump_files();
            std::thread::sleep(PAUSE);
            pauses += 1;
        }
        if !is_active {
            std::thread::sleep(PAUSE);
        }
        places::write(&mut places_file, &output.scene, app.client.assets()).map_err(failed)?;
        let time_msec = output.scene.views.first().map(|view| view.time_msec);
        let is_due = match (picture_msec, time_msec) {
            (None, _) => wants_picture.swap(false, Ordering::Relaxed),
            (Some(every), Some(time)) if is_active => {
                let moment = Some(time / every);
                let is_first = last_picture.is_none();
                std::mem::replace(&mut last_picture, moment) != moment && !is_first
            }
            _ => false,
        };
        if !is_due {
            continue;
        }
        renderer.configure(&settings(app.client.cvars()));
        // The first time builds what this frame alone needs.
        renderer.draw(&output.scene, app.client.assets(), &target.view);
        renderer.draw(&output.scene, app.client.assets(), &target.view);
        let pixels = pollster::block_on(target.read(&gpu)).map_err(|error| error.to_string())?;
        let picture = image::RgbaImage::from_raw(SIZE[0], SIZE[1], pixels);
        let picture = picture.ok_or("the frame is smaller than the picture")?;
        let path = folder.join(format!("{pictures:03}.png"));
        println!("{} at {} ms", path.display(), time_msec.unwrap_or(0));
        let picture = image::DynamicImage::from(picture).to_rgb8();
        picture.save(&path).map_err(|error| error.to_string())?;
        pictures += 1;
    }
    places_file.flush().map_err(failed)?;
    app.end_helpers();
    gpu.wait_until_idle();
    Ok(())
}

/// Runs modules as the client does, but for the calls that a rewritten one makes on its own behalf.
#[derive(Clone)]
struct WatchingEngine {
    log: PathBuf,
    wants_picture: Arc<AtomicBool>,
    answers: Arc<Mutex<Option<Answers>>>,
}

struct WatchingProgram {
    code: NativeCode,
    engine: WatchingEngine,
}

/// The client's host and what is kept beside it.
struct Watched {
    host: Host,
    log: Option<BufWriter<File>>,
    engine: WatchingEngine,
}

/// The machine as the client's own host knows it.
struct Inside<'a>(&'a mut dyn Machine<Watched>);
struct Outside(NativeModule<Watched>);

impl Engine for WatchingEngine {
    fn compile(&self, file: &[u8]) -> Result<Box<dyn Program>, String> {
        let image = Image::parse(file).map_err(|error| error.to_string())?;
        let code = NativeCode::compile(Arc::new(image)).map_err(|error| error.to_string())?;
        Ok(Box::new(WatchingProgram {
            code,
            engine: self.clone(),
        }))
    }
}

impl Program for WatchingProgram {
    fn is_ready(&self) -> Result<bool, String> {
        Ok(true)
    }

    fn start(&self, host: Host, _: i32) -> Result<Box<dyn Machine<Host>>, Trap> {
        let watched = Watched {
            host,
            log: None,
            engine: self.engine.clone(),
        };
        Ok(Box::new(Outside(self.code.start(watched, BUDGET)?)))
    }
}

impl vm::Host for Watched {
    fn syscall(machine: &mut dyn Machine<Self>, call: &Syscall) -> Result<i32, Trap> {
        let (watched, mut memory) = machine.parts();
        let failed = |error: std::io::Error| Trap::Host(error.to_string());
        match call.number {
            10 if memory.c_string(call.address(0), 64) == LOG_NAME.as_bytes() => {
                let file = File::create(&watched.engine.log).map_err(failed)?;
                watched.log = Some(BufWriter::new(file));
                memory.write_i32(call.address(1), LOG_HANDLE);
                Ok(0)
            }
            12 if call.int(2) == LOG_HANDLE => {
                let bytes = memory.slice(call.address(0), call.address(1))?;
                if let Some(log) = &mut watched.log {
                    log.write_all(bytes).map_err(failed)?;
                }
                Ok(0)
            }
            14 if memory.c_string(call.address(0), 64) == PICTURE_COMMAND.as_bytes() => {
                watched.engine.wants_picture.store(true, Ordering::Relaxed);
                Ok(0)
            }
            _ => {
                let result = <Host as vm::Host>::syscall(&mut Inside(machine), call)?;
                let (watched, mut memory) = machine.parts();
                let answers = watched.engine.answers.lock();
                let mut answers = answers.map_err(|error| Trap::Host(error.to_string()))?;
                Ok(match &mut *answers {
                    Some(answers) => answers.tell(call, &mut memory, result),
                    None => result,
                })
            }
        }
    }
}

impl Machine<Host> for Inside<'_> {
    fn host(&mut self) -> &mut Host {
        &mut self.0.host().host
    }

    fn memory(&mut self) -> Memory<'_> {
        self.0.memory()
    }

    fn parts(&mut self) -> (&mut Host, Memory<'_>) {
        let (watched, memory) = self.0.parts();
        (&mut watched.host, memory)
    }

    fn call(&mut self, arguments: &[i32]) -> Result<i32, Trap> {
        self.0.call(arguments)
    }

    // It is the writing down that costs, so nothing is counted.
    fn charge_bytes(&mut self, _: u32) -> Result<(), Trap> {
        Ok(())
    }
}

impl Machine<Host> for Outside {
    fn host(&mut self) -> &mut Host {
        &mut self.0.host().host
    }

    fn memory(&mut self) -> Memory<'_> {
        self.0.memory()
    }

    fn parts(&mut self) -> (&mut Host, Memory<'_>) {
        let (watched, memory) = self.0.parts();
        (&mut watched.host, memory)
    }

    fn call(&mut self, arguments: &[i32]) -> Result<i32, Trap> {
        let frame = match *arguments {
            [INIT, ..] => Some(None),
            [DRAW_ACTIVE_FRAME, time, ..] => Some(Some(time)),
            _ => None,
        };
        let answers = &self.0.host().engine.answers;
        if let (Some(frame), Ok(mut answers)) = (frame, answers.lock())
            && let Some(answers) = &mut *answers
        {
            answers.begin(frame);
        }
        self.0.call(arguments)
    }

    fn charge_bytes(&mut self, _: u32) -> Result<(), Trap> {
        Ok(())
    }
}
