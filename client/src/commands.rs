//! The table of all console commands, a sentence and a function each.

use crate::{
    cg,
    client::Client,
    con::{
        config,
        cvar::{Cvar, SetOutcome, flag},
        keys,
    },
    output::{Request, SoundWish},
    ui::chat::Audience,
};
use shared::{
    base::{time::ClientTime, tokens::Tokens},
    types::configstring::index,
};

/// One console command.
#[derive(Clone, Copy)]
pub struct CommandDef {
    pub name: &'static str,
    pub help: &'static str,
    run: fn(&mut Client, &Tokens, &str),
}

const fn command(
    name: &'static str,
    help: &'static str,
    run: fn(&mut Client, &Tokens, &str),
) -> CommandDef {
    CommandDef { name, help, run }
}

/// Every command of the program; `+` and `-` actions are in `cl::input`.
pub const TABLE: &[CommandDef] = &[
    command(
        "bind",
        "bind KEY [COMMAND]: shows or sets what a key does.",
        bind,
    ),
    command("unbind", "unbind KEY: a key does nothing any more.", unbind),
    command("unbindall", "No key does anything any more.", |c, _, _| {
        c.binds.clear()
    }),
    command("bindlist", "Lists what keys do.", bindlist),
    command(
        "set",
        "set NAME VALUE: sets a cvar, made if need be.",
        |c, t, _| set(c, t, 0),
    ),
    command("seta", "As set, and kept in the config.", |c, t, _| {
        set(c, t, flag::ARCHIVE)
    }),
    command("setu", "As set, and told to the server.", |c, t, _| {
        set(c, t, flag::USERINFO)
    }),
    command("sets", "As set.", |c, t, _| set(c, t, 0)),
    command(
        "toggle",
        "toggle NAME [VALUES]: switches between 0 and 1, or to the next value.",
        toggle,
    ),
    command("cycle", "The same as toggle.", toggle),
    command("reset", "reset NAME: back to the default.", reset),
    command(
        "unset",
        "unset NAME: forgets a cvar that set has made.",
        unset,
    ),
    command("print", "print NAME: shows a cvar.", print_cvar),
    command("cvarlist", "cvarlist [PATTERN]: lists cvars.", |c, t, _| {
        cvarlist(c, t, |_| true)
    }),
    command(
        "cvar_modified",
        "cvar_modified [PATTERN]: lists cvars that differ from their default.",
        |c, t, _| {
            cvarlist(c, t, |cvar| cvar.value() != cvar.default_value());
        },
    ),
    command(
        "cvar_restart",
        "All cvars back to their defaults.",
        |c, _, _| c.cvars.restart(),
    ),
    command("cmdlist", "cmdlist [PATTERN]: lists commands.", cmdlist),
    command("help", "help NAME: says what a cvar or command does.", help),
    command(
        "vstr",
        "vstr NAME: runs the value of a cvar as commands.",
        vstr,
    ),
    command("exec", "exec FILE: runs a config.", |c, t, _| {
        exec(c, t, false)
    }),
    command("execq", "exec, without a word.", |c, t, _| exec(c, t, true)),
    command(
        "writeconfig",
        "writeconfig FILE: stores all settings under a name.",
        writeconfig,
    ),
    command(
        "wait",
        "wait [FRAMES]: the rest runs that many frames later.",
        |c, t, _| {
            c.buffer.wait(t.get(1).parse().unwrap_or(1));
        },
    ),
    command("echo", "echo TEXT: prints it.", |c, t, _| {
        c.print(&format!("{}\n", t.rest(1)))
    }),
    command("clear", "Empties the console.", |c, _, _| {
        c.scrollback.clear()
    }),
    command(
        "condump",
        "condump FILE: stores what the console has printed.",
        condump,
    ),
    command(
        "toggleconsole",
        "Opens or closes the console.",
        |c, _, _| c.toggle_console(),
    ),
    command("messagemode", "Chat to all.", |c, _, _| {
        c.open_chat(Audience::All)
    }),
    command("messagemode2", "Chat to the team.", |c, _, _| {
        c.open_chat(Audience::Team)
    }),
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
    command("weapon", "weapon NUMBER: takes a weapon.", |c, t, _| {
        if let Ok(number) = t.get(1).parse() {
            c.act(cg::Action::SelectWeapon(number));
        }
    }),
    command("weapnext", "The next weapon.", |c, _, _| {
        c.act(cg::Action::NextWeapon)
    }),
    command("weapprev", "The weapon before.", |c, _, _| {
        c.act(cg::Action::PreviousWeapon)
    }),
    command("+zoom", "Looks closer.", |c, _, _| {
        c.act(cg::Action::Zoom(true))
    }),
    command("-zoom", "Looks normally.", |c, _, _| {
        c.act(cg::Action::Zoom(false))
    }),
    command("+scores", "Shows the scoreboard.", |c, _, _| {
        c.act(cg::Action::ShowScores(true))
    }),
    command("-scores", "Hides the scoreboard.", |c, _, _| {
        c.act(cg::Action::ShowScores(false))
    }),
    command("+acc", "Shows how well each weapon hit.", |c, _, _| {
        c.act(cg::Action::ShowAccuracy(true))
    }),
    command("-acc", "Hides how well each weapon hit.", |c, _, _| {
        c.act(cg::Action::ShowAccuracy(false))
    }),
    command("centerview", "Looks straight ahead.", |c, _, _| {
        c.center_view()
    }),
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
    command("model", "model [NAME]: one's model and head.", model),
    command("sizeup", "A larger view.", |c, _, _| resize_view(c, 10.0)),
    command("sizedown", "A smaller view.", |c, _, _| {
        resize_view(c, -10.0)
    }),
    command("play", "play SOUND…: plays sounds once.", |c, t, _| {
        for name in 1..t.len() {
            c.request(Request::Sound(SoundWish::Play(t.get(name).to_owned())));
        }
    }),
    command(
        "music",
        "music FILE [LOOP]: plays music instead of the level's.",
        |c, t, _| c.request(Request::Sound(SoundWish::Music(t.rest(1)))),
    ),
    command("stopmusic", "Silences the music.", |c, _, _| {
        c.request(Request::Sound(SoundWish::Music(String::new())))
    }),
    command("s_stop", "Silences everything.", |c, _, _| {
        c.request(Request::Sound(SoundWish::Stop))
    }),
    command("s_info", "What is set and what plays.", |c, _, _| {
        c.request(Request::Sound(SoundWish::Info))
    }),
    command("s_list", "Lists all sounds.", |c, _, _| {
        c.request(Request::Sound(SoundWish::List))
    }),
    command("quit", "Ends the program.", |c, _, _| {
        c.request(Request::Quit)
    }),
];

fn screenshot(client: &mut Client, tokens: &Tokens, is_jpeg: bool) {
    let word = tokens.get(1);
    let is_silent = word == "silent";
    client.request(Request::Screenshot {
        name: (!word.is_empty() && !is_silent).then(|| word.to_owned()),
        is_jpeg,
        is_silent,
    });
}

/// Runs one command line.
pub fn execute(client: &mut Client, line: &str) {
    let tokens = Tokens::new(line);
    let name = tokens.get(0);
    if name.is_empty() {
        return;
    }
    if let Some(def) = TABLE.iter().find(|def| def.name.eq_ignore_ascii_case(name)) {
        (def.run)(client, &tokens, line);
    } else if client.run_input_action(&tokens) {
    } else if client.cvars.get(name).is_some() {
        if tokens.len() == 1 {
            print_one(client, name);
        } else {
            set_cvar(client, name, &tokens.rest(1));
        }
    } else {
        client.forward(name, line);
    }
}

/// How a line can go on: the longest common part, and the candidates if there are several.
pub fn complete(client: &Client, line: &str) -> (String, Vec<String>) {
    let (prefix, rest) = match line.strip_prefix(['\\', '/']) {
        Some(rest) => ("\\", rest),
        None => ("\\", line),
    };
    // Only the command behind the last separator is completed.
    let (before, current) = match rest.rfind(';') {
        Some(at) => rest.split_at(at + 1),
        None => ("", rest),
    };
    let tokens = Tokens::new(current);
    let starts_new = current.ends_with(' ') || tokens.is_empty();
    let position = if starts_new {
        tokens.len()
    } else {
        tokens.len() - 1
    };
    let word = if starts_new { "" } else { tokens.get(position) };
    let mut found: Vec<String> = candidates(client, tokens.get(0), position)
        .into_iter()
        .filter(|name| {
            name.len() >= word.len()
                && name.as_bytes()[..word.len()].eq_ignore_ascii_case(word.as_bytes())
        })
        .collect();
    found.sort_unstable_by_key(|name| name.to_ascii_lowercase());
    found.dedup();
    if found.is_empty() {
        return (line.to_owned(), found);
    }
    let common = common_prefix(&found);
    let kept = &current[..current.len() - word.len()];
    let end = if found.len() == 1 { " " } else { "" };
    let completed = format!("{prefix}{before}{kept}{common}{end}");
    if found.len() == 1 {
        found.clear();
    }
    (completed, found)
}

fn candidates(client: &Client, command: &str, position: usize) -> Vec<String> {
    let commands = || TABLE.iter().map(|def| def.name.to_owned());
    let cvars = || client.cvars.iter().map(|cvar| cvar.name().to_owned());
    let actions = || {
        crate::cl::input::ACTIONS
            .iter()
            .map(|(name, _)| format!("+{name}"))
    };
    match (position, command.to_ascii_lowercase().as_str()) {
        (0, _) => commands().chain(cvars()).chain(actions()).collect(),
        (1, "bind" | "unbind") => keys::names().collect(),
        (2, "bind") => commands().chain(cvars()).chain(actions()).collect(),
        (
            1,
            "vstr" | "set" | "seta" | "setu" | "sets" | "toggle" | "cycle" | "reset" | "unset"
            | "print",
        ) => cvars().collect(),
        (1, "help") => commands().chain(cvars()).collect(),
        _ => Vec::new(),
    }
}

fn common_prefix(names: &[String]) -> String {
    let Some(first) = names.first() else {
        return String::new();
    };
    let shared = names.iter().fold(first.len(), |len, name| {
        first
            .bytes()
            .zip(name.bytes())
            .take(len)
            .take_while(|(a, b)| a.eq_ignore_ascii_case(b))
            .count()
    });
    first.chars().take(shared).collect()
}

fn bind(client: &mut Client, tokens: &Tokens, _: &str) {
    if tokens.len() < 2 {
        return client.print("bind KEY [COMMAND]: shows or sets what a key does\n");
    }
    let Some(key) = keys::number(tokens.get(1)) else {
        return client.print(&format!(
            "\"{}\" is no key; try bind and Tab\n",
            tokens.get(1)
        ));
    };
    if tokens.len() == 2 {
        let command = client.binds.get(key).to_owned();
        let name = keys::name(key);
        return client.print(&match command.as_str() {
            "" => format!("{name} does nothing\n"),
            command => format!("{name} = \"{command}\"\n"),
        });
    }
    client.binds.set(key, &tokens.rest(2));
}

fn unbind(client: &mut Client, tokens: &Tokens, _: &str) {
    match keys::number(tokens.get(1)) {
        Some(key) => client.binds.set(key, ""),
        None => client.print(&format!("\"{}\" is no key\n", tokens.get(1))),
    }
}

fn bindlist(client: &mut Client, _: &Tokens, _: &str) {
    let text: String = client
        .binds
        .iter()
        .map(|(key, command)| format!("{} \"{command}\"\n", keys::name(key)))
        .collect();
    client.print(&text);
}

fn set(client: &mut Client, tokens: &Tokens, flags: u16) {
    match tokens.len() {
        0 | 1 => client.print("set NAME VALUE: sets a cvar, made if need be\n"),
        2 => print_one(client, tokens.get(1)),
        _ => {
            if set_cvar(client, tokens.get(1), &tokens.rest(2)) && flags != 0 {
                client.cvars.add_flags(tokens.get(1), flags);
            }
        }
    }
}

fn set_cvar(client: &mut Client, name: &str, value: &str) -> bool {
    match client.cvars.set(name, value) {
        Ok(SetOutcome::Adjusted(told)) => client.print(&format!("{told}\n")),
        Ok(SetOutcome::Latched) => client.print(&format!("{name} changes with the next restart\n")),
        Ok(SetOutcome::Changed | SetOutcome::Unchanged) => {}
        Err(error) => {
            client.print(&format!("{error}\n"));
            return false;
        }
    }
    true
}

fn toggle(client: &mut Client, tokens: &Tokens, _: &str) {
    let name = tokens.get(1);
    let current = client.cvars.text(name).to_owned();
    let next = match tokens.len() {
        0 | 1 => return client.print("toggle NAME [VALUES]\n"),
        2 => if client.cvars.number(name) == 0.0 {
            "1"
        } else {
            "0"
        }
        .to_owned(),
        3 => return client.print("toggle needs two values or more to switch between\n"),
        count => {
            let at = (2..count).find(|&i| tokens.get(i) == current);
            tokens
                .get(at.map_or(2, |at| if at + 1 < count { at + 1 } else { 2 }))
                .to_owned()
        }
    };
    set_cvar(client, name, &next);
}

fn reset(client: &mut Client, tokens: &Tokens, _: &str) {
    if let Err(error) = client.cvars.reset(tokens.get(1)) {
        client.print(&format!("{error}\n"));
    }
}

fn unset(client: &mut Client, tokens: &Tokens, _: &str) {
    if let Err(error) = client.cvars.unset(tokens.get(1)) {
        client.print(&format!("{error}\n"));
    }
}

fn print_cvar(client: &mut Client, tokens: &Tokens, _: &str) {
    print_one(client, tokens.get(1));
}

fn print_one(client: &mut Client, name: &str) {
    let Some(cvar) = client.cvars.get(name) else {
        return client.print(&format!("there is no cvar {name}\n"));
    };
    let mut text = match cvar.has(flag::SECRET) {
        true => format!("{} is a secret\n", cvar.name()),
        false if cvar.value() == cvar.default_value() => {
            format!(
                "\"{}\" is \"{}^7\", the default\n",
                cvar.name(),
                cvar.value()
            )
        }
        false => {
            format!(
                "\"{}\" is \"{}^7\", default \"{}^7\"\n",
                cvar.name(),
                cvar.value(),
                cvar.default_value()
            )
        }
    };
    if let Some(latched) = cvar.latched() {
        text.push_str(&format!("after the next restart: \"{latched}\"\n"));
    }
    if !cvar.help().is_empty() {
        text.push_str(&format!("{}\n", cvar.help()));
    }
    client.print(&text);
}

fn cvarlist(client: &mut Client, tokens: &Tokens, wanted: impl Fn(&Cvar) -> bool) {
    let pattern = tokens.get(1);
    let mut text = String::new();
    let mut count = 0;
    for cvar in client
        .cvars
        .iter()
        .filter(|cvar| wanted(cvar) && matches(pattern, cvar.name()))
    {
        let letters: String = [
            (flag::USERINFO, 'U'),
            (flag::READ_ONLY, 'R'),
            (flag::INIT, 'I'),
            (flag::ARCHIVE, 'A'),
            (flag::LATCH, 'L'),
            (flag::CHEAT, 'C'),
            (flag::USER_CREATED, '?'),
        ]
        .iter()
        .map(|&(bit, letter)| if cvar.has(bit) { letter } else { ' ' })
        .collect();
        let value = if cvar.has(flag::SECRET) {
            "(secret)"
        } else {
            cvar.value()
        };
        text.push_str(&format!("{letters} {} \"{value}^7\"\n", cvar.name()));
        count += 1;
    }
    text.push_str(&format!("{count} cvars\n"));
    client.print(&text);
}

fn cmdlist(client: &mut Client, tokens: &Tokens, _: &str) {
    let pattern = tokens.get(1);
    let mut names: Vec<&str> = TABLE
        .iter()
        .map(|def| def.name)
        .filter(|name| matches(pattern, name))
        .collect();
    names.sort_unstable();
    let text = format!("{}\n{} commands\n", names.join("\n"), names.len());
    client.print(&text);
}

fn help(client: &mut Client, tokens: &Tokens, _: &str) {
    let name = tokens.get(1);
    match TABLE.iter().find(|def| def.name.eq_ignore_ascii_case(name)) {
        Some(def) => client.print(&format!("{}\n", def.help)),
        None => print_one(client, name),
    }
}

fn vstr(client: &mut Client, tokens: &Tokens, _: &str) {
    let text = client.cvars.text(tokens.get(1)).to_owned();
    if !client.buffer.insert(&text) {
        client.print("vstr: too many commands are waiting\n");
    }
}

fn exec(client: &mut Client, tokens: &Tokens, is_quiet: bool) {
    let name = tokens.get(1);
    if name.is_empty() {
        return client.print("exec FILE: runs a config\n");
    }
    let name = if name.contains('.') {
        name.to_owned()
    } else {
        format!("{name}.cfg")
    };
    client.exec_file(&name, is_quiet);
}

fn writeconfig(client: &mut Client, tokens: &Tokens, _: &str) {
    let name = tokens.get(1).trim_end_matches(".cfg");
    if !is_plain_name(name) {
        return client.print("writeconfig FILE: a name of letters, digits, - and _\n");
    }
    let text = config::write(&client.cvars, &client.binds);
    client.request(Request::Store {
        name: format!("{name}.cfg"),
        text,
    });
    client.print(&format!("stored {name}.cfg\n"));
}

fn condump(client: &mut Client, tokens: &Tokens, _: &str) {
    let name = tokens.get(1).trim_end_matches(".txt");
    if !is_plain_name(name) {
        return client.print("condump FILE: a name of letters, digits, - and _\n");
    }
    let text: String = client
        .scrollback
        .lines()
        .map(|line| format!("{}\n", line.text))
        .collect();
    client.request(Request::Store {
        name: format!("{name}.txt"),
        text,
    });
    client.print(&format!("stored {name}.txt\n"));
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

fn model(client: &mut Client, tokens: &Tokens, _: &str) {
    match tokens.get(1) {
        "" => print_one(client, "model"),
        name => {
            let name = name.to_owned();
            set_cvar(client, "model", &name);
            set_cvar(client, "headmodel", &name);
        }
    }
}

fn resize_view(client: &mut Client, by: f32) {
    let size = (client.cvars.number("cg_viewsize") + by).clamp(30.0, 100.0);
    set_cvar(client, "cg_viewsize", &size.to_string());
}

/// A name that is safe as a file's name everywhere.
fn is_plain_name(name: &str) -> bool {
    (1..=48).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// Whether a name begins as the pattern says: `*` any text, `?` any letter, no regard to case.
fn matches(pattern: &str, name: &str) -> bool {
    fn go(pattern: &[u8], name: &[u8]) -> bool {
        match (pattern, name) {
            ([], _) => true,
            ([b'*', rest @ ..], _) => (0..=name.len()).any(|skip| go(rest, &name[skip..])),
            ([b'?', rest @ ..], [_, name @ ..]) => go(rest, name),
            ([p, rest @ ..], [n, name @ ..]) => p.eq_ignore_ascii_case(n) && go(rest, name),
            (_, []) => false,
        }
    }
    // Many stars would take exponential time and ask for nothing new.
    let mut pattern = pattern.as_bytes().to_vec();
    pattern.dedup_by(|a, b| *a == b'*' && *b == b'*');
    pattern.iter().filter(|&&b| b == b'*').count() <= 4 && go(&pattern, name.as_bytes())
}

/// The time that a `+` or `-` command got from its key: argument 2.
pub fn key_time(tokens: &Tokens) -> Option<ClientTime> {
    tokens.get(2).parse().ok().map(ClientTime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_is_there_once_and_explained() {
        let names: BTreeSet<&str> = TABLE.iter().map(|def| def.name).collect();
        assert_eq!(names.len(), TABLE.len());
        assert!(TABLE.iter().all(|def| def.help.ends_with('.')));
    }

    #[test]
    fn patterns_match_from_the_start() {
        assert!(matches("cg_", "cg_fov"));
        assert!(matches("*fov", "cg_zoomfov"));
        assert!(matches("CG_?ov", "cg_fov"));
        assert!(!matches("fov", "cg_fov"));
        assert!(!matches("a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    }

    #[test]
    fn file_names_stay_in_their_folder() {
        assert!(is_plain_name("my-config_2"));
        for bad in ["", "../x", "a/b", "a b", "a.cfg", &"x".repeat(99)] {
            assert!(!is_plain_name(bad), "{bad}");
        }
    }
}
