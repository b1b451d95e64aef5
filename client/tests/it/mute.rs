//! Players that somebody does not want to hear: what they say is not shown, and the menus mute them.

use super::{
    rig::Rig,
    stage::{Game, Stage},
};
use client::con::keys;
use shared::bg::numbers::event as ev;

#[test]
fn what_muted_players_say_is_neither_shown_nor_heard() {
    let mut stage = Stage::new(Game::Baseq3, 0);
    let lines = [
        ["chat", "Ayumi^7\x19: ^2one"],
        ["chat", "Grism^7\x19: ^2two"],
        ["tchat", "\x19(Ayumi^7\x19)\x19: ^5three"],
        ["chat", "\x19[Grism^7\x19]\x19: ^6four"],
        ["chat", "console: five"],
    ];
    let said = |stage: &mut Stage| -> (String, usize) {
        lines.iter().for_each(|line| stage.say(line));
        let output = stage.frame();
        (output.printed.concat(), output.scene.sound.starts.len())
    };
    let (text, beeps) = said(&mut stage);
    assert!(
        ["one", "two", "three", "four", "five"]
            .iter()
            .all(|word| text.contains(word))
    );
    assert_eq!(beeps, 5);
    stage.muted = 1 << 2;
    let (text, beeps) = said(&mut stage);
    assert!(
        ["one", "three", "five"]
            .iter()
            .all(|word| text.contains(word)),
        "{text}"
    );
    assert!(!text.contains("two") && !text.contains("four"), "{text}");
    assert_eq!(beeps, 3);
}

#[test]
fn taunts_of_muted_players_are_silent() {
    let mut stage = Stage::new(Game::Baseq3, 0);
    let taunts = |stage: &mut Stage| {
        let mut state = stage.event(ev::TAUNT, 0);
        state.client_num = 1;
        stage.show(state).scene.sound.starts.len()
    };
    assert_eq!(taunts(&mut stage), 1);
    stage.muted = 1 << 1;
    assert_eq!(taunts(&mut stage), 0);
}

#[test]
fn players_are_muted_by_name_by_number_and_in_the_menus() {
    let mut rig = Rig::new(&["skirmish oa_dm1 2"]);
    rig.run_until_active();
    let run = |rig: &mut Rig, line: &str| {
        rig.printed.clear();
        rig.command(line);
        rig.printed.clone()
    };
    assert!(run(&mut rig, "mute").contains("nobody is muted"));
    assert!(run(&mut rig, "mute nobody").contains("nobody else here is called nobody"));
    // Bots came first and have the low numbers, or the player has: one's own is refused in any case.
    let own = rig.client.cvars().text("name").to_owned();
    assert!(run(&mut rig, &format!("mute {own}")).contains("nobody else here is called"));
    let told = (0..16)
        .map(|number| run(&mut rig, &format!("mute {number}")))
        .find(|told| told.ends_with("is muted\n"))
        .expect("a bot is there");
    let name = told.strip_suffix("^7 is muted\n").expect(&told).to_owned();
    assert!(run(&mut rig, "mute").contains(&name));
    assert!(run(&mut rig, &format!("unmute {name}")).contains("is heard again"));
    assert!(run(&mut rig, "mute").contains("nobody is muted"));

    rig.command("menu mute");
    rig.frame(Vec::new());
    let chosen = |rig: &Rig, text: &str| rig.spoken.contains(text);
    for _ in 0..8 {
        assert!(!chosen(&rig, &format!(". {own} ")), "{}", rig.spoken);
        if chosen(&rig, &name) {
            break;
        }
        rig.press(keys::DOWNARROW);
    }
    assert!(chosen(&rig, &name), "{}", rig.spoken);
    rig.press(keys::ENTER);
    rig.frame(Vec::new());
    rig.frame(Vec::new());
    assert!(chosen(&rig, " Muted."), "{}", rig.spoken);
    rig.press(keys::ENTER);
    rig.frame(Vec::new());
    rig.frame(Vec::new());
    assert!(!chosen(&rig, " Muted."), "{}", rig.spoken);
}
