//! Paks that only a real server has: fetched once, kept apart, used again; or refused.

use crate::zip;
use real_servers::{GameServer, Program};
use serde_json::Value;
use shared::formats::pk3::{self, Directory};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const OPENARENA: &str = "/usr/share/games/openarena/baseoa";

/// One file out of a pak of OpenArena.
fn extract(pak: &str, name: &str) -> Vec<u8> {
    let path = Path::new(OPENARENA).join(pak);
    let bytes = std::fs::read(path).expect("openarena-data is installed");
    let part = |range: std::ops::Range<u64>| &bytes[range.start as usize..range.end as usize];
    let size = bytes.len() as u64;
    let place = pk3::find_directory(size, part(pk3::tail_range(size))).expect("it is a pak");
    let directory = Directory::parse(&place, part(place.range.clone())).expect("it is sound");
    let entry = directory.find(name).expect("it is in there");
    entry.extract(part(entry.range())).expect("it is sound")
}

/// The folder of a player who has never played.
pub struct Home(PathBuf);

impl Home {
    pub fn new(port: u16) -> Self {
        let name = format!("strafe-home-{}-{port}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        Self(folder)
    }

    /// Where the program keeps what this server hands out.
    fn fetched(&self, server: &GameServer) -> Vec<String> {
        let folder = format!("strafe/fetched/127.0.0.1_3a{}/baseoa", server.port);
        let files = std::fs::read_dir(self.0.join(folder)).into_iter().flatten();
        let names = files.flatten().map(|file| file.file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    }

    /// The program, which joins a server without a window.
    pub fn program(&self, server: &GameServer, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_strafe"));
        command
            .args(["--headless", "--data", "/usr/share/games/openarena"])
            .args(arguments.split(' '))
            .args(["+connect", &server.address()])
            .env("HOME", &self.0)
            .env("XDG_CONFIG_HOME", &self.0)
            .env("XDG_DATA_HOME", &self.0)
            .stdin(Stdio::null());
        command
    }

    /// Plays for some seconds: the report, and all that was printed.
    fn play(&self, server: &GameServer, seconds: &str) -> (Value, String) {
        let arguments = format!("--json --seconds {seconds}");
        let output = self.program(server, &arguments).output();
        let output = output.expect("the program was built with this test");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let text = format!("{text}\n{}", String::from_utf8_lossy(&output.stderr));
        let report = text.lines().find(|line| line.starts_with('{'));
        let report = report.unwrap_or_else(|| panic!("no report: {text}"));
        (serde_json::from_str(report).expect("it is JSON"), text)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // It is the test's own, and may be gone.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn start(port: u16, pure: &str, download: &str, map: &str, pak: Vec<u8>) -> GameServer {
    let settings = format!(
        "+set sv_pure {pure} +set sv_allowDownload {download} +set sv_dlRate 0 +set g_gametype 0 +map {map}"
    );
    let arguments: Vec<&str> = settings.split(' ').collect();
    let paks = [("z_extra.pk3", pak)];
    GameServer::start_with(Program::Ioquake3, port, &arguments, &paks)
}

/// How often the server was asked for the pak, by its log.
fn times_fetched(server: &GameServer) -> usize {
    let log = server.log();
    log.matches("beginning \"baseoa/z_extra.pk3\"").count()
}

fn check_is_fetched_once(port: u16, pure: &str) {
    let pak = zip::pak(
        "maps/strafe_far.bsp",
        &extract("pak1-maps.pk3", "maps/oa_dm1.bsp"),
    );
    let file = format!(
        "z_extra.{:08x}.pk3",
        pk3::checksum(&pak).expect("it is a pak")
    );
    let server = start(port, pure, "1", "strafe_far", pak);
    let home = Home::new(port);
    for _ in 0..2 {
        let (report, text) = home.play(&server, "40");
        assert_eq!(report["state"], "active", "{text}\n{}", server.log());
        assert_eq!(report["map"], "strafe_far", "{text}");
        assert_eq!(home.fetched(&server), [file.as_str()], "{text}");
        assert_eq!(times_fetched(&server), 1, "{}", server.log());
    }
}

#[test]
fn the_map_of_an_open_server_is_fetched_once() {
    check_is_fetched_once(28520, "0");
}

#[test]
fn the_map_of_a_pure_server_is_fetched_once() {
    check_is_fetched_once(28521, "1");
}

/// A pak that the server refers to and that nobody needs: bots find their way by it.
fn dispensable_pak() -> Vec<u8> {
    zip::pak(
        "maps/aggressor.aas",
        &extract("pak6-patch088.pk3", "maps/aggressor.aas"),
    )
}

#[test]
fn a_refused_pak_of_an_open_server_is_played_without() {
    let server = start(28522, "0", "0", "aggressor", dispensable_pak());
    let home = Home::new(28522);
    let (report, text) = home.play(&server, "40");
    assert_eq!(report["state"], "active", "{text}\n{}", server.log());
    assert!(
        text.contains("You play without baseoa/z_extra.pk3"),
        "{text}"
    );
    let refusals = text.matches("could not be fetched").count();
    assert_eq!((refusals, home.fetched(&server).len()), (1, 0), "{text}");
}

#[test]
fn a_refused_pak_of_a_pure_server_is_told_with_what_to_do() {
    let server = start(28523, "1", "0", "aggressor", dispensable_pak());
    let home = Home::new(28523);
    let (report, text) = home.play(&server, "15");
    assert_eq!(report["state"], "disconnected", "{text}");
    let errors = report["errors"].to_string();
    for words in ["pure", "baseoa/z_extra.pk3", "join again"] {
        assert!(errors.contains(words), "{errors}");
    }
}
