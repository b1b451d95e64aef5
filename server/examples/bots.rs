//! Measures bots: where they get to on maps, where they get stuck, what they cost, and who wins duels.

#[path = "../src/paks.rs"]
mod paks;

use anyhow::{Context, Result, bail};
use clap::Parser;
use server::{Event, Server};
use shared::bg::ruleset::STAT_HEALTH;
use shared::{bg::numbers::persistant, formats::bsp::Bsp};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Instant};

/// `cargo run --release -p server --example bots -- --minutes 20 oa_dm1 oa_dm2`
#[derive(Parser)]
struct Options {
    #[arg(long, default_value = "/usr/share/games/openarena/baseoa")]
    folder: PathBuf,
    /// Minutes of the level on each map.
    #[arg(long, default_value_t = 20)]
    minutes: i32,
    #[arg(long, default_value_t = 16)]
    bots: usize,
    #[arg(long, default_value_t = 3.0)]
    skill: f32,
    /// Ten duels of skill 5 against 1 on each map instead.
    #[arg(long)]
    duel: bool,
    /// Names items that were not visited, and where bots got stuck.
    #[arg(long)]
    verbose: bool,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    maps: Vec<String>,
}

const FRAME_MSEC: i32 = 50;
/// Whoever stays within this of a place has not moved on.
const STUCK_RANGE: f32 = 48.0;

fn main() -> Result<()> {
    let options = Options::parse();
    for name in &options.maps {
        let bsp = paks::read_map(&options.folder, name)?;
        if options.duel {
            duels(&options, name, &bsp)?;
        } else {
            measure(&options, name, &bsp)?;
        }
    }
    Ok(())
}

fn start(name: &str, bsp: &Arc<Bsp>, seed: u64, lines: &[String]) -> Result<Server> {
    let mut server = Server::new(seed);
    let first = [
        "set gamename baseoa",
        "set sv_maxclients 20",
        "set timelimit 0",
        "set fraglimit 0",
    ];
    let mut events: Vec<Event> = first
        .iter()
        .map(|line| Event::Command((*line).to_owned()))
        .collect();
    events.extend(lines.iter().cloned().map(Event::Command));
    events.push(Event::Command(format!("map {name}")));
    server.frame(0, events);
    let read = Event::MapRead {
        name: name.to_owned(),
        result: Ok(bsp.clone()),
    };
    let output = server.frame(0, vec![read]);
    if server.level_time().is_none() {
        bail!("{name}: {:?}", output.printed);
    }
    Ok(server)
}

/// Where a bot has been for how long.
#[derive(Clone, Copy, Default)]
struct Rest {
    at: glam::Vec3,
    since: i32,
}

fn measure(options: &Options, name: &str, bsp: &Arc<Bsp>) -> Result<()> {
    let mut server = start(name, bsp, options.seed, &[])?;
    let commands = (0..options.bots).map(|at| format!("addbot Bot{at} {}", options.skill));
    let began = Instant::now();
    server.frame(FRAME_MSEC, commands.map(Event::Command).collect());
    let first_msec = began.elapsed().as_secs_f64() * 1000.0;
    let mut rests = vec![Rest::default(); options.bots];
    let mut stuck: BTreeMap<[i32; 3], (i32, usize)> = BTreeMap::new();
    let mut longest = (0, glam::Vec3::ZERO);
    let mut micros = Vec::new();
    let mut graph_at = None;
    let mut deaths: BTreeMap<String, usize> = BTreeMap::new();
    for frame in 0..options.minutes * 60_000 / FRAME_MSEC {
        let began = Instant::now();
        let output = server.frame(FRAME_MSEC, Vec::new());
        micros.push(began.elapsed().as_nanos() as f64 / 1000.0);
        for line in output
            .printed
            .iter()
            .filter(|line| line.starts_with("Kill:"))
        {
            let cause = line.rsplit(' ').next().unwrap_or_default().to_owned();
            let is_own = line.contains("1022");
            *deaths
                .entry(format!("{cause}{}", if is_own { " (world)" } else { "" }))
                .or_default() += 1;
        }
        if graph_at.is_none() && server.bot_report().is_complete {
            graph_at = Some(frame);
        }
        let (Some(game), Some(time)) = (server.game(), server.level_time()) else {
            bail!("the level is gone");
        };
        for (client, rest) in rests.iter_mut().enumerate() {
            let Some(player) = game.player(client) else {
                continue;
            };
            let has_moved = player.origin.distance(rest.at) > STUCK_RANGE;
            if player.stats[STAT_HEALTH] <= 0 || has_moved {
                *rest = Rest {
                    at: player.origin,
                    since: time,
                };
            }
            let stays = time - rest.since;
            if stays > longest.0 {
                longest = (stays, rest.at);
            }
            if stays == 10_000 {
                let place = rest.at.to_array().map(|axis| (axis / 32.0) as i32);
                stuck.entry(place).or_default().1 += 1;
            }
        }
    }
    micros.sort_by(f64::total_cmp);
    let at = |share: f64| micros[((micros.len() - 1) as f64 * share) as usize];
    let mean = micros.iter().sum::<f64>() / micros.len() as f64;
    let report = server.bot_report();
    let reachable = report.items.iter().filter(|item| item.2).count();
    let visited = report.items.iter().filter(|item| item.3).count();
    let missed = report.items.iter().filter(|item| item.2 && !item.3).count();
    let game = server.game().context("a level")?;
    let frags: i32 = (0..options.bots).map(|client| game.score(client)).sum();
    let killed: i32 = (0..options.bots)
        .filter_map(|client| game.player(client))
        .map(|player| player.persistant[persistant::KILLED])
        .sum();
    println!(
        "{name}: {} nodes {} edges, first frame {first_msec:.0} ms, {} sweeps, complete after {} frames; \
         items {} reachable {reachable} visited {visited} missed {missed}; \
         longest stuck {:.1} s at {:?}, {} over 10 s; deaths {killed} score {frags}; \
         frame p50 {:.0} p99 {:.0} max {:.0} us, CPU {:.2} % at 20 fps",
        report.nodes,
        report.edges,
        report.sweeps,
        graph_at.map_or(-1, |frame| frame),
        report.items.len(),
        longest.0 as f32 / 1000.0,
        longest.1.to_array(),
        stuck.values().map(|one| one.1).sum::<usize>(),
        at(0.5),
        at(0.99),
        at(1.0),
        mean * 20.0 / 10_000.0,
    );
    if options.verbose {
        println!("  deaths {deaths:?}");
        for (place, (_, count)) in &stuck {
            println!(
                "  stuck {count} times near {:?}",
                place.map(|axis| axis * 32)
            );
        }
        for (class, place, is_reachable, was_visited) in &report.items {
            if !was_visited || !is_reachable {
                println!("  {class} at {place:?}: reachable {is_reachable}, visited {was_visited}");
            }
        }
    }
    Ok(())
}

fn duels(options: &Options, name: &str, bsp: &Arc<Bsp>) -> Result<()> {
    const LIMIT: i32 = 10;
    const MAX_FRAMES: i32 = 20 * 60 * 20;
    let mut won = 0;
    for duel in 0..10 {
        let mut server = start(name, bsp, options.seed + duel, &[])?;
        let commands =
            ["addbot Good 5", "addbot Weak 1"].map(|line| Event::Command(line.to_owned()));
        server.frame(FRAME_MSEC, commands.to_vec());
        let mut scores = [0; 2];
        for _ in 0..MAX_FRAMES {
            server.frame(FRAME_MSEC, Vec::new());
            let game = server.game().context("a level")?;
            scores = [game.score(0), game.score(1)];
            if scores.iter().any(|score| *score >= LIMIT) {
                break;
            }
        }
        won += i32::from(scores[0] > scores[1]);
        println!(
            "  {} : {}, {} s",
            scores[0],
            scores[1],
            server.level_time().unwrap_or(0) / 1000
        );
    }
    println!("{name}: skill 5 beats skill 1 in {won} of 10 duels");
    Ok(())
}
