//! The way in on a page: what its address says, then the canvas.

use super::host;
use crate::{
    app::{StartOptions, window},
    assets::Limits,
};
use std::process::ExitCode;

/// Starts the client; it goes on in the browser's event loop.
pub fn run() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        host::fail(&format!("Strafe has a bug and had to stop: {panic}"))
    }));
    let options = StartOptions {
        data: Vec::new(),
        // Files come over a line; the address may say otherwise.
        commands: [
            vec!["set com_streamFiles 1".to_owned()],
            host::start_commands(),
        ]
        .concat(),
        limits: Limits::PAGE,
        opens_menus: false,
        shows_keyboard: true,
        has_speaker: true,
        rerun: None,
    };
    if let Err(reason) = window::run(options) {
        host::fail(&reason);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
