//! Commands about the game: weapons, views, what to tell whom.

use super::{
    CommandDef,
    console::{print_one, set_cvar},
};
use crate::{
    cg::{self, Listener, TestModelStep},
    client::Client,
};
use shared::base::tokens::Tokens;

commands! {
    /// What concerns the game that one plays or watches.
    "weapon" = weapon, "weapon NUMBER: takes a weapon.";
    "weapnext" = |c, _, _| c.act(cg::Action::NextWeapon), "The next weapon.";
    "weapprev" = |c, _, _| c.act(cg::Action::PreviousWeapon), "The weapon before.";
    "+zoom" = |c, _, _| c.act(cg::Action::Zoom(true)), "Looks closer.";
    "-zoom" = |c, _, _| c.act(cg::Action::Zoom(false)), "Looks normally.";
    "+scores" = |c, _, _| c.act(cg::Action::ShowScores(true)), "Shows the scoreboard.";
    "-scores" = |c, _, _| c.act(cg::Action::ShowScores(false)), "Hides the scoreboard.";
    "+acc" = |c, _, _| c.act(cg::Action::ShowAccuracy(true)), "Shows how well each weapon hit.";
    "-acc" = |c, _, _| c.act(cg::Action::ShowAccuracy(false)), "Hides how well each weapon hit.";
    "centerview" = |c, _, _| c.center_view(), "Looks straight ahead.";
    "model" = model, "model [NAME]: one's model and head.";
    "sizeup" = |c, _, _| resize_view(c, 10.0), "A larger view.";
    "sizedown" = |c, _, _| resize_view(c, -10.0), "A smaller view.";
    "weapbest" = |c, _, _| c.act(cg::Action::BestWeapon), "The best weapon that can fire.";
    "tell_target" = |c, t, _| c.act(cg::Action::Tell(Listener::Target, t.rest(1))),
        "tell_target TEXT: says something to whom the crosshair points at.";
    "tell_attacker" = |c, t, _| c.act(cg::Action::Tell(Listener::Attacker, t.rest(1))),
        "tell_attacker TEXT: says something to the player who hurt you last.";
    "sayto" = say_to, "sayto NAME TEXT: says something to one player.";
    "mute" = |c, t, _| mute(c, t, true),
        "mute [NAME|NUMBER]: hides what a player says, and his taunts; alone, it tells who is muted.";
    "unmute" = |c, t, _| mute(c, t, false), "unmute NAME|NUMBER: shows again what a player says.";
    "tcmd" = signal, "tcmd NUMBER: gives a sign to the player at the crosshair.";
    "viewpos" = |c, _, _| c.act(cg::Action::TellPlace), "Where you are and which way you look.";
    "startOrbit" = orbit, "Lets the camera go around you, or no more.";
    "testmodel" = |c, t, _| try_model(c, t, false),
        "testmodel [MODEL]: puts a model in front of you, or takes it away.";
    "testgun" = |c, t, _| try_model(c, t, true),
        "testgun [MODEL]: puts a model into your hand, or takes it away.";
    "nextframe" = |c, _, _| c.act(cg::Action::StepTestModel(TestModelStep::Frame(1))),
        "The next frame of that model.";
    "prevframe" = |c, _, _| c.act(cg::Action::StepTestModel(TestModelStep::Frame(-1))),
        "The frame before.";
    "nextskin" = |c, _, _| c.act(cg::Action::StepTestModel(TestModelStep::Skin(1))),
        "The next skin of that model.";
    "prevskin" = |c, _, _| c.act(cg::Action::StepTestModel(TestModelStep::Skin(-1))),
        "The skin before.";
}

/// Whether a command is the game's view's own, so that a mod's has another, or none.
pub(super) fn is_cgame(def: &CommandDef) -> bool {
    !["centerview", "model", "sayto"].contains(&def.name)
}

fn weapon(client: &mut Client, tokens: &Tokens, _: &str) {
    if let Ok(number) = tokens.get(1).parse() {
        client.act(cg::Action::SelectWeapon(number));
    }
}

fn signal(client: &mut Client, tokens: &Tokens, _: &str) {
    if let Ok(number) = tokens.get(1).parse() {
        client.act(cg::Action::Signal(number));
    }
}

fn model(client: &mut Client, tokens: &Tokens, _: &str) {
    match tokens.get(1) {
        "" => print_one(client, "model"),
        name => {
            set_cvar(client, "model", name);
            set_cvar(client, "headmodel", name);
        }
    }
}

fn resize_view(client: &mut Client, by: f32) {
    let size = (client.cvars.number("cg_viewsize") + by).clamp(30.0, 100.0);
    set_cvar(client, "cg_viewsize", &size.to_string());
}

fn try_model(client: &mut Client, tokens: &Tokens, is_held: bool) {
    client.act(cg::Action::TestModel {
        name: tokens.get(1).to_owned(),
        is_held,
    });
}

fn say_to(client: &mut Client, tokens: &Tokens, _: &str) {
    if tokens.len() < 3 {
        return client.print("sayto NAME TEXT: says something to one player\n");
    }
    match client.find_player(tokens.get(1)) {
        Some(number) => client.send_to_server(&format!("tell {number} \"{}\"", tokens.rest(2))),
        None => client.print(&format!("nobody here is called {}\n", tokens.get(1))),
    }
}

fn mute(client: &mut Client, tokens: &Tokens, is_muted: bool) {
    let who = tokens.rest(1);
    let told = match client.session_mut() {
        None => "not on a server\n".to_owned(),
        Some(session) if who.is_empty() => match session.muted_names().join("^7, ") {
            names if names.is_empty() => "nobody is muted\n".to_owned(),
            names => format!("muted: {names}\n"),
        },
        Some(session) => match (session.mute(&who, is_muted), is_muted) {
            (Some(name), true) => format!("{name}^7 is muted\n"),
            (Some(name), false) => format!("{name}^7 is heard again\n"),
            (None, _) => format!("nobody else here is called {who}\n"),
        },
    };
    client.print(&told);
}

/// As players know it: from behind, a bit away, five degrees at a time.
fn orbit(client: &mut Client, _: &Tokens, _: &str) {
    let settings = match client.cvars.is_on("cg_cameraOrbit") {
        true => [("cg_cameraOrbit", "0"), ("cg_thirdPerson", "0")].as_slice(),
        false => &[
            ("cg_cameraOrbit", "5"),
            ("cg_thirdPerson", "1"),
            ("cg_thirdPersonAngle", "0"),
            ("cg_thirdPersonRange", "100"),
        ],
    };
    for (name, value) in settings {
        if !set_cvar(client, name, value) {
            return;
        }
    }
}
