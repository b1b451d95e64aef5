//! Real mods' cgames in the client's host, on a level that is made up.

use crate::{
    disk::Disk,
    stage::{gamestate_of, still},
    zip::pak,
};
use client::{
    assets::Assets,
    cg::SnapshotArrival,
    con::{cvar::Cvars, cvars},
    platform::modules,
    qvm::{CgamePreference, Frame, Input, Keys, ModGame, Output, choose},
    scene::RefEntityKind,
};
use flate2::read::GzDecoder;
use shared::{
    base::{
        ring::Ring,
        time::{ClientTime, ServerTime},
    },
    bg::numbers::{configstring as cs, entity_type, event, persistant, weapon},
    types::{
        entitystate::EntityState,
        gamestate::Gamestate,
        playerstate::PlayerState,
        servercmd::{ServerCommand, ServerCommandBody},
        snapshot::{Snapshot, flags},
        usercmd::{USERCMD_BACKUP, Usercmd, UsercmdRing},
    },
};
use std::{io::Read, sync::Arc};

macro_rules! module {
    ($name:literal) => {
        include_bytes!(concat!(
            "../../../vm/tests/data/mods/",
            $name,
            "-cgame.qvm.gz"
        ))
    };
}

const BASEQ3: &[u8] = module!("baseq3");
const OPENARENA: &[u8] = module!("openarena");
const RATMOD: &[u8] = module!("ratoa");

const MAP: &str = "oa_dm1";
const SCREEN: [f32; 2] = [1280.0, 720.0];
const STEP_MSEC: i32 = 50;
/// Its number among the items.
const ROCKET_LAUNCHER: i32 = 12;

/// A level that a mod's module shows.
struct ModStage {
    assets: Assets,
    disk: Disk,
    cvars: Cvars,
    game: ModGame,
    player: PlayerState,
    entities: Vec<EntityState>,
    usercmds: UsercmdRing,
    commands: Vec<ServerCommand>,
    command_num: i32,
    message: i32,
    time: i32,
    flags: u8,
}

fn unpack(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = GzDecoder::new(packed).read_to_end(&mut bytes);
    read.expect("the tests' data is whole");
    bytes
}

fn gamestate(version: &str) -> Arc<Gamestate> {
    let info = format!("\\gamename\\mod\\g_gametype\\0\\mapname\\{MAP}\\sv_maxclients\\8");
    let mut gamestate = gamestate_of(&info, version, 0);
    // The rocket launcher lies somewhere, so that its model is loaded.
    let items = "0".repeat(ROCKET_LAUNCHER as usize) + "1";
    let stored = gamestate.configstrings.set(cs::ITEMS, &items);
    assert_eq!(stored, Ok(true));
    Arc::new(gamestate)
}

/// The assets with a module among them.
fn assets_with(module: &[u8]) -> (Disk, Assets) {
    let (mut disk, mut assets) = Disk::assets();
    assets.add_source(disk.add("baseoa", "z-mod.pk3", pak("vm/cgame.qvm", &unpack(module))));
    // RatMod ends itself without.
    let any_sound = include_bytes!("../../../fuzz/corpus/sound_ogg/fall1.ogg");
    let sound = pak("sound/testoggvorbis.ogg", any_sound);
    assets.add_source(disk.add("baseoa", "z-sound.pk3", sound));
    disk.serve(&mut assets);
    (disk, assets)
}

impl ModStage {
    /// Loads it; an error is why the module cannot run.
    fn load(module: &[u8], version: &str) -> Result<Self, String> {
        let (mut disk, mut assets) = assets_with(module);
        let mut cvars = Cvars::new(cvars::TABLE);
        let engine = modules::engine().expect("modules run here");
        assets.load_world(MAP);
        let mut game = ModGame::new(engine, gamestate(version), false, &mut assets);
        let mut rounds = 0;
        while !game.load(ClientTime(0), 0, SCREEN, &mut assets, &mut cvars)? {
            disk.serve(&mut assets);
            if game.poll_compiled() {
                game.go_on();
            }
            rounds += 1;
            assert!(rounds < 100, "it never has all that it needs");
        }
        disk.serve(&mut assets);
        let mut player = PlayerState {
            weapon: weapon::MACHINEGUN,
            view_height: 26,
            origin: glam::Vec3::new(0.0, 0.0, 100.0),
            ground_entity_num: 1023,
            ..PlayerState::default()
        };
        player.stats[0] = 100;
        player.persistant[persistant::TEAM] = 0;
        let mut usercmds = Ring::new(USERCMD_BACKUP);
        usercmds.push(Usercmd::default());
        Ok(Self {
            assets,
            disk,
            cvars,
            game,
            player,
            entities: Vec::new(),
            usercmds,
            commands: Vec::new(),
            command_num: 0,
            message: 4000,
            time: 10_000,
            flags: 0,
        })
    }

    fn say(&mut self, body: ServerCommandBody) {
        self.command_num += 1;
        let number = self.command_num;
        self.commands.push(ServerCommand { number, body });
    }

    fn say_words(&mut self, words: &[&str]) {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        self.say(ServerCommandBody::Words(words));
    }

    fn frame(&mut self) -> Output {
        self.frame_with(&[])
    }

    fn frame_with(&mut self, inputs: &[Input]) -> Output {
        self.try_frame(inputs).expect("the module goes on")
    }

    /// The next snapshot comes and is shown at once.
    fn try_frame(&mut self, inputs: &[Input]) -> Result<Output, String> {
        self.time += STEP_MSEC;
        self.message += 1;
        self.player.command_time = self.time;
        self.usercmds.push(Usercmd {
            server_time: ServerTime(self.time),
            weapon: weapon::MACHINEGUN as u8,
            ..Usercmd::default()
        });
        self.entities.sort_by_key(|state| state.number);
        let snapshot = Snapshot {
            message_num: self.message,
            server_time: ServerTime(self.time),
            flags: self.flags,
            player: self.player.clone(),
            entities: self.entities.clone().into(),
            server_command_num: self.command_num,
            ..Snapshot::default()
        };
        let arrival = SnapshotArrival {
            snapshot: Arc::new(snapshot),
            ping_msec: 40,
        };
        let frame = Frame {
            now: ClientTime(self.time),
            time: ServerTime(self.time),
            snapshots: &[arrival],
            commands: &self.commands,
            usercmds: &self.usercmds,
            inputs,
            screen: SCREEN,
            unix_seconds: 0,
        };
        let keys = Keys::default();
        let output = self
            .game
            .frame(&frame, &keys, &mut self.assets, &mut self.cvars);
        self.commands.clear();
        self.disk.serve(&mut self.assets);
        output
    }
}

/// Another player, as a snapshot has one.
fn other_player() -> EntityState {
    EntityState {
        number: 1,
        e_type: entity_type::PLAYER,
        client_num: 1,
        weapon: weapon::MACHINEGUN,
        solid: 0x38_1E_0F,
        ..still()
    }
}

fn check_play(module: &[u8], version: &str) {
    let mut level = ModStage::load(module, version).expect("the module runs");
    let started = std::time::Instant::now();
    level.entities.push(other_player());
    level.frame();
    let output = level.frame();
    assert!(output.is_in_game);
    let view = output.scene.views.iter().find(|view| view.has_world);
    let view = view.expect("the world is drawn");
    assert_eq!(view.viewport, [0.0, 0.0, 1280.0, 720.0]);
    assert!((view.eye.z - 126.0).abs() < 16.0, "{}", view.eye);
    let models = view.entities.iter();
    let models = models.filter(|entity| matches!(entity.kind, RefEntityKind::Model(_)));
    // The other player's legs, torso, head and weapon, the own weapon, and perhaps the own body.
    assert!(models.count() >= 5, "{:?}", view.entities.len());
    assert!(!output.scene.draw2d.is_empty());
    assert_eq!(output.weapon, weapon::MACHINEGUN as u8);
    assert!(output.sensitivity > 0.0);

    level.say_words(&["chat", "Ayumi: hello"]);
    let output = level.frame();
    assert!(output.printed.contains("hello"), "{:?}", output.printed);
    let quiet = level.frame().scene.draw2d.len();
    let lines = ["+scores", "nothing_known"].map(|line| Input::Line(line.to_owned()));
    let output = level.frame_with(&lines);
    assert_eq!(output.unknown_lines, ["nothing_known"]);
    assert!(
        output
            .server_commands
            .iter()
            .any(|line| line.starts_with("score")),
        "{:?}",
        output.server_commands
    );
    level.say_words(&[
        "scores", "1", "0", "0", "0", "7", "40", "2", "0", "0", "0", "0", "0", "0", "0", "0", "0",
        "0",
    ]);
    let shown = level.frame().scene.draw2d.len();
    // RatMod's board hides more than it has.
    assert_ne!(shown, quiet, "the scoreboard");
    level.frame_with(&[Input::Line("-scores".into())]);

    // A shot is heard; a death looks on.
    const BEGINS_ANEW: i32 = 0x100;
    level.entities[0].event = event::FIRE_WEAPON | BEGINS_ANEW;
    let output = level.frame();
    assert!(!output.scene.sound.starts.is_empty());
    level.player.stats[0] = -20;
    level.player.pm_type = 3;
    level.frame();
    level.player.stats[0] = 100;
    level.player.pm_type = 0;
    level.player.persistant[persistant::SPAWN_COUNT] += 1;
    level.frame();

    level.say(ServerCommandBody::Configstring {
        index: cs::PLAYERS + 2,
        text: r"n\Newcomer\t\0\model\gargoyle\hmodel\gargoyle\hc\100".into(),
    });
    level.frame();
    level.say_words(&["map_restart"]);
    level.flags ^= flags::SERVER_COUNT;
    assert!(level.frame().restarts);
    assert!(level.frame().is_in_game);
    let frames = level.time / STEP_MSEC;
    println!("{frames} frames until now took {:?}", started.elapsed());
    level.game.shut_down(&mut level.assets, &mut level.cvars);
    assert!(!level.game.is_running());
}

#[test]
fn quake_s_own_cgame_plays() {
    check_play(BASEQ3, "baseq3-1");
}

#[test]
fn openarena_s_own_cgame_plays() {
    check_play(OPENARENA, "baseoa-1");
}

#[test]
fn ratmod_s_cgame_plays() {
    check_play(RATMOD, "baseoa-1");
}

#[test]
fn a_weapon_that_lies_there_turns_about_its_middle() {
    let mut level = ModStage::load(BASEQ3, "baseq3-1").expect("the module runs");
    let mut item = EntityState {
        number: 70,
        e_type: entity_type::ITEM,
        model_index: ROCKET_LAUNCHER,
        ..still()
    };
    // Far enough from the player that nothing of his own is near it.
    item.pos.base = glam::Vec3::new(200.0, 0.0, 100.0);
    level.entities.push(item);
    level.frame();
    let output = level.frame();
    let view = output.scene.views.iter().find(|view| view.has_world);
    let entities = &view.expect("the world is drawn").entities;
    let near = |origin: glam::Vec3| origin.truncate().distance(item.pos.base.truncate());
    let drawn = entities.iter().map(|entity| near(entity.origin));
    let drawn = drawn.fold(f32::MAX, f32::min);
    // The module measures the model in its first call; what is not loaded by then would turn about its origin, exactly.
    assert!((0.05..20.0).contains(&drawn), "{drawn}");
}

#[test]
fn a_module_on_the_wrong_server_says_so() {
    let refused = ModStage::load(BASEQ3, "other-1").err();
    let refused = refused.expect("it knows its own servers only");
    assert!(refused.contains("baseq3-1"), "{refused}");
}

#[test]
fn what_is_no_module_is_refused_with_a_reason() {
    // As Debian's paks of OpenArena hold one.
    let (mut disk, mut assets) = Disk::assets();
    let stub = b"NTVE not a module but native code";
    assets.add_source(disk.add("baseoa", "z-mod.pk3", pak("vm/cgame.qvm", stub)));
    disk.serve(&mut assets);
    let engine = modules::engine().expect("modules run here");
    let mut game = ModGame::new(engine, gamestate("baseq3-1"), false, &mut assets);
    let mut cvars = Cvars::new(cvars::TABLE);
    let refused = loop {
        disk.serve(&mut assets);
        if game.poll_compiled() {
            game.go_on();
        }
        match game.load(ClientTime(0), 0, SCREEN, &mut assets, &mut cvars) {
            Ok(is_running) => assert!(!is_running),
            Err(reason) => break reason,
        }
    };
    assert!(refused.contains("not a QVM"), "{refused}");
}

#[test]
fn a_module_that_gives_up_is_gone() {
    let mut level = ModStage::load(BASEQ3, "baseq3-1").expect("the module runs");
    level.frame();
    // A jump of the server's clock into the past ends the original's module, too.
    level.time -= 5000;
    let ended = level.try_frame(&[]).err();
    assert!(ended.is_some());
    assert!(!level.game.is_running());
    assert!(!level.try_frame(&[]).is_ok_and(|output| output.is_in_game));
}

#[test]
fn the_module_is_chosen_by_game_and_wish() {
    use CgamePreference::{Auto, Module, Own};
    let (_, mut assets) = assets_with(BASEQ3);
    assets.choose_paks(
        &["baseoa".to_owned()],
        None,
        client::assets::vfs::Fetched::None,
    );
    let check = |wish, version: &str, folder: &str, expected: bool, why: &str| {
        let choice = choose(wish, true, &gamestate(version), folder, assets.vfs());
        assert_eq!(choice.runs_module, expected, "{}", choice.line);
        assert!(choice.line.contains(why), "{}", choice.line);
    };
    check(Auto, "baseq3-1", "", false, "knows the game \"baseq3-1\"");
    check(Auto, "baseoa-1", "baseoa", false, "knows the game");
    check(Auto, "cpma-1", "", true, "the game is \"mod\" (\"cpma-1\")");
    check(Auto, "baseq3-1", "maps_only", false, "no module of its own");
    check(Own, "cpma-1", "cpma", false, "vm_cgame is 0");
    check(
        Own,
        "cpma-1",
        "cpma",
        false,
        "does not know the game \"cpma\"",
    );
    let without = Assets::new(crate::disk::SETTINGS);
    let choice = choose(Auto, true, &gamestate("cpma-1"), "cpma", without.vfs());
    let told = "no pak that may be used here has a module, although it does not know the game";
    assert!(choice.line.contains(told), "{}", choice.line);
    check(Module, "baseq3-1", "", true, "z-mod.pk3");
    let choice = choose(Module, false, &gamestate("baseq3-1"), "", assets.vfs());
    assert!(!choice.runs_module, "{}", choice.line);
}
