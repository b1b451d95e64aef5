//! What winit leaves to the browser: the loop, the mouse's capture, the page's own signs.

use super::{clock::Clock, host};
use crate::{
    app::{App, window::Player},
    cl::State,
    render::RenderStats,
    session::LoadTimes,
};
use wasm_bindgen::JsCast;
use winit::{
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop},
    platform::web::{EventLoopExtWebSys, WindowAttributesExtWebSys},
    window::{Window, WindowAttributes},
};

/// Hands the player over to the browser's event loop.
pub fn run(event_loop: EventLoop<()>, player: Player) -> Result<(), String> {
    event_loop.spawn_app(player);
    Ok(())
}

/// The page's own canvas becomes the window.
pub fn attributes(_: &ActiveEventLoop, _place: Option<[i32; 2]>) -> WindowAttributes {
    let canvas = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("game"))
        .and_then(|element| element.dyn_into::<web_sys::HtmlCanvasElement>().ok());
    Window::default_attributes()
        .with_canvas(canvas)
        .with_prevent_default(true)
        .with_focusable(true)
}

/// How many milliseconds ago that came which the browser tells of just now: it waits while a picture is drawn.
pub fn input_age() -> f64 {
    let age = |window: web_sys::Window| {
        let told = window.event().dyn_into::<web_sys::Event>().ok()?;
        Some(window.performance()?.now() - told.time_stamp())
    };
    web_sys::window().and_then(age).unwrap_or(0.0).max(0.0)
}

/// Lets the browser run a future; opening an adapter is the only one.
pub fn complete(future: impl Future<Output = ()> + 'static) {
    wasm_bindgen_futures::spawn_local(future);
}

/// The page itself leaves the pointer free for fingers.
pub const GRABBED_MOUSE_TAKES_FINGERS: bool = false;

/// The page asks the browser for the pointer, which needs a click at first.
pub fn grab_mouse(_window: &Window, wants: bool) {
    host::grab_mouse(wants);
}

/// A page cannot close itself: it begins anew, without what it was opened for.
pub fn quit(_: &ActiveEventLoop, app: &mut App) {
    app.disconnect();
    host::begin_anew();
}

/// Whether there is something to draw to: WebGL's context may have gone, which the page hears a moment later.
pub fn can_draw() -> bool {
    !host::is_context_lost()
}

pub fn is_mouse_grabbed() -> bool {
    host::is_mouse_grabbed()
}

/// Whether a device without keys is to show some, and tell how it is turned.
pub fn want_input(wants_text: bool, wants_gyro: bool) {
    host::want_input(wants_text, wants_gyro);
}

/// Pads play where the page is in front, though its form may have the keys.
pub fn hears_pads(_has_keys: bool) -> bool {
    host::has_focus()
}

/// Tells a screen reader what is chosen in the menus.
pub fn speak(text: &str) {
    host::speak(text);
}

/// The page asks the browser, which wants a key or a click first; it tells when the player leaves by other ways.
pub fn set_fullscreen(_window: &Window, wants: bool) {
    host::set_fullscreen(wants);
}

/// The page decides how large the canvas is.
pub fn set_size(_window: &Window, _size: Option<[i32; 2]>) {}

/// How often the display offers to show a frame.
#[derive(Default)]
pub struct Display {
    offered_at: f64,
    /// Milliseconds from one offer to the next.
    refresh: f64,
    /// How many frames of the game were drawn since it was entered.
    active_frames: u64,
}

impl Display {
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the frame that the display offers now is to be drawn; all times in milliseconds.
    pub fn is_due(&mut self, now: f64, next_frame_msec: f64, interval: f64) -> bool {
        let since = now - std::mem::replace(&mut self.offered_at, now);
        // Offers come late when frames are slow, never early; the growth lets a slower display be noticed.
        self.refresh = match self.refresh {
            0.0 => since,
            refresh => since.min(refresh * 1.01),
        }
        .clamp(1.0, 50.0);
        // Just below the display's rate, a limit would drop single frames: they are seen, and nothing is won.
        interval <= self.refresh * 1.25 || now + self.refresh * 0.5 >= next_frame_msec
    }

    /// Tells the page how things stand: often while it waits, seldom in the game.
    pub fn report(&mut self, app: &App, frames: u64, screen: Option<(String, RenderStats)>) {
        const FRAMES_BETWEEN: u64 = 6;
        let status = app.client.status();
        let is_active = status.state == State::Active;
        self.active_frames = if is_active { self.active_frames + 1 } else { 0 };
        // When the second frame ends, the first one has been seen: browsers that draw slowly hold the page back.
        let is_due = match self.active_frames {
            0 | 2 => true,
            1 => false,
            _ => frames.is_multiple_of(FRAMES_BETWEEN),
        };
        if !is_due {
            return;
        }
        let progress = app.client.assets().progress();
        let facts = serde_json::json!({
            "state": status.state.to_string(),
            "map": status.map,
            "error": status.error,
            "frames": frames,
            "adapter": screen.as_ref().map_or("", |(adapter, _)| adapter),
            "isDrawing": screen.is_some(),
            "draws": screen.as_ref().map(|(_, stats)| stats.draws),
            "lacking": screen.as_ref().map(|(_, stats)| stats.lacking),
            "loading": { "wanted": progress.wanted, "ready": progress.ready, "missing": progress.missing, "bytes": progress.bytes_arrived },
            "session": status.session.map(|session| serde_json::json!({
                "server": session.server,
                "transport": session.transport,
                "hops": session.hops.map(|hops| serde_json::json!({
                    "relayMsec": hops.relay_msec,
                    "serverMsec": hops.server_msec,
                    "waitingMsec": hops.waiting_msec(session.stats.ping_msec),
                })),
                "load": session.load.as_ref().map(load),
                "protocol": session.protocol,
                "pure": session.is_pure,
                "pingMsec": session.stats.ping_msec,
                "snapshots": session.stats.snapshots,
                "origin": session.origin,
            })),
        });
        host::report(&facts.to_string());
    }
}

/// The display says when the next frame begins.
pub fn pace(
    event_loop: &ActiveEventLoop,
    window: &Window,
    clock: &Clock,
    next_frame_msec: &mut f64,
    interval: f64,
    _is_busy: bool,
) {
    let now = clock.now_exact();
    *next_frame_msec = (*next_frame_msec + interval).clamp(now, now + interval);
    event_loop.set_control_flow(ControlFlow::Wait);
    window.request_redraw();
}

fn load(times: &LoadTimes) -> serde_json::Map<String, serde_json::Value> {
    let steps = times.steps();
    steps
        .map(|(step, msec)| (step.key().to_owned(), msec.into()))
        .collect()
}

/// Shows over everything why it cannot go on.
pub fn fail(reason: &str) {
    host::fail(reason);
}
