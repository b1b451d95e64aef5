//! The list of servers in the client: when it is asked for, what of it is shown, and what commands do with it.

use super::Client;
use crate::{
    browser::{
        Browser,
        entry::Server,
        lists,
        order::{Filter, SortKey, view},
        relay_list, with_port,
    },
    con::cvar::Cvars,
    output::Request,
    settings,
    ui::menu::{pages::PageId, servers::ServerRows},
};
use core::net::SocketAddr;
use shared::base::{text::clean, time::ClientTime};

/// The list, and what is being done about it.
#[derive(Clone)]
pub(super) struct Browsing {
    browser: Browser,
    /// Whether servers can be asked from here; else a relay is.
    pub can_ask: bool,
    view: Vec<usize>,
    filter: Filter,
    /// Of which state of the list the view is, and since when.
    viewed: (u64, ClientTime),
    /// Which servers were asked for last, and when.
    asked: Option<(i32, ClientTime)>,
    pub is_active: bool,
    /// Names that are being looked up, and what for.
    names: Vec<(String, PendingQuery)>,
    /// The relay has not answered yet.
    is_fetching: bool,
    fetched_at: ClientTime,
    /// A command waits for the list, to print it.
    listing: bool,
    /// Why there is no list.
    reason: String,
    state: String,
}

#[derive(Clone, Debug)]
enum PendingQuery {
    Master,
    Server { name: String, from: u8 },
}

/// Of `ui_browserMaster`.
mod source {
    pub const LAN: i32 = 0;
    pub const FAVOURITES: i32 = 7;
    pub const RECENT: i32 = 8;
    pub const FRIENDS: i32 = 9;
}

/// The cvars that keep favourites, as other clients call them.
const FAVOURITES: [&str; 16] = [
    "server1", "server2", "server3", "server4", "server5", "server6", "server7", "server8",
    "server9", "server10", "server11", "server12", "server13", "server14", "server15", "server16",
];
/// The list is asked for anew when it is opened after this time.
const OLD_MSEC: i32 = 60_000;
/// While it changes, rows move at most this often.
const SETTLE_MSEC: i32 = 250;
/// A list that a command waits for is printed after this at the latest.
const PATIENCE_MSEC: i32 = 8000;
/// How often a relay is asked for its list while that is shown.
const FETCH_MSEC: i32 = 10_000;

impl Browsing {
    pub fn new(seed: u64, can_ask: bool) -> Self {
        Self {
            browser: Browser::new(seed),
            can_ask,
            view: Vec::new(),
            filter: Filter::default(),
            viewed: (0, ClientTime(0)),
            asked: None,
            is_active: false,
            names: Vec::new(),
            is_fetching: false,
            fetched_at: ClientTime(0),
            listing: false,
            reason: String::new(),
            state: String::new(),
        }
    }

    /// What the menus show of it.
    pub fn rows(&self) -> ServerRows<'_> {
        ServerRows {
            all: self.browser.servers(),
            view: &self.view,
            watched: self.browser.watched(),
            details: self.browser.details(),
            friends: &self.filter.friends,
            state: &self.state,
        }
    }

    fn is_busy(&self) -> bool {
        self.is_fetching || !self.names.is_empty() || self.browser.is_busy()
    }

    fn describe(&mut self) {
        let servers = self.browser.servers();
        let answered = servers.iter().filter(|server| server.ping_msec.is_some());
        let answered = answered.count();
        let shown = self.view.len();
        self.state = match (self.is_busy(), servers.is_empty()) {
            (true, true) => "Asking ...".to_owned(),
            (true, false) => format!(
                "{shown} shown; {answered} of {} have answered",
                servers.len()
            ),
            (false, _) if !self.reason.is_empty() => self.reason.clone(),
            (false, _) => format!("{shown} shown of {answered} that answer"),
        };
    }
}

/// The favourites, in the order of their cvars.
fn favourites(cvars: &Cvars) -> Vec<String> {
    addresses(FAVOURITES.iter().map(|cvar| cvars.text(cvar).trim()))
}

fn recent(cvars: &Cvars) -> Vec<String> {
    addresses(cvars.text("menu_recent").split_ascii_whitespace())
}

fn addresses<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let usable = names.filter(|name| is_address(name));
    usable.map(str::to_owned).collect()
}

/// What may stand behind `connect`: no list, config or page can bring commands along.
pub(crate) fn is_address(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || ".-_:[]".contains(c);
    (1..=255).contains(&text.len()) && text.chars().all(is_part)
}

fn filter(cvars: &Cvars, text: &str) -> Filter {
    let source = cvars.integer("ui_browserMaster");
    let friends = cvars.text("menu_friends").split(',');
    Filter {
        lists: match source {
            source::LAN => lists::LAN,
            source::FAVOURITES => lists::FAVOURITE,
            source::RECENT => lists::RECENT,
            _ => lists::INTERNET,
        },
        only_friends: source == source::FRIENDS,
        friends: friends
            .map(|name| clean(name).trim().to_lowercase())
            .filter(|name| !name.is_empty())
            .collect(),
        shows_empty: cvars.is_on("ui_browserShowEmpty"),
        shows_full: cvars.is_on("ui_browserShowFull"),
        shows_private: cvars.is_on("menu_showPrivate"),
        game_type: match cvars.integer("ui_browserGameType") {
            1 => Some(0),
            2 => Some(3),
            3 => Some(1),
            4 => Some(4),
            _ => None,
        },
        mod_name: cvars.text("menu_mod").trim().to_owned(),
        protocol: Some(cvars.integer("menu_protocol")).filter(|number| *number > 0),
        text: text.to_lowercase(),
        key: SortKey::from_number(cvars.integer("ui_browserSortKey")),
    }
}

impl Client {
    /// Asks anew for the servers that are chosen.
    pub(crate) fn refresh_servers(&mut self) {
        let source = self.cvars.integer("ui_browserMaster");
        let browsing = &mut self.browsing;
        browsing.browser.clear();
        browsing
            .browser
            .set_timeout(self.cvars.integer("cl_maxPing"));
        browsing.names.clear();
        browsing.reason.clear();
        browsing.asked = Some((source, self.now));
        if !browsing.can_ask {
            return self.fetch_servers();
        }
        for (names, from) in [
            (favourites(&self.cvars), lists::FAVOURITE),
            (recent(&self.cvars), lists::RECENT),
        ] {
            for name in names {
                self.look_up(
                    &with_port(&name, false),
                    PendingQuery::Server { name, from },
                );
            }
        }
        let masters = match source {
            source::LAN => {
                self.browsing.browser.ask_neighbours();
                0..0
            }
            source::FAVOURITES | source::RECENT => 0..0,
            2..=6 => source - 1..source,
            _ => 1..6,
        };
        for number in masters {
            let name = self.cvars.text(&format!("sv_master{number}")).trim();
            if is_address(name) {
                self.look_up(&with_port(name, true), PendingQuery::Master);
            }
        }
    }

    fn look_up(&mut self, name: &str, wanted: PendingQuery) {
        if let Ok(address) = name.parse() {
            return self.take_address(&wanted, address);
        }
        self.browsing.names.push((name.to_owned(), wanted));
        let own = settings::own_address(&self.cvars);
        self.request(Request::LookUp {
            name: name.to_owned(),
            own,
        });
    }

    fn take_address(&mut self, wanted: &PendingQuery, address: SocketAddr) {
        let browser = &mut self.browsing.browser;
        match wanted {
            PendingQuery::Master => browser.add_master(address),
            PendingQuery::Server { name, from } => browser.add_server(name, address, *from),
        }
    }

    pub(super) fn looked_up(&mut self, name: &str, addresses: &[SocketAddr]) {
        let is_this = |known: &(String, PendingQuery)| known.0 == name;
        let names = std::mem::take(&mut self.browsing.names);
        let (found, others) = names.into_iter().partition(is_this);
        self.browsing.names = others;
        let first = |is_ipv4| addresses.iter().find(|one| one.is_ipv4() == is_ipv4);
        for (_, wanted) in found {
            match (&wanted, first(true), first(false)) {
                // A master may tell of servers of either kind.
                (PendingQuery::Master, ipv4, ipv6) => {
                    let both = ipv4.into_iter().chain(ipv6);
                    both.for_each(|address| self.take_address(&wanted, *address));
                }
                (_, Some(address), _) | (_, None, Some(address)) => {
                    self.take_address(&wanted, *address);
                }
                (_, None, None) => {}
            }
            if addresses.is_empty() {
                self.browsing.reason = format!("{name} has no address");
            }
        }
    }

    fn fetch_servers(&mut self) {
        let mut names = favourites(&self.cvars);
        names.extend(recent(&self.cvars));
        names.truncate(FAVOURITES.len());
        self.browsing.is_fetching = true;
        self.browsing.fetched_at = self.now;
        self.request(Request::FetchServers {
            favourites: names.join(","),
        });
    }

    pub(super) fn servers_fetched(&mut self, list: Result<String, String>) {
        self.browsing.is_fetching = false;
        match list.and_then(|text| relay_list::read(&text)) {
            Ok(servers) => {
                self.answer_by_list(&servers);
                let (kept, joined) = (favourites(&self.cvars), recent(&self.cvars));
                for mut server in servers {
                    let has = |names: &[String]| names.contains(&server.address);
                    server.lists &= !lists::FAVOURITE;
                    server.lists |= lists::FAVOURITE * u8::from(has(&kept));
                    server.lists |= lists::RECENT * u8::from(has(&joined));
                    self.browsing.browser.add_listed(server);
                }
            }
            Err(reason) => self.browsing.reason = reason,
        }
    }

    pub(super) fn query_answered(&mut self, from: SocketAddr, bytes: &[u8], at: ClientTime) {
        self.browsing.browser.handle_answer(from, bytes, at);
    }

    /// Asks, and brings the view up to date, while somebody looks.
    pub(super) fn follow_servers(&mut self) {
        let page = self.menus.page();
        let is_shown = matches!(
            page,
            Some(PageId::Servers | PageId::Filters | PageId::Server)
        );
        if page != Some(PageId::Server) && self.browsing.browser.watched().is_some() {
            self.browsing.browser.watch(None);
        }
        let is_active = is_shown || self.browsing.listing;
        if std::mem::replace(&mut self.browsing.is_active, is_active) && !is_active {
            self.request(Request::EndQueries);
        }
        if !is_active {
            return;
        }
        let source = self.cvars.integer("ui_browserMaster");
        let is_fresh = self.browsing.asked.is_some_and(|(asked, at)| {
            let is_held = page == Some(PageId::Server) || self.browsing.listing;
            asked == source && (is_held || self.browsing.is_busy() || self.now - at < OLD_MSEC)
        });
        if is_shown && !is_fresh {
            self.refresh_servers();
        }
        self.ask_servers();
        self.update_view();
        self.print_when_listed();
    }

    fn ask_servers(&mut self) {
        if !self.browsing.can_ask {
            if !self.browsing.is_fetching && self.now - self.browsing.fetched_at > FETCH_MSEC {
                self.fetch_servers();
            }
            return;
        }
        let queries = self.browsing.browser.poll(self.now);
        if !queries.is_empty() {
            let own = settings::own_address(&self.cvars);
            self.request(Request::Query { own, queries });
        }
    }

    fn update_view(&mut self) {
        let text = self.menus.typed_on(PageId::Servers);
        let filter = filter(&self.cvars, &text);
        let generation = self.browsing.browser.generation();
        let (viewed, at) = self.browsing.viewed;
        let is_due = viewed != generation && self.now - at >= SETTLE_MSEC;
        if filter != self.browsing.filter || is_due {
            let chosen = self
                .with_menu(|menu, input| menu.chosen_server(input))
                .flatten();
            let number = chosen.and_then(|place| self.browsing.view.get(place).copied());
            self.browsing.view = view(self.browsing.browser.servers(), &filter);
            self.browsing.filter = filter;
            self.browsing.viewed = (generation, self.now);
            let mut view = self.browsing.view.iter();
            if let Some(place) = view.position(|known| Some(*known) == number) {
                self.with_menu(|menu, input| menu.choose_server(place, input));
            }
        }
        self.browsing.describe();
    }

    /// Shows a server of the view in full.
    pub(super) fn watch_server(&mut self, place: usize) {
        let number = self.browsing.view.get(place).copied();
        self.browsing.browser.watch(number);
    }

    /// `localservers` and `globalservers`: asks, and prints the list when it is there.
    pub(crate) fn list_servers(&mut self, source: i32) {
        self.cvars.force("ui_browserMaster", &source.to_string());
        self.refresh_servers();
        self.browsing.listing = true;
    }

    fn print_when_listed(&mut self) {
        let Some((_, asked_at)) = self.browsing.asked.filter(|_| self.browsing.listing) else {
            return;
        };
        let since = self.now - asked_at;
        if since < SETTLE_MSEC || self.browsing.is_busy() && since < PATIENCE_MSEC {
            return;
        }
        self.browsing.listing = false;
        self.browsing.viewed.1 = self.now - SETTLE_MSEC;
        self.update_view();
        let servers = self.browsing.browser.servers();
        let view = self.browsing.view.iter();
        let lines: String = view.map(|number| line(&servers[*number])).collect();
        let text = format!("{lines}{}\n", self.browsing.state);
        self.print(&text);
    }

    /// The server that a command names; without a name the one that one is on, or was on last.
    pub(super) fn server_or_last(&self, name: &str) -> String {
        match name {
            "" => self.last_server.clone(),
            name => name.to_owned(),
        }
    }

    /// Keeps a server among the favourites, or forgets it; without a name the one that one is on.
    pub(crate) fn toggle_favourite(&mut self, name: &str) {
        let name = self.server_or_last(name);
        if !is_address(&name) {
            return self.print("favourite HOST[:PORT]: keeps a server, or forgets it\n");
        }
        let place = |wanted: &str| {
            let is_it = |cvar: &&str| self.cvars.text(cvar).eq_ignore_ascii_case(wanted);
            FAVOURITES.into_iter().find(is_it)
        };
        let text = match (place(&name), place("")) {
            (Some(cvar), _) => {
                // An empty text always fits.
                let _ = self.cvars.set(cvar, "");
                format!("{name} is no favourite any more\n")
            }
            (None, Some(cvar)) => {
                let _ = self.cvars.set(cvar, &name);
                format!("{name} is a favourite now\n")
            }
            (None, None) => format!("all {} places of favourites are taken\n", FAVOURITES.len()),
        };
        self.print(&text);
    }

    /// Puts a link to a server into the clipboard; without a name to the one that one is on.
    pub(crate) fn copy_link(&mut self, name: &str) {
        let name = self.server_or_last(name);
        if !is_address(&name) {
            return self.print("copylink HOST[:PORT]: copies a link to a server\n");
        }
        let link = format!("quake3://{}", with_port(&name, false));
        self.print(&format!("{link} is copied\n"));
        self.request(Request::Copy(link));
    }
}

/// A server as commands print it.
fn line(server: &Server) -> String {
    let ping = server
        .ping_msec
        .map_or("-".to_owned(), |msec| msec.to_string());
    let players = format!("{}/{}", server.players, server.max_players);
    format!(
        "{ping:>4} {players:>7} {:<5} {:<16} {:<21} {}^7\n",
        server.game_type_name(),
        server.map,
        server.address,
        server.title(),
    )
}
