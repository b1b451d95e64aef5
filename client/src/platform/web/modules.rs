//! Mods' modules in a page: none are run there yet, so that Strafe's own cgame shows every game.

use crate::qvm::Engine;
use std::sync::Arc;

/// What runs modules here.
pub fn engine() -> Option<Arc<dyn Engine>> {
    None
}
