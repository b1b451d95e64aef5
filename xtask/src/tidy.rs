//! Checks the house: captions, floors, where the platform is chosen, what the pure half may not touch.

use crate::shell;
use anyhow::{Result, bail};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The one source file that may ask which platform it is compiled for.
const PLATFORM_DOOR: &str = "client/src/platform/mod.rs";

/// Which module may import which; a module may always import itself. `DOORS` and `MIND` stand for the lists below.
const FLOORS: &[&str] = &[
    "shared::base ->",
    "shared::types -> shared::base",
    "shared::net -> shared::base shared::types",
    "shared::formats -> shared::base shared::types",
    "shared::cm -> shared::base shared::types shared::formats::bsp",
    "shared::bg -> shared::base shared::types",
    "vm ->",
    "translator -> vm",
    "arena -> shared",
    "server -> shared",
    "client::event -> DOORS",
    "client::output -> client::event client::scene client::assets::source client::assets::vfs \
     client::sound::Order shared::base shared::types",
    "client::scene -> DOORS",
    "client::jobs ->",
    "client::con -> client::event client::output client::scene shared::base shared::formats",
    "client::assets -> client::jobs client::scene shared::base shared::types shared::formats",
    "client::cl -> client::event client::output client::scene client::con shared::base shared::types \
     shared::net",
    // The rooms of cg: each knows those before it, and only cg itself knows all.
    "client::cg::angles ->",
    "client::cg::settings -> client::con::cvars shared::bg",
    "client::cg::io -> client::cg::settings client::event client::scene shared::base shared::types",
    "client::cg::timeline -> client::cg::angles client::cg::io client::cg::settings shared::base \
     shared::types shared::bg",
    "client::cg::predict -> client::assets client::cg::angles client::cg::io client::cg::settings \
     client::cg::timeline shared::base shared::types shared::bg shared::cm",
    "client::cg::media -> client::assets client::cg::settings client::cg::timeline::game_static \
     client::scene client::settings shared::types shared::bg",
    "client::cg::present -> client::assets client::cg::angles client::cg::io client::cg::media \
     client::cg::predict client::cg::settings client::cg::timeline client::scene shared::base shared::types \
     shared::formats::animcfg shared::formats::bsp shared::formats::md3 shared::bg shared::cm",
    "client::cg::hud -> client::assets client::cg::angles client::cg::io client::cg::media \
     client::cg::predict::misses client::cg::present::announcer client::cg::present::captions \
     client::cg::present::frame client::cg::present::notices client::cg::present::selection \
     client::cg::settings client::cg::timeline client::event client::scene shared::base shared::types \
     shared::bg",
    "client::cg::diagnose -> client::assets client::cg client::scene shared::base shared::types shared::bg",
    "client::cg -> client::event client::output client::scene client::con client::assets shared::base \
     shared::types shared::formats::animcfg shared::formats::bsp shared::formats::md3 shared::bg shared::cm",
    "client::qvm -> client::jobs client::event client::scene client::con client::assets client::cg \
     shared::base shared::types shared::bg shared::cm shared::formats::bsp vm",
    "client::browser -> client::output shared::base shared::net",
    "client::ui -> client::event client::output client::scene client::con client::assets client::browser \
     shared::base",
    "client::conditioner -> client::con shared::base shared::sim",
    "client::netprint -> client::cl client::con shared::net shared::types",
    "client::client -> MIND",
    "client::session -> MIND",
    "client::commands -> MIND",
    "client::settings -> MIND",
    "client::journal -> client::event client::output client::scene client::sound::Order client::client \
     client::assets shared::base",
    "client::inspector -> client::scene client::con client::cl client::ui shared::base shared::types \
     shared::net",
    "client::lab -> MIND",
    "client::render -> client::jobs client::scene client::assets shared::base shared::types shared::formats",
    "client::sound -> client::scene client::assets shared::base shared::types shared::formats",
    "relay::core -> shared::base shared::net::split shared::sim",
    "relay::single_flight ->",
    "relay::content -> relay::core relay::single_flight shared::formats",
    "relay::inspection -> relay::core shared",
    "relay::downloads -> relay::core relay::content relay::inspection shared",
    "relay::metrics -> relay::core",
    "relay::servers -> relay::core relay::single_flight shared",
    "relay::state -> relay::core",
];

/// The doors may also name the assets they ask for.
const DOORS: &str = "client::event client::output client::scene client::assets::source client::assets::vfs \
    shared::base shared::types shared::formats";

const MIND: &str = "client::event client::output client::scene client::con client::assets client::cl \
    client::cg client::ui client::client client::session client::commands client::conditioner \
    client::netprint client::settings client::lab client::inspector client::browser client::qvm client::sound client::jobs server shared";

/// Modules of the client that may touch the world outside.
const EDGE: &[&str] = &["app", "link", "platform", "main"];

/// The same of the server: what makes it a program.
const SERVER_EDGE: &[&str] = &["main", "paks"];

/// What nobody below the edge may touch, and why.
const OUTSIDE: &[(&str, &str)] = &[
    ("std::fs", "files belong to the platform"),
    ("std::net", "sockets belong to the platform"),
    ("std::thread", "threads belong to the platform"),
    ("std::env", "the environment belongs to the platform"),
    ("std::process", "processes belong to the platform"),
    ("Instant::now", "time is a parameter"),
    ("SystemTime::now", "time is a parameter"),
];

/// The crates whose rooms may import what lies below them.
const WITH_FLOORS: [&str; 7] = [
    "shared",
    "server",
    "vm",
    "translator",
    "arena",
    "client",
    "relay",
];

pub(crate) fn run() -> Result<()> {
    let mut complaints = Vec::new();
    for crate_name in WITH_FLOORS
        .into_iter()
        .chain(["xtask", "fuzz", "real-servers"])
    {
        for file in rust_files(&shell::root().join(crate_name))? {
            let text = fs::read_to_string(&file)?;
            let shown = file
                .strip_prefix(shell::root())
                .unwrap_or(&file)
                .to_string_lossy()
                .replace('\\', "/");
            complaints.extend(check(&shown, &text));
        }
    }
    if complaints.is_empty() {
        println!("tidy: the house is in order");
        return Ok(());
    }
    for complaint in &complaints {
        eprintln!("{complaint}");
    }
    bail!("tidy: {} complaints", complaints.len())
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// All complaints about one file; its path is relative to the root.
fn check(path: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if !text
        .lines()
        .next()
        .is_some_and(|line| line.starts_with("//! ") && line.len() > 12)
    {
        complaints.push(format!(
            "{path}: the first line must be a caption, `//! What this file produces.`"
        ));
    }
    if path.starts_with("xtask/") {
        return complaints;
    }
    // Tests stand last in a file and may import what they like.
    let code = without_comments(text.split("#[cfg(test)]").next().unwrap_or(text));
    if path != PLATFORM_DOOR && (code.contains("target_arch") || code.contains("target_family")) {
        complaints.push(format!(
            "{path}: only {PLATFORM_DOOR} asks for the platform"
        ));
    }
    let Some(module) = module_of(path) else {
        return complaints;
    };
    for used in imports(&module, &code) {
        if !may_import(&module, &used) {
            complaints.push(format!(
                "{path}: {module} may not import {used} (floors, see ARCHITECTURE.md)"
            ));
        }
    }
    let room = module.split("::").nth(1).unwrap_or("main");
    let is_edge = match module.split("::").next() {
        Some("relay") => true,
        Some("client") => EDGE.contains(&room),
        Some("server") => SERVER_EDGE.contains(&room),
        _ => false,
    };
    if !is_edge {
        for (forbidden, reason) in OUTSIDE {
            if code.contains(forbidden) {
                complaints.push(format!("{path}: uses {forbidden}, but {reason}"));
            }
        }
    }
    complaints
}

/// `client/src/cg/view.rs` is `client::cg::view`; only the crates with floors have one.
fn module_of(path: &str) -> Option<String> {
    let (crate_name, rest) = path.split_once("/src/")?;
    if !WITH_FLOORS.contains(&crate_name) {
        return None;
    }
    let rest = rest.trim_end_matches(".rs").trim_end_matches("/mod");
    Some(if rest == "lib" {
        crate_name.to_owned()
    } else {
        format!("{crate_name}::{}", rest.replace('/', "::"))
    })
}

fn without_comments(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}

fn may_import(module: &str, used: &str) -> bool {
    let within = |path: &str, room: &str| {
        path == room
            || path
                .strip_prefix(room)
                .is_some_and(|rest| rest.starts_with("::"))
    };
    floors()
        .find(|(room, _)| within(module, room))
        .is_none_or(|(room, mut allowed)| {
            within(used, room) || allowed.any(|allowed| within(used, allowed))
        })
}

/// Each room of the table with what it may import.
fn floors() -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    FLOORS.iter().map(|row| {
        let (room, allowed) = row.split_once(" ->").expect("a row has an arrow");
        let allowed = allowed.split_whitespace().map(|word| match word {
            "DOORS" => DOORS,
            "MIND" => MIND,
            module => module,
        });
        (room, allowed.flat_map(str::split_whitespace))
    })
}

/// Every module path inside our own crates that the code names, at most four words deep.
fn imports(module: &str, code: &str) -> BTreeSet<String> {
    let own_crate = module.split("::").next().unwrap_or(module);
    let mut found = BTreeSet::new();
    for (start, root) in [
        ("crate::", own_crate),
        ("shared::", "shared"),
        ("server::", "server"),
        ("vm::", "vm"),
        ("client::", "client"),
        ("relay::", "relay"),
    ] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before
                .is_some_and(|before| before.is_alphanumeric() || before == '_' || before == ':')
            {
                continue;
            }
            paths(root, &code[at + start.len()..], &mut found);
        }
    }
    let words: Vec<&str> = module.split("::").collect();
    for (at, _) in code.match_indices("super::") {
        if code[..at].ends_with("super::") {
            continue;
        }
        let mut rest = &code[at..];
        let mut left = words.len();
        while let Some(upward) = rest.strip_prefix("super::") {
            (rest, left) = (upward, left.saturating_sub(1));
        }
        if left > 0 {
            paths(&words[..left].join("::"), rest, &mut found);
        }
    }
    // `crate::CONSTANT` and `crate::Type` name what lib.rs holds, not a room.
    found.retain(|path| {
        path.split("::")
            .nth(1)
            .is_some_and(|name| name.starts_with(|c: char| c.is_lowercase()))
    });
    found
}

/// So deep rows of the table go.
const MAX_WORDS: usize = 4;

/// Reads `a::b`, or `{a::b, c}`, after `root::`.
fn paths(root: &str, text: &str, found: &mut BTreeSet<String>) {
    if let Some(group) = text.trim_start().strip_prefix('{') {
        let mut level = 0;
        let mut start = 0;
        for (at, letter) in group.char_indices() {
            match letter {
                '{' => level += 1,
                '}' if level > 0 => level -= 1,
                ',' | '}' if level == 0 => {
                    paths(root, &group[start..at], found);
                    start = at + 1;
                    if letter == '}' {
                        return;
                    }
                }
                _ => {}
            }
        }
        return;
    }
    let text = text.trim_start();
    let word = |text: &str| {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    let first = word(text);
    if first.is_empty() {
        return;
    }
    let path = format!("{root}::{first}");
    match text[first.len()..].strip_prefix("::") {
        Some(deeper) if path.split("::").count() < MAX_WORDS && !deeper.starts_with('*') => {
            paths(&path, deeper, found);
        }
        _ => {
            found.insert(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EDGE, SERVER_EDGE, check, floors};
    use crate::shell;

    fn complaints(path: &str, code: &str) -> String {
        check(path, &format!("//! Says what it is.\n{code}")).join("\n")
    }

    #[test]
    fn a_file_without_caption_is_refused() {
        assert!(check("shared/src/base/bits.rs", "use std::ops::Add;\n")[0].contains("caption"));
    }

    #[test]
    fn the_connection_must_not_know_the_game() {
        for code in [
            "use crate::cg::CGame;",
            "use crate::{event::Event, cg::{view, hud}};",
            "fn f() { crate::cg::view::build() }",
            "use super::super::cg::CGame;",
        ] {
            assert!(
                complaints("client/src/cl/parse.rs", code).contains("may not import client::cg"),
                "{code}"
            );
        }
    }

    #[test]
    fn the_rooms_of_the_game_know_only_those_before_them() {
        for (path, code) in [
            ("timeline/mod.rs", "use super::present::Present;"),
            ("timeline/entities.rs", "use super::super::CGame;"),
            ("predict/solid.rs", "use crate::cg::{hud::Hud, angles};"),
            ("present/view.rs", "use crate::cg::diagnose::explain;"),
            ("hud/mod.rs", "use super::present::Present;"),
        ] {
            let told = complaints(&format!("client/src/cg/{path}"), code);
            assert!(told.contains("may not import"), "{code}");
        }
        let code = "use super::frame::Frame;\nuse crate::cg::{angles, timeline::Timeline};";
        assert_eq!(complaints("client/src/cg/present/view.rs", code), "");
    }

    #[test]
    fn allowed_imports_pass() {
        let code = "use crate::{event::Event, scene::Scene};\nuse shared::{base::time::ClientTime, net};\nuse super::reliable;";
        assert_eq!(complaints("client/src/cl/parse.rs", code), "");
        assert_eq!(
            complaints("shared/src/cm/load.rs", "use crate::formats::bsp::Bsp;"),
            ""
        );
    }

    #[test]
    fn collision_knows_no_file_format_but_the_map() {
        assert!(
            complaints("shared/src/cm/load.rs", "use crate::formats::md3::Md3;")
                .contains("may not import")
        );
    }

    #[test]
    fn the_virtual_machine_stands_on_nothing() {
        for code in ["use shared::base::bytes;", "fn f() { client::cl::start() }"] {
            assert!(complaints("vm/src/image.rs", code).contains("may not import"));
        }
        let own = "use crate::{code::Op, flow::Jumps};";
        assert_eq!(complaints("vm/src/image.rs", own), "");
    }

    #[test]
    fn the_core_of_the_relay_knows_no_plugin() {
        for code in [
            "use crate::content::Content;",
            "use crate::{state::State, core::Relay};",
        ] {
            assert!(complaints("relay/src/core/pump.rs", code).contains("may not import"));
        }
        let code = "use crate::core::{Plugin, relay::RelayState};\nuse std::net::IpAddr;";
        assert_eq!(complaints("relay/src/metrics.rs", code), "");
    }

    #[test]
    fn rows_name_modules_that_exist() {
        let exists = |module: &str| {
            // A row may name one type of a module.
            let module = match module.rsplit_once("::") {
                Some((owner, name)) if name.starts_with(char::is_uppercase) => owner,
                _ => module,
            };
            let (crate_name, rest) = module.split_once("::").unwrap_or((module, ""));
            let path = shell::root()
                .join(crate_name)
                .join("src")
                .join(rest.replace("::", "/"));
            path.is_dir() || path.with_extension("rs").is_file()
        };
        for (room, allowed) in floors() {
            for module in allowed.chain([room]) {
                assert!(exists(module), "{room}: there is no {module}");
            }
        }
        let edge = EDGE.iter().map(|room| format!("client::{room}"));
        let edge = edge.chain(SERVER_EDGE.iter().map(|room| format!("server::{room}")));
        for module in edge {
            assert!(exists(&module), "there is no {module}");
        }
    }

    #[test]
    fn tests_and_comments_may_name_anything() {
        assert_eq!(
            complaints(
                "client/src/cl/parse.rs",
                "// like crate::cg does\n#[cfg(test)]\nmod tests { use crate::cg; }"
            ),
            ""
        );
    }

    #[test]
    fn clocks_stay_at_the_edge() {
        let code = "fn f() { std::time::Instant::now(); }";
        assert!(complaints("client/src/cl/clock.rs", code).contains("time is a parameter"));
        assert_eq!(complaints("client/src/app.rs", code), "");
        assert!(
            complaints(
                "client/src/app.rs",
                "#[cfg(target_arch = \"wasm32\")]\nfn f() {}"
            )
            .contains("asks for the platform")
        );
    }
}
