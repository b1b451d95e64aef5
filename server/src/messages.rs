//! Messages of clients: what they acknowledge, command and do; and the gamestate that brings them in.

use crate::{
    io::Peer,
    server::Server,
    slot::{Slot, SlotState},
    snapshots::RateLimits,
};
use shared::{
    base::{info::Info, text::number, time::ClientTime, tokens::Tokens},
    net::{
        clc::{self, ClientMessage},
        netchan::{WireProbe, is_out_of_band},
        reliable::{MAX_COMMAND_CHARS, MAX_RELIABLE_COMMANDS},
        svc::{Command, Writer},
    },
    types::usercmd::Usercmd,
};

/// After any command the next one must wait so many milliseconds.
const FLOOD_MSEC: i32 = 1000;

impl Server {
    /// Handles a datagram.
    pub(crate) fn handle_packet(&mut self, from: Peer, bytes: &[u8]) {
        if is_out_of_band(bytes) {
            return self.handle_out_of_band(from, bytes);
        }
        let Some(qport) = bytes
            .get(4..6)
            .map(|port| u16::from_le_bytes([port[0], port[1]]))
        else {
            return;
        };
        let found = self
            .clients()
            .find(|(_, slot)| slot.peer.is_same_host(from) && slot.qport == qport)
            .map(|(client, _)| client);
        let Some(client) = found else { return };
        let now = self.now;
        let Some(slot) = &mut self.slots[client] else {
            return;
        };
        if !slot.is_wire_known
            && let Some(form) = WireProbe::detect_client(slot.netchan.challenge(), bytes)
        {
            slot.netchan.set_wire(form);
        }
        let received = slot.netchan.receive(ClientTime(now), bytes, &slot.commands);
        let Ok(Some(received)) = received else { return };
        // The router between may have taken another port.
        slot.peer = from;
        if slot.state == SlotState::Zombie {
            return;
        }
        slot.last_packet_at = now;
        let Some(level) = &self.level else { return };
        let feed = level.gamestate.checksum_feed;
        let message = clc::read(&received.bytes, feed, |number| slot.commands.get(number));
        if let Ok(message) = message {
            self.handle_message(client, message);
        }
    }

    fn handle_message(&mut self, client: usize, message: ClientMessage) {
        let Some(level) = &self.level else { return };
        let (server_id, restarted_id) = (level.server_id, level.restarted_server_id);
        let Some(slot) = &mut self.slots[client] else {
            return;
        };
        let is_known = (slot.command_ack..=slot.commands.newest()).contains(&message.command_ack);
        if message.message_ack < 0 || message.message_ack >= slot.netchan.outgoing() || !is_known {
            return;
        }
        slot.is_wire_known = true;
        slot.message_ack = message.message_ack;
        slot.command_ack = message.command_ack;
        // Whoever downloads may be of a level before.
        if message.server_id != server_id && slot.download.is_none() {
            let is_of_before_restart = (restarted_id..server_id).contains(&message.server_id);
            let lost_gamestate =
                slot.state != SlotState::Active && message.message_ack > slot.gamestate_message_num;
            if !is_of_before_restart && lost_gamestate {
                self.send_gamestate(client);
            }
            return;
        }
        slot.old_server_time = 0;
        for command in message.commands {
            if !self.handle_command(client, command) {
                return;
            }
        }
        let usercmds = message.movement.usercmds;
        if !usercmds.is_empty() && message.server_id == server_id {
            self.handle_move(client, message.movement.allows_delta, &usercmds);
        }
    }

    /// Executes a reliable command unless it was before; false if the client was dropped.
    fn handle_command(&mut self, client: usize, command: Command) -> bool {
        let has_flood_protection = self.cvars.is_on("sv_floodProtect");
        let now = self.now;
        let Some(slot) = &mut self.slots[client] else {
            return false;
        };
        let ahead = command.number.wrapping_sub(slot.client_commands.newest());
        if ahead <= 0 {
            return true;
        }
        if ahead > 1 {
            self.drop_client(client, "Lost reliable commands");
            return false;
        }
        slot.client_commands.insert(command.number, &command.text);
        let is_flood = has_flood_protection
            && slot.peer != Peer::Local
            && slot.state == SlotState::Active
            && now.wrapping_sub(slot.next_reliable_at) < 0;
        slot.next_reliable_at = now.wrapping_add(FLOOD_MSEC);
        let tokens = Tokens::new(&command.text);
        match tokens.get(0).to_ascii_lowercase().as_str() {
            "userinfo" => self.change_userinfo(client, tokens.get(1)),
            "disconnect" => {
                self.drop_client(client, "disconnected");
                return false;
            }
            "cp" => self.check_purity(client, &tokens),
            "vdr" => slot.is_pure = None,
            "download" => self.begin_download(client, tokens.get(1)),
            "nextdl" => self.confirm_block(client, tokens.get(1)),
            "stopdl" => slot.download = None,
            "donedl" if slot.state != SlotState::Active => self.send_gamestate(client),
            "donedl" => {}
            _ if is_flood => {}
            _ => self.run_game_command(client, &tokens),
        }
        self.slots[client].is_some()
    }

    fn run_game_command(&mut self, client: usize, tokens: &Tokens) {
        let Some(slot) = &self.slots[client] else {
            return;
        };
        if slot.state < SlotState::Primed {
            return;
        }
        let Some(level) = &mut self.level else { return };
        let effects = level.game.command(client, tokens, &self.cvars);
        self.apply(effects);
    }

    fn change_userinfo(&mut self, client: usize, text: &str) {
        let fps = self.fps();
        let Some(slot) = &mut self.slots[client] else {
            return;
        };
        let mut userinfo = Info::parse(text);
        let ip = slot.userinfo.get("ip").to_owned();
        if userinfo
            .set("ip", &ip, shared::base::info::MAX_INFO)
            .is_err()
        {
            return self.drop_client(client, "userinfo string length exceeded");
        }
        slot.set_userinfo(userinfo.clone(), fps);
        let Some(level) = &mut self.level else { return };
        let effects = level.game.userinfo_changed(client, &userinfo);
        self.apply(effects);
    }

    fn handle_move(&mut self, client: usize, allows_delta: bool, usercmds: &[Usercmd]) {
        let now = self.now;
        let Some(slot) = &mut self.slots[client] else {
            return;
        };
        let ack = slot.message_ack;
        slot.delta_base = allows_delta.then_some(ack);
        let frame = slot.frame_mut(ack);
        if frame.acked_at.is_none() {
            frame.acked_at = Some(now);
        }
        let must_prove =
            self.level.as_ref().is_some_and(|level| level.paks.is_pure) && slot.peer != Peer::Local;
        if must_prove && slot.is_pure != Some(true) {
            // After a restart of its pictures it proves itself again.
            if slot.state == SlotState::Active {
                self.send_gamestate(client);
            }
            return;
        }
        if slot.state == SlotState::Primed {
            self.enter_game(client, usercmds[0]);
        }
        let Some(slot) = &mut self.slots[client] else {
            return;
        };
        if slot.state != SlotState::Active {
            slot.delta_base = None;
            return;
        }
        let newest = usercmds[usercmds.len() - 1].server_time;
        for usercmd in usercmds {
            let Some(slot) = &mut self.slots[client] else {
                return;
            };
            let is_of_before = usercmd.server_time - newest > 0;
            let is_repeated = usercmd.server_time - slot.last_usercmd.server_time <= 0;
            if is_of_before || is_repeated {
                continue;
            }
            slot.last_usercmd = *usercmd;
            let Some(level) = &mut self.level else { return };
            let effects = level.game.think(client, *usercmd, &self.cvars);
            self.apply(effects);
        }
    }

    fn enter_game(&mut self, client: usize, usercmd: Usercmd) {
        let Some(slot) = &mut self.slots[client] else {
            return;
        };
        slot.state = SlotState::Active;
        slot.delta_base = None;
        slot.last_snapshot_at = None;
        slot.last_usercmd = usercmd;
        let changed = std::mem::take(&mut slot.changed_configstrings);
        for index in changed {
            self.send_configstring(client, index);
        }
        let Some(level) = &mut self.level else { return };
        let effects = level.game.begin(client, Some(usercmd), &self.cvars);
        self.apply(effects);
    }

    /// Adds a reliable command for a client that has a gamestate.
    pub(crate) fn send_command(&mut self, client: usize, text: &str) {
        let Some(Some(slot)) = self.slots.get_mut(client) else {
            return;
        };
        let hears = slot.state >= SlotState::Primed && slot.peer != Peer::Bot;
        if !hears || text.len() > MAX_COMMAND_CHARS {
            return;
        }
        if slot.commands.newest().wrapping_sub(slot.command_ack) >= MAX_RELIABLE_COMMANDS as i32 {
            // No room for a last word either.
            slot.state = SlotState::Zombie;
            let name = slot.name().to_owned();
            self.print(format!("{name}^7 Server command overflow"));
            if let Some(level) = &mut self.level {
                let effects = level.game.disconnect(client);
                self.apply(effects);
            }
            return;
        }
        slot.commands.push(text);
    }

    /// Brings a client everything that the level starts with.
    fn send_gamestate(&mut self, client: usize) {
        let (Some(level), Some(slot)) = (&self.level, &mut self.slots[client]) else {
            return;
        };
        slot.state = SlotState::Primed;
        slot.changed_configstrings.clear();
        slot.delta_base = None;
        slot.is_pure = None;
        slot.gamestate_message_num = slot.netchan.outgoing();
        let mut gamestate = level.gamestate.clone();
        gamestate.server_command_num = slot.commands.newest();
        gamestate.client_num = client as i32;
        let mut writer = start_message(slot);
        writer.gamestate(&gamestate);
        self.send_message(client, writer);
    }

    /// Sends a message; one that is too long is not sent.
    pub(crate) fn send_message(&mut self, client: usize, writer: Writer) {
        let limits = RateLimits::new(&self.cvars);
        let Some(slot) = &mut self.slots[client] else {
            return;
        };
        let Ok(bytes) = writer.finish() else {
            let text = format!("A message for {} is too long and is not sent.", slot.name());
            return self.print(text);
        };
        let Ok(datagrams) = slot.netchan.send(bytes, &slot.client_commands) else {
            return;
        };
        let peer = slot.peer;
        slot.occupy_line(
            self.now,
            limits,
            datagrams.iter().map(Vec::len).sum(),
            datagrams.len(),
        );
        let addressed = datagrams.into_iter().map(|datagram| (peer, datagram));
        self.output.datagrams.extend(addressed);
    }
}

/// A message with the reliable commands that the client has not acknowledged.
pub(crate) fn start_message(slot: &Slot) -> Writer {
    let mut writer = Writer::new(slot.client_commands.newest());
    for (number, text) in slot.commands.after(slot.command_ack) {
        writer.command(number, text);
    }
    writer
}

/// A number that a client wrote.
pub(crate) fn argument(tokens: &Tokens, index: usize) -> i32 {
    number(tokens.get(index))
}
