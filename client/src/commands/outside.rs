//! Commands about all that lies outside: servers, demos, files, pictures, sound, the program itself.

use super::{CommandDef, command, console::matches};
use crate::{
    assets::{Listed, source::store_server},
    client::Client,
    output::{Device, Request},
};
use shared::{base::tokens::Tokens, types::configstring::index};

/// What concerns servers, files and devices.
pub const TABLE: &[CommandDef] = &[
    command("connect", "connect HOST[:PORT]: enters a server.", connect),
    command("reconnect", "Enters the last server again.", |c, _, _| {
        c.reconnect()
    }),
    command("disconnect", "Leaves the server.", |c, _, _| {
        c.disconnect("")
    }),
    command(
        "cmd",
        "cmd TEXT: sends a command to the server.",
        |c, t, _| c.send_to_server(&t.rest(1)),
    ),
    command(
        "rcon",
        "rcon TEXT: runs a command on the server, with rconPassword.",
        rcon,
    ),
    command("demo", "demo NAME: plays a demo.", |c, t, _| {
        c.find_demo(t.get(1))
    }),
    command("record", "record [NAME]: records a demo.", |c, t, _| {
        c.record_demo(t.get(1))
    }),
    command("stoprecord", "Ends the recording.", |c, _, _| {
        c.stop_recording()
    }),
    command(
        "screenshot",
        "screenshot [silent|NAME]: keeps a picture (PNG).",
        |c, t, _| screenshot(c, t, false),
    ),
    command(
        "screenshotJPEG",
        "screenshotJPEG [silent|NAME]: keeps a small picture.",
        |c, t, _| screenshot(c, t, true),
    ),
    command(
        "whylag",
        "Why nothing new came for a while in this level.",
        |c, _, _| c.print_of_session(crate::session::Session::lag_text),
    ),
    command(
        "whymiss",
        "Why own shots missed in this level; cg_showShots 1 marks them.",
        |c, _, _| c.print_of_session(crate::session::Session::shots_text),
    ),
    command(
        "inspector",
        "inspector [hold|off|json [NAME]|pcapng [NAME]]: shows what is said on the connection, holds it, keeps it in a file.",
        |c, t, _| c.run_inspector(t.get(1), t.get(2)),
    ),
    command(
        "savejournal",
        "savejournal [NAME]: keeps all that happened in this run, for strafe --replay.",
        |c, t, _| {
            let name = Some(t.get(1)).filter(|name| !name.is_empty());
            let name = name.map(str::to_owned);
            c.print("All that happened in this run goes into a file…\n");
            c.request(Request::SaveJournal { name });
        },
    ),
    command(
        "report",
        "report [all]: keeps what tells that something was wrong, to be shown to others; all keeps the journal as well.",
        |c, t, _| c.keep_report(t.get(1)),
    ),
    command(
        "hops",
        "Where the time of a ping goes: browser, relay, server.",
        |c, _, _| c.print_of_session(crate::session::Session::hops_text),
    ),
    command(
        "loadtimes",
        "How long the level took to load, step by step.",
        |c, _, _| c.print_load_times(),
    ),
    command(
        "snapshotages",
        "snapshotages [SECONDS]: how old the newest snapshot was, at half and at 99 of 100 moments.",
        |c, t, _| {
            let seconds = t.get(1).parse().unwrap_or(60);
            c.print_of_session(|session| session.snapshot_ages_text(seconds));
        },
    ),
    command(
        "serverinfo",
        "What the server says of itself.",
        |c, _, _| info(c, index::SERVERINFO),
    ),
    command(
        "systeminfo",
        "The rules that the server sets.",
        |c, _, _| info(c, index::SYSTEMINFO),
    ),
    command("configstrings", "All strings of the level.", |c, _, _| {
        c.print_configstrings()
    }),
    command(
        "clientinfo",
        "State of the connection, and the userinfo.",
        |c, _, _| c.print_clientinfo(),
    ),
    command("path", "The paks in their search order.", |c, _, _| {
        c.print_path()
    }),
    command("play", "play SOUND…: plays sounds once.", |c, t, _| {
        for name in 1..t.len() {
            c.play_sound(t.get(name));
        }
    }),
    command(
        "music",
        "music FILE [LOOP]: plays music instead of the level's.",
        |c, t, _| c.play_music(&t.rest(1)),
    ),
    command("stopmusic", "Silences the music.", |c, _, _| {
        c.play_music("")
    }),
    command("s_stop", "Silences everything.", |c, _, _| c.stop_sounds()),
    command("s_info", "What is set and what plays.", |c, _, _| {
        c.print_sound_info()
    }),
    command("s_list", "Lists all sounds.", |c, _, _| c.print_sounds()),
    command("quit", "Ends the program.", |c, _, _| {
        c.request(Request::Quit)
    }),
    command(
        "serverstatus",
        "serverstatus [HOST]: what a server says of itself, and who plays there.",
        |c, t, _| c.ask_status(t.get(1)),
    ),
    command(
        "ping",
        "ping [HOST]: how long a server takes to answer.",
        |c, t, _| c.ask_ping(t.get(1)),
    ),
    command(
        "localservers",
        "Lists the servers of the own network.",
        |c, _, _| c.list_servers(0),
    ),
    command(
        "globalservers",
        "globalservers [N]: lists the servers of all masters, or of sv_masterN.",
        |c, t, _| match t.get(1).parse() {
            Ok(number @ 1..=5) => c.list_servers(number + 1),
            _ => c.list_servers(1),
        },
    ),
    command(
        "refreshservers",
        "Asks anew for the servers that the menus list.",
        |c, _, _| c.refresh_servers(),
    ),
    command(
        "favourite",
        "favourite [HOST[:PORT]]: keeps a server among the favourites, or forgets it.",
        |c, t, _| c.toggle_favourite(t.get(1)),
    ),
    command(
        "takesensitivity",
        "Sets the sensitivity that turns as menu_fromSensitivity did in the game menu_fromGame.",
        |c, _, _| c.take_sensitivity(),
    ),
    command(
        "copylink",
        "copylink [HOST[:PORT]]: copies a link to a server.",
        |c, t, _| c.copy_link(t.get(1)),
    ),
    command(
        "dir",
        "dir FOLDER [ENDING]: lists a folder of the paks.",
        dir,
    ),
    command(
        "fdir",
        "fdir PATTERN: lists files of the paks by name.",
        fdir,
    ),
    command(
        "which",
        "which FILE: the pak that a file comes from.",
        which,
    ),
    command(
        "fs_referencedList",
        "The paks that files were taken from, as the server is told.",
        |c, _, _| c.print_used_paks(),
    ),
    command(
        "fetched",
        "fetched [remove PATTERN]: lists the paks that servers have handed out, or removes those of a name (* removes all).",
        fetched,
    ),
    command("gfxinfo", "What draws the picture.", |c, _, _| {
        c.request(Request::DescribeScreen)
    }),
    command("imagelist", "Lists all pictures.", |c, _, _| {
        c.print_assets(Listed::Images)
    }),
    command("shaderlist", "Lists all materials.", |c, _, _| {
        c.print_assets(Listed::Shaders)
    }),
    command("modellist", "Lists all models.", |c, _, _| {
        c.print_assets(Listed::Models)
    }),
    command("skinlist", "Lists all skins of models.", |c, _, _| {
        c.print_assets(Listed::Skins)
    }),
    command(
        "vid_restart",
        "Opens the graphics adapter anew.",
        |c, _, _| c.request(Request::Restart(Device::Screen)),
    ),
    command("snd_restart", "Opens the sound anew.", |c, _, _| {
        c.restart_sound()
    }),
    command("in_restart", "Looks for gamepads anew.", |c, _, _| {
        c.request(Request::Restart(Device::Pads))
    }),
    command("minimize", "Puts the window away.", |c, _, _| {
        c.request(Request::Minimize)
    }),
];

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
    match (1..tokens.len())
        .map(|i| tokens.get(i))
        .find(|word| !matches!(*word, "-4" | "-6"))
    {
        Some(server) => client.connect(server),
        None => client.print("connect HOST[:PORT]: enters a server\n"),
    }
}

fn rcon(client: &mut Client, _: &Tokens, line: &str) {
    // The server tokenises for itself, so quotes must survive.
    let rest = line
        .trim_start()
        .get(4..)
        .unwrap_or("")
        .trim_start()
        .to_owned();
    client.rcon(&rest);
}

fn info(client: &mut Client, number: usize) {
    client.print_info(number);
}

fn dir(client: &mut Client, tokens: &Tokens, _: &str) {
    if tokens.len() < 2 {
        return client.print("dir FOLDER [ENDING]: lists a folder of the paks\n");
    }
    let mut names = client.assets().vfs().list(tokens.get(1), tokens.get(2));
    names.sort_unstable();
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
