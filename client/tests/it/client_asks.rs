//! Questions to servers that one is not on, and what the client does without being told.

use client::{
    client::{Client, ClientSetup},
    con::keys,
    event::Event,
    output::{Device, Output, Request},
};
use shared::{base::time::ClientTime, net::oob::ClientPacket};

fn client(config: &str) -> Client {
    let setup = ClientSetup {
        seed: 1,
        config: Some(config.to_owned()),
        guid: "0123456789ABCDEF0123456789ABCDEF".into(),
        can_ask: true,
        ..ClientSetup::default()
    };
    let mut client = Client::new(setup, ClientTime(0));
    // The first frame brings the greeting.
    client.frame(ClientTime(0), Vec::new());
    client
}

fn run(client: &mut Client, now: i32, line: &str) -> Output {
    let events = vec![Event::Command(format!("{line}\n"))];
    client.frame(ClientTime(now), events)
}

/// The only question of a frame: to whom, and what.
#[track_caller]
fn question(output: &Output) -> (&str, ClientPacket) {
    let asked = output.requests.iter().find_map(|request| match request {
        Request::Ask {
            server, datagram, ..
        } => Some((server.as_str(), datagram)),
        _ => None,
    });
    let (server, datagram) = asked.expect("a question goes out");
    (
        server,
        ClientPacket::read(datagram).expect("servers understand it"),
    )
}

#[test]
fn a_ping_is_asked_measured_and_over() {
    let mut client = client("");
    let output = run(&mut client, 10, "ping example.org");
    let (server, packet) = question(&output);
    assert_eq!(server, "example.org");
    assert!(matches!(packet, ClientPacket::GetInfo { .. }), "{packet:?}");
    let answer =
        b"\xff\xff\xff\xffinfoResponse\n\\mapname\\q3dm6\\clients\\3\\sv_maxclients\\8".to_vec();
    let events = vec![
        Event::Asked { at: ClientTime(20) },
        Event::Answer {
            bytes: answer,
            at: ClientTime(62),
        },
    ];
    let output = client.frame(ClientTime(70), events);
    assert_eq!(
        output.printed,
        ["example.org: 42 ms, q3dm6, 3 of 8 players\n"]
    );
    let is_over = |request: &Request| matches!(request, Request::StopAsking);
    assert!(output.requests.iter().any(is_over));
}

#[test]
fn a_server_that_does_not_answer_is_given_up_and_nonsense_is_ignored() {
    let mut client = client("");
    run(&mut client, 10, "serverstatus example.org");
    let nonsense = Event::Answer {
        bytes: b"\xff\xff\xff\xffprint\nquit".to_vec(),
        at: ClientTime(20),
    };
    let output = client.frame(ClientTime(30), vec![nonsense]);
    assert_eq!(output.printed, [""; 0]);
    let output = client.frame(ClientTime(3100), Vec::new());
    assert_eq!(output.printed, ["example.org does not answer\n"]);
}

#[test]
fn a_remote_console_is_reached_without_a_connection() {
    let mut client = client("");
    let output = run(&mut client, 10, "rcon status");
    assert_eq!(output.printed, ["set rconPassword first\n"]);
    run(
        &mut client,
        20,
        "set rconPassword secret; set rconAddress example.org",
    );
    let output = run(&mut client, 30, "rcon status");
    let (server, packet) = question(&output);
    let ClientPacket::Rcon { password, command } = packet else {
        panic!("{packet:?}");
    };
    assert_eq!(
        (server, password.as_str(), command.as_str()),
        ("example.org", "secret", "status")
    );
}

#[test]
fn names_without_use_say_why_and_devices_start_anew() {
    let mut client = client("seta cg_drawTeamOverlay 2");
    let output = run(&mut client, 10, "spmap q3dm6");
    assert!(
        output.printed[0].contains("no use here"),
        "{:?}",
        output.printed
    );
    assert!(client.cvars().is_on("teamoverlay"));
    run(&mut client, 20, "cg_drawTeamOverlay 0");
    client.frame(ClientTime(30), Vec::new());
    assert!(!client.cvars().is_on("teamoverlay"));
    let output = run(&mut client, 40, "vid_restart");
    let restarts = |request: &Request| matches!(request, Request::Restart(Device::Screen));
    assert!(output.requests.iter().any(restarts));
}

#[test]
fn alt_and_enter_fill_the_screen_and_free_it() {
    let mut client = client("");
    let mut press = |held: &[u16]| {
        let key = |is_down| {
            move |&key: &u16| Event::Key {
                key,
                is_down,
                is_repeat: false,
                at: ClientTime(10),
            }
        };
        let events = held.iter().map(key(true));
        let events = events.chain(held.iter().rev().map(key(false))).collect();
        client.frame(ClientTime(20), events);
        client.cvars().is_on("r_fullscreen")
    };
    assert!(!press(&[keys::ENTER]));
    assert!(press(&[keys::ALT, keys::ENTER]));
    assert!(press(&[keys::ENTER]));
    assert!(!press(&[keys::ALT, keys::ENTER]));
}

#[test]
fn exec_runs_what_writeconfig_stored_before_the_commands_behind_it() {
    let mut client = client("set rate 12345\nbind F7 \"say gl\"");
    let output = run(&mut client, 10, "writeconfig duel");
    let stored = output.requests.iter().find_map(|request| match request {
        Request::Store { name, text } => Some((name.as_str(), text.clone())),
        _ => None,
    });
    let (name, text) = stored.expect("it is stored");
    assert_eq!(name, "duel.cfg");

    let mut client = self::client("");
    let output = run(&mut client, 10, "exec duel; set snaps 17");
    let asks =
        |request: &Request| matches!(request, Request::ReadConfig { name } if name == "duel.cfg");
    assert!(output.requests.iter().any(asks));
    assert_ne!(client.cvars().text("snaps"), "17", "the rest waits");
    let events = vec![Event::ConfigRead {
        name: "duel.cfg".to_owned(),
        text: Some(format!("{text}\nset snaps 23\n")),
    }];
    let output = client.frame(ClientTime(20), events);
    assert_eq!(output.printed[0], "execing duel.cfg\n");
    assert_eq!(client.cvars().text("rate"), "12345");
    assert_eq!(client.cvars().text("snaps"), "17", "the rest ran behind it");
    let output = run(&mut client, 30, "bind F7");
    assert_eq!(output.printed, ["F7 = \"say gl\"\n"]);
}

#[test]
fn exec_of_a_file_that_is_nowhere_says_so_and_the_rest_runs() {
    let mut client = client("");
    client.frame(ClientTime(5), vec![Event::SourcesComplete]);
    run(&mut client, 10, "exec nothing.cfg; set snaps 17");
    let nowhere = Event::ConfigRead {
        name: "nothing.cfg".to_owned(),
        text: None,
    };
    let output = client.frame(ClientTime(20), vec![nowhere]);
    let mut printed = output.printed;
    printed.extend(client.frame(ClientTime(30), Vec::new()).printed);
    assert_eq!(
        printed,
        ["exec nothing.cfg: there is no such file, neither of your own nor in the paks\n"]
    );
    assert_eq!(client.cvars().text("snaps"), "17");
}

#[test]
fn autoexec_has_the_last_word_over_the_stored_config() {
    let setup = ClientSetup {
        seed: 1,
        config: Some("set rate 12345; set snaps 20".to_owned()),
        autoexec: Some("set snaps 30".to_owned()),
        ..ClientSetup::default()
    };
    let client = Client::new(setup, ClientTime(0));
    assert_eq!(client.cvars().text("rate"), "12345");
    assert_eq!(client.cvars().text("snaps"), "30");
}

#[test]
fn pads_have_their_usual_keys_unless_the_player_took_them_away() {
    let pad = |config: &str| {
        let mut client = client(config);
        let told = run(&mut client, 10, "bind PAD0_A").printed.concat();
        (client, told)
    };
    const JUMPS: &str = "PAD0_A = \"+moveup\"\n";
    // Without a config, and with one that knows nothing of pads.
    assert_eq!(pad("").1, JUMPS);
    assert_eq!(pad("unbindall\nbind w +forward\n").1, JUMPS);
    // Whoever has chosen pad's keys keeps them, and whoever took them all away as well.
    const NOTHING: &str = "PAD0_A does nothing\n";
    assert_eq!(pad("unbindall\nbind PAD0_B +moveup\n").1, NOTHING);
    let (mut client, told) = pad("unbindall\nseta menu_padKeys 1\n");
    assert_eq!(told, NOTHING);
    let told = run(&mut client, 20, "bindpad; bind PAD0_A").printed;
    assert_eq!(told.concat(), JUMPS);
}
