//! The inspector: what is said is noted both ways, can be held, searched and looked into, and kept in files.

use crate::rig::Rig;
use client::{con::keys, event::Event, scene::Draw2d};

/// A match over a line that loses something, with the inspector open for a while.
fn inspected() -> Rig {
    let mut rig = Rig::on_arena(
        [1280, 720],
        &["set net_delay 40", "set net_loss 4", "skirmish strafe1 2"],
    );
    rig.run_until_snapshots(20);
    rig.command("inspector");
    rig.run(300);
    rig
}

/// What the inspector has drawn, as text: one letter is one picture of the character set.
fn drawn(rig: &Rig) -> usize {
    rig.scene.draw2d.len()
}

#[test]
fn both_directions_are_noted_down_to_the_fields_and_kept_in_files() {
    let mut rig = inspected();
    rig.command("inspector json one; inspector pcapng one");
    let json = rig
        .stored_bytes("inspections/one.json")
        .expect("the messages are kept");
    let lines: Vec<serde_json::Value> = std::str::from_utf8(json)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ops = |line: &serde_json::Value| line["ops"].as_array().cloned().unwrap_or_default();
    let is_gamestate = |op: &serde_json::Value| op["op"] == "gamestate";
    assert!(
        lines.iter().any(|line| ops(line).iter().any(is_gamestate)),
        "what was said before it was opened is not there"
    );
    let now = i64::from(rig.now().0);
    let is_late = |line: &&serde_json::Value| now - line["at_msec"].as_i64().unwrap() < 3000;
    let late = lines.iter().filter(is_late);
    let from = |who: &str| late.clone().filter(|line| line["from"] == who).count();
    // Twenty snapshots a second, of which some get lost.
    assert!((45..62).contains(&from("server")), "{}", from("server"));
    assert!(from("player") > 80, "{}", from("player"));
    let snapshots = lines
        .iter()
        .flat_map(|line| line["ops"].as_array().into_iter().flatten());
    let snapshots: Vec<_> = snapshots.filter(|op| op["op"] == "snapshot").collect();
    for snapshot in &snapshots {
        let parts = snapshot["entities"].as_array().into_iter().flatten();
        let parts: u64 = parts
            .chain([&snapshot["player"]])
            .map(|part| part["bits"].as_u64().unwrap())
            .sum();
        assert!(parts < snapshot["bits"].as_u64().unwrap(), "{snapshot}");
    }
    let has_fields = snapshots
        .iter()
        .any(|snapshot| !snapshot["player"]["fields"].as_object().unwrap().is_empty());
    assert!(
        has_fields,
        "no field of the player changed in {} snapshots",
        snapshots.len()
    );
    let capture = rig
        .stored_bytes("inspections/one.pcapng")
        .expect("the capture is kept");
    let mut reader = pcap_file::pcapng::PcapNgReader::new(capture).expect("a capture");
    let mut packets = 0;
    while let Some(block) = reader.next_block() {
        packets += usize::from(matches!(
            block.expect("a block"),
            pcap_file::pcapng::Block::EnhancedPacket(_)
        ));
    }
    assert!(
        packets >= lines.len(),
        "{packets} packets of {} messages",
        lines.len()
    );
}

#[test]
fn it_costs_nothing_closed_and_keys_are_the_games_until_it_is_held() {
    let mut rig = inspected();
    let open = drawn(&rig);
    rig.press(keys::LEFTARROW);
    assert!(!rig.printed.contains("unknown"), "{}", rig.printed);
    rig.command("inspector");
    rig.frame(Vec::new());
    let held = drawn(&rig);
    assert!(held > 200, "{open} pictures live, {held} held");
    let spell = |rig: &mut Rig, text: &str| {
        for c in text.chars() {
            rig.frame(vec![Event::Char(c)]);
        }
    };
    spell(&mut rig, "origin");
    rig.press(keys::ENTER);
    rig.press(keys::TAB);
    for key in [
        keys::LEFTARROW,
        keys::RIGHTARROW,
        keys::UPARROW,
        keys::DOWNARROW,
        keys::PGUP,
        keys::PGDN,
        keys::MOUSE1,
        keys::BACKSPACE,
    ] {
        rig.press(key);
    }
    // The first one ends the search, the second lets it go on.
    rig.press(keys::ESCAPE);
    rig.press(keys::ESCAPE);
    assert!(
        rig.client.status().session.is_some(),
        "Escape went to the game as well"
    );
    rig.command("inspector off");
    rig.frame(Vec::new());
    assert!(drawn(&rig) < open, "it is still drawn");
    rig.printed.clear();
    rig.command("disconnect; killserver; inspector json");
    assert!(
        rig.printed.contains("there is no connection"),
        "{}",
        rig.printed
    );
}

#[test]
fn a_report_tells_what_was_so_and_nothing_private() {
    const GUID: &str = "0123456789ABCDEF0123456789ABCDEF";
    let mut rig = Rig::on_arena(
        [640, 480],
        &[
            "set net_delay 40; set net_loss 10",
            "set password hush-1; set rconPassword hush-2; setu cl_password hush-3",
            "skirmish strafe1 2",
        ],
    );
    rig.run_until_snapshots(20);
    rig.command("cmd say a private word; say_team hush-4");
    rig.command("rcon set g_password hush-5");
    rig.run(300);
    rig.press(keys::F1 + 8);
    assert!(rig.printed.contains("reports/"), "{}", rig.printed);
    let (name, bytes) = rig.stored("reports/").expect("a report is kept");
    assert!(name.ends_with(".json"), "{name}");
    let text = std::str::from_utf8(bytes).unwrap();
    for private in ["hush", "private word", GUID] {
        assert!(!text.contains(private), "the report has \"{private}\"");
    }
    let report: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["settings"]["net_loss"], "10");
    let session = &report["session"];
    assert_eq!(session["map"], "strafe1");
    assert!(session["prediction"]["predicted"].as_u64() > Some(20));
    let said = session["messages"]["said"].as_array().unwrap();
    let from = |who: &str| said.iter().filter(|head| head["from"] == who).count();
    assert!(from("server") > 60, "{}", from("server"));
    assert!(from("player") > 80, "{}", from("player"));
    let names: Vec<&str> = said
        .iter()
        .flat_map(|head| head["commands"].as_array().into_iter().flatten())
        .filter_map(|command| command[1].as_str())
        .collect();
    assert!(
        names.contains(&"say") && names.contains(&"say_team"),
        "{names:?}"
    );
    let frames = session["messages"]["frames"]["rows"].as_array().unwrap();
    assert!(frames.len() > 300, "{}", frames.len());
    assert!(
        !rig.asks_for_journal,
        "the journal goes along without having been asked for"
    );
    rig.command("report all");
    assert!(rig.asks_for_journal);
}

#[test]
fn it_draws_within_the_screen_whatever_its_size() {
    for size in [[320, 180], [1280, 720], [3840, 1080], [600, 1200]] {
        let mut rig = Rig::on_arena(size, &["skirmish strafe1 2"]);
        rig.run_until_snapshots(20);
        rig.command("cg_draw2D 0; inspector");
        rig.run(100);
        rig.command("inspector");
        rig.frame(Vec::new());
        let [width, height] = size.map(|side| side as f32);
        let is_outside = |picture: &&Draw2d| {
            let [x, y, wide, high] = picture.rect;
            x < -1.0 || y < -1.0 || x + wide > width + 1.0 || y + high > height + 1.0
        };
        let outside = rig.scene.draw2d.iter().find(is_outside);
        assert!(
            outside.is_none(),
            "{size:?}: {:?}",
            outside.map(|picture| picture.rect)
        );
    }
}
