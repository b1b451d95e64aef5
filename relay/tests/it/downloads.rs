//! Paks that a real server plays with and that players can only have from its sv_dlURL.

use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::formats::pk3::{self, Directory};

use crate::real_server::{enter, start, wait_until_online};
use crate::system_faults::inside;
use crate::world::{Browser, Program, connect_at, get, relay};

/// Where Debian's openarena-data lies.
pub const ORIGINAL: &str = "/usr/share/games/openarena/baseoa/pak1-maps.pk3";
/// What no other pak here has.
pub const MAP: &str = "maps/strafe_far.bsp";

/// One file out of a pak.
pub fn extract(pak: &Path, name: &str) -> Vec<u8> {
    let bytes = std::fs::read(pak).expect("openarena-data is installed");
    let part = |range: std::ops::Range<u64>| &bytes[range.start as usize..range.end as usize];
    let size = bytes.len() as u64;
    let permit = pk3::find_directory(size, part(pk3::tail_range(size))).unwrap();
    let directory = Directory::parse(&permit, part(permit.range.clone())).unwrap();
    let entry = directory.find(name).unwrap();
    entry.extract(part(entry.range())).unwrap()
}

/// A pak with one file, stored as it is.
pub fn pak(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    let size = bytes.len() as u32;
    let about = [
        &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
        &crc.sum().to_le_bytes(),
        &size.to_le_bytes(),
        &size.to_le_bytes(),
        &(name.len() as u16).to_le_bytes(),
        &[0, 0],
    ]
    .concat();
    let local = [&b"PK\x03\x04"[..], &about, name.as_bytes(), bytes].concat();
    let central = [&b"PK\x01\x02\x14\0"[..], &about, &[0; 14], name.as_bytes()].concat();
    let end = [
        &b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..],
        &(central.len() as u32).to_le_bytes(),
        &(local.len() as u32).to_le_bytes(),
        &[0, 0],
    ]
    .concat();
    [local, central, end].concat()
}

pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let name = format!("strafe-downloads-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        for inner in ["home/baseoa", "web/baseoa", "empty", "kept"] {
            std::fs::create_dir_all(folder.join(inner)).unwrap();
        }
        Self(folder)
    }

    pub fn path(&self, inner: &str) -> String {
        self.0.join(inner).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The next text with this key and these words in it.
pub async fn read_text(player: &mut Browser, key: &str, words: &str) -> Value {
    use futures_util::StreamExt;
    use tokio_tungstenite::tungstenite::Message;
    while let Some(Ok(message)) = player.socket.next().await {
        let Message::Text(text) = message else {
            continue;
        };
        let text: Value = serde_json::from_str(&text).unwrap();
        if text[key].to_string().contains(words) && !text[key].is_null() {
            return text;
        }
    }
    panic!("the relay closed");
}

#[tokio::test]
async fn paks_of_the_server_are_fetched_checked_and_kept() {
    let folder = Folder::new("plain");
    let far = pak(MAP, &extract(Path::new(ORIGINAL), "maps/oa_dm1.bsp"));
    std::fs::write(folder.path("home/baseoa/z_far.pk3"), &far).unwrap();
    // What the web server has under this name is another pak at first.
    let other = pak(MAP, b"not the map");
    std::fs::write(folder.path("web/baseoa/z_far.pk3"), other).unwrap();
    let files = relay(&["--content", &folder.path("web")]).await;
    // Quotes keep the console from taking the slashes for a comment.
    let source = format!("\"http://{}/content\"", files.address());
    let home = folder.path("home");
    let settings = [
        ("fs_homepath", home.as_str()),
        ("sv_dlURL", &source),
        ("sv_pure", "1"),
    ];
    let game_server = start("strafe_far", &settings);
    let name = &game_server.address();
    let (empty, kept) = (folder.path("empty"), folder.path("kept"));
    let options = ["--server", name, "--content", &empty, "--downloads", &kept];
    let first = relay(&options).await;
    wait_until_online(&first).await;

    let mut player = Browser::join(&first, "").await;
    enter(&mut player).await;
    let coming = read_text(&mut player, "coming", "").await;
    assert!(coming["coming"].as_u64() >= Some(1), "{coming}");
    let refused = read_text(&mut player, "notice", "z_far").await;
    assert!(
        refused["notice"].to_string().contains("it is another pak"),
        "{refused}"
    );
    let none = get(&first, "/api/content", "").await.json();
    assert_eq!(none["games"], serde_json::json!([]), "nothing is kept");

    std::fs::write(folder.path("web/baseoa/z_far.pk3"), &far).unwrap();
    // A relay that has not failed yet.
    let second = relay(&options).await;
    let mut player = Browser::join(&second, "").await;
    enter(&mut player).await;
    let got = read_text(&mut player, "pak", "z_far").await;
    assert_eq!(got["game"], "baseoa", "{got}");
    assert_eq!(got["pak"]["fetched"], true, "it is not the operator's own");
    let answer = get(&second, got["pak"]["url"].as_str().unwrap(), "").await;
    assert_eq!((answer.status, answer.body == far), (200, true));
    let listed = get(&second, "/api/content", "").await.json();
    assert_eq!(listed["games"][0]["paks"][0], got["pak"], "{listed}");

    // It is kept: the next player has it without the web server.
    std::fs::remove_file(folder.path("web/baseoa/z_far.pk3")).unwrap();
    let third = relay(&options).await;
    let mut player = Browser::join(&third, "").await;
    enter(&mut player).await;
    let again = read_text(&mut player, "pak", "z_far").await;
    assert_eq!(again["pak"]["name"], got["pak"]["name"]);
}

#[tokio::test]
async fn a_full_disk_is_told_leaves_nothing_and_ends_no_game() {
    let folder = Folder::new("full");
    let kept = folder.path("kept");
    let script = "mount -t tmpfs -o size=256k,mode=700 none \"$0\"";
    let Some(command) = inside(script, &kept).await else {
        return;
    };
    let far = pak(MAP, &extract(Path::new(ORIGINAL), "maps/oa_dm1.bsp"));
    assert!(far.len() > 512 * 1024, "it is more than the disk takes");
    for place in ["home", "web"] {
        std::fs::write(folder.path(&format!("{place}/baseoa/z_far.pk3")), &far).unwrap();
    }
    let files = relay(&["--content", &folder.path("web")]).await;
    let source = format!("\"http://{}/content\"", files.address());
    let home = folder.path("home");
    let settings = [
        ("fs_homepath", home.as_str()),
        ("sv_dlURL", &source),
        ("sv_pure", "1"),
    ];
    let game_server = start("strafe_far", &settings);
    let name = &game_server.address();
    let empty = folder.path("empty");
    let options = [
        "--listen",
        "127.0.0.1:0",
        "--server",
        name,
        "--content",
        &empty,
        "--downloads",
        &kept,
    ];
    let program = Program::start(command, &options).await;
    let mut player = Browser::open(connect_at(program.address, "", &[]).await.unwrap()).await;
    enter(&mut player).await;
    let refused = read_text(&mut player, "notice", "z_far").await["notice"].to_string();
    let is_told = refused.contains("No space left");
    assert!(is_told, "{refused}");
    let on_disk = format!("/proc/{}/root{kept}", program.id());
    let mut left = Vec::new();
    for entry in walk(Path::new(&on_disk)) {
        left.push((entry.metadata().unwrap().len(), entry));
    }
    assert!(left.iter().all(|(size, _)| *size == 0), "{left:?}");
    player.say(r#"{"ping":4}"#).await;
    assert_eq!(read_text(&mut player, "pong", "4").await["pong"], 4);
    program.kill().await;
}

/// All files below a folder.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let (folders, mut files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    files.extend(folders.iter().flat_map(|folder| walk(folder)));
    files
}
