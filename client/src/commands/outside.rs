//! Commands about all that lies outside: servers, demos, files, pictures, sound, the program itself.

use super::{CommandDef, console::matches};
use crate::{
    assets::{Listed, source::store_server},
    client::Client,
    output::{Device, Request},
    session::Session,
};
use shared::{
    base::{sort::sort, tokens::Tokens},
    types::configstring::index,
};

commands! {
    /// What concerns servers, files and devices.
    "connect" = connect, "connect HOST[:PORT]: enters a server.";
    "reconnect" = |c, _, _| c.reconnect(), "Enters the last server again.";
    "disconnect" = |c, _, _| c.disconnect(""), "Leaves the server.";
    "cmd" = |c, t, _| c.send_to_server(&t.rest(1)), "cmd TEXT: sends a command to the server.";
    "rcon" = rcon, "rcon TEXT: runs a command on the server, with rconPassword.";
    "demo" = |c, t, _| c.find_demo(t.get(1)), "demo NAME: plays a demo.";
    "record" = |c, t, _| c.record_demo(t.get(1)), "record [NAME]: records a demo.";
    "stoprecord" = |c, _, _| c.stop_recording(), "Ends the recording.";
    "screenshot" = |c, t, _| screenshot(c, t, false),
        "screenshot [silent|NAME]: keeps a picture (PNG).";
    "screenshotJPEG" = |c, t, _| screenshot(c, t, true),
        "screenshotJPEG [silent|NAME]: keeps a small picture.";
    "whylag" = |c, _, _| c.print_of_session(Session::lag_text),
        "Why nothing new came for a while in this level.";
    "whymiss" = |c, _, _| c.print_of_session(Session::shots_text),
        "Why own shots missed in this level; cg_showShots 1 marks them.";
    "inspector" = |c, t, _| c.run_inspector(t.get(1), t.get(2)),
        "inspector [hold|off|json [NAME]|pcapng [NAME]]: shows what is said on the connection, holds it, keeps it in a file.";
    "savejournal" = save_journal,
        "savejournal [NAME]: keeps all that happened in this run, for strafe --replay.";
    "report" = |c, t, _| c.keep_report(t.get(1)),
        "report [all]: keeps what tells that something was wrong, to be shown to others; all keeps the journal as well.";
    "hops" = |c, _, _| c.print_of_session(Session::hops_text),
        "Where the time of a ping goes: browser, relay, server.";
    "loadtimes" = |c, _, _| c.print_load_times(), "How long the level took to load, step by step.";
    "snapshotages" = snapshot_ages,
        "snapshotages [SECONDS]: how old the newest snapshot was, at half and at 99 of 100 moments.";
    "serverinfo" = |c, _, _| c.print_info(index::SERVERINFO), "What the server says of itself.";
    "systeminfo" = |c, _, _| c.print_info(index::SYSTEMINFO), "The rules that the server sets.";
    "configstrings" = |c, _, _| c.print_configstrings(), "All strings of the level.";
    "clientinfo" = |c, _, _| c.print_clientinfo(), "State of the connection, and the userinfo.";
    "path" = |c, _, _| c.print_path(), "The paks in their search order.";
    "play" = play, "play SOUND…: plays sounds once.";
    "music" = |c, t, _| c.play_music(&t.rest(1)),
        "music FILE [LOOP]: plays music instead of the level's.";
    "stopmusic" = |c, _, _| c.play_music(""), "Silences the music.";
    "s_stop" = |c, _, _| c.stop_sounds(), "Silences everything.";
    "s_info" = |c, _, _| c.print_sound_info(), "What is set and what plays.";
    "s_list" = |c, _, _| c.print_sounds(), "Lists all sounds.";
    "quit" = |c, _, _| c.request(Request::Quit), "Ends the program.";
    "serverstatus" = |c, t, _| c.ask_status(t.get(1)),
        "serverstatus [HOST]: what a server says of itself, and who plays there.";
    "ping" = |c, t, _| c.ask_ping(t.get(1)), "ping [HOST]: how long a server takes to answer.";
    "localservers" = |c, _, _| c.list_servers(0), "Lists the servers of the own network.";
    "globalservers" = list_global_servers,
        "globalservers [N]: lists the servers of all masters, or of sv_masterN.";
    "refreshservers" = |c, _, _| c.refresh_servers(),
        "Asks anew for the servers that the menus list.";
    "favourite" = |c, t, _| c.toggle_favourite(t.get(1)),
        "favourite [HOST[:PORT]]: keeps a server among the favourites, or forgets it.";
    "takesensitivity" = |c, _, _| c.take_sensitivity(),
        "Sets the sensitivity that turns as menu_fromSensitivity did in the game menu_fromGame.";
    "copylink" = |c, t, _| c.copy_link(t.get(1)),
        "copylink [HOST[:PORT]]: copies a link to a server.";
    "dir" = dir, "dir FOLDER [ENDING]: lists a folder of the paks.";
    "fdir" = fdir, "fdir PATTERN: lists files of the paks by name.";
    "which" = which, "which FILE: the pak that a file comes from.";
    "fs_referencedList" = |c, _, _| c.print_used_paks(),
        "The paks that files were taken from, as the server is told.";
    "fetched" = fetched,
        "fetched [remove PATTERN]: lists the paks that servers have handed out, or removes those of a name (* removes all).";
    "gfxinfo" = |c, _, _| c.request(Request::DescribeScreen), "What draws the picture.";
    "imagelist" = |c, _, _| c.print_assets(Listed::Images), "Lists all pictures.";
    "shaderlist" = |c, _, _| c.print_assets(Listed::Shaders), "Lists all materials.";
    "modellist" = |c, _, _| c.print_assets(Listed::Models), "Lists all models.";
    "skinlist" = |c, _, _| c.print_assets(Listed::Skins), "Lists all skins of models.";
    "vid_restart" = |c, _, _| c.request(Request::Restart(Device::Screen)),
        "Opens the graphics adapter anew.";
    "snd_restart" = |c, _, _| c.restart_sound(), "Opens the sound anew.";
    "in_restart" = |c, _, _| c.request(Request::Restart(Device::Pads)), "Looks for gamepads anew.";
    "minimize" = |c, _, _| c.request(Request::Minimize), "Puts the window away.";
}

/// Lists or removes what servers have handed out.
fn fetched(client: &mut Client, tokens: &Tokens, _line: &str) {
    let paks = client.fetched_paks();
    let is_removing = tokens.get(1).eq_ignore_ascii_case("remove");
    let pattern = match is_removing {
        true if tokens.len() < 3 => {
            return client
                .print("fetched remove PATTERN: such as baseoa/z_map* or play.example.org*\n");
        }
        true => tokens.get(2),
        false => "*",
    };
    let mut count = 0;
    for pak in paks {
        let name = format!("{}/{}", pak.game, pak.name);
        let server = store_server(&pak.store);
        let full_names = [&server, &pak.store].map(|from| format!("{from}/{name}"));
        if !matches(pattern, &name) && !full_names.iter().any(|full| matches(pattern, full)) {
            continue;
        }
        count += 1;
        if is_removing {
            client.request(Request::RemovePak(pak.id));
        } else {
            client.print(&format!("{name} from {server}\n"));
        }
    }
    if count == 0 {
        client.print("There is no such pak from a server.\n");
    }
}

fn screenshot(client: &mut Client, tokens: &Tokens, is_jpeg: bool) {
    let word = tokens.get(1);
    let is_silent = word == "silent";
    client.request(Request::Screenshot {
        name: (!word.is_empty() && !is_silent).then(|| word.to_owned()),
        is_jpeg,
        is_silent,
    });
}

fn connect(client: &mut Client, tokens: &Tokens, _: &str) {
    // -4 and -6 chose an address family in older clients.
    let mut words = (1..tokens.len()).map(|i| tokens.get(i));
    match words.find(|word| !matches!(*word, "-4" | "-6")) {
        Some(server) => client.connect(server),
        None => client.print("connect HOST[:PORT]: enters a server\n"),
    }
}

fn rcon(client: &mut Client, _: &Tokens, line: &str) {
    // The server tokenises for itself, so quotes must survive.
    let rest = line.trim_start().get(4..).unwrap_or("");
    client.rcon(rest.trim_start());
}

fn save_journal(client: &mut Client, tokens: &Tokens, _: &str) {
    let name = Some(tokens.get(1)).filter(|name| !name.is_empty());
    let name = name.map(str::to_owned);
    client.print("All that happened in this run goes into a file…\n");
    client.request(Request::SaveJournal { name });
}

fn snapshot_ages(client: &mut Client, tokens: &Tokens, _: &str) {
    let seconds = tokens.get(1).parse().unwrap_or(60);
    client.print_of_session(|session| session.snapshot_ages_text(seconds));
}

fn play(client: &mut Client, tokens: &Tokens, _: &str) {
    for name in 1..tokens.len() {
        client.play_sound(tokens.get(name));
    }
}

fn list_global_servers(client: &mut Client, tokens: &Tokens, _: &str) {
    match tokens.get(1).parse() {
        Ok(number @ 1..=5) => client.list_servers(number + 1),
        _ => client.list_servers(1),
    }
}

fn dir(client: &mut Client, tokens: &Tokens, _: &str) {
    if tokens.len() < 2 {
        return client.print("dir FOLDER [ENDING]: lists a folder of the paks\n");
    }
    let mut names = client.assets().vfs().list(tokens.get(1), tokens.get(2));
    sort(&mut names);
    client.print_names(&names);
}

fn fdir(client: &mut Client, tokens: &Tokens, _: &str) {
    let pattern = tokens.get(1);
    if pattern.is_empty() {
        return client.print("fdir PATTERN: such as *.bsp or *rail*\n");
    }
    let mut names = client.assets().vfs().names();
    names.retain(|name| matches(pattern, name));
    client.print_names(&names);
}

fn which(client: &mut Client, tokens: &Tokens, _: &str) {
    let name = tokens.get(1);
    let text = match client.assets().vfs().pak_of(name) {
        Some(pak) => format!("{name} is in {pak}\n"),
        None => format!("{name} is in no pak here\n"),
    };
    client.print(&text);
}
