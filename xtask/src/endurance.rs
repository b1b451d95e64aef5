//! A long match against bots, in the native window or in Chromium: what it does to the memory and to the frames.

use crate::{
    servers::{GameServer, GameServerPlan, Relay},
    setup, shell, web,
};
use anyhow::Result;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Only the native window, or only Chromium.
    #[arg(long, value_parser = ["native", "webgl"])]
    only: Option<String>,
    /// How long each plays, after a minute to warm up.
    #[arg(long, default_value_t = 30)]
    minutes: u32,
    #[arg(long, default_value_t = 12)]
    bots: u32,
    #[arg(long, default_value = "oa_dm4")]
    map: String,
    /// The picture's size; without it one that a software renderer keeps up with beside server and bots.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<[u32; 2]>,
    /// Most frames a second; 0 for as many as the machine draws.
    #[arg(long, default_value_t = 30)]
    fps: u32,
    /// Uses the page that was built last.
    #[arg(long)]
    no_build: bool,
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let parts = text.split_once('x').map(|(width, height)| [width, height]);
    let parts = parts.and_then(|parts| Some([parts[0].parse().ok()?, parts[1].parse().ok()?]));
    parts.ok_or_else(|| "a size looks like 640x360".to_owned())
}

/// Plays in one after the other, since both at once would disturb each other's frames.
pub(crate) fn run(options: &Options) -> Result<()> {
    setup::packages(&[setup::LOCAL_GAME, setup::TESTS])?;
    let project = setup::npm_project("web/e2e")?;
    let plays = |kind| options.only.as_deref().is_none_or(|only| only == kind);
    if plays("webgl") && !options.no_build {
        web::build(false, Some("webgl"))?;
    }
    let client = shell::build("client", "strafe", false)?;
    let server = GameServer::start(&GameServerPlan {
        map: &options.map,
        // The server counts the player among those that it fills up to.
        bots: options.bots + 1,
        port: 28600,
        settings: &[
            ("g_inactivity", "0"),
            ("timelimit", "0"),
            ("fraglimit", "0"),
        ],
    })?;
    // Only the page needs one.
    let relay = plays("webgl").then(|| page(&server)).transpose()?;
    for kind in ["native", "webgl"].into_iter().filter(|kind| plays(kind)) {
        let facts = serde_json::json!({
            "kind": kind,
            "page": relay.as_ref().map(Relay::url),
            "server": server.address(),
            "client": client,
            "minutes": options.minutes,
            "size": options.size,
            "fps": options.fps,
        });
        let mut node = shell::program("node", &["endurance.mjs", &facts.to_string()]);
        shell::run(node.current_dir(&project))?;
    }
    Ok(())
}

fn page(server: &GameServer) -> Result<Relay> {
    let program = shell::build("relay", "strafe-relay", true)?;
    let content = PathBuf::from("/usr/share/games/openarena");
    let page = web::folder();
    Relay::start(&program, 8600, &server.address(), &[content], Some(&page))
}
