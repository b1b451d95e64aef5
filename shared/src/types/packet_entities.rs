//! The entities of a snapshot, stored so that those that stay the same are shared, not copied.

use super::entitystate::EntityState;
use std::{cmp::Reverse, sync::Arc};

/// PacketEntities ascending by number.
///
/// Most entities of a snapshot are those of the one it was told against. They stand in a page that
/// both snapshots share; only what changed since the page was made is stored in each.
#[derive(Clone, Default)]
pub struct PacketEntities {
    order: Vec<StateRef>,
    own: Vec<EntityState>,
    page: Arc<[EntityState]>,
    /// How many states were copied since the page was made though they did not change.
    copied: usize,
}

/// Where an entity stands; its number is here as well, so that looking for it takes little memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateRef {
    pub(crate) number: u16,
    /// An index into the page, or with [`OWN`] into what the snapshot has alone.
    at: u16,
}

impl StateRef {
    /// The index into the page, for what stands in it.
    pub(crate) fn in_page(self) -> Option<usize> {
        (self.at & OWN == 0).then_some(usize::from(self.at))
    }
}

const OWN: u16 = 1 << 15;

impl PacketEntities {
    /// The entities that stand at these places of a page. Both ascend, and a page with more than 32,768 states has
    /// some that cannot be named. Lists of one page share it: none has copies of its own.
    pub fn of_page(page: &Arc<[EntityState]>, places: impl Iterator<Item = u16>) -> Self {
        let place = |at| StateRef {
            number: page[usize::from(at)].number,
            at,
        };
        Self {
            order: places.map(place).collect(),
            page: page.clone(),
            ..Self::default()
        }
    }

    /// How many entities there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The entity of this number.
    pub fn find(&self, number: u16) -> Option<&EntityState> {
        let found = self
            .order
            .binary_search_by_key(&number, |place| place.number);
        found.ok().map(|index| self.state(self.order[index]))
    }

    /// All of them, ascending by number.
    pub fn iter(&self) -> Iter<'_> {
        Iter {
            entities: self,
            order: self.order.iter(),
        }
    }

    /// A list of copies, to change at will and to make a snapshot's entities of again.
    pub fn to_vec(&self) -> Vec<EntityState> {
        self.iter().copied().collect()
    }

    /// Where all of them stand, ascending by number.
    pub(crate) fn places(&self) -> std::slice::Iter<'_, StateRef> {
        self.order.iter()
    }

    /// What those share that stand in no list alone.
    pub(crate) fn page(&self) -> &Arc<[EntityState]> {
        &self.page
    }

    pub(crate) fn state(&self, place: StateRef) -> &EntityState {
        if place.at & OWN == 0 {
            &self.page[usize::from(place.at)]
        } else {
            &self.own[usize::from(place.at & !OWN)]
        }
    }

    /// Makes this the list of an older snapshot, to be changed by [`PacketEntities::edit`].
    pub(crate) fn restart(&mut self, base: Option<&PacketEntities>) {
        match base {
            Some(base) => {
                // Counting references is slower than a look whether it is the same page.
                if !Arc::ptr_eq(&self.page, &base.page) {
                    self.page.clone_from(&base.page);
                }
                self.order.clone_from(&base.order);
                self.own.clone_from(&base.own);
                self.copied = base.copied + base.own.len();
            }
            None => {
                self.order.clear();
                self.own.clear();
                // All of it is what the next ones will share.
                self.copied = usize::MAX;
            }
        }
    }

    /// Starts to change the list.
    pub(crate) fn edit(&mut self) -> Edit<'_> {
        Edit {
            entities: self,
            index: 0,
        }
    }

    /// Moves everything into a new page once more was copied in vain than that costs.
    fn renew_page(&mut self) {
        self.page = self.order.iter().map(|&place| *self.state(place)).collect();
        self.own.clear();
        self.copied = 0;
        for (at, place) in (0..).zip(&mut self.order) {
            place.at = at;
        }
    }
}

/// Walks over the entities, ascending by number.
#[derive(Clone)]
pub struct Iter<'e> {
    entities: &'e PacketEntities,
    order: std::slice::Iter<'e, StateRef>,
}

impl<'e> Iterator for Iter<'e> {
    type Item = &'e EntityState;

    fn next(&mut self) -> Option<&'e EntityState> {
        self.order.next().map(|&place| self.entities.state(place))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.order.size_hint()
    }
}

impl ExactSizeIterator for Iter<'_> {}

/// Changes entities one after the other, ascending by number.
pub(crate) struct Edit<'e> {
    entities: &'e mut PacketEntities,
    /// The first place whose number is not below those named so far.
    index: usize,
}

impl Edit<'_> {
    /// Moves on to a number; tells whether there is an entity of it.
    #[inline]
    pub(crate) fn seek(&mut self, number: u16) -> bool {
        let rest = &self.entities.order[self.index..];
        self.index += rest
            .iter()
            .position(|place| place.number >= number)
            .unwrap_or(rest.len());
        let found = self.entities.order.get(self.index);
        found.is_some_and(|place| place.number == number)
    }

    /// Adds an entity at the place just sought, where none is.
    #[inline]
    pub(crate) fn insert(&mut self, state: EntityState) -> &mut EntityState {
        let number = state.number;
        let at = self.entities.own.len();
        let place = StateRef {
            number,
            at: at as u16 | OWN,
        };
        self.entities.order.insert(self.index, place);
        self.entities.own.push(state);
        &mut self.entities.own[at]
    }

    /// The entity just found, to be changed here alone.
    #[inline]
    pub(crate) fn change(&mut self) -> &mut EntityState {
        let PacketEntities {
            order,
            own,
            page,
            copied,
        } = &mut *self.entities;
        let place = &mut order[self.index];
        if place.at & OWN == 0 {
            own.extend_from_slice(&page[usize::from(place.at)..][..1]);
            place.at = (own.len() - 1) as u16 | OWN;
        } else {
            *copied -= 1;
        }
        &mut own[usize::from(place.at & !OWN)]
    }

    /// Takes away the entity just found.
    #[inline]
    pub(crate) fn remove(&mut self) {
        self.entities.order.remove(self.index);
    }

    /// Ends the list.
    #[inline]
    pub(crate) fn finish(self) {
        if self.entities.copied > COPIES_PER_PAGE * self.entities.len() {
            self.entities.renew_page();
        }
    }
}

/// So many states copied in vain cost as much as a new page, for each entity in it.
const COPIES_PER_PAGE: usize = 2;

impl From<Vec<EntityState>> for PacketEntities {
    /// Sorts them; of entities with the same number the last remains.
    fn from(states: Vec<EntityState>) -> Self {
        let mut kept: Vec<_> = states
            .iter()
            .enumerate()
            .map(|(at, state)| (state.number, Reverse(at)))
            .collect();
        kept.sort_unstable();
        kept.dedup_by_key(|(number, _)| *number);
        let states: Vec<EntityState> = kept.iter().map(|(_, Reverse(at))| states[*at]).collect();
        let order = (0..).zip(&states).map(|(at, state)| StateRef {
            number: state.number,
            at,
        });
        Self {
            order: order.collect(),
            page: states.into(),
            ..Self::default()
        }
    }
}

impl FromIterator<EntityState> for PacketEntities {
    fn from_iter<I: IntoIterator<Item = EntityState>>(states: I) -> Self {
        Self::from(states.into_iter().collect::<Vec<_>>())
    }
}

impl<'e> IntoIterator for &'e PacketEntities {
    type Item = &'e EntityState;
    type IntoIter = Iter<'e>;

    fn into_iter(self) -> Iter<'e> {
        self.iter()
    }
}

impl PartialEq for PacketEntities {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl std::fmt::Debug for PacketEntities {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use std::collections::BTreeMap;

    fn state(number: u16, frame: i32) -> EntityState {
        EntityState {
            number,
            frame,
            ..EntityState::default()
        }
    }

    #[test]
    fn lists_are_sorted_and_the_last_of_equals_remains() {
        let list = PacketEntities::from(vec![state(7, 1), state(3, 2), state(7, 3)]);
        assert_eq!(list.to_vec(), [state(3, 2), state(7, 3)]);
        assert_eq!(list.find(7), Some(&state(7, 3)));
        assert_eq!(list.find(4), None);
    }

    #[test]
    fn lists_of_one_page_hold_what_they_name_of_it() {
        let page: Arc<[EntityState]> = [state(3, 1), state(4, 2), state(9, 3)].into();
        let list = PacketEntities::of_page(&page, [0, 2].into_iter());
        assert_eq!(list.to_vec(), [state(3, 1), state(9, 3)]);
        assert_eq!((list.find(9), list.find(4)), (Some(&state(9, 3)), None));
    }

    #[test]
    fn edited_lists_hold_what_a_map_holds() {
        let rng = &mut Rng::new(7);
        let mut lists = vec![(PacketEntities::default(), BTreeMap::new())];
        for frame in 0..2000 {
            let (base, mut expected) = lists[rng.below(lists.len())].clone();
            let is_full = rng.below(50) == 0;
            let mut list = lists[rng.below(lists.len())].0.clone();
            if is_full {
                expected.clear();
            }
            list.restart(Some(&base).filter(|_| !is_full));
            let mut edit = list.edit();
            let max = if rng.below(20) == 0 { 1023 } else { 12 };
            let mut number = rng.below(9) as u16;
            for _ in 0..max {
                let known = edit.seek(number);
                assert_eq!(known, expected.contains_key(&number));
                if known && rng.below(4) == 0 {
                    edit.remove();
                    expected.remove(&number);
                } else if known {
                    edit.change().frame = frame;
                    expected.insert(number, frame);
                } else {
                    edit.insert(state(number, frame));
                    expected.insert(number, frame);
                }
                number += 1 + rng.below(9) as u16;
                if number > 1022 {
                    break;
                }
            }
            edit.finish();
            let states: Vec<_> = expected.iter().map(|(&one, &at)| state(one, at)).collect();
            assert_eq!(list.to_vec(), states, "list {frame}");
            assert!(list.own.len() <= 4 * 1024, "{} are own", list.own.len());
            lists.push((list, expected));
            if lists.len() > 8 {
                lists.swap_remove(0);
            }
        }
    }
}
