//! PageDeltas: how entities of one page differ from those of older pages, as bits that are written once for all clients.

use crate::{
    base::bits::BitWriter,
    net::delta,
    types::{entitystate::EntityState, packet_entities::StateRef},
};
use std::sync::Arc;

/// What a server has written of one page of entities so far; begun anew for each page.
#[derive(Debug, Default)]
pub struct PageDeltas {
    /// One for each older page that snapshots are told against.
    pairs: Vec<Pair>,
}

/// Two pages. They are held, so that no other page can come to lie where they lay.
#[derive(Debug)]
struct Pair {
    old: Arc<[EntityState]>,
    new: Arc<[EntityState]>,
    /// For each place of the new page, where its bits are once they were needed.
    spans: Vec<Option<Span>>,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    first_byte: usize,
    bits: usize,
}

impl PageDeltas {
    /// Begins to tell entities of `new` against those of `old`.
    pub(super) fn pair(
        &mut self,
        old: &Arc<[EntityState]>,
        new: &Arc<[EntityState]>,
    ) -> PairDeltas<'_> {
        let is_same = |pair: &Pair| Arc::ptr_eq(&pair.old, old) && Arc::ptr_eq(&pair.new, new);
        let at = self.pairs.iter().position(is_same).unwrap_or_else(|| {
            self.pairs.push(Pair {
                old: old.clone(),
                new: new.clone(),
                spans: vec![None; new.len()],
                bytes: Vec::new(),
            });
            self.pairs.len() - 1
        });
        PairDeltas(&mut self.pairs[at])
    }
}

/// The differences between two pages.
pub(super) struct PairDeltas<'a>(&'a mut Pair);

impl PairDeltas<'_> {
    /// Writes what [`delta::write_entity`] writes of two places with the same number; false if they are not places of
    /// these pages.
    pub(super) fn write(&mut self, bits: &mut BitWriter, old: StateRef, new: StateRef) -> bool {
        let (Some(old), Some(new)) = (old.in_page(), new.in_page()) else {
            return false;
        };
        let pair = &mut *self.0;
        let span = *pair.spans[new].get_or_insert_with(|| {
            let mut written = BitWriter::new();
            delta::write_entity(&mut written, &pair.old[old], &pair.new[new], false);
            let span = Span {
                first_byte: pair.bytes.len(),
                bits: written.bit_len(),
            };
            pair.bytes.extend(written.finish());
            span
        });
        bits.append(&pair.bytes[span.first_byte..], span.bits);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::rng::Rng,
        net::svc::Writer,
        types::{gamestate::Gamestate, packet_entities::PacketEntities, snapshot::Snapshot},
    };

    /// Twenty entities at a time.
    fn page(time: i32) -> Arc<[EntityState]> {
        let state = |number: u16| {
            let mut state = EntityState {
                number,
                frame: time * i32::from(number % 3),
                ..EntityState::default()
            };
            state.pos.base.x = time as f32 * f32::from(number % 4) * 0.37;
            state
        };
        (0..20).map(state).collect()
    }

    #[test]
    fn many_clients_are_told_what_each_alone_is_told() {
        let rng = &mut Rng::new(3);
        let gamestate = Gamestate::default();
        let pages = [1, 2, 3].map(page);
        let mut deltas = PageDeltas::default();
        for client in 0..60 {
            // Some are told against a page before the last.
            let mut seen = |page: usize| Snapshot {
                message_num: page as i32,
                entities: PacketEntities::of_page(
                    &pages[page],
                    (0..20).filter(|_| rng.percent(70.0)),
                ),
                ..Snapshot::default()
            };
            let (new, base) = (seen(2), seen(client % 2));
            // A list of copies has a page of its own.
            let alone = Snapshot {
                entities: base.entities.to_vec().into(),
                ..base.clone()
            };
            let (mut one, mut other) = (Writer::new(0), Writer::new(0));
            one.snapshot_of_many(&new, Some(&base), &gamestate, &mut deltas);
            other.snapshot(&new, Some(&alone), &gamestate);
            assert_eq!(one.finish(), other.finish(), "client {client}");
        }
        assert_eq!(deltas.pairs.len(), 2);
    }
}
