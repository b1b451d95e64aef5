//! The list of servers as the menus show it, and what is said of each server.

use crate::{
    browser::{
        entry::{Details, Server},
        lists,
        order::friends_on,
    },
    scene::text::plain,
};

/// The list as it is known now.
#[derive(Clone, Copy, Debug, Default)]
pub struct ServerRows<'a> {
    pub all: &'a [Server],
    /// Those that are shown, in their order.
    pub view: &'a [usize],
    pub watched: Option<&'a Server>,
    pub details: Option<&'a Details>,
    /// Parts of friends' names, in small letters.
    pub friends: &'a [String],
    /// How far the list is.
    pub state: &'a str,
}

impl<'a> ServerRows<'a> {
    /// The server at a place of the view.
    pub fn at(self, place: usize) -> Option<&'a Server> {
        self.all.get(*self.view.get(place)?)
    }

    /// What a screen reader says of the server at a place.
    pub fn spoken(self, place: usize) -> String {
        let Some(server) = self.at(place) else {
            return String::new();
        };
        let title = plain(server.title());
        match server.ping_msec {
            Some(ping) => format!(
                "{title}, {} of {} players, {}, {}, {ping} milliseconds",
                server.players,
                server.max_players,
                server.map,
                server.game_type_name(),
            ),
            None => format!("{title}, no answer"),
        }
    }

    /// The sentence below the list about the server at a place.
    pub fn help(self, place: usize) -> String {
        let Some(server) = self.at(place) else {
            return String::new();
        };
        let friend = friends_on(server, self.friends);
        let friend = friend.map_or(String::new(), |name| format!(", {name} plays there"));
        let password = match server.needs_password {
            true => ", wants a password",
            false => "",
        };
        let protocol = match server.protocol {
            0 => String::new(),
            number => format!(", protocol {number}"),
        };
        format!(
            "{}{protocol}{password}{friend}. Letters search; Enter shows it in full.",
            server.address
        )
    }
}

type Column = (&'static str, usize, usize);

/// The columns beside a server's name, from the right: where each ends, counted in letters from the right, and how long it may be.
const COLUMNS: [Column; 5] = [
    ("Ping", 0, 4),
    ("Players", 6, 7),
    ("Rules", 15, 5),
    ("Map", 22, 16),
    ("Mod", 40, 8),
];

/// The columns that leave room for names where so many letters stand side by side, and how much room that is.
pub fn columns(letters: usize) -> (&'static [Column], usize) {
    const NAME: usize = 22;
    let ends = |(_, from_right, longest): &Column| from_right + longest + 2;
    let shown = COLUMNS
        .iter()
        .take_while(|column| ends(column) + NAME <= letters);
    let count = shown.count();
    let taken = COLUMNS[..count].last().map_or(0, ends);
    (&COLUMNS[..count], letters.saturating_sub(taken))
}

/// What stands in the columns.
pub fn cells(server: &Server) -> [String; 5] {
    let Some(ping) = server.ping_msec else {
        return ["-", "", "", "", ""].map(str::to_owned);
    };
    [
        ping.to_string(),
        format!("{}/{}", server.players, server.max_players),
        server.game_type_name().to_owned(),
        server.map.clone(),
        server.mod_name.clone(),
    ]
}

/// Marks before a server's name: favourite, password, friends.
pub fn marks(server: &Server, friends: &[String]) -> String {
    let has_friend = friends_on(server, friends).is_some();
    let marks = [
        (is_favourite(server), "^3*"),
        (server.needs_password, "^1#"),
        (has_friend, "^2+"),
    ];
    let shown = marks.iter().filter(|(holds, _)| *holds);
    shown.map(|(_, mark)| *mark).collect()
}

/// Whether the player keeps it among the favourites.
pub fn is_favourite(server: &Server) -> bool {
    server.lists & lists::FAVOURITE != 0
}
