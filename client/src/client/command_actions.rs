//! What console commands do to the client.

use super::Client;
use crate::{
    assets::Listed,
    cg::{self, Listener},
    cl::input::Action,
    commands,
    con::unsupported,
    output::Request,
    session::Session,
    settings,
    ui::chat::{Audience, ChatLine},
};
use shared::base::{info::Info, text::SKIP_NOTIFY, tokens::Tokens};

impl Client {
    /// Prints to the console; color codes allowed, a line ends at `\n`.
    pub(crate) fn print(&mut self, text: &str) {
        if self.cvars.is_on("cl_noprint") {
            return;
        }
        self.scrollback.print(self.now, text);
        let plain = text.strip_prefix(SKIP_NOTIFY).unwrap_or(text);
        self.printed.push(plain.to_owned());
    }

    pub(crate) fn request(&mut self, request: Request) {
        self.requests.push(request);
    }

    pub(crate) fn act(&mut self, action: cg::Action) {
        self.actions.push(action);
    }

    pub(crate) fn toggle_console(&mut self) {
        self.release_keys();
        self.chat = None;
        let clears = self.cvars.is_on("con_autoclear");
        self.console.toggle(clears);
        self.scrollback.clear_notify();
    }

    pub(crate) fn open_chat(&mut self, audience: Audience) {
        if self.is_in_match() {
            self.release_keys();
            self.chat = Some(ChatLine::new(audience));
        }
    }

    /// Chat with one player, if there is one of that kind.
    pub(crate) fn open_chat_to(&mut self, listener: Listener) {
        let (assets, cvars) = (&mut self.assets, &mut self.cvars);
        let session = self.session.as_mut();
        if let Some(client) = session.and_then(|one| one.listener(listener, assets, cvars)) {
            self.open_chat(Audience::Player(client));
        }
    }

    pub(crate) fn center_view(&mut self) {
        if let Some(session) = &self.session {
            session.center_view(&mut self.input);
        }
    }

    /// Runs `+name` or `-name`, if it is a continuous action.
    pub(crate) fn run_input_action(&mut self, tokens: &Tokens) -> bool {
        let name = tokens.get(0);
        let Some(action) = name.get(1..).and_then(Action::from_name) else {
            return false;
        };
        let key = tokens.get(1).parse().ok();
        let at = commands::key_time(tokens);
        match name.as_bytes()[0] {
            b'+' => {
                if !self.input.press(action, key, at) {
                    self.print(&format!("three keys hold {name}; release one first\n"));
                }
            }
            b'-' => {
                self.input.release(action, key, at);
                let recentres = action == Action::MouseLook && !self.cvars.is_on("cl_freelook");
                if recentres {
                    self.center_view();
                }
            }
            _ => return false,
        }
        true
    }

    /// Sends what no local command knows to the server, as the game there may.
    pub(crate) fn forward(&mut self, name: &str, line: &str) {
        if name.starts_with('-') {
            return;
        }
        if let Some(reason) = unsupported::reason(name) {
            return self.print(&format!("{name} has no use here. {reason}\n"));
        }
        let is_for_nobody = name.starts_with('+') || name.eq_ignore_ascii_case("userinfo");
        let can_forward = self.session.as_ref().is_some_and(Session::takes_commands);
        if !can_forward && !is_for_nobody && self.keep_for_the_game(line) {
            return;
        }
        if !can_forward || is_for_nobody {
            self.print(&format!(
                "unknown command \"{name}^7\"; cmdlist lists all\n"
            ));
            return;
        }
        self.send_to_server(line.trim());
    }

    pub(crate) fn send_to_server(&mut self, command: &str) {
        let lab = self.lab.as_mut();
        if let Some(second) = lab.and_then(|lab| lab.second.session.as_mut()) {
            // What is refused here is refused by the other session too, which tells it.
            let _ = second.send_command(command);
        }
        match &mut self.session {
            Some(session) if session.takes_commands() => {
                if let Err(reason) = session.send_command(command) {
                    self.print(&format!("{reason}\n"));
                }
            }
            _ => self.print("not on a server\n"),
        }
    }

    pub(crate) fn connect(&mut self, server: &str) {
        self.disconnect("");
        self.last_server = server.to_owned();
        self.error = None;
        self.console.set_open(false, true);
        self.cvars.force("cl_currentServerAddress", server);
        self.remember_server(server);
        self.use_password(server);
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        self.session = Some(Session::connect(server, self.seed, self.qport, &self.cvars));
        self.request(Request::OpenLink {
            server: server.to_owned(),
            own: settings::own_address(&self.cvars),
        });
    }

    pub(crate) fn reconnect(&mut self) {
        if self.last_server.is_empty() {
            return self.print("there is no server to go back to; use connect\n");
        }
        let server = self.last_server.clone();
        self.connect(&server);
    }

    /// What a later run of the page needs to go on with the connection to the server.
    pub fn resume_state(&self) -> Option<String> {
        self.session.as_ref()?.resume_state()
    }

    /// Leaves the server or demo; a reason is shown.
    pub(crate) fn disconnect(&mut self, reason: &str) {
        self.local_server = None;
        self.lab = None;
        if let Some(session) = self.session.take() {
            self.end_session(session, reason);
        }
    }

    pub(crate) fn rcon(&mut self, command: &str) {
        let password = self.cvars.text("rconPassword").to_owned();
        if password.is_empty() {
            return self.print("set rconPassword first\n");
        }
        let sent = match &mut self.session {
            Some(session) => session.rcon(&password, command),
            None => {
                let server = self.cvars.text("rconAddress").to_owned();
                return self.ask_rcon(&server, &password, command);
            }
        };
        if let Err(reason) = sent {
            self.print(&format!("{reason}\n"));
        }
    }

    pub(crate) fn print_info(&mut self, number: usize) {
        let Some(configstrings) = self.session.as_ref().and_then(Session::configstrings) else {
            return self.print("not on a server\n");
        };
        let info = Info::parse(configstrings.get(number));
        let lines = info_lines(&info, |_| true);
        self.print(&lines);
    }

    /// Prints what the session has to tell.
    pub(crate) fn print_of_session(&mut self, tell: impl Fn(&Session) -> String) {
        let text = self.session.as_ref().map(tell);
        self.print(&text.unwrap_or_else(|| "not on a server\n".to_owned()));
    }

    pub(crate) fn print_load_times(&mut self) {
        if self.before_start_msec > 0.0 {
            let seconds = self.before_start_msec / 1000.0;
            self.print(&format!(
                "The program ran {seconds:.2} s after the page was asked for.\n"
            ));
        }
        self.print_of_session(Session::load_times_text);
    }

    pub(crate) fn print_configstrings(&mut self) {
        let Some(configstrings) = self.session.as_ref().and_then(Session::configstrings) else {
            return self.print("not on a server\n");
        };
        let lines: String = configstrings
            .iter()
            .map(|(number, text)| format!("{number:>4}: {text}\n"))
            .collect();
        self.print(&lines);
    }

    pub(crate) fn print_clientinfo(&mut self) {
        let state = self.status().state;
        let (info, _) = settings::userinfo(&self.cvars, &self.last_server);
        let lines = info_lines(&info, |key| key != "password");
        let server = &self.last_server;
        let text = format!("state: {state}\nserver: {server}\n{lines}");
        self.print(&text);
    }

    /// Lists assets of a kind, those that are still missing too.
    pub(crate) fn print_assets(&mut self, kind: Listed) {
        let lines = self.assets.listed(kind);
        self.print_names(&lines);
    }

    /// The paks that files were taken from.
    pub(crate) fn print_used_paks(&mut self) {
        let names = self.assets.vfs().used_paks();
        self.print_names(&names);
    }

    /// The paks that servers have handed out.
    pub(crate) fn fetched_paks(&self) -> Vec<crate::assets::vfs::FetchedPak> {
        self.assets.vfs().fetched_paks()
    }

    pub(crate) fn print_names(&mut self, names: &[String]) {
        let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
        self.print(&format!("{lines}{} in all\n", names.len()));
    }

    pub(crate) fn session_mut(&mut self) -> Option<&mut Session> {
        self.session.as_mut()
    }

    /// The number of a player by his name, without regard to colors and case.
    pub(crate) fn find_player(&self, name: &str) -> Option<usize> {
        self.session.as_ref()?.find_player(name)
    }

    pub(crate) fn print_path(&mut self) {
        let paks = self.assets.vfs().paks();
        let lines: String = paks
            .map(|(name, checksum)| format!("{name} ({checksum})\n"))
            .collect();
        self.print(&lines);
    }
}

fn info_lines(info: &Info, is_shown: impl Fn(&str) -> bool) -> String {
    let shown = info.iter().filter(|(key, _)| is_shown(key));
    shown
        .map(|(key, value)| format!("{key:<24} {value}\n"))
        .collect()
}
