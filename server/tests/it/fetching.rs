//! Fetching: pure servers, and paks that clients get from them.

use crate::client::{Client, server_with_paks};
use server::{Event, Pak, Request, Server, SlotState};
use shared::{
    base::info::Info,
    net::pure::{PureProof, pak_checksum, pure_checksum},
};

const EXTRA: &str = "baseoa/extra.pk3";
const SIZE: usize = 200_000;

fn pak(game: &str, name: &str, crcs: &[u32]) -> Pak {
    Pak {
        game: game.to_owned(),
        name: name.to_owned(),
        size: SIZE as u64,
        crcs: crcs.to_vec(),
        has_cgame: name == "pak0",
        has_ui: name == "pak0",
        is_referenced: name != "pak0",
    }
}

fn paks() -> Vec<Pak> {
    vec![
        pak("baseoa", "extra", &[1, 2]),
        pak("baseoa", "pak0", &[3, 4]),
        pak("baseq3", "pak8", &[5]),
    ]
}

/// The file's bytes at a place.
fn contents(start: u64, length: usize) -> Vec<u8> {
    let byte = |at: u64| (at.wrapping_mul(2_654_435_761) >> 13) as u8;
    (start..start + length as u64).map(byte).collect()
}

/// Plays, and reads for the server what it asks for. Gives the most bytes sent in one second.
fn play(server: &mut Server, client: &mut Client, msec: i32) -> usize {
    const STEP: i32 = 10;
    let mut answers = Vec::new();
    let mut sent = Vec::new();
    for _ in 0..msec / STEP {
        let mut events = client.frame(STEP, |_| {});
        events.append(&mut answers);
        let output = server.frame(STEP, events);
        for request in &output.requests {
            let Request::ReadPak {
                path,
                start,
                length,
            } = request
            else {
                panic!("unexpected: {request:?}");
            };
            assert_eq!(path, EXTRA);
            answers.push(Event::PakRead {
                path: path.clone(),
                start: *start,
                result: Ok(contents(*start, *length)),
            });
        }
        sent.push(
            output
                .datagrams
                .iter()
                .map(|one| one.1.len())
                .sum::<usize>(),
        );
        client.take(&output);
    }
    let seconds = sent.windows(1000 / STEP as usize);
    seconds.map(|bytes| bytes.iter().sum()).max().unwrap_or(0)
}

/// A client that has its gamestate and does not play yet.
fn primed(server: &mut Server) -> Client {
    let mut client = Client::new(1001, 71);
    client.is_still = true;
    play(server, &mut client, 500);
    assert_eq!(server.slot_state(0), SlotState::Primed);
    client
}

#[test]
fn a_pak_comes_whole_at_the_rate_that_is_allowed() {
    let mut server = server_with_paks(&["set sv_allowDownload 1", "set sv_dlRate 50"], paks());
    let mut client = primed(&mut server);
    client.fetch(EXTRA);
    let most = play(&mut server, &mut client, 3000);
    let part = client.file.len();
    assert!(
        (120_000..SIZE).contains(&part),
        "{part} bytes in three seconds"
    );
    // 50 KiB and what was saved, as Huffman codes of bytes without a pattern, which are longer.
    assert!(most < 66_000, "{most} bytes in a second");
    // What gets lost comes again.
    client.to_lose = 20;
    play(&mut server, &mut client, 8000);
    assert_eq!(client.file_size, Some(SIZE as i32));
    assert!(client.file == contents(0, SIZE));
    assert_eq!(client.next_block, None);
    client.say("donedl");
    client.is_still = false;
    play(&mut server, &mut client, 1000);
    assert_eq!(server.slot_state(0), SlotState::Active);
    assert!(client.snapshot.is_some());
}

#[test]
fn what_is_not_handed_out_is_refused_with_the_reason() {
    let check = |allowed: &str, path: &str, reason: &str| {
        let setting = format!("set sv_allowDownload {allowed}");
        let mut server = server_with_paks(&[&setting], paks());
        let mut client = primed(&mut server);
        client.fetch(path);
        play(&mut server, &mut client, 500);
        let said = client.refusals.join(" ");
        assert!(said.contains(reason), "{path}: {said}");
        assert!(client.file.is_empty());
    };
    check("0", EXTRA, "hands out no files");
    check("5", EXTRA, "hands out no files");
    check("1", "baseoa/pak0.pk3", "is not needed here");
    check("1", "baseoa/../server.cfg", "is not needed here");
    check("1", "baseq3/pak8.pk3", "belongs to the game itself");
}

#[test]
fn who_confirms_what_was_not_sent_is_dropped() {
    let mut server = server_with_paks(&["set sv_allowDownload 1"], paks());
    let mut client = primed(&mut server);
    client.fetch(EXTRA);
    play(&mut server, &mut client, 200);
    client.say("nextdl 40000");
    play(&mut server, &mut client, 200);
    assert!(client.has_heard("disconnect \"broken download\""));
    assert_eq!(server.slot_state(0), SlotState::Zombie);
}

#[test]
fn a_file_that_cannot_be_read_ends_the_stay() {
    let mut server = server_with_paks(&["set sv_allowDownload 1"], paks());
    let mut client = primed(&mut server);
    client.fetch(EXTRA);
    for _ in 0..20 {
        let mut events = client.frame(10, |_| {});
        events.push(Event::PakRead {
            path: EXTRA.to_owned(),
            start: 0,
            result: Ok(vec![0; 5]),
        });
        let output = server.frame(10, events);
        client.take(&output);
    }
    assert!(client.has_heard("the server cannot read the file"));
}

/// The systeminfo of a client's gamestate, and the feed that comes with it.
fn told(client: &Client) -> (Info, i32) {
    let gamestate = client.gamestate.as_ref().expect("a gamestate");
    let info = Info::parse(gamestate.configstrings.get(1));
    (info, gamestate.checksum_feed)
}

fn proof(feed: i32) -> PureProof {
    let [extra, code] = [&[1, 2], &[3, 4]].map(|crcs| pure_checksum(crcs, feed));
    PureProof {
        cgame: code,
        ui: code,
        referenced: vec![extra, code],
    }
}

#[test]
fn a_pure_server_lets_in_who_proves_what_it_plays_with() {
    let mut server = server_with_paks(&["set sv_pure 1"], paks());
    let mut client = Client::new(1001, 68);
    play(&mut server, &mut client, 2000);
    assert_eq!(
        server.slot_state(0),
        SlotState::Primed,
        "nothing was proved"
    );
    let (info, feed) = told(&client);
    let sums = [&[1, 2][..], &[3, 4], &[5]].map(|crcs| pak_checksum(crcs).to_string());
    assert_eq!(info.get("sv_pure"), "1");
    assert_eq!(info.get("sv_paks"), sums.join(" "));
    assert_eq!(info.get("sv_pakNames"), "extra pak0 pak8");
    assert_eq!(
        info.get("sv_referencedPaks"),
        [&*sums[0], &sums[2]].join(" ")
    );
    assert_eq!(
        info.get("sv_referencedPakNames"),
        "baseoa/extra baseq3/pak8"
    );
    let id = info.number("sv_serverid");
    client.say(&proof(feed).command(id, feed));
    play(&mut server, &mut client, 500);
    assert_eq!(server.slot_state(0), SlotState::Active);
    // A restart of the level asks for nothing, one of the client's pictures does.
    server.frame(0, vec![Event::Command("map_restart 0".to_owned())]);
    play(&mut server, &mut client, 500);
    assert_eq!(server.slot_state(0), SlotState::Active);
    client.say("vdr");
    play(&mut server, &mut client, 300);
    assert_eq!(server.slot_state(0), SlotState::Primed);
    let (info, feed) = told(&client);
    client.say(&proof(feed).command(info.number("sv_serverid"), feed));
    play(&mut server, &mut client, 500);
    assert_eq!(server.slot_state(0), SlotState::Active);
}

#[test]
fn a_pure_server_sends_away_who_plays_with_other_paks() {
    let mut server = server_with_paks(&["set sv_pure 1"], paks());
    let mut client = Client::new(1001, 71);
    play(&mut server, &mut client, 500);
    let (info, feed) = told(&client);
    let mut proof = proof(feed);
    proof.referenced.push(5);
    client.say(&proof.command(info.number("sv_serverid"), feed));
    play(&mut server, &mut client, 500);
    assert!(client.has_heard("disconnect \"Unpure client detected."));
    assert_eq!(server.slot_state(0), SlotState::Zombie);
}

#[test]
fn without_the_games_code_nobody_is_asked_for_proof() {
    let mut server = server_with_paks(&["set sv_pure 1"], paks()[..1].to_vec());
    let mut client = Client::new(1001, 71);
    play(&mut server, &mut client, 1000);
    assert_eq!(server.slot_state(0), SlotState::Active);
    assert_eq!(told(&client).0.get("sv_pure"), "0");
}
