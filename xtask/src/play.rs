//! Puts the player into a match with one command: server, relay, page or native client, and a clean end.

use crate::{
    progress,
    servers::{GameServer, GameServerPlan, Relay},
    setup, shell,
    shell::Running,
    web,
};
use anyhow::{Context, Result, bail};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

/// Whose server is started here.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Game {
    /// Ours, on our arena: nothing else is needed.
    Strafe,
    /// OpenArena's, on its maps: its packages are installed.
    Openarena,
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Starts the native client instead of the page.
    #[arg(long)]
    native: bool,
    /// Joins this server instead of starting one here.
    #[arg(long, value_name = "HOST:PORT")]
    connect: Option<String>,
    /// A folder that holds game folders such as baseq3; may be given more than once.
    #[arg(long, value_name = "DIR")]
    data: Vec<PathBuf>,
    /// The game of the server started here.
    #[arg(long, value_enum, default_value_t = Game::Strafe)]
    game: Game,
    /// The map of the server started here: strafe1, or oa_dm1 of OpenArena.
    #[arg(long)]
    map: Option<String>,
    /// Players, bots included, that the server started here keeps up.
    #[arg(long, default_value_t = 5)]
    bots: u32,
    /// Builds quickly rather than well.
    #[arg(long)]
    dev: bool,
    /// Lets rate and cl_maxpackets hold on this machine too, as on the internet.
    #[arg(long)]
    internet_like: bool,
    /// Starts no browser.
    #[arg(long)]
    no_browser: bool,
    /// The page's port; the next free one is taken.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The game server's port; the next free one is taken.
    #[arg(long, default_value_t = 27960)]
    server_port: u16,
}

impl Options {
    fn map(&self) -> &str {
        let usual = match self.game {
            Game::Strafe => "strafe1",
            Game::Openarena => "oa_dm1",
        };
        self.map.as_deref().unwrap_or(usual)
    }

    /// Whether the page and the programs carry all that this match needs.
    fn is_self_contained(&self) -> bool {
        let is_ours = self.game == Game::Strafe && self.map().starts_with("strafe");
        self.connect.is_none() && self.data.is_empty() && is_ours
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let stop = Stop::listen()?;
    install(options)?;
    let client = if options.native {
        Some(shell::build("client", "strafe", options.dev)?)
    } else {
        web::build(options.dev, None)?;
        None
    };
    let programs = build_programs(options)?;
    let mut running = Vec::new();
    let server = match &options.connect {
        Some(address) => address.clone(),
        None => {
            let server = server(options, &programs)?;
            let address = server.address();
            running.push(server.running);
            address
        }
    };
    running.push(match &client {
        Some(program) => native_client(program, options, &server)?,
        None => page(options, &programs.relay, &server)?,
    });
    println!(
        "Ready {:.0} s after the command. Ctrl-C ends everything.",
        start.elapsed().as_secs_f32()
    );
    wait_for_the_end(&mut running, &stop)
}

/// What runs on this machine besides the client.
struct Programs {
    relay: PathBuf,
    server: PathBuf,
}

/// Builds what this match needs of them, with one cargo.
fn build_programs(options: &Options) -> Result<Programs> {
    let needs_server = options.connect.is_none() && options.game == Game::Strafe;
    let mut command = shell::cargo(&["build"]);
    if !options.dev {
        command.arg("--release");
    }
    if !options.native {
        command.args(["--package=relay", "--bin=strafe-relay"]);
    }
    if needs_server {
        command.args(["--package=server", "--bin=strafe-server"]);
    }
    if needs_server || !options.native {
        progress::build("relay and server", &mut command)?;
    }
    let folder = if options.dev { "debug" } else { "release" };
    let program = |name: &str| {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        shell::target().join(folder).join(file)
    };
    Ok(Programs {
        relay: program("strafe-relay"),
        server: program("strafe-server"),
    })
}

fn server(options: &Options, programs: &Programs) -> Result<GameServer> {
    let plan = GameServerPlan {
        map: options.map(),
        bots: options.bots,
        port: options.server_port,
        settings: match (options.internet_like, options.game) {
            // Ours counts everybody's rate anyway.
            (true, Game::Openarena) => &[("sv_lanForceRate", "0")],
            _ => &[],
        },
    };
    match options.game {
        Game::Openarena => GameServer::start(&plan),
        Game::Strafe => {
            let content = if options.is_self_contained() {
                Vec::new()
            } else {
                content(options)?
            };
            let games = content
                .iter()
                .flat_map(|folder| ["baseq3", "baseoa"].map(|game| (folder.as_path(), game)));
            let mut games = games.filter(|(folder, game)| has_pak(&folder.join(game)));
            GameServer::start_own(&programs.server, &plan, games.next())
        }
    }
}

fn install(options: &Options) -> Result<()> {
    let mut needs = Vec::new();
    if options.game == Game::Openarena && options.connect.is_none() {
        needs.push(setup::LOCAL_GAME);
    } else if !options.is_self_contained() && content(options)?.is_empty() {
        needs.push(&setup::LOCAL_GAME[1..]);
    }
    if options.native {
        needs.push(setup::NATIVE_BUILD);
    }
    setup::packages(&needs)
}

/// The folders that hold game folders: what the player names, else what lies in the usual places.
fn content(options: &Options) -> Result<Vec<PathBuf>> {
    if options.data.is_empty() {
        return Ok(usual_places());
    }
    for folder in &options.data {
        if !folder.is_dir() {
            bail!("--data {}: there is no such folder", folder.display());
        }
    }
    Ok(options.data.clone())
}

/// Where Quake III, ioquake3 and OpenArena keep their game folders; the native client looks in the same places.
fn usual_places() -> Vec<PathBuf> {
    let home = std::env::home_dir().unwrap_or_default();
    let in_home = [
        ".q3a",
        ".openarena",
        ".local/share/Steam/steamapps/common/Quake 3 Arena",
        ".steam/steam/steamapps/common/Quake 3 Arena",
        "Library/Application Support/Quake3",
    ];
    let fixed = [
        "/usr/share/games/openarena",
        "/usr/share/games/quake3",
        "/usr/lib/ioquake3",
        "C:/Program Files (x86)/Quake III Arena",
        "C:/Program Files (x86)/Steam/steamapps/common/Quake 3 Arena",
    ];
    fixed
        .iter()
        .map(PathBuf::from)
        .chain(in_home.iter().map(|folder| home.join(folder)))
        .filter(|folder| has_paks(folder))
        .collect()
}

/// Whether any game folder in here holds a pak.
fn has_paks(folder: &Path) -> bool {
    entries(folder).any(|game| has_pak(&game))
}

fn has_pak(game: &Path) -> bool {
    entries(game).any(|file| file.extension().is_some_and(|extension| extension == "pk3"))
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

fn page(options: &Options, relay: &Path, server: &str) -> Result<Running> {
    let content = if options.is_self_contained() {
        Vec::new()
    } else {
        content(options)?
    };
    let page = web::folder();
    let relay = Relay::start_light(relay, options.port, server, &content, Some(&page))?;
    let url = page_address(&relay.url(), server, options.internet_like);
    println!("\n  Play:  {url}\n");
    if !options.no_browser {
        open_browser(&url);
    }
    Ok(relay.running)
}

fn page_address(relay: &str, server: &str, internet_like: bool) -> String {
    let far = if internet_like { "&far" } else { "" };
    format!("{relay}?server={server}{far}")
}

/// Starts the player's browser where there is a screen; the URL is printed in any case.
fn open_browser(url: &str) {
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    let (opener, arguments) = match std::env::consts::OS {
        "macos" => ("open", vec![url]),
        "windows" => ("cmd", vec!["/C", "start", "", url]),
        _ if has_screen => ("xdg-open", vec![url]),
        _ => return,
    };
    if shell::find_program(opener).is_some() || std::env::consts::OS == "windows" {
        // The opener hands over to the browser, which is the player's own to close.
        if let Err(error) = shell::program(opener, &arguments).spawn() {
            eprintln!("cannot open a browser ({error}); please open the address yourself");
        }
    }
}

fn native_client(program: &Path, options: &Options, server: &str) -> Result<Running> {
    let mut command = shell::program(&program.to_string_lossy(), &[]);
    for folder in &options.data {
        command.arg("--data").arg(folder);
    }
    command.args(native_commands(server, options.internet_like));
    Running::start("strafe", &mut command)
}

fn native_commands(server: &str, internet_like: bool) -> Vec<&str> {
    let far: &[&str] = match internet_like {
        true => &["+set", "cl_far", "1"],
        false => &[],
    };
    [far, &["+connect", server]].concat()
}

/// Returns when the player wants the end or when one of the programs has ended.
fn wait_for_the_end(running: &mut [Running], stop: &Stop) -> Result<()> {
    while !stop.is_requested() {
        for program in running.iter_mut() {
            if let Some(status) = program.ended() {
                if program.name == "strafe" && status.success() {
                    return Ok(());
                }
                bail!("{} has ended: {status}", program.name);
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    println!();
    Ok(())
}

/// Hears Ctrl-C and its relatives from the first moment on, so that nothing we start outlives us.
struct Stop(Arc<AtomicBool>);

impl Stop {
    fn listen() -> Result<Self> {
        let requested = Arc::new(AtomicBool::new(false));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot listen for Ctrl-C")?;
        let flag = Arc::clone(&requested);
        std::thread::spawn(move || {
            if let Err(error) = runtime.block_on(stop_signal()) {
                eprintln!("{error:#}");
            }
            flag.store(true, Ordering::Relaxed);
        });
        Ok(Self(requested))
    }

    fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Ctrl-C, and where they exist the signals of a closed terminal and a polite kill.
#[cfg(unix)]
async fn stop_signal() -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangup = signal(SignalKind::hangup())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        outcome = tokio::signal::ctrl_c() => outcome.context("cannot listen for Ctrl-C"),
        _ = hangup.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn stop_signal() -> Result<()> {
    tokio::signal::ctrl_c()
        .await
        .context("cannot listen for Ctrl-C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_told_that_the_server_counts_as_far() {
        let server = "127.0.0.1:27960";
        assert_eq!(native_commands(server, false), ["+connect", server]);
        assert_eq!(
            native_commands(server, true),
            ["+set", "cl_far", "1", "+connect", server]
        );
        let address = |is_far| page_address("http://localhost:8080/", server, is_far);
        assert_eq!(
            address(false),
            format!("http://localhost:8080/?server={server}")
        );
        assert_eq!(
            address(true),
            format!("http://localhost:8080/?server={server}&far")
        );
    }
}
