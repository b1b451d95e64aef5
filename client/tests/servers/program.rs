//! The program itself against a real server: loads the level's files and plays, without window.

use crate::downloads::Home;
use real_servers::{GameServer, Program};
use serde_json::Value;
use std::{
    io::Read,
    process::Stdio,
    time::{Duration, Instant},
};

#[test]
fn the_program_plays_on_a_pure_server() {
    let settings = "+set sv_pure 1 +set g_gametype 0 +map oa_dm1";
    let arguments: Vec<&str> = settings.split(' ').collect();
    let server = GameServer::start(Program::OpenArena, 28515, &arguments);
    for bot in ["sarge", "major", "rai"] {
        server.rcon(&format!("addbot {bot} 3"));
    }
    let home = Home::new(server.port);
    let output = home
        .program(&server, "--seconds 40 --json --input random")
        .output()
        .expect("the program was built with this test");
    let text = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    let line = text
        .lines()
        .last()
        .unwrap_or_else(|| panic!("no report; stderr: {error}"));
    let report: Value =
        serde_json::from_str(line).unwrap_or_else(|fault| panic!("{fault}: {line}\n{error}"));
    println!("{report}");
    assert!(
        output.status.success(),
        "{report}\n{error}\n{}",
        server.log()
    );
    assert_eq!(
        (
            &report["state"],
            &report["map"],
            &report["protocol"],
            &report["pure"]
        ),
        (&"active".into(), &"oa_dm1".into(), &71.into(), &true.into()),
        "{report}"
    );
    let number = |key: &str| {
        report[key]
            .as_f64()
            .unwrap_or_else(|| panic!("no {key}: {report}"))
    };
    assert!(
        number("seconds") > 15.0 && number("snapshots") > 300.0,
        "{report}"
    );
    assert!(
        number("usercmds") > 1000.0 && number("ping_ms") < 250.0,
        "{report}"
    );
    assert_eq!(report["errors"], Value::Array(Vec::new()), "{report}");
}

/// A server sends what terminals obey, and is then killed.
#[test]
fn terminals_are_told_of_a_killed_server_and_nothing_that_they_obey() {
    let server = GameServer::start(Program::OpenArena, 28524, &["+map", "oa_dm1"]);
    let home = Home::new(server.port);
    let mut program = home
        .program(&server, "--seconds 60 +set name Listener")
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("the program was built with this test");
    let mut stdout = program.stdout.take().expect("it is piped");
    let reader = std::thread::spawn(move || {
        let mut printed = Vec::new();
        stdout.read_to_end(&mut printed).map(|_| printed)
    });
    // It lists a player from the moment that they are in the game.
    let until = Instant::now() + Duration::from_secs(40);
    while !server.log().contains("ClientBegin") && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(200));
    }
    std::thread::sleep(Duration::from_secs(1));
    server.rcon("say before \x1b]52;c;cXVpdA==\x07\x1b[2J\x08after");
    std::thread::sleep(Duration::from_secs(1));
    drop(server);
    std::thread::sleep(Duration::from_secs(8));
    program.kill().expect("it still waits for the server");
    program.wait().expect("it was started");
    let printed = reader.join().expect("it does not panic");
    let printed = printed.expect("a pipe can be read");
    let text = String::from_utf8_lossy(&printed);
    assert!(text.contains("before") && text.contains("after"), "{text}");
    let is_obeyed = |c: &char| c.is_control() && !matches!(c, '\n' | '\t');
    assert_eq!(text.chars().find(is_obeyed), None, "{text:?}");
    let is_told = text
        .lines()
        .any(|line| line.contains("has not answered for"));
    assert!(is_told, "{text}");
}
