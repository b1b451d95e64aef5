//! Puts the player on a server with one command: server, relay, page or native client, and a clean end.

use crate::{
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
};

#[derive(clap::Args)]
pub struct Options {
    /// Starts the native client instead of the page.
    #[arg(long)]
    native: bool,
    /// Joins this server instead of starting one here.
    #[arg(long, value_name = "HOST:PORT")]
    connect: Option<String>,
    /// A folder that holds game folders such as baseq3; may be given more than once.
    #[arg(long, value_name = "DIR")]
    data: Vec<PathBuf>,
    /// The map of the server started here.
    #[arg(long, default_value = "oa_dm1")]
    map: String,
    /// Players, bots included, that the server started here keeps up.
    #[arg(long, default_value_t = 5)]
    bots: u32,
    /// Builds quickly rather than well.
    #[arg(long)]
    dev: bool,
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

pub fn run(options: &Options) -> Result<()> {
    let stop = Stop::listen()?;
    install(options)?;
    let client = if options.native {
        println!("Building the native client …");
        Some(shell::build("client", "strafe", options.dev)?)
    } else {
        println!("Building the page …");
        web::run(&web::Options {
            dev: options.dev,
            only: None,
        })?;
        None
    };
    let mut running = Vec::new();
    let server = match &options.connect {
        Some(address) => address.clone(),
        None => {
            println!("Starting an OpenArena server with bots …");
            let plan = GameServerPlan {
                map: &options.map,
                bots: options.bots,
                port: options.server_port,
                settings: &[],
            };
            let server = GameServer::start(&plan)?;
            let address = server.address();
            running.push(server.running);
            address
        }
    };
    running.push(match &client {
        Some(program) => native_client(program, options, &server)?,
        None => page(options, &server)?,
    });
    println!("Ctrl-C ends everything.");
    wait_for_the_end(&mut running, &stop)
}

fn install(options: &Options) -> Result<()> {
    let mut needs = Vec::new();
    if options.connect.is_none() {
        needs.push(setup::LOCAL_GAME);
    } else if content(options)?.is_empty() {
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
    let entries = |folder: &Path| {
        std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
    };
    entries(folder).any(|game| {
        entries(&game).any(|file| file.extension().is_some_and(|extension| extension == "pk3"))
    })
}

fn page(options: &Options, server: &str) -> Result<Running> {
    println!("Building the relay …");
    let program = shell::build("relay", "strafe-relay", options.dev)?;
    let page = web::folder();
    let relay = Relay::start(
        &program,
        options.port,
        server,
        &content(options)?,
        Some(&page),
    )?;
    let url = format!("{}?server={server}", relay.url());
    println!("\n  Play:  {url}\n");
    if !options.no_browser {
        open_browser(&url);
    }
    Ok(relay.running)
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
    Running::start("strafe", command.args(["+connect", server]))
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
