//! Pages have one thread for graphics, so nobody helps.

use crate::render::beside::Beside;

pub fn start() -> Beside {
    Beside::default()
}
