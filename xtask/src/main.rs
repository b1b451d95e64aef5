//! The project's own commands: play, web, site, protocol, release, app, arena, test, tidy, bench, views, maps, compare, calls, e2e, cold, line, lossy, shared-address, endurance, fuzz.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod arena_pak;
mod bench;
mod bundle;
mod calls;
mod cold;
mod compare;
mod deny;
mod e2e;
mod endurance;
mod fuzz;
mod inspect;
mod line;
mod lossy;
mod mac_app;
mod nginx;
mod play;
mod progress;
mod protocol;
mod release;
mod servers;
mod setup;
mod shared_address;
mod shell;
mod site;
mod slow_line;
mod test;
mod tidy;
mod tunnel;
mod views;
mod web;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Strafe's own commands",
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Puts you on a Quake 3 server, in the browser or natively; installs what is missing.
    Play(play::Options),
    /// Builds the page into target/web.
    Web(web::Options),
    /// Writes a folder for any static host: the page with matches against bots, without a relay.
    Site(site::Options),
    /// Draws the pictures of the pages on the protocol.
    Protocol(protocol::Options),
    /// Builds the relay with the page inside, as operators install it.
    Release,
    /// Makes an application of the native program, for links; on macOS.
    App(mac_app::Options),
    /// Makes the pak of Strafe's own arena from code.
    Arena(arena_pak::Options),
    /// Checks and tests everything; installs what is missing.
    Test(test::Options),
    /// Checks captions, floors and where the platform is chosen.
    Tidy,
    /// Runs the benchmarks: the relay's load, visitors, attack or soak, the client's prediction or cgame, or those with a word
    /// in their names.
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Draws the reference views and compares them with the reference client's frames.
    Views(views::Options),
    /// Loads every map of OpenArena, draws it from five places, and makes contact sheets.
    Maps(views::MapOptions),
    /// Plays demos as fast as possible here and in the reference client, and compares.
    #[command(visible_alias = "race")]
    Compare(compare::Options),
    /// Runs one mod's cgame on one demo here and in the reference client, and compares calls and pictures.
    Calls(calls::Options),
    /// Plays in a real browser against a real server and prints the cold start's figures.
    E2e(e2e::Options),
    /// Measures what a first visit, a second one and a change of the map cost in real browsers.
    Cold(cold::Options),
    /// Puts a bad line between any client and a server.
    Line(line::Options),
    /// Plays in a real browser over a line that loses packets, by both transports; needs root.
    Lossy(lossy::Options),
    /// Brings eight players through one relay onto a server that allows three per address.
    #[command(visible_alias = "fair")]
    SharedAddress(shared_address::Options),
    /// Plays a long match against bots, natively and in Chromium, and tells memory and long frames.
    #[command(visible_alias = "stay")]
    Endurance(endurance::Options),
    /// Fuzzes everything that reads bytes from outside, guided by coverage; `--list` lists the targets.
    Fuzz(fuzz::Options),
}

fn main() -> std::process::ExitCode {
    if let Some(code) = fuzz::as_compiler() {
        return code;
    }
    let outcome = match Cli::parse().task {
        Task::Play(options) => play::run(&options),
        Task::Web(options) => web::run(&options),
        Task::Site(options) => site::run(&options),
        Task::Release => release::run(),
        Task::App(options) => mac_app::run(&options),
        Task::Arena(options) => arena_pak::run(&options),
        Task::Test(options) => test::run(&options),
        Task::Tidy => tidy::run(),
        Task::Bench { words } => bench::run(&words),
        Task::Protocol(options) => protocol::run(&options),
        Task::Views(options) => views::run(&options),
        Task::Maps(options) => views::maps(&options),
        Task::Compare(options) => compare::run(&options),
        Task::Calls(options) => calls::run(&options),
        Task::E2e(options) => e2e::run(&options),
        Task::Cold(options) => cold::run(&options),
        Task::Line(options) => line::run(&options),
        Task::Lossy(options) => lossy::run(&options),
        Task::SharedAddress(options) => shared_address::run(&options),
        Task::Endurance(options) => endurance::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
    };
    match outcome {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}
