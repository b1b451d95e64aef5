//! Commands about the game: weapons, views, what to tell whom.

use super::{
    CommandDef, command,
    console::{print_one, set_cvar},
};
use crate::{
    cg::{self, Listener, TestModelStep},
    client::Client,
};
use shared::base::tokens::Tokens;

/// What concerns the game that one plays or watches.
pub const TABLE: &[CommandDef] = &[
    command("weapon", "weapon NUMBER: takes a weapon.", |c, t, _| {
        if let Ok(number) = t.get(1).parse() {
            c.act(cg::Action::SelectWeapon(number));
        }
    }),
    command("weapnext", "The next weapon.", |c, _, _| {
        c.act(cg::Action::NextWeapon)
    }),
    command("weapprev", "The weapon before.", |c, _, _| {
        c.act(cg::Action::PreviousWeapon)
    }),
    command("+zoom", "Looks closer.", |c, _, _| {
        c.act(cg::Action::Zoom(true))
    }),
    command("-zoom", "Looks normally.", |c, _, _| {
        c.act(cg::Action::Zoom(false))
    }),
    command("+scores", "Shows the scoreboard.", |c, _, _| {
        c.act(cg::Action::ShowScores(true))
    }),
    command("-scores", "Hides the scoreboard.", |c, _, _| {
        c.act(cg::Action::ShowScores(false))
    }),
    command("+acc", "Shows how well each weapon hit.", |c, _, _| {
        c.act(cg::Action::ShowAccuracy(true))
    }),
    command("-acc", "Hides how well each weapon hit.", |c, _, _| {
        c.act(cg::Action::ShowAccuracy(false))
    }),
    command("centerview", "Looks straight ahead.", |c, _, _| {
        c.center_view()
    }),
    command("model", "model [NAME]: one's model and head.", model),
    command("sizeup", "A larger view.", |c, _, _| resize_view(c, 10.0)),
    command("sizedown", "A smaller view.", |c, _, _| {
        resize_view(c, -10.0)
    }),
    command("weapbest", "The best weapon that can fire.", |c, _, _| {
        c.act(cg::Action::BestWeapon)
    }),
    command(
        "tell_target",
        "tell_target TEXT: says something to whom the crosshair points at.",
        |c, t, _| c.act(cg::Action::Tell(Listener::Target, t.rest(1))),
    ),
    command(
        "tell_attacker",
        "tell_attacker TEXT: says something to who hurt you last.",
        |c, t, _| c.act(cg::Action::Tell(Listener::Attacker, t.rest(1))),
    ),
    command(
        "sayto",
        "sayto NAME TEXT: says something to one player.",
        say_to,
    ),
    command(
        "mute",
        "mute [NAME|NUMBER]: hides what a player says, and his taunts; alone, it tells who is muted.",
        |c, t, _| mute(c, t, true),
    ),
    command(
        "unmute",
        "unmute NAME|NUMBER: shows again what a player says.",
        |c, t, _| mute(c, t, false),
    ),
    command(
        "tcmd",
        "tcmd NUMBER: gives a sign to the player at the crosshair.",
        |c, t, _| {
            if let Ok(number) = t.get(1).parse() {
                c.act(cg::Action::Signal(number));
            }
        },
    ),
    command(
        "viewpos",
        "Where you are and which way you look.",
        |c, _, _| c.act(cg::Action::TellPlace),
    ),
    command(
        "startOrbit",
        "Lets the camera go around you, or no more.",
        orbit,
    ),
    command(
        "testmodel",
        "testmodel [MODEL]: puts a model in front of you, or takes it away.",
        |c, t, _| try_model(c, t, false),
    ),
    command(
        "testgun",
        "testgun [MODEL]: puts a model into your hand, or takes it away.",
        |c, t, _| try_model(c, t, true),
    ),
    command("nextframe", "The next frame of that model.", |c, _, _| {
        c.act(cg::Action::StepTestModel(TestModelStep::Frame(1)))
    }),
    command("prevframe", "The frame before.", |c, _, _| {
        c.act(cg::Action::StepTestModel(TestModelStep::Frame(-1)))
    }),
    command("nextskin", "The next skin of that model.", |c, _, _| {
        c.act(cg::Action::StepTestModel(TestModelStep::Skin(1)))
    }),
    command("prevskin", "The skin before.", |c, _, _| {
        c.act(cg::Action::StepTestModel(TestModelStep::Skin(-1)))
    }),
];

/// Whether a command is the game's view's own, so that a mod's has another, or none.
pub(super) fn is_cgame(def: &CommandDef) -> bool {
    !["centerview", "model", "sayto"].contains(&def.name)
}

fn model(client: &mut Client, tokens: &Tokens, _: &str) {
    match tokens.get(1) {
        "" => print_one(client, "model"),
        name => {
            let name = name.to_owned();
            set_cvar(client, "model", &name);
            set_cvar(client, "headmodel", &name);
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
