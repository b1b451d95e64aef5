//! Bodies: what is remembered from frame to frame about how each entity was drawn.

use super::players::Body;
use crate::cg::timeline::entities::CEntity;
use shared::{bg::numbers::entity_type, types::limits::MAX_GENTITIES};

/// An entity and how it was drawn last.
#[derive(Debug)]
pub struct Figure<'a> {
    pub entity: &'a CEntity,
    pub body: &'a mut Body,
}

/// All bodies by the number of their entity, the predicted player's apart.
#[derive(Debug)]
pub struct Bodies {
    all: Vec<Body>,
    pub own: Body,
}

impl Default for Bodies {
    fn default() -> Self {
        Self {
            all: vec![Body::default(); MAX_GENTITIES],
            own: Body::default(),
        }
    }
}

impl Bodies {
    pub fn get_mut(&mut self, number: i32) -> Option<&mut Body> {
        usize::try_from(number)
            .ok()
            .and_then(|number| self.all.get_mut(number))
    }
}

impl Body {
    /// Starts over where the entity is new or changed abruptly.
    pub fn follow(&mut self, entity: &CEntity) {
        if self.began != entity.began {
            self.began = entity.began;
            self.trail_time = entity.began.at;
            self.needs_reset |= entity.current.e_type == entity_type::PLAYER;
        }
    }
}
