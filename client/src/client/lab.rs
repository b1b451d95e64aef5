//! The lab in the client: opening and closing it, its second server and session, and who gets its keys.

use super::{Client, local_server::LAB_PEER};
use crate::{
    cl::input::Input,
    lab::{EXPERIMENTS, Lab, LabLook, Layout, PanelButton, PanelKey, TruePlayer, Truth},
    output::Output,
    session::{FrameContext, Session},
};
use server::{Event, Server};
use shared::{bg::numbers::pm_type, types::limits::MAX_CLIENTS};

/// The map of the lab, where it is there.
const MAP: &str = "strafe1";
/// Who comes where an experiment wants others.
const BOTS: [&str; 3] = ["Rill", "Tarn", "Moss"];

impl Client {
    /// Opens the lab on a page, counted from 1; an empty map lets the lab choose.
    pub(crate) fn open_lab(&mut self, page: usize, map: &str) {
        let page = page.clamp(1, EXPERIMENTS.len()) - 1;
        if self.lab.is_some() && map.is_empty() {
            return self.turn_lab_page(page);
        }
        let maps = self.maps();
        let names = maps.iter().map(|map| map.trim_end_matches(".bsp"));
        let mut others = names.clone();
        // While the paks are still being looked through, the arena's own map will be among them.
        let has_own = maps.is_empty() || names.into_iter().any(|map| map == MAP);
        let map = match map {
            "" if has_own => MAP,
            "" => others.next().unwrap_or(MAP),
            chosen => chosen,
        }
        .to_owned();
        self.disconnect("");
        self.start_match(&format!("devmap {map}"), LAB_PEER);
        self.lab = Some(Box::new(Lab::new(page, self.seed, &self.cvars, self.now)));
        self.run_on_own_server("set sv_hostname \"the lab\"");
        self.hire_lab_bots();
    }

    /// Ends the lab and its match.
    pub(crate) fn close_lab(&mut self) {
        match self.lab.is_some() {
            true => self.disconnect(""),
            false => self.print("the lab is not open; lab opens it\n"),
        }
    }

    /// Lets the lab's player walk by himself, or no more.
    pub(crate) fn toggle_lab_walk(&mut self) {
        if let Some(lab) = &mut self.lab {
            lab.toggle_walk(&mut self.input);
        }
    }

    /// Both sides begin the match anew.
    pub(crate) fn begin_lab_again(&mut self) {
        if let Some(lab) = &mut self.lab {
            lab.begin_again();
            self.run_on_own_server("map_restart 0");
        }
    }

    /// Sets a row of the panel on one side (`a`, `b`) or on both.
    pub(crate) fn set_in_lab(&mut self, cvar: &str, value: &str, side: &str) {
        let side = match side.to_ascii_lowercase().as_str() {
            "a" => Some(0),
            "b" => Some(1),
            _ => None,
        };
        let result = match &mut self.lab {
            Some(lab) => lab.choose(cvar, value, side),
            None => Err("the lab is not open; lab opens it".to_owned()),
        };
        if let Err(reason) = result {
            self.print(&format!("{reason}\n"));
        }
    }

    fn turn_lab_page(&mut self, page: usize) {
        let now = self.now;
        let Some(lab) = &mut self.lab else { return };
        lab.stop_walking(&mut self.input);
        lab.turn_to(page, now);
        self.run_on_own_server("kick allbots");
        self.run_on_own_server("map_restart 0");
        self.hire_lab_bots();
    }

    fn hire_lab_bots(&mut self) {
        let wanted = self.lab.as_ref().map_or(0, |lab| lab.experiment().bots);
        for name in BOTS.into_iter().take(wanted) {
            self.run_on_own_server(&format!("addbot {name} 2"));
        }
    }

    /// A key goes down while the lab is open; false if the game may have it.
    pub(super) fn handle_lab_key(&mut self, key: u16) -> bool {
        let layout = Layout::new(self.screen);
        let Some(lab) = &mut self.lab else {
            return false;
        };
        let had_focus = lab.has_focus();
        let done = lab.handle_key(key, &layout);
        if lab.has_focus() && !had_focus {
            self.release_keys();
        }
        self.do_in_lab(done)
    }

    /// The mouse moves while the lab is open; false if the game may have it.
    pub(super) fn move_lab_mouse(&mut self, dx: f32, dy: f32) -> bool {
        let screen = self.screen;
        let Some(lab) = self.lab.as_mut().filter(|lab| lab.has_focus()) else {
            return false;
        };
        let done = lab.move_cursor(dx, dy, screen);
        self.do_in_lab(done)
    }

    fn do_in_lab(&mut self, done: PanelKey) -> bool {
        let Some(lab) = &mut self.lab else {
            return false;
        };
        match done {
            PanelKey::Ignored => return false,
            PanelKey::Handled => {}
            PanelKey::Close => self.close_lab(),
            PanelKey::Page(step) => {
                let pages = EXPERIMENTS.len() as i32;
                let page = (lab.page() as i32 + step).rem_euclid(pages);
                self.turn_lab_page(page as usize);
            }
            PanelKey::Press(PanelButton::Walk) => self.toggle_lab_walk(),
            PanelKey::Press(PanelButton::Link) => lab.toggle_link(),
            PanelKey::Press(PanelButton::Again) => self.begin_lab_again(),
            PanelKey::Slide { row, side, place } => lab.slide(row, side, place),
        }
        true
    }

    /// The player presses something that moves him: he walks himself from now on.
    pub(super) fn take_over_in_lab(&mut self, text: &str) {
        if text.starts_with('+')
            && let Some(lab) = &mut self.lab
        {
            lab.stop_walking(&mut self.input);
        }
    }

    /// Lets the server of side B go on by the same time and with the same events as that of side A; gives what only
    /// side A's is told.
    pub(super) fn run_second_server(&mut self, events: &[Event]) -> Vec<Event> {
        let now = self.now;
        let Some(lab) = &mut self.lab else {
            return Vec::new();
        };
        let mut own = events.to_vec();
        own.extend(lab.take_lines(1).into_iter().map(Event::Command));
        let output = lab.second.server.frame(self.frame_msec, own);
        if let Some(session) = &mut lab.second.session {
            for (_, datagram) in output.datagrams {
                session.handle_packet(now, datagram);
            }
        }
        lab.take_lines(0).into_iter().map(Event::Command).collect()
    }

    /// The session of side B begins with that of side A.
    pub(super) fn enter_second_match(&mut self) {
        let Some(lab) = &mut self.lab else { return };
        let sessions = [0, 1].map(|side: usize| {
            let cvars = &lab.sides[side].cvars;
            let mut session = Session::on_own_server(self.seed, self.qport, cvars, self.now);
            session.watch_line();
            session
        });
        let [first, mut second] = sessions;
        second.share_assets();
        lab.second.session = Some(second);
        self.session = Some(first);
    }

    /// Runs side B's session with the input that side A's has had, and puts both pictures into one.
    pub(super) fn run_second_session(
        &mut self,
        mut input: Input,
        context: &FrameContext,
        output: &mut Output,
    ) {
        let Some(mut lab) = self.lab.take() else {
            return;
        };
        let mut second_output = Output::default();
        if let Some(session) = &mut lab.second.session {
            session.frame(
                context,
                &mut input,
                &mut lab.sides[1].cvars,
                &mut self.assets,
                &mut second_output,
            );
            // Side A tells the player what both are told.
            session.take_printed();
            let packets = second_output.datagrams.drain(..);
            let events = packets.map(|bytes| Event::Packet {
                from: LAB_PEER,
                bytes,
            });
            let answers = lab.second.server.frame(0, events.collect());
            for (_, datagram) in answers.datagrams {
                session.handle_packet(self.now, datagram);
            }
        }
        let end = (lab.second.session.as_mut()).and_then(Session::take_end);
        let in_game = [
            self.session.as_ref().is_some_and(Session::is_in_game),
            (lab.second.session.as_ref()).is_some_and(Session::is_in_game),
        ];
        lab.set_begun(in_game == [true; 2]);
        self.lab = Some(lab);
        if let Some(reason) = end {
            return self.disconnect(&reason);
        }
        if in_game[0] {
            let second = in_game[1].then_some(second_output.scene);
            self.show_lab(second, output);
        }
    }

    fn show_lab(&mut self, second: Option<crate::scene::Scene>, output: &mut Output) {
        let Some(mut lab) = self.lab.take() else {
            return;
        };
        let truths = [
            self.local_server
                .as_ref()
                .map(|local| truth(local.server())),
            Some(truth(&lab.second.server)),
        ]
        .map(Option::unwrap_or_default);
        let seen = [0, 1].map(|side: usize| lab.sides[side].trace.seen());
        let observed = [
            self.session.as_mut().map(|one| one.observe(seen[0])),
            (lab.second.session.as_mut()).map(|one| one.observe(seen[1])),
        ];
        for (side, observed) in observed.iter().enumerate() {
            if let Some(observed) = observed {
                lab.note(side, self.frame_msec, observed, &truths[side]);
            }
        }
        let first = std::mem::take(&mut output.scene);
        let look = LabLook {
            charset: self.charset,
            titles: self.title_letters,
        };
        let [one, other] = &truths;
        let scenes = [Some(first), second];
        output.scene = lab.compose(scenes, [one, other], self.screen, look);
        self.lab = Some(lab);
    }
}

/// What a server knows of its players.
fn truth(server: &Server) -> Truth {
    let Some((game, time)) = server.game().zip(server.exact_level_time()) else {
        return Truth::default();
    };
    let players = (0..MAX_CLIENTS).filter_map(|client| {
        let player = game.player(client)?;
        let is_there = matches!(player.pm_type, pm_type::NORMAL | pm_type::DEAD);
        is_there.then_some(TruePlayer {
            client_num: client as i32,
            origin: player.origin,
            command_time: player.command_time,
        })
    });
    Truth {
        time,
        players: players.collect(),
    }
}
