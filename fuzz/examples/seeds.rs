//! Writes the first inputs of every target into fuzz/corpus, from the recorded sessions and demos of the tests and from
//! small files of OpenArena.

use flate2::read::GzDecoder;
use fuzz::room;
use serde_json::Value;
use shared::{
    base::{info::Info, rng::Rng},
    formats::pk3::{self, Directory},
    net::{
        clc::{self, ClientMessage, MoveKey},
        demo::{Records, Walk},
        netchan::{Netchan, Side},
        oob::ClientPacket,
        protocol::WireForm,
        reliable::CommandTexts,
    },
    types::usercmd::Usercmd,
};
use std::{fs, io::Read, path::Path};

/// The game's files, each behind the target that reads it.
const FILES: &[(&str, &str)] = &[
    ("animation_config", "models/players/angelyss/animation.cfg"),
    ("animation_config", "models/players/sarge/animation.cfg"),
    ("image_jpeg", "gfx/colors/black.jpg"),
    ("image_pcx", "textures/symbols/blueteam.pcx"),
    ("image_png", "icons/icona_white.png"),
    ("image_tga", "textures/czest2ctf/darkfog.tga"),
    ("image_tga", "textures/clown/portal.tga"),
    ("image_tga", "textures/sfx/130boom/dpexplosion4_0000.tga"),
    ("md3", "models/weapons2/machinegun/machinegun_flash_1.md3"),
    ("md3", "models/powerups/health/medium_cross.md3"),
    ("shader_script", "scripts/flaretest.shader"),
    ("shader_script", "scripts/weapon_muzzles.shader"),
    ("shader_script", "scripts/details.shader"),
    ("shader_script", "scripts/oagfx.shader"),
    ("skin", "models/players/beret/upper_default.skin"),
    ("sound_ogg", "sound/player/neko/fall1.ogg"),
    ("sound_wav", "sound/le/bullet1.wav"),
    ("sound_wav", "sound/misc/silence.wav"),
];
const OPENARENA: &str = "/usr/share/games/openarena/baseoa";

fn main() {
    for (target, name) in FILES {
        match game_file(name) {
            Some(bytes) => write(target, name, &bytes),
            None => eprintln!("{name} is not here"),
        }
    }
    write("bsp", "room", &room::room());
    write("image_bmp", "2x2", &bmp());
    write("pk3", "two-files", &pak());
    write(
        "config",
        "keys",
        b"bind w +forward\nseta name Ranger\nalias a \"wait; echo b\"; a\nvstr x",
    );
    write(
        "console",
        "line",
        b"say \"a;b\" // c\nset x /* y */ ^1z \\a\\b\\c",
    );
    demos();
    sessions();
    client_messages();
    openings();
    for (name, kind) in [
        ("classic", 0),
        ("modern", 2),
        ("openarena", 5),
        ("ctf", 14),
        ("early", 32),
    ] {
        let script: Vec<u8> = (0..400_u32)
            .map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        write("client_frame", name, &[&[kind], script.as_slice()].concat());
    }
    for (name, seed) in [("first", 1), ("second", 2)] {
        let mut rng = Rng::new(seed);
        let calls: Vec<u8> = (0..3000).map(|_| rng.below(256) as u8).collect();
        write("module_host", name, &calls);
    }
}

fn write(target: &str, name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    fs::create_dir_all(&folder).expect("the folder can be made");
    let file = name.rsplit('/').next().unwrap_or(name);
    fs::write(folder.join(file), bytes).expect("the file can be written");
}

fn game_file(name: &str) -> Option<Vec<u8>> {
    let mut paks: Vec<_> = fs::read_dir(OPENARENA)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "pk3"))
        .collect();
    paks.sort();
    paks.iter().rev().find_map(|path| {
        let pak = fs::read(path).ok()?;
        let size = pak.len() as u64;
        let place = pk3::find_directory(size, &pak[pk3::tail_range(size).start as usize..]).ok()?;
        let range = place.range.start as usize..place.range.end as usize;
        let directory = Directory::parse(&place, &pak[range]).ok()?;
        let entry = directory.find(name)?;
        let range = entry.range();
        entry
            .extract(&pak[range.start as usize..range.end as usize])
            .ok()
    })
}

fn unpacked(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/tests/data")
        .join(name);
    let packed = fs::read(path).expect("the tests have it");
    let mut bytes = Vec::new();
    GzDecoder::new(packed.as_slice())
        .read_to_end(&mut bytes)
        .expect("it unpacks");
    bytes
}

/// The start of a demo, and its messages one by one.
fn demos() {
    let demo = unpacked("demos/oa_dm1-play.dm_71.gz");
    let mut walk = Walk::default();
    let mut number = 0;
    while let Some(record) = walk.next(&demo) {
        number += 1;
        if number > 1 && record.message.len() < 1200 && number % 60 == 0 {
            let message = [&[2], record.message].concat();
            write("server_message", &format!("snapshot-{number}"), &message);
        }
        if walk.at() < 16_000 {
            write("demo", "start", &demo[..walk.at()]);
        }
        if number == 900 {
            return;
        }
    }
}

/// Datagrams of recorded sessions, each behind its length.
fn sessions() {
    for name in ["ioq3_modern71_22s", "oa088_pure_accepted"] {
        let text = String::from_utf8(unpacked(&format!("wire/{name}.jsonl.gz"))).expect("UTF-8");
        let mut channel = Vec::new();
        let mut session = vec![0];
        for line in text.lines().skip(1).take(60) {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let Some(hex) = line["hex"].as_str() else {
                continue;
            };
            let bytes = shared::base::hex::decode(hex).expect("hexadecimal");
            let side = u8::from(line["dir"] == "s2c");
            if session.len() + bytes.len() < 7000 {
                push(&mut session, &[&[side], bytes.as_slice()].concat());
            }
            match bytes.strip_prefix(&[0xff; 4]) {
                Some(text) => {
                    let number = line["i"].as_i64().unwrap_or(0);
                    write("oob", &format!("{name}-{number}"), text);
                }
                None if channel.len() + bytes.len() < 7000 => push(&mut channel, &bytes),
                None => {}
            }
        }
        write("datagram", name, &channel);
        write("split", name, &channel);
        write("gate", name, &session);
        write("tap", name, &session);
    }
    // What the tap agrees upon has a challenge of 0, so what it follows is made for that.
    for (name, wire, kind) in [
        ("followed-legacy", WireForm::Legacy, 0),
        ("followed-modern", WireForm::Modern, 4),
    ] {
        let demo = unpacked("demos/oa_dm1-play.dm_71.gz");
        let mut server = Netchan::new(Side::Server { qport: 0 }, wire, 0);
        let texts = CommandTexts::new();
        let mut session = vec![kind];
        for record in Records::new(&demo).take(8) {
            let sent = server.send(record.message.to_vec(), &texts);
            for datagram in sent.expect("it fits") {
                push(&mut session, &[&[1], datagram.as_slice()].concat());
            }
        }
        session.truncate(12_000);
        write("tap", name, &session);
    }
}

fn push(into: &mut Vec<u8>, bytes: &[u8]) {
    into.extend((bytes.len() as u16).to_le_bytes());
    into.extend(bytes);
}

fn client_messages() {
    let key = MoveKey {
        checksum_feed: 7,
        server_command: "cs 5 \"x\"",
    };
    let mut message = ClientMessage::default();
    for count in 0..4_u16 {
        message.movement.usercmds.push(Usercmd {
            server_time: shared::base::time::ServerTime(1000 + 8 * i32::from(count)),
            buttons: count,
            ..Usercmd::default()
        });
        let written = clc::write(&message, key).expect("it is short");
        write("client_message", &format!("moves-{count}"), &written);
    }
}

/// What a player opens with.
fn openings() {
    let userinfo = Info::parse("\\challenge\\5\\qport\\257\\protocol\\71\\name\\Ranger");
    let connect = ClientPacket::Connect { userinfo };
    let connect = connect.write().expect("it is short");
    write("oob", "connect", &connect[4..]);
    for (name, kind) in [("listed", 0), ("stranger", 1)] {
        let mut session = vec![kind];
        push(
            &mut session,
            b"\0\xff\xff\xff\xffgetinfo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        );
        push(
            &mut session,
            b"\x01\xff\xff\xff\xffinfoResponse\n\\challenge\\0123456789abcdef",
        );
        push(&mut session, &[&[0], connect.as_slice()].concat());
        push(&mut session, b"\x01\xff\xff\xff\xffconnectResponse 5");
        push(&mut session, &[0, 1, 0, 0, 0, 1, 1, 9, 9]);
        write("gate", name, &session);
    }
}

/// Two by two pixels of 24 bits.
fn bmp() -> Vec<u8> {
    let mut file = b"BM".to_vec();
    for word in [
        70_u32,
        0,
        54,
        40,
        2,
        2,
        0x0018_0001,
        0,
        16,
        2835,
        2835,
        0,
        0,
    ] {
        file.extend(word.to_le_bytes());
    }
    file.extend([7; 16]);
    file
}

/// A stored and a compressed file.
fn pak() -> Vec<u8> {
    use std::io::Write;
    let text = b"textures/a { { map textures/a.tga } } textures/a { { map textures/a.tga } }";
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text).expect("memory can be written");
    let packed = encoder.finish().expect("memory can be written");
    let mut crc = flate2::Crc::new();
    crc.update(text);
    let (mut pak, mut directory) = (Vec::new(), Vec::new());
    for (name, method, data) in [
        ("a.shader", 8_u16, packed.as_slice()),
        ("B.txt", 0, text.as_slice()),
    ] {
        let at = pak.len() as u32;
        let mut middle = vec![20, 0, 0, 0];
        middle.extend(method.to_le_bytes());
        middle.extend([0; 4]);
        for value in [crc.sum(), data.len() as u32, text.len() as u32] {
            middle.extend(value.to_le_bytes());
        }
        middle.extend((name.len() as u16).to_le_bytes());
        middle.extend([0; 2]);
        pak.extend(b"PK\x03\x04");
        pak.extend(&middle);
        pak.extend(name.bytes());
        pak.extend(data);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&middle);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.bytes());
    }
    let (at, size) = (pak.len() as u32, directory.len() as u32);
    pak.extend(directory);
    pak.extend(b"PK\x05\x06\0\0\0\0\x02\0\x02\0");
    pak.extend(size.to_le_bytes());
    pak.extend(at.to_le_bytes());
    pak.extend([0; 2]);
    pak
}
