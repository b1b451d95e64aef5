//! Commands about the match that runs in this program.

use super::CommandDef;
use crate::client::Client;
use shared::base::{text, tokens::Tokens};

commands! {
    /// What concerns a server of one's own.
    "map" = map, "map NAME: begins a match on a map, in this program.";
    "devmap" = map, "devmap NAME: begins a match on a map, with cheats.";
    "skirmish" = skirmish, "skirmish [MAP] [BOTS]: begins a match against bots, in this program.";
    "maps" = maps, "maps [TEXT]: the maps that there are.";
    "map_restart" = run, "map_restart [SECONDS]: begins your own match anew.";
    "killserver" = |c, _, _| c.kill_server(), "Ends your own match.";
    "kick" = run, "kick NAME|allbots: throws somebody out of your own match.";
    "clientkick" = run, "clientkick NUMBER: throws somebody out of your own match.";
    "addbot" = run,
        "addbot NAME [SKILL 1-5] [red|blue] [MSEC]: lets the program play as well in your own match.";
    "lab" = lab,
        "lab [1-6] [MAP]: the same inputs seen twice, side by side, over lines and with netcode of your choice; lab off|walk|again|set CVAR VALUE [a|b].";
    "status" = run, "Who is in your own match.";
    "dumpuser" = run, "dumpuser NAME: what somebody in your own match said of himself.";
}

fn map(client: &mut Client, tokens: &Tokens, line: &str) {
    match tokens.get(1) {
        "" => client.print("map NAME begins a match; maps lists them\n"),
        _ => client.start_map(line),
    }
}

fn lab(client: &mut Client, tokens: &Tokens, _: &str) {
    match tokens.get(1) {
        "off" => client.close_lab(),
        "walk" => client.toggle_lab_walk(),
        "again" => client.begin_lab_again(),
        "set" => client.set_in_lab(tokens.get(2), tokens.get(3), tokens.get(4)),
        // Whoever names no page wants the first.
        page => client.open_lab(page.parse().unwrap_or(1), tokens.get(2)),
    }
}

/// Who plays in a skirmish: one who is about as good as a newcomer, one worse, one better, and so on.
const OPPONENTS: [(&str, i32); 7] = [
    ("Rill", 2),
    ("Tarn", 1),
    ("Moss", 3),
    ("Fell", 2),
    ("Brae", 1),
    ("Holm", 3),
    ("Skerry", 2),
];
const DEFAULT_MAP: &str = "strafe1";
const DEFAULT_OPPONENTS: usize = 3;

fn skirmish(client: &mut Client, tokens: &Tokens, _: &str) {
    let map = match tokens.get(1) {
        "" => DEFAULT_MAP,
        map => map,
    };
    let count = match tokens.get(2) {
        "" => DEFAULT_OPPONENTS,
        count => usize::try_from(text::number(count)).unwrap_or(0),
    };
    client.start_map(&format!("map \"{}\"", map.replace('"', "")));
    client.run_on_own_server("kick allbots");
    for (name, skill) in OPPONENTS.iter().take(count) {
        client.run_on_own_server(&format!("addbot {name} {skill}"));
    }
}

fn run(client: &mut Client, _: &Tokens, line: &str) {
    client.run_on_own_server(line);
}

fn maps(client: &mut Client, tokens: &Tokens, _: &str) {
    let wanted = tokens.get(1).to_ascii_lowercase();
    let maps = client.maps();
    let lines: String = (maps.iter())
        .filter(|map| map.contains(&wanted))
        .map(|map| format!("{map}\n"))
        .collect();
    client.print(&lines);
}
