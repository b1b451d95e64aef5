//! A simulated player: keeps one connection in the game and counts what came of it.

use client::{
    cl::{
        Connection, PureProof, Reason, Seeds, Settings, State, SystemInfo, Update,
        input::{Action, Input, InputSettings, UsercmdFrame},
    },
    con::{cvar::Cvars, cvars},
    settings,
};
use shared::{
    base::{
        info::{Info, MAX_INFO},
        time::ClientTime,
    },
    formats::pk3::Directory,
    types::configstring::index,
};
use std::{collections::BTreeSet, sync::LazyLock};

/// Those of a newcomer.
static INPUT_SETTINGS: LazyLock<InputSettings> =
    LazyLock::new(|| settings::input(&Cvars::new(cvars::TABLE)));

/// What the simulated player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Play {
    /// Stands still.
    Idle,
    /// Runs forward and turns slowly.
    Walk,
    /// Runs, jumps, turns and shoots without plan.
    Random,
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub state: String,
    pub map: String,
    pub protocol: i32,
    /// `legacy` or `modern`; empty if it never got that far.
    pub wire: &'static str,
    pub pure: bool,
    /// How long the player was in the world.
    pub seconds: f64,
    pub snapshots: u32,
    pub snapshots_lost: u32,
    pub packets_sent: u32,
    pub packets_received: u32,
    pub usercmds: u32,
    pub ping_ms: i32,
    pub reliable_commands: i32,
    /// Every level that was entered, in order.
    pub maps: Vec<String>,
    pub game_types: BTreeSet<i32>,
    pub map_restarts: u32,
    /// Why the connection ended, if it did.
    pub disconnect: Option<String>,
    pub errors: Vec<String>,
}

impl Report {
    /// Whether the player was in the world at the end, and nothing went wrong on the way.
    pub fn is_good(&self) -> bool {
        self.state == State::Active.to_string() && self.errors.is_empty()
    }
}

/// A pak, as far as a pure server asks about it.
#[derive(Debug)]
pub struct KnownPak {
    pub directory: Directory,
}

/// One simulated player; like the connection it has no socket and no clock of its own.
#[derive(Debug)]
pub struct Headless {
    connection: Connection,
    settings: Settings,
    input: Input,
    play: Play,
    paks: Vec<KnownPak>,
    random: u32,
    frame_at: ClientTime,
    active_msec: i32,
    report: Report,
    end: Option<Reason>,
}

impl Headless {
    pub fn connect(
        server: &str,
        settings: Settings,
        play: Play,
        paks: Vec<KnownPak>,
        seeds: Seeds,
        now: ClientTime,
    ) -> Self {
        Self {
            connection: Connection::connect(server, &settings, seeds, now),
            settings,
            input: Input::new(now),
            play,
            paks,
            random: seeds.challenge as u32 | 1,
            frame_at: now,
            active_msec: 0,
            report: Report::default(),
            end: None,
        }
    }

    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Changes what is told to the server about the player.
    pub fn settings(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Why the connection ended, if it did.
    pub fn end(&self) -> Option<&Reason> {
        self.end.as_ref()
    }

    pub fn handle_packet(&mut self, now: ClientTime, bytes: &[u8]) {
        self.connection.handle_packet(now, bytes);
        self.take_updates(now);
    }

    /// Runs one frame and gives the datagrams to send.
    pub fn frame(&mut self, now: ClientTime) -> Vec<Vec<u8>> {
        let frame_msec = now - self.frame_at;
        self.frame_at = now;
        if self.connection.state() == State::Active {
            self.active_msec += frame_msec;
        }
        self.press_keys(now);
        let frame = UsercmdFrame {
            now,
            scaled_msec: frame_msec,
            server_time: self.connection.server_time(),
            weapon: 2,
            sensitivity_scale: 1.0,
            is_captured: false,
            any_key_is_down: self.play != Play::Idle,
        };
        let usercmd = self.input.build_usercmd(&frame, &INPUT_SETTINGS);
        self.connection.add_usercmd(usercmd);
        self.connection.frame(now, &self.settings);
        self.take_updates(now);
        std::iter::from_fn(|| self.connection.poll_transmit()).collect()
    }

    fn take_updates(&mut self, now: ClientTime) {
        while let Some(update) = self.connection.poll_update() {
            match update {
                Update::Gamestate(gamestate) => {
                    let serverinfo = Info::parse(gamestate.configstrings.get(index::SERVERINFO));
                    self.report.map = serverinfo.get("mapname").to_owned();
                    self.report.maps.push(self.report.map.clone());
                    self.report
                        .game_types
                        .insert(serverinfo.number("g_gametype"));
                    self.input.start_level();
                    self.enter_level(now);
                }
                Update::ServerCommand(command) => {
                    let is_restart = matches!(&command.body,
                        shared::types::servercmd::ServerCommandBody::Words(words)
                            if words.first().is_some_and(|word| word == "map_restart"));
                    self.report.map_restarts += u32::from(is_restart);
                }
                Update::Notice(notice) => self.report.errors.push(notice.to_string()),
                Update::Disconnected(reason) => {
                    self.report.disconnect = Some(reason.to_string());
                    self.end = Some(reason);
                }
                Update::StateChanged(_)
                | Update::Print(_)
                | Update::Snapshot { .. }
                | Update::PakFetched { .. } => {}
            }
        }
    }

    /// Nothing is loaded here, but a pure server wants to know that the files are there.
    fn enter_level(&mut self, now: ClientTime) {
        let feed = self.connection.checksum_feed().unwrap_or_default();
        let is_pure = self
            .connection
            .systeminfo()
            .is_some_and(|info| info.is_pure);
        self.report.pure = is_pure;
        let proof = self
            .connection
            .systeminfo()
            .and_then(|info| self.proof(info, feed));
        if is_pure && proof.is_none() {
            let error = "none of the server's paks is here, so there is no pure proof";
            self.report.errors.push(error.to_owned());
        }
        self.connection.loading_finished(now, proof.as_ref());
    }

    fn proof(&self, systeminfo: &SystemInfo, feed: i32) -> Option<PureProof> {
        let by_checksum = |checksum: i32| {
            self.paks
                .iter()
                .find(move |known| known.directory.checksum() == checksum)
        };
        let usable: Vec<&KnownPak> = systeminfo
            .paks
            .iter()
            .filter_map(|pak| by_checksum(pak.checksum))
            .collect();
        let with = |name: &str| {
            usable
                .iter()
                .find(|known| known.directory.find(name).is_some())
        };
        let cgame = with("vm/cgame.qvm")?.directory.pure_checksum(feed);
        let ui = with("vm/ui.qvm")?.directory.pure_checksum(feed);
        let bsp = format!("maps/{}.bsp", self.report.map);
        let used = |known: &&&KnownPak| {
            ["vm/cgame.qvm", "vm/ui.qvm", bsp.as_str()]
                .iter()
                .any(|name| known.directory.find(name).is_some())
        };
        let referenced = usable
            .iter()
            .filter(used)
            .map(|known| known.directory.pure_checksum(feed))
            .collect();
        Some(PureProof {
            cgame,
            ui,
            referenced,
        })
    }

    fn press_keys(&mut self, now: ClientTime) {
        const KEY: Option<u16> = Some(1);
        let at = Some(now);
        if self.play == Play::Idle {
            return;
        }
        self.input.press(Action::Forward, KEY, at);
        self.input.move_mouse(2.0, 0.0, at);
        if self.play == Play::Walk {
            return;
        }
        self.random = self
            .random
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        let chance = (self.random >> 16) as i32;
        let key = |input: &mut Input, action, is_down| {
            if is_down {
                input.press(action, KEY, at);
            } else {
                input.release(action, KEY, at);
            }
        };
        match chance % 40 {
            0 => self
                .input
                .move_mouse(((chance >> 3) % 2000 - 1000) as f32, 0.0, at),
            1..4 => key(&mut self.input, Action::Button(0), chance & 64 != 0),
            4..7 => key(&mut self.input, Action::MoveUp, chance & 64 != 0),
            7..9 => key(&mut self.input, Action::MoveLeft, chance & 64 != 0),
            _ => {}
        }
    }

    /// What the run came to so far.
    pub fn report(&self) -> Report {
        let stats = self.connection.stats();
        let mut report = self.report.clone();
        report.state = self.connection.state().to_string();
        report.protocol = self.connection.protocol();
        report.wire = match self.connection.wire() {
            Some(shared::net::protocol::WireForm::Legacy) => "legacy",
            Some(shared::net::protocol::WireForm::Modern) => "modern",
            None => "",
        };
        report.seconds = f64::from(self.active_msec) / 1000.0;
        report.snapshots = stats.snapshots;
        report.snapshots_lost = stats.messages_lost + stats.snapshots_without_base;
        report.packets_sent = stats.packets_sent;
        report.packets_received = stats.packets_received;
        report.usercmds = stats.usercmds;
        report.ping_ms = stats.ping_msec;
        report.reliable_commands = self.connection.reliable_commands();
        report.errors.extend(stats.faults.iter().cloned());
        report
    }
}

/// The settings of a player who has never changed any.
pub fn usual_settings(name: &str, guid: &str) -> Settings {
    let mut userinfo = Info::new();
    for (key, value) in [
        ("name", name),
        ("rate", "25000"),
        ("snaps", "20"),
        ("model", "sarge"),
        ("headmodel", "sarge"),
        ("team_model", "james"),
        ("team_headmodel", "*james"),
        ("color1", "4"),
        ("color2", "5"),
        ("handicap", "100"),
        ("sex", "male"),
        ("cg_predictItems", "1"),
        ("cl_anonymous", "0"),
        ("teamtask", "0"),
        ("cl_guid", guid),
    ] {
        // A value that an info string cannot hold is left out; servers have their own then.
        let _ = userinfo.set(key, value, MAX_INFO);
    }
    Settings {
        userinfo,
        protocol: None,
        max_packets: 125,
        packet_dup: Some(1),
        time_nudge_msec: 0,
        auto_nudge: 0.0,
        timeout_msec: 200_000,
        no_delta: false,
        shows_time_delta: false,
        sends_every_frame: false,
    }
}
