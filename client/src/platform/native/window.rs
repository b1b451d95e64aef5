//! What winit leaves to the system: the loop, the mouse's capture, the frame's pace.

use super::clock::Clock;
use crate::{
    app::{App, window::Player},
    render::RenderStats,
};
use std::time::{Duration, Instant};
use winit::{
    dpi::{LogicalSize, PhysicalPosition, PhysicalSize},
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop},
    window::{CursorGrabMode, Fullscreen, Icon, Window, WindowAttributes},
};

/// Plays until the player leaves.
pub fn run(event_loop: EventLoop<()>, mut player: Player) -> Result<(), String> {
    event_loop
        .run_app(&mut player)
        .map_err(|error| format!("the window's event loop broke: {error}"))?;
    player.outcome()
}

/// The window, at this place if a monitor is there.
pub fn attributes(event_loop: &ActiveEventLoop, place: Option<[i32; 2]>) -> WindowAttributes {
    let attributes = Window::default_attributes()
        .with_title("Strafe")
        .with_window_icon(icon())
        .with_inner_size(LogicalSize::new(1280.0, 720.0));
    let shows = |[x, y]: [i32; 2]| {
        event_loop.available_monitors().any(|monitor| {
            let (at, size) = (monitor.position(), monitor.size());
            let ends = [(at.x, size.width), (at.y, size.height)]
                .map(|(from, length)| from..from.saturating_add_unsigned(length));
            ends[0].contains(&x) && ends[1].contains(&y)
        })
    };
    match place.filter(|place| shows(*place)) {
        Some([x, y]) => attributes.with_position(PhysicalPosition::new(x, y)),
        None => attributes,
    }
}

/// For systems that ask the window and not the desktop entry.
fn icon() -> Option<Icon> {
    let picture = image::load_from_memory(include_bytes!("../../../../web/icon.png")).ok()?;
    let (width, height) = (picture.width(), picture.height());
    Icon::from_rgba(picture.into_rgba8().into_raw(), width, height).ok()
}

/// Runs a future to its end; opening an adapter is the only one.
pub fn complete(future: impl Future<Output = ()>) {
    pollster::block_on(future);
}

/// An X server makes all fingers one mouse while that is grabbed, so who plays by fingers leaves it free.
pub const GRABBED_MOUSE_TAKES_FINGERS: bool = true;

/// Takes the mouse away from the desktop, or gives it back.
pub fn grab_mouse(window: &Window, wants: bool) {
    window.set_cursor_visible(!wants);
    let outcome = if wants {
        // X11 knows no lock; confined to the window, raw motion is just as unbounded.
        window
            .set_cursor_grab(CursorGrabMode::Locked)
            .or_else(|_| window.set_cursor_grab(CursorGrabMode::Confined))
    } else {
        window.set_cursor_grab(CursorGrabMode::None)
    };
    if let Err(error) = outcome {
        tracing::warn!("the mouse cannot be held in the window: {error}");
    }
}

/// How many milliseconds ago that came which the system tells of just now; it does not say.
pub fn input_age() -> f64 {
    0.0
}

/// Ends the program once this frame is over.
pub fn quit(event_loop: &ActiveEventLoop, _: &mut App) {
    event_loop.exit();
}

/// Whether there is something to draw to.
pub fn can_draw() -> bool {
    true
}

/// Whether motion belongs to the game once it wants the mouse.
pub fn is_mouse_grabbed() -> bool {
    true
}

/// Keyboards are there without being asked for, and nobody turns a desktop.
pub fn want_input(_wants_text: bool, _wants_gyro: bool) {}

/// Pads play where the keys do.
pub fn hears_pads(has_keys: bool) -> bool {
    has_keys
}

/// Desktops have no common way to read a window's picture aloud; the log has all that is printed.
pub fn speak(_text: &str) {}

pub fn set_fullscreen(window: &Window, wants: bool) {
    window.set_fullscreen(wants.then_some(Fullscreen::Borderless(None)));
}

/// Makes the window so large, in pixels, if it is a window; without a size, as large as the desktop.
pub fn set_size(window: &Window, size: Option<[i32; 2]>) {
    let desktop = || window.current_monitor().map(|monitor| monitor.size());
    let size = match size {
        Some([width, height]) => Some(PhysicalSize::new(
            width.max(64) as u32,
            height.max(64) as u32,
        )),
        None => desktop(),
    };
    if let Some(size) = size {
        let _ = window.request_inner_size(size);
    }
}

/// Frames are drawn when the player's limit says so; the display is not asked.
#[derive(Default)]
pub struct Display;

impl Display {
    pub fn new() -> Self {
        Self
    }

    /// Whether a frame that is asked for is to be drawn.
    pub fn is_due(&mut self, _now: f64, _next_frame_msec: f64, _interval: f64) -> bool {
        true
    }

    /// The terminal hears what matters through the console; a window has no page to tell.
    pub fn report(&mut self, _app: &App, _frames: u64, _screen: Option<(String, RenderStats)>) {}
}

/// Says when the next frame is to begin: one interval after the last one should have.
pub fn pace(
    event_loop: &ActiveEventLoop,
    window: &Window,
    clock: &Clock,
    next_frame_msec: &mut f64,
    interval: f64,
    is_busy: bool,
) {
    let now = clock.now_exact();
    // A late frame may be made up for by one interval, not more, so that the rate stays right but nothing bursts.
    *next_frame_msec = (*next_frame_msec + interval).clamp(now, now + interval);
    let wait = Duration::from_secs_f64((*next_frame_msec - now) / 1000.0);
    if is_busy {
        // The last stretch is waited for awake, since systems wake late.
        const AWAKE: Duration = Duration::from_millis(2);
        let end = Instant::now() + wait;
        std::thread::sleep(wait.saturating_sub(AWAKE));
        while Instant::now() < end {
            std::hint::spin_loop();
        }
        event_loop.set_control_flow(ControlFlow::Poll);
        window.request_redraw();
    } else {
        event_loop.set_control_flow(ControlFlow::WaitUntil(Instant::now() + wait));
    }
}

/// Something nobody can go on from; `start` prints it on the way out.
pub fn fail(_reason: &str) {}
