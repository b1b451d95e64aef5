//! What the parts of a snapshot cost on the wire, in bits, down to single fields.

use super::{
    delta,
    fields::{self, DeltaState, FieldKind},
};
use crate::base::sort::sort_by_key;
use crate::{
    base::bits::BitWriter,
    types::{
        entitystate::EntityState, gamestate::Gamestate, packet_entities::PacketEntities,
        playerstate::PlayerState, snapshot::Snapshot,
    },
};

/// The bits of one state told as a difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// All of them: also those that tell what differs.
    pub bits: usize,
    /// The values alone, by the names of the fields that differ.
    pub fields: Vec<(String, usize)>,
}

/// The bits of one snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotCost {
    /// All of them: heads, player and entities.
    pub bits: usize,
    /// The player's part.
    pub player: Cost,
    /// PacketEntities that differ, are new or are gone (those have no fields), by number.
    pub entities: Vec<(u16, Cost)>,
}

/// Takes a snapshot apart that was told against `base`.
pub fn of_snapshot(
    snapshot: &Snapshot,
    base: Option<&Snapshot>,
    gamestate: &Gamestate,
) -> SnapshotCost {
    let none = PacketEntities::default();
    let old = base.map_or(&none, |base| &base.entities);
    let is_gone = |entity: &&EntityState| snapshot.entities.find(entity.number).is_none();
    let gone = old.iter().filter(is_gone).map(|gone| {
        let bits = measure(|writer| delta::write_removed_entity(writer, gone.number));
        (
            gone.number,
            Cost {
                bits,
                fields: Vec::new(),
            },
        )
    });
    let told = snapshot.entities.iter().map(|entity| {
        let known = old.find(entity.number);
        let base = known
            .copied()
            .unwrap_or_else(|| gamestate.baseline(entity.number));
        (entity.number, of_entity(entity, &base, known.is_none()))
    });
    let mut entities: Vec<_> = told.filter(|(_, cost)| cost.bits > 0).chain(gone).collect();
    sort_by_key(&mut entities, |(number, _)| *number);
    let mut whole = super::svc::Writer::new(0);
    let before = whole.bit_len();
    whole.snapshot(snapshot, base, gamestate);
    let nobody = PlayerState::default();
    SnapshotCost {
        bits: whole.bit_len() - before,
        player: of_player(&snapshot.player, base.map_or(&nobody, |base| &base.player)),
        entities,
    }
}

fn of_player(player: &PlayerState, base: &PlayerState) -> Cost {
    let mut costs = of_fields(player, base, delta::write_player_field);
    let arrays = fields::ARRAYS.iter().zip(fields::arrays(player));
    for ((kind, array), mask) in arrays.zip(delta::array_masks(base, player)) {
        let told = (0..array.len()).filter(|index| mask >> index & 1 != 0);
        costs.extend(told.map(|index| {
            let bits = measure(|writer| writer.bits(array[index] as u32, kind.bits));
            (format!("{}[{index}]", kind.name), bits)
        }));
    }
    Cost {
        bits: measure(|writer| delta::write_player(writer, base, player)),
        fields: costs,
    }
}

fn of_entity(entity: &EntityState, base: &EntityState, is_new: bool) -> Cost {
    Cost {
        bits: measure(|writer| delta::write_entity(writer, base, entity, is_new)),
        fields: of_fields(entity, base, delta::write_entity_field),
    }
}

fn of_fields<S: DeltaState>(
    state: &S,
    base: &S,
    write: impl Fn(&mut BitWriter, FieldKind, u32),
) -> Vec<(String, usize)> {
    let differing = (0..S::FIELDS.len()).filter(|index| state.field(*index) != base.field(*index));
    let cost = |index: usize| {
        let bits = measure(|writer| write(writer, S::FIELDS[index], state.field(index)));
        (S::NAMES[index].replace(' ', ""), bits)
    };
    differing.map(cost).collect()
}

fn measure(write: impl FnOnce(&mut BitWriter)) -> usize {
    let mut writer = BitWriter::new();
    write(&mut writer);
    writer.bit_len()
}
