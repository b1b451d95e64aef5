//! A match in the program itself: `map` begins it, one plays, and it ends.

use crate::rig::Rig;
use client::cl::State;

fn playing(commands: &[&str]) -> Rig {
    let mut rig = Rig::new(commands);
    rig.run_until_active();
    rig
}

fn origin(rig: &Rig) -> [f32; 3] {
    rig.client.status().session.expect("one plays").origin
}

#[test]
fn a_match_begins_moves_and_ends() {
    let mut rig = playing(&["set fraglimit 7", "map oa_dm1", "addbot Tarn 2"]);
    assert_eq!(rig.client.status().map, "oa_dm1");
    assert_eq!(rig.sent, 0, "nothing goes to a network");
    rig.run(100);
    let before = origin(&rig);
    rig.command("+forward");
    rig.run(100);
    let after = origin(&rig);
    assert_ne!(before, after);
    rig.command("status");
    rig.command("fraglimit");
    rig.frame(Vec::new());
    assert!(rig.printed.contains("map: oa_dm1"), "{}", rig.printed);
    // Its entry went by before the player was there.
    let bot = rig.printed.lines().find(|line| line.contains(" Tarn "));
    assert!(
        bot.is_some_and(|line| line.ends_with("bot")),
        "{}",
        rig.printed
    );
    assert!(
        rig.printed.contains("\"fraglimit\" is \"7"),
        "{}",
        rig.printed
    );
    rig.command("addbot Rill 3");
    rig.run_until(1000, |rig| rig.printed.contains("Rill^7 entered the game"));
    rig.command("kick allbots");
    rig.run_until(1000, |rig| rig.printed.contains("Rill^7 was kicked"));
    rig.command("killserver");
    rig.run_until(3, |rig| rig.client.state() == State::Disconnected);
    assert_eq!(rig.client.status().error, None);
}

#[test]
fn the_map_changes_and_restarts_under_the_player() {
    let mut rig = playing(&["devmap oa_dm1"]);
    rig.command("give all");
    rig.command("map_restart 0");
    rig.command("map oa_dm2");
    rig.run_until(3000, |rig| {
        rig.client.status().map == "oa_dm2" && rig.client.state() == State::Active
    });
    rig.command("map nosuchmap");
    rig.run_until(10, |rig| rig.printed.contains("nosuchmap cannot be played"));
    rig.run(200);
    assert_eq!(rig.client.state(), State::Active, "the match goes on");
    assert_eq!(rig.client.status().map, "oa_dm2");
}

#[test]
fn the_server_moves_the_player_as_predicted_to_the_last_bit() {
    // Where a server that rounds otherwise is one bit away after some walls.
    let mut rig = playing(&["map oa_dm5"]);
    rig.command("+forward");
    for turn in ["+left", "+right"].repeat(6) {
        for key in ["+moveright", "+moveup", turn, "+moveleft"] {
            rig.command(key);
            rig.run(90);
            rig.command(&key.replace('+', "-"));
        }
    }
    let stats = rig.client.status().session.expect("one plays").prediction;
    assert!(stats.predicted > 800, "{stats:?}");
    assert_eq!(
        (stats.exact, stats.missed),
        (stats.predicted, 0),
        "{stats:?}"
    );
}

#[test]
fn a_map_that_nobody_has_is_named() {
    let mut rig = Rig::new(&["map nosuchmap"]);
    rig.run_until(1000, |rig| rig.client.status().error.is_some());
    let error = rig.client.status().error.unwrap_or_default();
    assert!(
        error.contains("nosuchmap") && error.contains("none of the paks"),
        "{error}"
    );
    assert_eq!(rig.client.state(), State::Disconnected);
    rig.command("kick nobody");
    assert!(
        rig.printed.contains("map NAME begins one"),
        "{}",
        rig.printed
    );
}

#[test]
fn a_bad_line_can_be_had_without_a_network() {
    let mut rig = playing(&["set net_delay 100", "set net_loss 5", "map oa_dm1"]);
    rig.run(300);
    let session = rig.client.status().session.expect("one plays");
    assert!((180..260).contains(&session.stats.ping_msec), "{session:?}");
}

#[test]
fn a_skirmish_has_bots_in_it() {
    let mut rig = playing(&["skirmish oa_dm1 2"]);
    assert_eq!(rig.client.status().map, "oa_dm1");
    rig.command("status");
    rig.frame(Vec::new());
    let bots = |rig: &Rig| {
        rig.printed
            .lines()
            .filter(|line| line.ends_with("bot"))
            .count()
    };
    assert_eq!(bots(&rig), 2, "{}", rig.printed);
    // Another one begins with its own.
    rig.printed.clear();
    rig.command("skirmish oa_dm2 1");
    rig.run_until(3000, |rig| {
        rig.client.status().map == "oa_dm2" && rig.client.state() == State::Active
    });
    rig.command("status");
    rig.frame(Vec::new());
    assert_eq!(bots(&rig), 1, "{}", rig.printed);
}

/// When rockets burst after they were fired at a wall, in frames, by what the client shows.
fn bursts_of_rockets(predicts: bool) -> Vec<usize> {
    const ROCKETS: usize = 3;
    let mut rig = Rig::on_arena(
        [320, 240],
        &[
            "set net_delay 100",
            "set cg_debugEvents 1",
            &format!("set cg_predictOthers {}", u8::from(predicts)),
            "devmap strafe1",
        ],
    );
    rig.run_until_active();
    for line in ["god", "give all", "weapon 5"] {
        rig.command(line);
        rig.run(100);
    }
    let mut bursts = Vec::new();
    for _ in 0..ROCKETS {
        rig.command("+attack");
        rig.frame(Vec::new());
        rig.command("-attack");
        for frame in 0..400 {
            let before = rig.printed.len();
            rig.frame(Vec::new());
            let count = rig.printed[before..].matches("MISSILE_MISS").count();
            bursts.extend(std::iter::repeat_n(frame, count));
        }
    }
    assert_eq!(
        bursts.len(),
        ROCKETS,
        "one burst of each rocket: {}",
        rig.printed
    );
    bursts
}

#[test]
fn predicted_bursts_come_early_and_once() {
    let (told, predicted) = (bursts_of_rockets(false), bursts_of_rockets(true));
    for (told, predicted) in told.into_iter().zip(predicted) {
        assert!(
            predicted + 5 < told,
            "{predicted} and {told} frames of 10 ms"
        );
    }
}

#[test]
fn lines_for_the_game_wait_until_it_runs() {
    for commands in [
        ["map oa_dm1", "say good morning"],
        ["say good morning", "map oa_dm1"],
    ] {
        let mut rig = playing(&commands);
        rig.run_until(500, |rig| rig.printed.contains(": ^2good morning"));
        assert!(!rig.printed.contains("unknown"), "{}", rig.printed);
    }
    let mut rig = Rig::new(&["team spectator"]);
    rig.frame(Vec::new());
    rig.frame(Vec::new());
    assert!(
        rig.printed.contains("unknown command \"team^7\""),
        "{}",
        rig.printed
    );
}
