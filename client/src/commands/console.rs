//! Commands of the console itself: binds, cvars, configs, what was printed.

use super::{CommandDef, command};
use crate::{
    cg::Listener,
    client::Client,
    con::{
        config,
        cvar::{Cvar, SetOutcome, flag},
        keys, unsupported,
    },
    output::Request,
    ui::chat::Audience,
};
use shared::base::sort::sort;
use shared::base::tokens::Tokens;

/// What concerns keys, cvars and the console.
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
    command("bindpad", "Gives pads their usual keys.", |c, _, _| {
        c.bind_pad()
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
    command(
        "exec",
        "exec FILE: runs a config, your own or one of the paks; autoexec.cfg runs at each start.",
        |c, t, _| exec(c, t, false),
    ),
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
        "menu",
        "menu [NAME]: opens or closes the menus, or opens a page of them.",
        |c, t, _| c.menu_command(t.get(1)),
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
    command(
        "messagemode3",
        "Chats with the player at the crosshair.",
        |c, _, _| c.open_chat_to(Listener::Target),
    ),
    command(
        "messagemode4",
        "Chats with the player who hurt you last.",
        |c, _, _| c.open_chat_to(Listener::Attacker),
    ),
];

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
            let name = tokens.get(1);
            // Configs say `seta`, and a player who runs one has not asked for its names.
            if let Some(reason) = unsupported::reason(name).filter(|_| flags == 0) {
                client.print(&format!("{name} has no use here. {reason}\n"));
            }
            if set_cvar(client, name, &tokens.rest(2)) && flags != 0 {
                client.cvars.add_flags(name, flags);
            }
        }
    }
}

pub fn set_cvar(client: &mut Client, name: &str, value: &str) -> bool {
    if client.choose_server_setting(name, value) {
        return true;
    }
    match client.cvars.set(name, value) {
        Ok(SetOutcome::Adjusted(told)) => client.print(&format!("{told}\n")),
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

pub fn print_one(client: &mut Client, name: &str) {
    let Some(cvar) = client.cvars.get(name) else {
        return client.print(&match client.server_setting(name) {
            Some((help, value)) => {
                format!("\"{name}\" is \"{value}^7\" in your own matches\n{help}\n")
            }
            None => format!("there is no cvar {name}\n"),
        });
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
    let mut names: Vec<&str> = super::all()
        .map(|def| def.name)
        .filter(|name| matches(pattern, name))
        .collect();
    sort(&mut names);
    let text = format!("{}\n{} commands\n", names.join("\n"), names.len());
    client.print(&text);
}

fn help(client: &mut Client, tokens: &Tokens, _: &str) {
    let name = tokens.get(1);
    match super::all().find(|def| def.name.eq_ignore_ascii_case(name)) {
        Some(def) => client.print(&format!("{}\n", def.help)),
        None => match unsupported::reason(name) {
            Some(reason) if client.cvars.get(name).is_none() => {
                client.print(&format!("{name} has no use here. {reason}\n"));
            }
            _ => print_one(client, name),
        },
    }
}

fn vstr(client: &mut Client, tokens: &Tokens, _: &str) {
    let name = tokens.get(1);
    // Words that nobody knows go to the server.
    if (client.cvars.get(name)).is_some_and(|cvar| cvar.has(flag::SECRET)) {
        return client.print(&format!("{name} is a secret\n"));
    }
    let text = client.cvars.text(name).to_owned();
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
    let text = config::write(&client.cvars, &client.binds, config::Extent::All);
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

/// A name that is safe as a file's name everywhere.
pub fn is_plain_name(name: &str) -> bool {
    (1..=48).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// Whether a name begins as the pattern says: `*` any text, `?` any letter, no regard to case.
pub fn matches(pattern: &str, name: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

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
