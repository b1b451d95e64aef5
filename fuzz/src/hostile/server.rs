//! A server with one slot, which lets the player in and then sends what bytes choose.

use super::choices::{self, COMMANDS};
use arbitrary::{Result, Unstructured};
use shared::{
    base::{
        info::{Info, MAX_INFO},
        time::{ClientTime, ServerTime},
    },
    bg::numbers::configstring as cs,
    net::{
        clc,
        netchan::{Netchan, Side},
        oob::{Challenge, ClientPacket, ServerPacket},
        protocol::WireForm,
        reliable::CommandTexts,
        svc::{Download, Writer},
    },
    types::{
        entitystate::EntityState, gamestate::Gamestate, limits::MAX_MAP_AREA_BYTES,
        playerstate::PlayerState, snapshot::Snapshot,
    },
};
use std::collections::BTreeMap;

const CHALLENGE: i32 = 1234;
/// What is sent out of band: `#` and `$` as in commands.
const PACKETS: [&str; 9] = [
    "print\n$",
    "disconnect",
    "connectResponse # #",
    "challengeResponse # # #",
    "infoResponse\n\\protocol\\#\\challenge\\$",
    "statusResponse\n\\sv_hostname\\$\n# # \"$\"",
    "echo $",
    "keyAuthorize $",
    "$",
];
/// How many entities a snapshot of this server has at most.
const MAX_ENTITIES: usize = 64;

pub(super) struct Server {
    wire: WireForm,
    protocol: i32,
    slot: Option<Slot>,
    gamestate: Gamestate,
    time: i32,
    player: PlayerState,
    entities: BTreeMap<u16, EntityState>,
    last: Option<Snapshot>,
    packets: Vec<Vec<u8>>,
}

struct Slot {
    netchan: Netchan,
    /// What the server said, and what it heard.
    said: CommandTexts,
    heard: CommandTexts,
    acknowledged: i32,
    has_gamestate: bool,
}

impl Server {
    /// Of one of the kinds that exist.
    pub(super) fn new(kind: u8) -> Self {
        let (wire, protocol) = match kind & 3 {
            0 => (WireForm::Legacy, 68),
            1 => (WireForm::Legacy, 71),
            _ => (WireForm::Modern, 71),
        };
        let mut gamestate = Gamestate {
            client_num: 3,
            checksum_feed: 77,
            ..Gamestate::default()
        };
        let game = if kind & 4 == 0 { "baseq3" } else { "baseoa" };
        let game_type = if kind & 8 == 0 { 0 } else { 4 };
        for (index, text) in [
            (
                0,
                format!(
                    "\\mapname\\room\\sv_hostname\\x\\gamename\\{game}\\g_gametype\\{game_type}"
                ),
            ),
            (1, "\\sv_serverid\\1\\sv_pure\\0\\sv_cheats\\1".to_owned()),
            (cs::GAME_VERSION, format!("{game}-1")),
            (cs::ITEMS, "1".repeat(40)),
            (cs::MODELS + 1, "*1".to_owned()),
            (cs::SOUNDS + 1, "sound/x.wav".to_owned()),
            (
                cs::PLAYERS + 3,
                "n\\me\\t\\1\\model\\sarge\\hmodel\\sarge".to_owned(),
            ),
            (
                cs::PLAYERS + 4,
                "n\\you\\t\\2\\model\\sarge\\hmodel\\sarge".to_owned(),
            ),
        ] {
            let set = gamestate.configstrings.set(index, &text);
            set.expect("they are short");
        }
        let mut player = PlayerState {
            client_num: 3,
            speed: 320,
            gravity: 800,
            view_height: 26,
            weapon: 2,
            ground_entity_num: 1022,
            ..PlayerState::default()
        };
        player.stats[0] = 100;
        player.origin.z = 24.0;
        Self {
            wire,
            protocol,
            slot: None,
            gamestate,
            time: 10_000,
            player,
            entities: BTreeMap::new(),
            last: None,
            packets: Vec::new(),
        }
    }

    pub(super) fn take_packets(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.packets)
    }

    /// Takes a datagram of the client; a new one at the handshake gets the level at once.
    pub(super) fn receive(&mut self, now: ClientTime, datagram: &[u8]) {
        match ClientPacket::read(datagram) {
            Some(packet) => self.answer(&packet),
            None => self.hear(now, datagram),
        }
    }

    fn answer(&mut self, packet: &ClientPacket) {
        let answer = match packet {
            ClientPacket::GetInfo { token } => {
                let mut info = Info::new();
                for (key, value) in [
                    ("challenge", token.clone()),
                    ("protocol", self.protocol.to_string()),
                ] {
                    // A token that does not fit is not answered.
                    let _ = info.set(key, &value, MAX_INFO);
                }
                ServerPacket::Info(info)
            }
            ClientPacket::GetChallenge { own, .. } => ServerPacket::Challenge(Challenge {
                challenge: CHALLENGE,
                own: *own,
                protocol: Some(self.protocol).filter(|&protocol| protocol > 68),
            }),
            ClientPacket::Connect { userinfo } => {
                self.slot = Some(Slot {
                    netchan: Netchan::new(
                        Side::Server {
                            qport: userinfo.number("qport") as u16,
                        },
                        self.wire,
                        CHALLENGE,
                    ),
                    said: CommandTexts::new(),
                    heard: CommandTexts::new(),
                    acknowledged: 0,
                    has_gamestate: false,
                });
                self.last = None;
                ServerPacket::Connected {
                    challenge: Some(CHALLENGE),
                    protocol: Some(self.protocol).filter(|_| self.wire == WireForm::Modern),
                }
            }
            _ => return,
        };
        self.packets.push(answer.write());
    }

    fn hear(&mut self, now: ClientTime, datagram: &[u8]) {
        let Some(slot) = &mut self.slot else {
            return;
        };
        let Ok(Some(received)) = slot.netchan.receive(now, datagram, &slot.said) else {
            return;
        };
        let feed = self.gamestate.checksum_feed;
        // A client that was told nonsense may write with keys that we do not know.
        if let Ok(message) = clc::read(&received.bytes, feed, |number| slot.said.get(number)) {
            slot.acknowledged = slot.acknowledged.max(message.command_ack);
            for command in &message.commands {
                if command.number > slot.heard.newest() {
                    slot.heard.insert(command.number, &command.text);
                }
            }
        }
        if !slot.has_gamestate {
            slot.has_gamestate = true;
            self.send_gamestate();
        }
    }

    fn send_gamestate(&mut self) {
        let gamestate = self.gamestate.clone();
        self.last = None;
        self.send(|writer, newest| {
            let gamestate = Gamestate {
                server_command_num: newest,
                ..gamestate
            };
            writer.gamestate(&gamestate);
        });
    }

    /// Sends a message that begins with the commands which the client may not have.
    fn send(&mut self, write: impl FnOnce(&mut Writer, i32)) {
        let Some(slot) = &mut self.slot else {
            return;
        };
        let mut writer = Writer::new(slot.heard.newest());
        for (number, text) in slot.said.after(slot.acknowledged) {
            writer.command(number, text);
        }
        write(&mut writer, slot.said.newest());
        // What is too long stays unsaid.
        if let Ok(message) = writer.finish() {
            self.send_raw(message);
        }
    }

    fn send_raw(&mut self, message: Vec<u8>) {
        if let Some(slot) = &mut self.slot
            && let Ok(datagrams) = slot.netchan.send(message, &slot.heard)
        {
            self.packets.extend(datagrams);
        }
    }

    /// The world goes on by 50 ms.
    pub(super) fn fair_snapshot(&mut self) {
        self.time = self.time.wrapping_add(50);
        self.player.command_time = self.time;
        self.send_snapshot(0, 0, true);
    }

    fn send_snapshot(&mut self, flags: u8, area_len: u8, is_delta: bool) {
        let Some(slot) = &self.slot else {
            return;
        };
        let snapshot = Snapshot {
            message_num: slot.netchan.outgoing(),
            server_time: ServerTime(self.time),
            flags,
            area_len,
            player: self.player.clone(),
            entities: self.entities.values().copied().collect(),
            ..Snapshot::default()
        };
        let base = self.last.take().filter(|base| {
            is_delta && (1..255).contains(&snapshot.message_num.wrapping_sub(base.message_num))
        });
        let gamestate = self.gamestate.clone();
        self.send(|writer, _| writer.snapshot(&snapshot, base.as_ref(), &gamestate));
        self.last = Some(snapshot);
    }

    /// A snapshot whose world changes as chosen.
    pub(super) fn snapshot(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        self.time = match choices.int_in_range(0..=7)? {
            0..=5 => self.time.wrapping_add(50),
            6 => self.time.wrapping_add(choices::number(choices)?),
            _ => choices::number(choices)?,
        };
        for _ in 0..choices.int_in_range(0..=3)? {
            self.change_entity(choices)?;
        }
        choices::fields(choices, &mut self.player)?;
        for _ in 0..choices.int_in_range(0..=2)? {
            let place = choices.int_in_range(0..=15)?;
            let value = choices::number(choices)?;
            match choices.int_in_range(0..=3)? {
                0 => self.player.stats[place] = value,
                1 => self.player.persistant[place] = value,
                2 => self.player.ammo[place] = value,
                _ => self.player.powerups[place] = value,
            }
        }
        if choices.ratio(7, 8)? {
            self.player.command_time = self.time;
        }
        let flags = if choices.ratio(1, 8)? {
            choices.arbitrary()?
        } else {
            0
        };
        let area_len = choices.int_in_range(0..=MAX_MAP_AREA_BYTES as u8)?;
        let is_delta = choices.ratio(7, 8)?;
        self.send_snapshot(flags, area_len, is_delta);
        Ok(())
    }

    fn change_entity(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let number = match choices.ratio(3, 4)? {
            true => choices.int_in_range(0..=70)?,
            false => choices.int_in_range(0..=1022)?,
        };
        if choices.ratio(1, 8)? {
            self.entities.remove(&number);
            return Ok(());
        }
        if self.entities.len() >= MAX_ENTITIES {
            self.entities.pop_first();
        }
        let state = self.entities.entry(number).or_insert_with(|| EntityState {
            number,
            ..EntityState::default()
        });
        // Kinds of things, and events behind them.
        state.e_type = match choices.int_in_range(0..=3)? {
            0 => choices.int_in_range(0..=13)?,
            1 => choices.int_in_range(13..=140)?,
            _ => state.e_type,
        };
        if choices.ratio(1, 4)? {
            state.event = i32::from(choices.arbitrary::<u8>()?) | choices.int_in_range(0..=3)? << 8;
            state.event_parm = choices::number(choices)?;
        }
        choices::fields(choices, state)
    }

    pub(super) fn command(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let template = *choices.choose(COMMANDS)?;
        let text = if template.starts_with("cs #") {
            let (index, text) = choices::configstring(choices)?;
            format!("cs {index} \"{text}\"")
        } else {
            choices::text(choices, template)?
        };
        if let Some(slot) = &mut self.slot {
            let text: String = text.chars().take(1000).collect();
            slot.said.push(&text);
        }
        if choices.ratio(1, 2)? {
            self.fair_snapshot();
        }
        Ok(())
    }

    pub(super) fn gamestate(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        for _ in 0..choices.int_in_range(0..=6)? {
            let (index, text) = choices::configstring(choices)?;
            // What does not fit stays as it was.
            let _ = self.gamestate.configstrings.set(index, &text);
        }
        if choices.ratio(1, 2)? {
            let mut states = BTreeMap::new();
            for _ in 0..choices.int_in_range(0..=4)? {
                let number = choices.int_in_range(1..=1022)?;
                let mut state = EntityState {
                    number,
                    ..EntityState::default()
                };
                choices::fields(choices, &mut state)?;
                states.insert(number, state);
            }
            self.gamestate.baselines = states.into_values().collect();
        }
        if choices.ratio(1, 4)? {
            self.gamestate.client_num = choices.int_in_range(-1..=70)?;
            self.gamestate.checksum_feed = choices::number(choices)?;
        }
        self.send_gamestate();
        Ok(())
    }

    pub(super) fn download(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let download = if choices.ratio(1, 4)? {
            Download::Refused {
                reason: choices::text(choices, "$")?,
            }
        } else {
            let number = match choices.ratio(3, 4)? {
                true => choices.int_in_range(0..=4)?,
                false => choices::number(choices)? & 0xffff,
            };
            let length = choices.int_in_range(0..=64)?;
            Download::Block {
                number,
                size: (number == 0)
                    .then(|| choices::number(choices))
                    .transpose()?,
                data: choices.bytes(length)?.to_vec(),
            }
        };
        self.send(|writer, _| writer.download(&download));
        Ok(())
    }

    pub(super) fn out_of_band(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let template = *choices.choose(&PACKETS)?;
        let text = choices::text(choices, template)?;
        let letters = text.chars().map(|letter| letter as u8);
        self.packets
            .push([0xff; 4].into_iter().chain(letters).collect());
        Ok(())
    }

    /// Any bytes as a message.
    pub(super) fn raw_message(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let length = choices.int_in_range(0..=255)?;
        let bytes = choices.bytes(length)?.to_vec();
        self.send_raw(bytes);
        Ok(())
    }

    pub(super) fn raw_datagram(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let length = choices.int_in_range(0..=255)?;
        self.packets.push(choices.bytes(length)?.to_vec());
        Ok(())
    }

    /// The clock of the server, or the numbers of its messages, jump.
    pub(super) fn jump(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        if choices.ratio(1, 2)? {
            self.time = choices::number(choices)?;
            self.player.command_time = self.time;
        } else if let Some(slot) = &mut self.slot {
            slot.netchan.skip(choices.int_in_range(0..=20_000)?);
        }
        Ok(())
    }
}
