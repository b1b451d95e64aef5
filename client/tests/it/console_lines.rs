//! What is typed into the console in a live match, key by key: commands act, slash or not.

use crate::rig::Rig;
use client::{con::keys, event::Event};
use shared::base::time::ClientTime;

const README: &str = include_str!("../../../README.md");

fn playing(line: &str) -> Rig {
    let mut rig = Rig::new(&[line]);
    rig.run_until_active();
    rig.command("toggleconsole");
    rig
}

/// Types a line and its end into the open console.
fn type_line(rig: &mut Rig, line: &str) {
    let enter = |is_down| Event::Key {
        key: keys::ENTER,
        is_down,
        is_repeat: false,
        at: ClientTime(0),
    };
    let mut events: Vec<Event> = line.chars().map(Event::Char).collect();
    events.extend([enter(true), enter(false)]);
    rig.printed.clear();
    rig.frame(events);
    rig.run(3);
}

/// Servers take one command a second from each player.
fn wait_for_the_next_command(rig: &mut Rig) {
    rig.run(120);
}

/// What the README's tables tell players to type into the console.
fn lines_of_the_readme() -> Vec<&'static str> {
    let mut is_to_type = false;
    let mut lines = Vec::new();
    for row in README.lines() {
        if !row.starts_with('|') {
            is_to_type = false;
        } else if row == "| to | type |" {
            is_to_type = true;
        } else if is_to_type {
            let to_type = row.split('|').nth(2).unwrap_or("");
            lines.extend(to_type.split('`').skip(1).step_by(2));
        }
    }
    lines.retain(|line| !line.starts_with("cargo "));
    lines
}

#[test]
fn each_line_of_the_readme_does_what_it_says() {
    let lines = lines_of_the_readme();
    assert!(lines.len() > 20, "the README has its tables: {lines:?}");
    let mut rig = playing("devmap oa_dm1");
    for line in lines {
        type_line(&mut rig, line);
        let printed = rig.printed.replacen(&format!("]{line}\n"), "", 1);
        assert!(!printed.contains("unknown"), "{line}: {printed}");
        assert!(!printed.contains(&format!(": {line}")), "said: {printed}");
        match line.split_once(' ') {
            Some((name, value)) => {
                type_line(&mut rig, name);
                let is_set = rig
                    .printed
                    .contains(&format!("\"{name}\" is \"{value}^7\""));
                assert!(is_set, "{line}: {}", rig.printed);
            }
            None => assert!(!printed.trim().is_empty(), "{line} tells nothing"),
        }
    }
}

#[test]
fn what_is_no_command_is_chat_where_the_player_chose_that() {
    let mut rig = playing("map oa_dm1");
    type_line(&mut rig, "good morning");
    rig.run_until(20, |rig| rig.printed.contains("unknown cmd good"));
    wait_for_the_next_command(&mut rig);
    type_line(&mut rig, "con_autochat 1");
    type_line(&mut rig, "good morning");
    rig.run_until(20, |rig| rig.printed.contains(": ^2good morning"));
    type_line(&mut rig, "cg_nopredict 1");
    type_line(&mut rig, "cg_nopredict");
    assert!(rig.printed.contains("is \"1^7\""), "{}", rig.printed);
    wait_for_the_next_command(&mut rig);
    type_line(&mut rig, "say twice");
    rig.run_until(20, |rig| rig.printed.contains(": ^2twice"));
    type_line(&mut rig, "set cg_deferPlayers 1");
    assert!(rig.printed.contains("has no use here"), "{}", rig.printed);
}
