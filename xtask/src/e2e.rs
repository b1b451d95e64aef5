//! Plays in a real browser (page, relay, real server, our own) and in the native window; prints the cold start's figures.

use crate::{
    release,
    servers::{GameServer, GameServerPlan, Relay},
    setup, shell, site, views, web,
};
use anyhow::{Context, Result, bail};
use real_servers::Program;
use shared::formats::pk3::{PakFile, pack};
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::Stdio,
};

#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Options {
    /// Only the page over this graphics interface, only the native window, only lines that break, only our own server, only
    /// a mod's server, only a site without a relay, only Firefox, or only the reference views.
    #[arg(long, value_parser = ["webgpu", "webgl", "native", "line", "own", "mod", "site", "firefox", "views"])]
    pub only: Option<String>,
    /// Builds quickly; the figures of size then mean nothing.
    #[arg(long)]
    pub dev: bool,
    /// Uses the page that was built last.
    #[arg(long)]
    pub no_build: bool,
}

/// How many checks passed and failed; a plain check counts as one.
pub(crate) struct Outcome {
    pub passed: usize,
    pub failed: usize,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    setup::packages(&[setup::LOCAL_GAME, setup::TESTS])?;
    let outcome = play_and_measure(options)?;
    println!("{} passed, {} failed", outcome.passed, outcome.failed);
    if outcome.failed > 0 {
        bail!("the browser tests failed");
    }
    Ok(())
}

/// Builds page, relay and the second client, starts them around a real server, and lets the browser play.
pub(crate) fn play_and_measure(options: &Options) -> Result<Outcome> {
    let project = setup::npm_project("web/e2e")?;
    let wanted = |part: &str| options.only.as_deref().is_none_or(|only| only == part);
    let witness = shell::build("client", "strafe", true)?;
    let own_server = shell::build("server", "strafe-server", true)?;
    let site = shell::target().join("e2e-site");
    let plan = Plan {
        project: &project,
        own_server: &own_server,
        facts: serde_json::json!({
            "witness": witness,
            "site": site,
            "views": views::folder(),
            "isDev": options.dev,
        }),
    };
    let outcomes = std::thread::scope(|scope| {
        let mut running = Vec::new();
        if wanted(NATIVE) {
            // It needs no page, and the page's compiler has much to do on one core.
            running.push(scope.spawn(|| plan.play(NATIVE, &[NATIVE], None)));
        }
        let lanes = LANES.map(|lane| {
            let parts = lane.iter().copied().filter(|part| wanted(part));
            parts.collect::<Vec<_>>()
        });
        let relay = if lanes.iter().any(|parts| !parts.is_empty()) {
            Some(build(options)?)
        } else {
            None
        };
        if lanes.iter().flatten().any(|part| *part == "site") {
            site::write(&site, &[])?;
        }
        for parts in lanes.into_iter().filter(|parts| !parts.is_empty()) {
            let (plan, relay) = (&plan, relay.clone());
            running.push(scope.spawn(move || plan.play(parts[0], &parts, relay.as_deref())));
        }
        let ended = running.into_iter().map(|lane| {
            let outcome = lane.join();
            outcome.unwrap_or_else(|_| Err(anyhow::anyhow!("a lane of browser tests panicked")))
        });
        ended.collect::<Result<Vec<_>>>()
    })?;
    let passed = outcomes.iter().map(|outcome| outcome.passed).sum();
    let failed = outcomes.iter().map(|outcome| outcome.failed).sum();
    if passed + failed == 0 {
        bail!("no browser test ran");
    }
    Ok(Outcome { passed, failed })
}

/// The page, and the relay as operators run it: one program with the page inside.
fn build(options: &Options) -> Result<PathBuf> {
    if !options.no_build {
        // All but the two renderers' own parts need a picture of whatever kind.
        let only = options.only.as_deref().and_then(|only| match only {
            "line" | OWN | MOD | "site" | "firefox" => Some("webgl"),
            "views" => None,
            only => Some(only),
        });
        web::build(options.dev, only)?;
    }
    release::relay(true)
}

const NATIVE: &str = "native";
/// What `cargo xtask play` starts.
const OWN: &str = "own";
/// A server that plays a mod, whose cgame comes from it.
const MOD: &str = "mod";

/// Parts that follow each other on one server. The lanes run at the same time, for much of each is waiting: the first one
/// draws, the second one mostly waits for lines.
const LANES: [&[&str]; 2] = [
    &["webgl", "webgpu", "site", "firefox", "views"],
    &["line", OWN, MOD],
];

/// What all lanes use.
struct Plan<'a> {
    project: &'a Path,
    own_server: &'a Path,
    facts: serde_json::Value,
}

impl Plan<'_> {
    /// Plays the parts of a lane on a server and a relay of its own. What the lane that draws says is shown at once, what the
    /// others say at their end.
    fn play(&self, name: &str, parts: &[&str], relay: Option<&Path>) -> Result<Outcome> {
        let server = GameServer::start(&GameServerPlan {
            map: "oa_dm1",
            // The tests name their bots, so that every visit needs the same files.
            bots: 0,
            port: 27980,
            settings: &[("g_inactivity", "0")],
        })?;
        let content = [PathBuf::from("/usr/share/games/openarena")];
        let program = relay;
        let relay =
            program.map(|relay| Relay::start(relay, 8180, &server.address(), &content, None));
        let relay = relay.transpose()?;
        let own = program.filter(|_| parts.contains(&OWN));
        let own = own.map(|relay| self.start_own(relay)).transpose()?;
        let light = program.filter(|_| parts.contains(&OWN));
        let light = light.map(|relay| self.start_light(relay)).transpose()?;
        let modded = program.filter(|_| parts.contains(&MOD));
        let modded = modded.map(|relay| start_mod(relay, &content)).transpose()?;
        let results = shell::target().join("e2e");
        fs::create_dir_all(&results)?;
        let report = results.join(format!("report-{name}.json"));
        let mut facts = self.facts.clone();
        facts["page"] = relay.as_ref().map(Relay::url).into();
        facts["server"] = server.address().into();
        if let Some((server, relay)) = &own {
            facts["ownServer"] = server.address().into();
            facts["ownPage"] = relay.url().into();
        }
        if let Some((server, relay)) = &light {
            facts["lightServer"] = server.address().into();
            facts["lightPage"] = relay.url().into();
        }
        if let Some((server, relay)) = &modded {
            facts["modServer"] = server.address().into();
            facts["modPage"] = relay.url().into();
        }
        facts["rconPassword"] = server.rcon_password.as_str().into();
        facts["results"] = serde_json::json!(results);
        facts["report"] = serde_json::json!(report);
        facts["serverLog"] = serde_json::json!(server.log());
        facts["parts"] = serde_json::json!(parts);
        let mut node = shell::program("node", &["run.mjs", &facts.to_string()]);
        node.current_dir(self.project);
        let status = if LANES[0].contains(&name) {
            node.status().context("cannot start node")?
        } else {
            let output = node.stderr(Stdio::inherit()).output();
            let output = output.context("cannot start node")?;
            print!("{}", String::from_utf8_lossy(&output.stdout));
            output.status
        };
        read_report(&report).with_context(|| format!("node ended with {status}"))
    }

    /// Our own server on our own arena, and a relay that has no game's files.
    fn start_own(&self, relay: &Path) -> Result<(GameServer, Relay)> {
        let server = GameServer::start_own(self.own_server, &OWN_MATCH, None)?;
        let relay = Relay::start(relay, 8180, &server.address(), &[], None)?;
        Ok((server, relay))
    }

    /// The same, but the arena lies at the relay as a game's pak, and pages get it in fewer bytes.
    fn start_light(&self, relay: &Path) -> Result<(GameServer, Relay)> {
        let games = shell::target().join("e2e-light");
        let game = games.join("baseq3");
        fs::create_dir_all(&game)?;
        let page = fs::read_dir(web::folder())?;
        let mut files = page.flatten().map(|file| file.path());
        let arena = files
            .find(|file| file.extension().is_some_and(|extension| extension == "pk3"))
            .context("the page has no arena")?;
        fs::copy(arena, game.join("pak0.pk3"))?;
        let server = GameServer::start_own(self.own_server, &OWN_MATCH, Some((&games, "baseq3")))?;
        let mut relay = Relay::start_light(relay, 8180, &server.address(), &[games], None)?;
        relay.await_light()?;
        Ok((server, relay))
    }
}

const OWN_MATCH: GameServerPlan<'static> = GameServerPlan {
    map: "strafe1",
    bots: 5,
    port: 27980,
    settings: &[],
};

/// The original's server with a mod's own game, and a relay that has the game's files, but not the mod's.
fn start_mod(relay: &Path, content: &[PathBuf]) -> Result<(real_servers::GameServer, Relay)> {
    let folder = shell::root().join("vm/tests/data/mods");
    let paks = ["cgame", "qagame"].map(|module| {
        let path = folder.join(format!("baseq3-{module}.qvm.gz"));
        let packed = fs::File::open(&path).with_context(|| path.display().to_string())?;
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes)?;
        let file = PakFile::new(format!("vm/{module}.qvm"), bytes);
        Ok((format!("z-mod-{module}.pk3"), pack(vec![file])))
    });
    let paks = paks.into_iter().collect::<Result<Vec<_>>>()?;
    let paks = paks
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.clone()));
    let paks = paks.collect::<Vec<_>>();
    let settings =
        "+set vm_game 2 +set sv_pure 1 +set sv_allowDownload 1 +set bot_minplayers 3 +map oa_dm1";
    let settings = settings.split(' ').collect::<Vec<_>>();
    let server = real_servers::GameServer::start_with(Program::Ioquake3, 0, &settings, &paks);
    let relay = Relay::start(relay, 8180, &server.address(), content, None)?;
    Ok((server, relay))
}

fn read_report(path: &Path) -> Result<Outcome> {
    let report = fs::read_to_string(path).context("the browser tests left no report")?;
    // The next run must leave one of its own.
    fs::rename(path, path.with_extension("last.json"))?;
    let report: serde_json::Value =
        serde_json::from_str(&report).context("the report of the browser tests is no JSON")?;
    let number = |name: &str| {
        report[name]
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
    };
    let (Some(passed), Some(failed)) = (number("passed"), number("failed")) else {
        bail!("the report of the browser tests has no counts")
    };
    Ok(Outcome { passed, failed })
}
