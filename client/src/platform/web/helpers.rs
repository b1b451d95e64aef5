//! Pages have one thread for graphics, so nobody helps.

use crate::beside::Beside;

pub fn start() -> Beside {
    Beside::default()
}
