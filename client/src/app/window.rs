//! The window: turns what winit tells into events, paces the frames, shows what is drawn.

mod devices;

use super::{
    App, StartOptions,
    input_delay::InputDelayMeter,
    keys,
    pads::Pads,
    screen::{Screen, window_place, window_size},
    screenshot::Screenshots,
    timedemo::{FrameCost, Timedemo},
    wake::Wake,
};
use crate::{
    event::Event,
    output::{Device, Output},
    platform::{speaker::SystemSpeaker, window as surroundings},
    sound::{Order, Speaker},
};
use shared::base::time::ClientTime;
use std::sync::{
    Arc,
    mpsc::{Receiver, channel},
};
use winit::{
    application::ApplicationHandler,
    dpi::{PhysicalPosition, PhysicalSize},
    event::{DeviceEvent, DeviceId, ElementState, Ime, StartCause, WindowEvent},
    event_loop::{ActiveEventLoop, EventLoop},
    window::{Window, WindowId},
};

/// Opens the window and plays until the player leaves.
pub fn run(options: StartOptions) -> Result<(), String> {
    let event_loop = EventLoop::new()
        .map_err(|error| format!("there is no display to open a window on: {error}"))?;
    let wake = Wake::of(event_loop.create_proxy());
    let app = App::start(options, wake.clone())?;
    surroundings::run(event_loop, Player::new(app, wake))
}

/// The platform's speaker, if the player wants one; without one everything goes on in silence, and the reason is told.
fn open_speaker(app: &mut App) -> SystemSpeaker {
    if !app.client.cvars().is_on("s_initSound") {
        return SystemSpeaker::default();
    }
    let (speaker, opened) = SystemSpeaker::open();
    if let Err(reason) = opened {
        app.push(Event::Print(format!("{reason}\n")));
    }
    speaker
}

/// Spaces the pictures of a load out where each of them delays the load itself: a browser without a GPU stops the
/// page until a picture's pixels are read back.
#[derive(Debug, Default)]
struct LoadingPace {
    drawn_at: Option<f64>,
    next_at: f64,
}

impl LoadingPace {
    /// Whether to draw in the frame that begins now.
    fn is_due(&mut self, now: f64, is_loading: bool) -> bool {
        /// Pictures that come as fast as displays show them delay nothing.
        const CHEAP_MSEC: f64 = 20.0;
        const MAX_PAUSE_MSEC: f64 = 500.0;
        if let Some(drawn_at) = self.drawn_at.take()
            && now - drawn_at > CHEAP_MSEC
        {
            self.next_at = now + (3.0 * (now - drawn_at)).min(MAX_PAUSE_MSEC);
        }
        let is_due = !is_loading || now >= self.next_at;
        self.drawn_at = (is_due && is_loading).then_some(now);
        is_due
    }
}

/// The client in its window.
pub struct Player {
    app: App,
    wake: Wake,
    /// Opening it takes a while in browsers, so the first picture of a match goes before it.
    speaker: Option<SystemSpeaker>,
    /// What it has to play once it is open.
    unplayed: Vec<Order>,
    /// How many pictures were made of anything but the way into a match.
    pictures: u32,
    pads: Pads,
    window: Option<Arc<Window>>,
    screen: Option<Screen>,
    /// Where the screen comes from once the graphics adapter has opened.
    opening: Option<Receiver<Result<Screen, String>>>,
    size: [u32; 2],
    wheel: f64,
    wants_mouse: bool,
    /// What was told last of the menus.
    spoken: String,
    /// Whether what is typed may be composed of several keys, as in chat.
    composes_text: bool,
    /// Where the window was moved to, and when; kept once it stays there.
    moved: Option<([i32; 2], ClientTime)>,
    /// Whether the pointer is held here; `in_nograb` leaves it free.
    grabs_mouse: bool,
    is_fullscreen: bool,
    has_border: bool,
    /// The size that was asked for last, if it was a number.
    wanted_size: Option<Option<[i32; 2]>>,
    is_hidden: bool,
    has_focus: bool,
    frames: u64,
    last_ended_at: f64,
    loading_pace: LoadingPace,
    input_delay: InputDelayMeter,
    timedemo: Timedemo,
    screenshots: Screenshots,
    next_frame_msec: f64,
    display: surroundings::Display,
    /// Why playing ended, if not by the player's wish.
    failure: Option<String>,
}

impl Player {
    fn new(app: App, wake: Wake) -> Self {
        let screenshots = Screenshots::new(wake.clone());
        Self {
            app,
            wake,
            speaker: None,
            unplayed: Vec::new(),
            pictures: 0,
            pads: Pads::open(),
            window: None,
            screen: None,
            opening: None,
            size: [0, 0],
            wheel: 0.0,
            wants_mouse: false,
            spoken: String::new(),
            composes_text: false,
            moved: None,
            grabs_mouse: false,
            is_fullscreen: false,
            has_border: true,
            wanted_size: None,
            is_hidden: false,
            has_focus: true,
            frames: 0,
            last_ended_at: 0.0,
            loading_pace: LoadingPace::default(),
            input_delay: InputDelayMeter::default(),
            timedemo: Timedemo::default(),
            screenshots,
            next_frame_msec: 0.0,
            display: surroundings::Display::new(),
            failure: None,
        }
    }

    /// How it ended, for the exit code.
    pub fn outcome(&self) -> Result<(), String> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, reason: String) {
        surroundings::fail(&reason);
        self.failure = Some(reason);
        event_loop.exit();
    }

    fn open_screen(&mut self, window: &Arc<Window>, event_loop: &ActiveEventLoop) {
        let (sender, receiver) = channel();
        let opening = Screen::open(
            event_loop.owned_display_handle(),
            Arc::clone(window),
            self.size,
            self.app.jobs(),
        );
        let wake = self.wake.clone();
        self.opening = Some(receiver);
        surroundings::complete(async move {
            // The receiver is gone only if the player has left meanwhile.
            let _ = sender.send(opening.await);
            wake.wake();
        });
    }

    fn take_opened_screen(&mut self, event_loop: &ActiveEventLoop) {
        let Some(opened) = self
            .opening
            .as_ref()
            .and_then(|opening| opening.try_recv().ok())
        else {
            return;
        };
        self.opening = None;
        match opened {
            Ok(screen) => {
                self.screen = Some(screen);
                self.request_redraw();
            }
            Err(reason) => self.fail(event_loop, reason),
        }
    }

    fn request_redraw(&self) {
        if let Some(window) = &self.window {
            window.request_redraw();
        }
    }

    fn frame(&mut self, event_loop: &ActiveEventLoop) {
        self.poll_pads();
        let began_at = self.app.clock.now_exact();
        let mut output = self.app.frame();
        let client_msec = self.app.clock.now_exact() - began_at;
        if self.app.wants_quit() {
            return surroundings::quit(event_loop, &mut self.app);
        }
        self.follow_wishes(&output);
        if self.spoken != output.spoken {
            surroundings::speak(&output.spoken);
            self.spoken.clone_from(&output.spoken);
        }
        self.restart_devices(event_loop);
        self.play(std::mem::take(&mut output.sounds));
        let is_due = self
            .loading_pace
            .is_due(began_at, self.app.client.shows_loading());
        if let Some(screen) = self.screen.as_mut().filter(|_| !is_due) {
            screen.prepare(&self.app.client);
        } else if let Some(screen) = &mut self.screen
            && surroundings::can_draw()
        {
            let clock = self.app.clock;
            let render_msec = screen.draw(&output.scene, self.size, &self.app.client, &clock);
            let is_there = !self.app.client.shows_loading();
            self.pictures = self.pictures.saturating_add(u32::from(is_there));
            let cost = FrameCost {
                ended_at: clock.now_exact(),
                client_msec,
                render_msec,
                stats: screen.renderer_mut().stats(),
            };
            let delay = self.input_delay.note_picture(cost.ended_at);
            if let (Some(delay), 2) = (delay, self.app.client.cvars().integer("cg_drawPing")) {
                self.app.push(Event::InputShown(delay));
            }
            for request in self.app.take_screenshots() {
                let picture = screen.capture(&output.scene, &self.app.client);
                surroundings::complete(self.screenshots.keep(request, picture));
            }
            if let Some(complaint) = screen.take_complaint()
                && surroundings::can_draw()
            {
                let text = format!("^1the graphics adapter refused: {complaint}\n");
                self.app.push(Event::Print(text));
            }
            if self.app.client.cvars().is_on("r_speeds") {
                let text = cost.picture_text();
                self.app.push(Event::Print(text));
            }
            if self.app.client.cvars().is_on("com_speeds") {
                let text = cost.text(self.frames, self.last_ended_at);
                self.app.push(Event::Print(text));
            }
            self.last_ended_at = cost.ended_at;
            let gpu_times = screen.renderer_mut().take_gpu_times();
            if let Some(report) = self.timedemo.note(&self.app.client, cost, gpu_times) {
                self.app.push(Event::Print(report.text()));
                self.app.keep_timedemo_log(&report);
            }
        }
        if let Some(screen) = &mut self.screen {
            for line in screen.renderer_mut().take_messages() {
                self.app.push(Event::Print(format!("{line}\n")));
            }
        }
        while let Some(line) = self.screenshots.poll() {
            self.app.push(Event::Print(line));
        }
        self.frames += 1;
        self.keep_place();
        let screen = self.screen.as_mut();
        let screen = screen.map(|screen| {
            let description = screen.description().to_owned();
            (description, screen.renderer_mut().stats())
        });
        self.display.report(&self.app, self.frames, screen);
    }

    /// Lets a frame be heard.
    fn play(&mut self, orders: Vec<Order>) {
        /// More than a match begins with.
        const MAX_UNPLAYED: usize = 1024;
        /// Browsers that draw slowly show the first picture when the next one is made.
        const FIRST_PICTURES: u32 = 2;
        self.unplayed.extend(orders);
        if self.pictures >= FIRST_PICTURES && self.speaker.is_none() {
            self.speaker = Some(open_speaker(&mut self.app));
        }
        let Some(speaker) = &mut self.speaker else {
            return self.unplayed.truncate(MAX_UNPLAYED);
        };
        for order in self.unplayed.drain(..) {
            speaker.obey(order);
        }
        speaker.tick();
        if self.app.client.shows_sound_meter() {
            self.app.push(Event::SoundPeak(speaker.peak()));
        }
    }

    /// Opens anew what the player wants to be opened anew, and minimises.
    fn restart_devices(&mut self, event_loop: &ActiveEventLoop) {
        if self.screen.as_ref().is_some_and(Screen::is_lost) {
            let text = "^3the graphics adapter was lost; it is opened anew\n";
            self.app.push(Event::Print(text.to_owned()));
            self.app.device_restarts.push(Device::Screen);
        }
        for device in std::mem::take(&mut self.app.device_restarts) {
            match device {
                Device::Screen => {
                    let Some(window) = self.window.clone() else {
                        continue;
                    };
                    // The old one lets go of the window first.
                    self.screen = None;
                    self.open_screen(&window, event_loop);
                }
                Device::Sound => self.speaker = Some(open_speaker(&mut self.app)),
                Device::Pads => {
                    let let_go = self.pads.ignore(self.app.clock.now());
                    let_go.into_iter().for_each(|event| self.app.push(event));
                    self.pads = Pads::open();
                }
            }
        }
        if let (true, Some(window)) = (std::mem::take(&mut self.app.wants_minimize), &self.window) {
            window.set_minimized(true);
        }
        if std::mem::take(&mut self.app.wants_description)
            && let Some(screen) = &mut self.screen
        {
            let text = screen.details();
            self.app.push(Event::Print(text));
        }
    }

    /// Grabs or frees the mouse and follows `r_fullscreen` and the wanted size.
    fn follow_wishes(&mut self, output: &Output) {
        let Some(window) = &self.window else { return };
        let cvars = self.app.client.cvars();
        let is_free = cvars.is_on("in_nograb")
            || (output.uses_touch && surroundings::GRABBED_MOUSE_TAKES_FINGERS);
        let grabs = output.grabs_mouse && !is_free;
        self.wants_mouse = output.grabs_mouse;
        if grabs != self.grabs_mouse {
            self.grabs_mouse = grabs;
            surroundings::grab_mouse(window, grabs);
        }
        if output.wants_text != self.composes_text {
            self.composes_text = output.wants_text;
            // Beside the line that is typed, wherever that is.
            let [width, height] = self.size.map(|side| side / 2);
            window.set_ime_cursor_area(
                PhysicalPosition::new(0, height),
                PhysicalSize::new(width, height),
            );
            window.set_ime_allowed(output.wants_text);
        }
        surroundings::want_input(output.wants_text, cvars.number("touch_gyro") > 0.0);
        let wants_fullscreen = cvars.is_on("r_fullscreen");
        if wants_fullscreen != self.is_fullscreen {
            self.is_fullscreen = wants_fullscreen;
            surroundings::set_fullscreen(window, wants_fullscreen);
        }
        let size = window_size(cvars);
        // What fills the screen takes its size when it is a window again.
        if !self.is_fullscreen && self.wanted_size != Some(size) {
            self.wanted_size = Some(size);
            surroundings::set_size(window, size);
        }
        let has_border = !cvars.is_on("r_noborder");
        if has_border != self.has_border {
            self.has_border = has_border;
            window.set_decorations(has_border);
        }
    }

    /// Keeps the place of the window for the next start, except of one that shows a run again.
    fn keep_place(&mut self) {
        const STAYS_MSEC: i32 = 500;
        let now = self.app.clock.now();
        if let Some(([x, y], _)) = self.moved.take_if(|(_, since)| now - *since >= STAYS_MSEC)
            && !self.is_fullscreen
            && !self.app.watches_again()
        {
            let line = format!("set r_windowPosition \"{x} {y}\"\n");
            self.app.push(Event::Command(line));
        }
    }

    fn resize(&mut self, size: [u32; 2]) {
        self.size = size;
        self.app.push(Event::Resized {
            width: size[0],
            height: size[1],
        });
    }

    /// Milliseconds from frame to frame that the player wants at least.
    fn frame_interval(&self) -> f64 {
        if self.app.client.timedemo_frames() > 0 {
            return 0.0;
        }
        let cvars = self.app.client.cvars();
        let limit = |name| cvars.get(name).map_or(0, |_| cvars.integer(name));
        let limits = [
            (self.is_hidden, limit("com_maxfpsMinimized")),
            (!self.has_focus, limit("com_maxfpsUnfocused")),
            (true, limit("com_maxfps")),
        ];
        let fps = limits
            .iter()
            .find(|(applies, fps)| *applies && *fps > 0)
            .map_or(1000, |(_, fps)| *fps);
        // Whole milliseconds, as players' habits expect: 125 is 8 ms, 90 is 11 ms.
        f64::from((1000 / fps.clamp(1, 1000)).max(1))
    }
}

impl ApplicationHandler for Player {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.window.is_some() {
            return;
        }
        let place = window_place(self.app.client.cvars());
        let attributes = surroundings::attributes(event_loop, place);
        let window = match event_loop.create_window(attributes) {
            Ok(window) => Arc::new(window),
            Err(error) => {
                return self.fail(event_loop, format!("no window could be opened: {error}"));
            }
        };
        let size = window.inner_size();
        self.resize([size.width, size.height]);
        self.open_screen(&window, event_loop);
        self.window = Some(window);
        self.request_redraw();
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, (): ()) {
        self.take_opened_screen(event_loop);
        self.app.pump_files();
        // Nobody draws a hidden page, but its player must not time out.
        if self.is_hidden && self.app.clock.now_exact() >= self.next_frame_msec {
            self.next_frame_msec = self.app.clock.now_exact() + self.frame_interval();
            self.frame(event_loop);
        }
    }

    /// A browser says so while the page still exists: the last moment to say goodbye.
    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.app.leave();
        self.app.end_helpers();
        if let Some(screen) = self.screen.take() {
            screen.close();
        }
    }

    /// A browser may keep a page for the way back; the server must not keep its player meanwhile.
    fn suspended(&mut self, _: &ActiveEventLoop) {
        self.app.leave();
    }

    fn new_events(&mut self, _: &ActiveEventLoop, cause: StartCause) {
        if matches!(cause, StartCause::ResumeTimeReached { .. }) {
            self.request_redraw();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if matches!(
            event,
            WindowEvent::KeyboardInput { .. }
                | WindowEvent::MouseInput { .. }
                | WindowEvent::CursorMoved { .. }
                | WindowEvent::Touch(_)
        ) {
            self.note_input();
        }
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => self.resize([size.width, size.height]),
            WindowEvent::Moved(to) => self.moved = Some(([to.x, to.y], self.app.clock.now())),
            WindowEvent::Ime(Ime::Commit(text)) => self.type_text(&text),
            WindowEvent::Focused(has_focus) => {
                self.has_focus = has_focus;
                self.app.push(Event::Focus(has_focus));
            }
            WindowEvent::Occluded(is_hidden) => {
                self.is_hidden = is_hidden;
                self.app.push(Event::Hidden(is_hidden));
                self.request_redraw();
            }
            WindowEvent::KeyboardInput {
                event,
                is_synthetic: false,
                ..
            } => self.handle_key(&event),
            WindowEvent::MouseInput { state, button, .. } => {
                if let Some(key) = keys::button_number(button) {
                    self.push_key(key, state == ElementState::Pressed, false);
                }
            }
            WindowEvent::CursorMoved { position, .. } if !self.wants_mouse => {
                let (x, y) = (position.x as f32, position.y as f32);
                self.app.push(Event::Pointer { x, y });
            }
            WindowEvent::MouseWheel { delta, .. } => self.handle_wheel(delta),
            WindowEvent::Touch(touch) => self.handle_touch(&touch),
            WindowEvent::RedrawRequested => {
                self.take_opened_screen(event_loop);
                let interval = self.frame_interval();
                let now = self.app.clock.now_exact();
                if !self.display.is_due(now, self.next_frame_msec, interval) {
                    return self.request_redraw();
                }
                self.frame(event_loop);
                let is_busy = self.app.client.cvars().is_on("com_busyWait");
                if let Some(window) = &self.window {
                    surroundings::pace(
                        event_loop,
                        window,
                        &self.app.clock,
                        &mut self.next_frame_msec,
                        interval,
                        is_busy,
                    );
                }
            }
            _ => {}
        }
    }

    fn device_event(&mut self, _: &ActiveEventLoop, _: DeviceId, event: DeviceEvent) {
        if let DeviceEvent::MouseMotion { delta: (dx, dy) } = event
            && self.wants_mouse
            && surroundings::is_mouse_grabbed()
        {
            self.note_input();
            let at = self.app.clock.now();
            self.app.push(Event::MouseMotion {
                dx: dx as f32,
                dy: dy as f32,
                at,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LoadingPace;

    /// When it draws within a second of frames that take so long with a picture and 16 ms without.
    fn drawn(msec_with_picture: f64, is_loading: bool) -> usize {
        let mut pace = LoadingPace::default();
        let (mut now, mut count) = (0.0, 0);
        while now < 1000.0 {
            let is_due = pace.is_due(now, is_loading);
            count += usize::from(is_due);
            now += if is_due { msec_with_picture } else { 16.0 };
        }
        count
    }

    #[test]
    fn pictures_of_a_load_take_a_quarter_of_the_time_where_they_are_slow() {
        assert_eq!(drawn(16.0, true), 63);
        assert_eq!(drawn(100.0, true), 3);
        assert_eq!(drawn(100.0, false), 10);
    }
}
