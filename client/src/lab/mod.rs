//! Lab: the same inputs seen twice, side by side, each side with its own connection, line and server.
//!
//! Side A is the client's own session and server, side B ([`SecondMatch`]) a session and a server beside them. Both servers
//! begin with the same seed, hear the same console lines at the same times and differ only in what the panel's rows say;
//! both sessions are given the same keys and mouse. Cvars of the player are not touched: each side has a copy of
//! them, in which its rows are set. A frame goes: both servers, both sessions, then [`Lab::compose`] puts both scenes
//! into one, with the panel below. What the figures and the time lines tell is read from the sessions
//! (`session::Observation`) and from the servers, which are in this program as well.

mod experiments;
mod figures;
mod layout;
mod panel;
mod rows;
mod timeline;
mod trace;
mod walker;

pub use experiments::{EXPERIMENTS, Experiment};
pub use figures::{Figures, TruePlayer, Truth};
pub use layout::{Layout, PanelButton};
pub use panel::PanelKey;
pub use trace::{Trace, TraceCounts};

use crate::{
    cg::diagnose::ghosts::add_box,
    cl::input::Input,
    con::cvar::{Cvars, flag},
    scene::{Draw2d, Scene, ShaderId, text::Charset},
    session::{Observation, Session},
    ui::{
        font::{Font, PROPORTIONAL},
        painter::{NORMAL, Painter, clip},
    },
};
use glam::Vec3;
use panel::{Panel, SIDES};
use rows::{PanelTable, ROWS, RowTarget, find};
use server::Server;
use shared::base::time::ClientTime;
use walker::Walker;

/// The player as the server has him now.
const TRUTH: [u8; 4] = [255, 255, 255, 255];

/// One side's settings, and what is known of it.
#[derive(Clone, Debug)]
pub struct Side {
    /// The player's, with the rows of this side.
    pub cvars: Cvars,
    pub trace: Trace,
    pub figures: Figures,
    /// For its server's console.
    lines: Vec<String>,
    places: Vec<usize>,
    origin: Vec3,
    server_command_time: i32,
}

/// Side B: a server and a session of its own.
#[derive(Clone)]
pub struct SecondMatch {
    pub server: Server,
    /// Begins with that of side A.
    pub session: Option<Session>,
}

/// Both sides and the panel.
#[derive(Clone)]
pub struct Lab {
    pub sides: [Side; 2],
    pub second: SecondMatch,
    page: usize,
    panel: Panel,
    walker: Option<Walker>,
    /// Of the player's cvars that the sides have copied.
    generation: u64,
    /// Both are in the game, so the line may be bad.
    has_begun: bool,
    now: ClientTime,
}

/// What the outside may want to know of the lab.
#[derive(Clone, Debug)]
pub struct LabStatus {
    /// Counted from 1.
    pub page: usize,
    pub sides: [SideStatus; 2],
    /// Where the slider of the first row and side A lies.
    pub first_slider: [f32; 4],
}

/// The same of a side.
#[derive(Clone, Debug)]
pub struct SideStatus {
    /// Where the player is shown.
    pub origin: Vec3,
    pub figures: Figures,
    pub counts: TraceCounts,
    /// The end of the newest usercmd that was executed: as traced, and as the server has it.
    pub executed_until: i32,
    pub server_command_time: i32,
    places: Vec<usize>,
}

impl LabStatus {
    /// What a row's cvar is on both sides.
    pub fn values(&self, cvar: &str) -> [&'static str; 2] {
        let row = find(cvar);
        let value = |side: &SideStatus| row.map_or("", |row| ROWS[row].value(side.places[row]));
        [value(&self.sides[0]), value(&self.sides[1])]
    }
}

/// What draws the lab.
#[derive(Clone, Copy, Debug)]
pub struct LabLook {
    pub charset: Charset,
    /// The picture of the titles' letters.
    pub titles: ShaderId,
}

impl Lab {
    /// A lab on a page; the server of side B follows from the seed of side A's.
    pub fn new(page: usize, seed: u64, cvars: &Cvars, now: ClientTime) -> Self {
        let side = || Side {
            cvars: cvars_of_side(cvars),
            trace: Trace::default(),
            figures: Figures::default(),
            lines: Vec::new(),
            places: vec![0; ROWS.len()],
            origin: Vec3::ZERO,
            server_command_time: 0,
        };
        let mut lab = Self {
            sides: [side(), side()],
            second: SecondMatch {
                server: Server::new(seed),
                session: None,
            },
            page: 0,
            panel: Panel::default(),
            walker: None,
            generation: cvars.generation(),
            has_begun: false,
            now,
        };
        lab.turn_to(page, now);
        lab
    }

    /// Turns to the page of an experiment, whose sliders are set.
    pub fn turn_to(&mut self, page: usize, now: ClientTime) {
        self.page = page % EXPERIMENTS.len();
        let experiment = &EXPERIMENTS[self.page];
        let places = experiment.places();
        self.panel.is_linked =
            rows::of(PanelTable::Line).all(|(row, _)| places[0][row] == places[1][row]);
        for (side, places) in places.into_iter().enumerate() {
            for (row, place) in places.into_iter().enumerate() {
                self.set_place(row, side, place);
            }
        }
        self.walker = experiment.walks.then(|| Walker::start(now));
        self.begin_again();
    }

    /// Figures begin anew.
    pub fn begin_again(&mut self) {
        for side in &mut self.sides {
            let missed = side.figures.missed_in_all();
            side.figures.begin(missed);
            side.trace.counts = TraceCounts::default();
        }
    }

    pub fn status(&self, screen: [f32; 2]) -> LabStatus {
        let status = |side: &Side| SideStatus {
            origin: side.origin,
            figures: side.figures,
            counts: side.trace.counts,
            executed_until: side.trace.executed_until.0,
            server_command_time: side.server_command_time,
            places: side.places.clone(),
        };
        let [a, b] = &self.sides;
        LabStatus {
            page: self.page + 1,
            sides: [status(a), status(b)],
            first_slider: Layout::new(screen).cell(ROWS[0].table, 0, 0),
        }
    }

    /// Sets the row of a cvar on one side, or on both; says why it cannot.
    ///
    /// # Errors
    /// There is no such row, or it has no such value.
    pub fn choose(&mut self, cvar: &str, value: &str, side: Option<usize>) -> Result<(), String> {
        let is_of = |row: &rows::Row| row.cvar.eq_ignore_ascii_case(cvar);
        let Some(row) = ROWS.iter().position(is_of) else {
            let names: Vec<&str> = ROWS.iter().map(|row| row.cvar).collect();
            return Err(format!("the lab compares {}", names.join(", ")));
        };
        let Some(place) = ROWS[row].place(value) else {
            let values = ROWS[row].values.all.join(", ");
            return Err(format!("{cvar} can be {values} here"));
        };
        match side {
            Some(side) => self.slide(row, side, place),
            None => [0, 1]
                .into_iter()
                .for_each(|side| self.set_place(row, side, place)),
        }
        Ok(())
    }

    pub fn page(&self) -> usize {
        self.page
    }

    pub fn experiment(&self) -> &'static Experiment {
        &EXPERIMENTS[self.page]
    }

    pub fn now(&self) -> ClientTime {
        self.now
    }

    /// Keys and mouse belong to the panel.
    pub fn has_focus(&self) -> bool {
        self.panel.has_focus
    }

    /// Where the slider of a side stands.
    fn place(&self, row: usize, side: usize) -> usize {
        self.sides[side].places[row]
    }

    fn prediction_row(&self) -> usize {
        find("cg_nopredict").unwrap_or(0)
    }

    /// Moves a slider; on a linked line that of the other side too.
    pub fn slide(&mut self, row: usize, side: usize, place: usize) {
        self.set_place(row, side, place);
        if self.panel.is_linked && ROWS[row].table == PanelTable::Line {
            self.set_place(row, 1 - side, place);
        }
    }

    fn set_place(&mut self, row: usize, side: usize, place: usize) {
        let (def, side) = (&ROWS[row], &mut self.sides[side]);
        side.places[row] = place.min(def.values.all.len() - 1);
        let value = def.value(place);
        match def.set_on {
            RowTarget::Server => side.lines.push(format!("set {} \"{value}\"", def.cvar)),
            RowTarget::Client => side.set_row(row, self.has_begun),
        }
    }

    /// The line of one side is the other's too, or no more.
    pub fn toggle_link(&mut self) {
        self.panel.is_linked = !self.panel.is_linked;
        if self.panel.is_linked {
            for (row, _) in rows::of(PanelTable::Line) {
                self.set_place(row, 1, self.place(row, 0));
            }
        }
    }

    pub fn is_walking(&self) -> bool {
        self.walker.is_some()
    }

    /// Begins to walk by itself, or lets the player walk.
    pub fn toggle_walk(&mut self, input: &mut Input) {
        match self.walker.take() {
            Some(_) => Walker::stop(input),
            None => self.walker = Some(Walker::start(self.now)),
        }
    }

    /// The player has taken over.
    pub fn stop_walking(&mut self, input: &mut Input) {
        if self.walker.take().is_some() {
            Walker::stop(input);
        }
    }

    /// Begins a frame: the walker walks, and the sides' cvars follow those of the player.
    pub fn begin_frame(&mut self, now: ClientTime, cvars: &Cvars, input: &mut Input) {
        self.now = now;
        if let Some(walker) = &self.walker {
            walker.step(now, input);
        }
        if self.generation != cvars.generation() {
            self.generation = cvars.generation();
            self.sides.iter_mut().for_each(|side| side.follow(cvars));
        }
    }

    /// What the server of a side is to be told.
    pub fn take_lines(&mut self, side: usize) -> Vec<String> {
        std::mem::take(&mut self.sides[side].lines)
    }

    /// Whether both are in the game; from then on their lines are as bad as the rows say.
    pub fn set_begun(&mut self, has_begun: bool) {
        if has_begun == self.has_begun {
            return;
        }
        self.has_begun = has_begun;
        for side in &mut self.sides {
            for (row, _) in rows::of(PanelTable::Line) {
                side.set_row(row, has_begun);
            }
        }
    }

    /// Takes in what a side's session did in this frame, and what its server knows.
    pub fn note(&mut self, side: usize, frame_msec: i32, observed: &Observation, truth: &Truth) {
        let Side {
            trace,
            figures,
            origin,
            server_command_time,
            ..
        } = &mut self.sides[side];
        *origin = observed.shown.map_or(Vec3::ZERO, |(shown, _)| shown);
        let own = truth.player(observed.client_num);
        *server_command_time = own.map_or(0, |own| own.command_time);
        trace.note(self.now, observed);
        figures.measure(self.now, frame_msec, observed, trace, truth);
    }

    /// In what a side differs from the other, in words.
    fn differences(&self, side: usize) -> String {
        let differs = |row: &usize| self.place(*row, 0) != self.place(*row, 1);
        let rows: Vec<usize> = (0..ROWS.len()).filter(differs).collect();
        let words = rows.iter().take(4).map(|&row| {
            let def = &ROWS[row];
            format!("{} {}", def.label, def.shown(self.place(row, side)))
        });
        match rows.len() {
            0 => "the same on both sides".to_owned(),
            1..=4 => words.collect::<Vec<_>>().join(", "),
            _ => words.collect::<Vec<_>>().join(", ") + " ...",
        }
    }
}

fn cvars_of_side(cvars: &Cvars) -> Cvars {
    let mut copy = cvars.clone();
    // The own server is on this machine, and yet the packets are to be counted.
    copy.force(EVERY_FRAME, "0");
    copy
}

/// Sends a packet with every frame.
const EVERY_FRAME: &str = "cl_lanForcePackets";

impl Side {
    /// Sets the cvar of a row; a line that is not bad yet is perfect.
    fn set_row(&mut self, row: usize, has_begun: bool) {
        let def = &ROWS[row];
        let is_perfect = def.table == PanelTable::Line && !has_begun && def.cvar != "rate";
        let value = if is_perfect {
            "0"
        } else {
            def.value(self.places[row])
        };
        self.cvars.force(def.cvar, value);
    }

    /// Takes over what the player has changed, but for the rows and what the server tells.
    fn follow(&mut self, cvars: &Cvars) {
        for cvar in cvars.iter() {
            let is_told = cvar.has(flag::SERVER) || cvar.has(flag::READ_ONLY);
            let is_own = cvar.name() == EVERY_FRAME || find(cvar.name()).is_some();
            if !is_told && !is_own && self.cvars.text(cvar.name()) != cvar.value() {
                self.cvars.force(cvar.name(), cvar.value());
            }
        }
    }
}

/// The picture.
impl Lab {
    /// How large each side's view is.
    pub fn view_size(screen: [f32; 2]) -> [f32; 2] {
        let [_, _, width, height] = Layout::new(screen).views[0];
        [width, height]
    }

    /// Puts both scenes side by side and the panel below. A side that is not in the game has no scene.
    pub fn compose(
        &self,
        scenes: [Option<Scene>; 2],
        truths: [&Truth; 2],
        screen: [f32; 2],
        look: LabLook,
    ) -> Scene {
        let layout = Layout::new(screen);
        let mut whole = Scene::default();
        let is_there = [scenes[0].is_some(), scenes[1].is_some()];
        for (side, scene) in scenes.into_iter().enumerate() {
            let Some(mut scene) = scene else { continue };
            let place = layout.views[side];
            add_truth(&mut scene, truths[side], look.charset.white);
            if side == 0 {
                whole.sound = std::mem::take(&mut scene.sound);
                whole.time_msec = scene.time_msec;
            }
            add_scene(&mut whole, scene, place);
        }
        let titles = Font {
            shader: look.titles,
            face: &PROPORTIONAL,
        };
        let mut painter = Painter {
            out: &mut whole.draw2d,
            charset: look.charset,
            title_font: titles,
            unit: layout.unit,
        };
        fill_gaps(&mut painter, &layout, screen);
        for side in [0, 1_usize] {
            if !is_there[side] {
                let [x, y, width, height] = layout.views[side];
                let middle = [x + width / 2.0, y + height / 2.0];
                painter.centered(middle, "entering ...", NORMAL, SIDES[side]);
            }
            self.draw_side(&mut painter, &layout, side);
        }
        self.draw_legend(&mut painter, &layout);
        self.draw_panel(&mut painter, &layout);
        whole
    }
}

/// The strips beside and between the views.
fn fill_gaps(painter: &mut Painter<'_>, layout: &Layout, [width, _]: [f32; 2]) {
    let dark = [0.03, 0.035, 0.05, 1.0];
    let [left, right] = layout.views;
    let bottom = layout.panel[1];
    let middle = left[0] + left[2];
    painter.fill([0.0, 0.0, width, layout.titles[0][1]], dark);
    painter.fill([0.0, 0.0, left[0], bottom], dark);
    painter.fill([middle, 0.0, right[0] - middle, bottom], dark);
    let end = right[0] + right[2];
    painter.fill([end, 0.0, width - right[0] - right[2], bottom], dark);
    let under = layout.timelines[0][1] + layout.timelines[0][3];
    painter.fill([0.0, under, width, bottom - under], dark);
}

/// Draws where the server has everybody now into a side's view.
fn add_truth(scene: &mut Scene, truth: &Truth, white: ShaderId) {
    /// From within, a box is only in the way.
    const WITHIN: f32 = 42.0;
    let Some(view) = scene.views.iter_mut().find(|view| view.has_world) else {
        return;
    };
    for player in &truth.players {
        if player.origin.distance(view.eye) > WITHIN {
            add_box(view, white, player.origin, TRUTH);
        }
    }
}

/// Moves a scene into a rectangle; what of its pictures lies outside is cut off.
fn add_scene(whole: &mut Scene, scene: Scene, place: [f32; 4]) {
    let [left, top, ..] = place;
    for mut view in scene.views {
        view.viewport[0] += left;
        view.viewport[1] += top;
        whole.views.push(view);
    }
    let moved = scene.draw2d.into_iter().filter_map(|picture| {
        let [x, y, width, height] = picture.rect;
        let rect = [x + left, y + top, width, height];
        clip(&Draw2d { rect, ..picture }, place)
    });
    whole.draw2d.extend(moved);
}
