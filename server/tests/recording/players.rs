//! Players: a match of eight bots and two clients on the arena's map, recorded.

use crate::{
    client::{Client, commands},
    recording::{FRAME_MSEC, Match},
};
use server::{Event, Output};
use shared::{
    base::rng::Rng,
    types::usercmd::{Usercmd, buttons},
};

/// The arena's pak.
pub const PAK: &[u8] = include_bytes!("../../../arena/strafe.pk3");
pub const SEED: u64 = 27;
const PLAYER_PORT: u16 = 1001;
const SPECTATOR_PORT: u16 = 1002;

/// Who plays besides the bots.
struct Visitors {
    player: Option<Client>,
    spectator: Client,
    rng: Rng,
    usercmd: Usercmd,
}

/// Plays so many seconds.
pub fn record(seconds: i32) -> Match {
    let mut game = Match::new(PAK, SEED);
    let first = ["set sv_maxclients 12", "set fraglimit 15", "map strafe1"];
    game.frame(commands(&first));
    game.frame(Vec::new());
    let bots: Vec<String> = (0..8)
        .map(|bot| format!("addbot Bot{bot} {}", 1 + bot % 5))
        .collect();
    let bots: Vec<&str> = bots.iter().map(String::as_str).collect();
    game.frame(commands(&bots));
    let mut visitors = Visitors {
        player: None,
        spectator: Client::new(SPECTATOR_PORT, 71),
        rng: Rng::new(SEED),
        usercmd: Usercmd::default(),
    };
    for frame in 0..seconds * 1000 / FRAME_MSEC {
        let at_msec = frame * FRAME_MSEC;
        let mut events = commands(happening(at_msec));
        events.extend(visitors.act(at_msec));
        let output = game.frame(events);
        visitors.take(&output);
    }
    game
}

/// What the operator does.
fn happening(at_msec: i32) -> &'static [&'static str] {
    match at_msec {
        40_000 => &["kick Bot3", "say hello"],
        45_000 => &["addbot Bot8 4", "set g_unlagged 1"],
        200_000 => &["set g_gravity 600", "set g_quadfactor 5"],
        300_000 => &["set g_gametype 3", "map strafe1"],
        420_000 => &["set g_gametype 0", "set sv_fps 20", "map_restart 2"],
        _ => &[],
    }
}

impl Visitors {
    fn act(&mut self, at_msec: i32) -> Vec<Event> {
        const TURN_MSEC: i32 = 400;
        if at_msec % TURN_MSEC == 0 {
            self.usercmd = Usercmd {
                angles: [0, self.rng.next_u64() as u16, 0],
                forward_move: 127,
                right_move: [0, 127, -127][self.rng.below(3)],
                up_move: if self.rng.percent(20.0) { 127 } else { 0 },
                buttons: match self.rng.percent(50.0) {
                    true => buttons::ATTACK,
                    false => 0,
                },
                weapon: 1 + self.rng.below(9) as u8,
                ..Usercmd::default()
            };
        }
        // It comes, leaves and comes again.
        match at_msec % 150_000 {
            5_000 => self.player = Some(Client::new(PLAYER_PORT, 68)),
            15_000 => self.say("say hello"),
            20_000 => self.say("callvote fraglimit 12"),
            60_000 => self.say("kill"),
            140_000 => self.say("disconnect"),
            141_000 => self.player = None,
            _ => {}
        }
        match at_msec % 30_000 {
            3_000 => self.spectator_says("team s"),
            6_000 | 16_000 | 26_000 => self.spectator_says("follownext"),
            _ => {}
        }
        let usercmd = self.usercmd;
        let same = |own: &mut Usercmd| {
            *own = Usercmd {
                server_time: own.server_time,
                ..usercmd
            }
        };
        let mut events = self.spectator.frame(FRAME_MSEC, |_| {});
        if let Some(player) = &mut self.player {
            events.extend(player.frame(FRAME_MSEC, same));
        }
        events
    }

    fn say(&mut self, text: &str) {
        let joined = self.player.as_mut().filter(|one| one.snapshot.is_some());
        if let Some(player) = joined {
            player.say(text);
        }
    }

    fn spectator_says(&mut self, text: &str) {
        if self.spectator.snapshot.is_some() {
            self.spectator.say(text);
        }
    }

    fn take(&mut self, output: &Output) {
        self.spectator.take(output);
        if let Some(player) = &mut self.player {
            player.take(output);
        }
    }
}
