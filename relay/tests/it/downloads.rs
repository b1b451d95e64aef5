//! Paks that a real server plays with and that players can only have from its sv_dlURL.

use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::formats::pk3::{self, Directory, PakFile};

use crate::folder::Folder;
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
    pk3::store(vec![PakFile::new(name, bytes.to_vec())])
}

/// Folders of a game server and its web server, and of a relay.
pub fn folders(name: &str) -> Folder {
    let folder = Folder::new(name);
    for inner in ["home/baseoa", "web/baseoa", "empty", "kept"] {
        folder.make(inner);
    }
    folder
}

/// What a game server that plays the map is told: its folder, and where its paks can be had.
pub fn settings<'a>(home: &'a str, source: &'a str) -> [(&'a str, &'a str); 3] {
    [
        ("fs_homepath", home),
        ("sv_dlURL", source),
        ("sv_pure", "1"),
    ]
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
    let folder = folders("downloads");
    let far = pak(MAP, &extract(Path::new(ORIGINAL), "maps/oa_dm1.bsp"));
    folder.write("home/baseoa/z_far.pk3", &far);
    // What the web server has under this name is another pak at first.
    folder.write("web/baseoa/z_far.pk3", &pak(MAP, b"not the map"));
    let files = relay(&["--content", &folder.path("web")]).await;
    // Quotes keep the console from taking the slashes for a comment.
    let source = format!("\"http://{}/content\"", files.address());
    let game_server = start("strafe_far", &settings(&folder.path("home"), &source));
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
    let notice = refused["notice"].to_string();
    assert!(notice.contains("it is another pak"), "{refused}");
    let none = get(&first, "/api/content", "").await.json();
    assert_eq!(none["games"], serde_json::json!([]), "nothing is kept");

    folder.write("web/baseoa/z_far.pk3", &far);
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
    let folder = folders("full");
    let kept = folder.path("kept");
    let script = "mount -t tmpfs -o size=256k,mode=700 none \"$0\"";
    let Some(command) = inside(script, &kept).await else {
        return;
    };
    let far = pak(MAP, &extract(Path::new(ORIGINAL), "maps/oa_dm1.bsp"));
    assert!(far.len() > 512 * 1024, "it is more than the disk takes");
    for place in ["home", "web"] {
        folder.write(&format!("{place}/baseoa/z_far.pk3"), &far);
    }
    let files = relay(&["--content", &folder.path("web")]).await;
    let source = format!("\"http://{}/content\"", files.address());
    let game_server = start("strafe_far", &settings(&folder.path("home"), &source));
    let name = &game_server.address();
    let empty = folder.path("empty");
    let options = ["--server", name, "--content", &empty, "--downloads", &kept];
    let program = Program::start_anywhere(command, &options).await;
    let mut player = Browser::open(connect_at(program.address, "", &[]).await.unwrap()).await;
    enter(&mut player).await;
    let refused = read_text(&mut player, "notice", "z_far").await["notice"].to_string();
    let is_told = refused.contains("No space left");
    assert!(is_told, "{refused}");
    let on_disk = format!("/proc/{}/root{kept}", program.id());
    let left = all_files(Path::new(&on_disk));
    assert!(left.iter().all(|(size, _)| *size == 0), "{left:?}");
    player.say(r#"{"ping":4}"#).await;
    assert_eq!(read_text(&mut player, "pong", "4").await["pong"], 4);
    program.kill().await;
}

/// All files below a folder, and the size of each.
pub fn all_files(folder: &Path) -> Vec<(u64, PathBuf)> {
    let entries = std::fs::read_dir(folder).unwrap();
    let below = entries.map(|entry| entry.unwrap().path());
    let files = below.flat_map(|path| match path.is_dir() {
        true => all_files(&path),
        false => vec![(path.metadata().unwrap().len(), path)],
    });
    files.collect()
}
