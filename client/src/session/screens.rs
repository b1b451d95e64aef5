//! What a session shows before its game does: how far the connection is, and what is being loaded.

use super::{LoadStage, Session};
use crate::{
    assets::{AssetState, Assets},
    cl::{Connection, State},
    scene::ShaderId,
    ui::{
        connect::ConnectScreen,
        font::{Font, PROPORTIONAL},
        loading::LoadingScreen,
    },
};
use shared::{
    base::{info::Info, text::number},
    bg::numbers::{configstring as cs, gametype},
    types::configstring::index,
};

/// Pictures of the loading screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Art {
    /// The map's own picture.
    level_shot: ShaderId,
    /// Stands in for it.
    unknown: ShaderId,
    detail: ShaderId,
    letters: ShaderId,
}

impl Art {
    pub(super) fn register(map: &str, assets: &mut Assets) -> Self {
        Self {
            level_shot: assets.register_shader_urgent(&format!("levelshots/{map}")),
            unknown: assets.register_shader_urgent("menu/art/unknownmap"),
            detail: assets.register_shader_urgent("levelShotDetail"),
            letters: assets.register_shader_urgent(PROPORTIONAL.image),
        }
    }
}

impl Session {
    /// The screen while a level is loaded and its first snapshot awaited; `None` before.
    pub fn loading_screen(&self, assets: &Assets) -> Option<LoadingScreen> {
        let feed = self.feed.as_ref()?;
        let level = self.level.as_ref()?;
        let art = level.art?;
        // An end that was announced is told by the other screen.
        if feed.state() < State::Loading || self.end.is_some() {
            return None;
        }
        let ready =
            |shader: ShaderId| (assets.state(shader) == AssetState::Ready).then_some(shader);
        let (share, amount) = progress(assets);
        let (players, items) = level.cgame.as_ref().map_or_else(Default::default, |cgame| {
            let (players, items) = cgame.icons();
            let here = |icons: Vec<ShaderId>| icons.into_iter().filter_map(ready).collect();
            (here(players), here(items))
        });
        let is_loading = level.stage != LoadStage::Done;
        Some(LoadingScreen {
            background: ready(art.level_shot).or(ready(art.unknown)),
            detail: ready(art.detail),
            font: ready(art.letters).map(|shader| Font {
                shader,
                face: &PROPORTIONAL,
            }),
            doing: match is_loading {
                true => format!("Loading... {}", assets.loading().unwrap_or("")),
                false => "Awaiting snapshot...".to_owned(),
            },
            amount: if is_loading { amount } else { String::new() },
            progress: if is_loading { share } else { 1.0 },
            about: self.about_level(),
            players,
            items,
        })
    }

    /// What is worth knowing about the level before it begins: where it is, what it is called, its rules.
    fn about_level(&self) -> Vec<String> {
        let Some(strings) = self.configstrings() else {
            return Vec::new();
        };
        let server = Info::parse(strings.get(index::SERVERINFO));
        let system = Info::parse(strings.get(index::SYSTEMINFO));
        let mut lines = vec![server.get("sv_hostname").to_owned()];
        if number(system.get("sv_pure")) != 0 {
            lines.push("PURE SERVER".to_owned());
        }
        lines.push(strings.get(cs::MOTD).to_owned());
        lines.push(server.get("mapname").to_owned());
        lines.push(strings.get(cs::MESSAGE).to_owned());
        if number(system.get("sv_cheats")) != 0 {
            lines.push("CHEATS ARE ENABLED".to_owned());
        }
        let kind = number(server.get("g_gametype"));
        lines.push(
            gametype::name(kind)
                .unwrap_or("Unknown gametype")
                .to_owned(),
        );
        let counts_captures = kind >= gametype::CTF;
        for (key, is_wanted) in [
            ("timelimit", true),
            ("fraglimit", !counts_captures),
            ("capturelimit", counts_captures),
        ] {
            let value = number(server.get(key));
            if is_wanted && value != 0 {
                lines.push(format!("{key} {value}"));
            }
        }
        lines.retain(|line| !line.is_empty());
        lines
    }

    pub fn connect_screen(&self, assets: &Assets) -> ConnectScreen {
        let mut screen = ConnectScreen {
            title: self.server.clone(),
            ..ConnectScreen::default()
        };
        let Some(feed) = &self.feed else {
            screen
                .lines
                .push("Opening the way to the server...".to_owned());
            return screen;
        };
        if let Some(configstrings) = feed.configstrings() {
            let serverinfo = Info::parse(configstrings.get(index::SERVERINFO));
            screen.title = serverinfo.get("sv_hostname").to_owned();
        }
        if let Some(level) = &self.level {
            screen.lines.push(level.map.clone());
        }
        let attempts = feed.server().map_or(0, Connection::attempts);
        screen.lines.push(match feed.state() {
            State::Disconnected => "Disconnected".to_owned(),
            State::Connecting => format!("Awaiting challenge... {attempts}"),
            State::Challenging => format!("Awaiting connection... {attempts}"),
            State::Connected => "Awaiting gamestate...".to_owned(),
            State::Loading => "Loading...".to_owned(),
            State::Primed | State::Active => "Awaiting snapshot...".to_owned(),
        });
        if !self.silence_text().is_empty() {
            screen.lines.push(self.silence_text().to_owned());
        }
        if !self.message.is_empty() {
            screen.lines.extend(self.message.lines().map(str::to_owned));
        }
        if feed.state() == State::Loading {
            let (share, text) = progress(assets);
            screen.progress = Some(share);
            screen.lines.push(text);
        }
        screen
    }
}

/// How much of all that is wanted is here, as a share and in words.
fn progress(assets: &Assets) -> (f32, String) {
    let progress = assets.progress();
    let done = progress.ready + progress.missing;
    let share = done as f32 / (done + progress.wanted).max(1) as f32;
    let [arrived, wanted] = [progress.bytes_arrived, progress.bytes_wanted].map(|b| b / 1024);
    (share, format!("{arrived} of {wanted} kB"))
}
