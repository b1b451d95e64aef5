//! The rows of the list of servers, and of one server in full.

use super::rows::{MenuInput, Row, RowKind, quoted, setting};
use crate::{
    browser::{
        entry::{Details, Server},
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
    let is_favourite = server.lists & crate::browser::lists::FAVOURITE != 0;
    let has_friend = friends_on(server, friends).is_some();
    let marks = [
        (is_favourite, "^3*"),
        (server.needs_password, "^1#"),
        (has_friend, "^2+"),
    ];
    let shown = marks.iter().filter(|(holds, _)| *holds);
    shown.map(|(_, mark)| *mark).collect()
}

fn row(label: &str, kind: RowKind) -> Row {
    Row {
        label: label.to_owned(),
        kind,
    }
}

/// How far the list is, and a row for each server; their texts are made where they are drawn.
pub fn list(input: MenuInput<'_>) -> Vec<Row> {
    let heading = row(input.servers.state, RowKind::Heading);
    let servers = (0..input.servers.view.len()).map(|place| Row {
        label: String::new(),
        kind: RowKind::Server(place),
    });
    std::iter::once(heading).chain(servers).collect()
}

/// What a screen reader says of a server.
pub fn spoken(place: usize, input: MenuInput<'_>) -> String {
    let Some(server) = input.servers.at(place) else {
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

/// The sentence below the list.
pub fn help(place: usize, input: MenuInput<'_>) -> String {
    let Some(server) = input.servers.at(place) else {
        return String::new();
    };
    let friend = friends_on(server, input.servers.friends);
    let friend = friend.map_or(String::new(), |name| format!(", {name} plays there"));
    let password = if server.needs_password {
        ", wants a password"
    } else {
        ""
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

/// The server that is watched: what can be done with it, who plays, its rules.
pub fn facts(input: MenuInput<'_>) -> Vec<Row> {
    let Some(server) = input.servers.watched else {
        return vec![row(
            "This server is not in the list any more",
            RowKind::Heading,
        )];
    };
    let name = quoted(&server.address);
    let mut rows = vec![row("Join", RowKind::Run(format!("connect {name}")))];
    if server.needs_password {
        rows.push(setting("Password", "password", input));
    }
    let is_kept = server.lists & crate::browser::lists::FAVOURITE != 0;
    let keep = match is_kept {
        true => "Forget this favourite",
        false => "Keep among the favourites",
    };
    rows.push(row(keep, RowKind::Do(format!("favourite {name}"))));
    rows.push(row(
        "Copy a link to it",
        RowKind::Do(format!("copylink {name}")),
    ));
    let fact = |label: &str, value: String| row(label, RowKind::Fact(value));
    rows.push(fact("Name", server.title().to_owned()));
    rows.push(fact("Address", server.address.clone()));
    let ping = server
        .ping_msec
        .map_or("no answer".to_owned(), |msec| format!("{msec} ms"));
    rows.push(fact("Ping", ping));
    rows.push(fact("Map", server.map.clone()));
    rows.push(fact("Rules", server.game_type_name().to_owned()));
    let players = format!("{} of {}", server.players, server.max_players);
    rows.push(row(&format!("Players: {players}"), RowKind::Heading));
    let details = input.servers.details;
    for player in details.into_iter().flat_map(|details| &details.players) {
        let value = format!("{} frags {:>4} ms", player.score, player.ping);
        rows.push(fact(&plain(&player.name), value));
    }
    rows.push(row("What it is set to", RowKind::Heading));
    for (key, value) in details.into_iter().flat_map(|details| &details.rules) {
        rows.push(fact(key, value.clone()));
    }
    rows
}
