//! Commands of the console itself: binds, cvars, configs, what was printed.

use super::CommandDef;
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

commands! {
    /// What concerns keys, cvars and the console.
    "bind" = bind, "bind KEY [COMMAND]: shows or sets what a key does.";
    "unbind" = unbind, "unbind KEY: a key does nothing any more.";
    "unbindall" = |c, _, _| c.binds.clear(), "No key does anything any more.";
    "bindpad" = |c, _, _| c.bind_pad(), "Gives pads their usual keys.";
    "bindlist" = bindlist, "Lists what keys do.";
    "set" = |c, t, _| set(c, t, 0), "set NAME VALUE: sets a cvar, made if need be.";
    "seta" = |c, t, _| set(c, t, flag::ARCHIVE), "As set, and kept in the config.";
    "setu" = |c, t, _| set(c, t, flag::USERINFO), "As set, and told to the server.";
    "sets" = |c, t, _| set(c, t, 0), "As set.";
    "toggle" = toggle, "toggle NAME [VALUES]: switches between 0 and 1, or to the next value.";
    "cycle" = toggle, "The same as toggle.";
    "reset" = reset, "reset NAME: back to the default.";
    "unset" = unset, "unset NAME: forgets a cvar that set has made.";
    "print" = |c, t, _| print_one(c, t.get(1)), "print NAME: shows a cvar.";
    "cvarlist" = |c, t, _| cvarlist(c, t, |_| true), "cvarlist [PATTERN]: lists cvars.";
    "cvar_modified" = |c, t, _| cvarlist(c, t, |cvar| cvar.value() != cvar.default_value()),
        "cvar_modified [PATTERN]: lists cvars that differ from their default.";
    "cvar_restart" = |c, _, _| c.cvars.restart(), "All cvars back to their defaults.";
    "cmdlist" = cmdlist, "cmdlist [PATTERN]: lists commands.";
    "help" = help, "help NAME: says what a cvar or command does.";
    "vstr" = vstr, "vstr NAME: runs the value of a cvar as commands.";
    "exec" = |c, t, _| exec(c, t, false),
        "exec FILE: runs a config, your own or one of the paks; autoexec.cfg runs at each start.";
    "execq" = |c, t, _| exec(c, t, true), "exec, without a word.";
    "writeconfig" = writeconfig, "writeconfig FILE: stores all settings under a name.";
    "wait" = |c, t, _| c.buffer.wait(t.get(1).parse().unwrap_or(1)),
        "wait [FRAMES]: the rest runs that many frames later.";
    "echo" = |c, t, _| c.print(&format!("{}\n", t.rest(1))), "echo TEXT: prints it.";
    "clear" = |c, _, _| c.scrollback.clear(), "Empties the console.";
    "condump" = condump, "condump FILE: stores what the console has printed.";
    "menu" = |c, t, _| c.menu_command(t.get(1)),
        "menu [NAME]: opens or closes the menus, or opens a page of them.";
    "toggleconsole" = |c, _, _| c.toggle_console(), "Opens or closes the console.";
    "messagemode" = |c, _, _| c.open_chat(Audience::All), "Chat to all.";
    "messagemode2" = |c, _, _| c.open_chat(Audience::Team), "Chat to the team.";
    "messagemode3" = |c, _, _| c.open_chat_to(Listener::Target),
        "Chats with the player at the crosshair.";
    "messagemode4" = |c, _, _| c.open_chat_to(Listener::Attacker),
        "Chats with the player who hurt you last.";
}

fn bind(client: &mut Client, tokens: &Tokens, _: &str) {
    if tokens.len() < 2 {
        return client.print("bind KEY [COMMAND]: shows or sets what a key does\n");
    }
    let Some(key) = keys::number(tokens.get(1)) else {
        let name = tokens.get(1);
        return client.print(&format!("\"{name}\" is no key; try bind and Tab\n"));
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
    let current = client.cvars.text(name);
    let next = match tokens.len() {
        0 | 1 => return client.print("toggle NAME [VALUES]\n"),
        2 if client.cvars.number(name) == 0.0 => "1",
        2 => "0",
        3 => return client.print("toggle needs two values or more to switch between\n"),
        count => {
            let at = (2..count).find(|&i| tokens.get(i) == current);
            let next = at.map_or(2, |at| at + 1);
            tokens.get(if next < count { next } else { 2 })
        }
    };
    set_cvar(client, name, next);
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
        false => {
            let (name, value, default) = (cvar.name(), cvar.value(), cvar.default_value());
            let than = match value == default {
                true => "the default".to_owned(),
                false => format!("default \"{default}^7\""),
            };
            format!("\"{name}\" is \"{value}^7\", {than}\n")
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
    let is_listed = |cvar: &&Cvar| wanted(cvar) && matches(pattern, cvar.name());
    for cvar in client.cvars.iter().filter(is_listed) {
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
        let value = match cvar.has(flag::SECRET) {
            true => "(secret)",
            false => cvar.value(),
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
    let name = match name.contains('.') {
        true => name.to_owned(),
        false => format!("{name}.cfg"),
    };
    client.exec_file(&name, is_quiet);
}

fn writeconfig(client: &mut Client, tokens: &Tokens, _: &str) {
    let text = config::write(&client.cvars, &client.binds, config::Extent::All);
    store(client, tokens, ".cfg", text);
}

fn condump(client: &mut Client, tokens: &Tokens, _: &str) {
    let lines = client.scrollback.lines();
    let text = lines.map(|line| format!("{}\n", line.text)).collect();
    store(client, tokens, ".txt", text);
}

/// Keeps a text under the name that the command gives it.
fn store(client: &mut Client, tokens: &Tokens, ending: &str, text: String) {
    let name = tokens.get(1).trim_end_matches(ending);
    if !is_plain_name(name) {
        let command = tokens.get(0).to_ascii_lowercase();
        let told = format!("{command} FILE: a name of letters, digits, - and _\n");
        return client.print(&told);
    }
    let name = format!("{name}{ending}");
    client.print(&format!("stored {name}\n"));
    client.request(Request::Store { name, text });
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
