//! Writes messages of the server: for our own servers, and for the start of recorded demos.

use super::{Download, END_OF_ENTITIES, PageDeltas, op};
use crate::{
    base::bits::BitWriter,
    net::{
        delta,
        netchan::{MAX_MSGLEN, TooLong},
    },
    types::{
        entitystate::EntityState, gamestate::Gamestate, packet_entities::PacketEntities,
        snapshot::Snapshot,
    },
};

/// Builds one message; what is written first is read first.
#[derive(Clone, Debug)]
pub struct Writer {
    bits: BitWriter,
}

impl Writer {
    /// A message that acknowledges a command of the client.
    pub fn new(rel_ack: i32) -> Self {
        let mut bits = BitWriter::new();
        bits.i32(rel_ack);
        Self { bits }
    }

    /// Adds an operation without effect.
    pub fn nop(&mut self) {
        self.bits.u8(op::NOP);
    }

    /// Adds a reliable command.
    pub fn command(&mut self, number: i32, text: &str) {
        self.bits.u8(op::COMMAND);
        self.bits.i32(number);
        self.bits.string(text.as_bytes());
    }

    /// Adds a gamestate.
    pub fn gamestate(&mut self, gamestate: &Gamestate) {
        let bits = &mut self.bits;
        bits.u8(op::GAMESTATE);
        bits.i32(gamestate.server_command_num);
        for (index, text) in gamestate.configstrings.iter() {
            bits.u8(op::CONFIGSTRING);
            bits.u16(index as u16);
            bits.string(text.as_bytes());
        }
        for baseline in gamestate.baselines.iter().filter(|state| state.number != 0) {
            bits.u8(op::BASELINE);
            delta::write_entity(bits, &zero(baseline.number), baseline, true);
        }
        bits.u8(op::EOF);
        bits.i32(gamestate.client_num);
        bits.i32(gamestate.checksum_feed);
    }

    /// A snapshot, told against `base` if there is one. The base must not be more than 255 messages
    /// older; entities without one are told against the baselines of the gamestate.
    pub fn snapshot(
        &mut self,
        snapshot: &Snapshot,
        base: Option<&Snapshot>,
        gamestate: &Gamestate,
    ) {
        self.snapshot_of_many(snapshot, base, gamestate, &mut PageDeltas::default());
    }

    /// The same for a server that tells many clients of one page of entities: what is the same for several of them is
    /// taken from `deltas`, or is there afterwards.
    pub fn snapshot_of_many(
        &mut self,
        snapshot: &Snapshot,
        base: Option<&Snapshot>,
        gamestate: &Gamestate,
        deltas: &mut PageDeltas,
    ) {
        let distance = base.map_or(0, |base| snapshot.message_num - base.message_num);
        let bits = &mut self.bits;
        bits.u8(op::SNAPSHOT);
        bits.i32(snapshot.server_time.0);
        bits.u8(distance as u8);
        bits.u8(snapshot.flags);
        bits.u8(snapshot.area_len);
        bits.data(&snapshot.area_mask[..usize::from(snapshot.area_len)]);
        match base {
            Some(base) => delta::write_player(bits, &base.player, &snapshot.player),
            None => delta::write_player(bits, &Default::default(), &snapshot.player),
        }
        let none = PacketEntities::default();
        let old = base.map_or(&none, |base| &base.entities);
        write_entities(bits, old, &snapshot.entities, gamestate, deltas);
    }

    /// Adds a piece of a file, or the refusal of one.
    pub fn download(&mut self, download: &Download) {
        let bits = &mut self.bits;
        bits.u8(op::DOWNLOAD);
        match download {
            Download::Block { number, size, data } => {
                bits.u16(*number as u16);
                if let Some(size) = size {
                    bits.i32(*size);
                }
                bits.u16(data.len() as u16);
                bits.data(data);
            }
            Download::Refused { reason } => {
                bits.u16(0);
                bits.i32(-1);
                bits.string(reason.as_bytes());
            }
        }
    }

    /// Bits written so far, those of the acknowledgement included.
    pub fn bit_len(&self) -> usize {
        self.bits.bit_len()
    }

    /// The message with its end.
    ///
    /// # Errors
    /// The message is longer than the protocol allows.
    pub fn finish(mut self) -> Result<Vec<u8>, TooLong> {
        self.bits.u8(op::EOF);
        let length = self.bits.byte_len();
        if length > MAX_MSGLEN {
            return Err(TooLong { length });
        }
        Ok(self.bits.finish())
    }
}

/// Tells what is different, new or gone; both lists ascend by number.
fn write_entities(
    bits: &mut BitWriter,
    old: &PacketEntities,
    new: &PacketEntities,
    gamestate: &Gamestate,
    deltas: &mut PageDeltas,
) {
    let mut deltas = deltas.pair(old.page(), new.page());
    let mut before = old.places().peekable();
    for &place in new.places() {
        while let Some(gone) = before.next_if(|old| old.number < place.number) {
            delta::write_removed_entity(bits, gone.number);
        }
        match before.next_if(|old| old.number == place.number) {
            Some(&base) => {
                if !deltas.write(bits, base, place) {
                    delta::write_entity(bits, old.state(base), new.state(place), false);
                }
            }
            None => {
                let baseline = gamestate.baseline(place.number);
                delta::write_entity(bits, &baseline, new.state(place), true);
            }
        }
    }
    before.for_each(|gone| delta::write_removed_entity(bits, gone.number));
    delta::write_entity_number(bits, END_OF_ENTITIES);
}

fn zero(number: u16) -> EntityState {
    EntityState {
        number,
        ..EntityState::default()
    }
}
