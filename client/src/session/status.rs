//! What is known about a session, for pages, tests, the headless run and the console.

use super::{LoadTimes, Session};
use crate::{
    cg,
    cl::{Connection, Feed, State, lag::LagWatch, wire_log::WireLog},
    event::Hops,
    scene::text::plain,
};
use shared::{base::info::Info, types::limits::MAX_CLIENTS};

/// Figures about a session for pages, tests and the headless run.
#[derive(Clone, Debug)]
pub struct SessionStatus {
    pub state: State,
    pub map: String,
    pub server: String,
    pub transport: &'static str,
    pub hops: Option<Hops>,
    /// Of the newest load, once it is over.
    pub load: Option<LoadTimes>,
    pub protocol: i32,
    pub is_pure: bool,
    /// A mod's own cgame shows the level.
    pub runs_module: bool,
    pub stats: crate::cl::Stats,
    pub reliable_commands: i32,
    pub origin: [f32; 3],
    /// How well the own movement was predicted, over all levels.
    pub prediction: cg::predict::misses::PredictionStats,
    /// How evenly the others moved on the screen, on this level.
    pub smoothness: cg::diagnose::smoothness::SmoothnessReport,
    /// Through whose eyes one looks: oneself, or who is followed.
    pub viewed_name: String,
    /// What the conditioner did to datagrams: towards the server, towards the client.
    pub lines: [shared::sim::LineStats; 2],
}

impl Session {
    /// Where the time of a ping goes, in words.
    pub fn hops_text(&self) -> String {
        let Some((connection, hops)) = self.connection().zip(self.hops) else {
            return "No relay has told yet how long the way takes.\n".to_owned();
        };
        let ping = connection.stats().ping_msec;
        let server = match hops.server_msec {
            Some(msec) => format!("{msec:.1} ms from the relay to the server and back"),
            None => "the relay has not measured its way to the server yet".to_owned(),
        };
        format!(
            "Of a ping of {ping} ms over {}: {:.1} ms to the relay and back, {server}, {} ms waiting for frames in the browser and the server.\n",
            self.transport,
            hops.relay_msec,
            hops.waiting_msec(ping)
        )
    }

    /// Why nothing new came for a while, in words: each cause, then the newest gaps.
    pub fn lag_text(&self) -> String {
        /// As many as a console shows at once.
        const MAX_LINES: usize = 24;
        let Some(lag) = self.lag() else {
            return "There are no snapshots to miss.\n".to_owned();
        };
        let sums = lag.sums();
        if sums.is_empty() {
            return "Nothing was late or lost in this level.\n".to_owned();
        }
        let mut text = String::from("Cause               gaps  milliseconds\n");
        for (cause, count, msec) in sums {
            text.push_str(&format!("{:18}  {count:4}  {msec:12}\n", cause.name()));
        }
        let newest = lag.gaps().len().saturating_sub(MAX_LINES);
        for gap in lag.gaps().range(newest..) {
            text.push_str(&format!("{gap}\n"));
        }
        text
    }

    /// Why nothing new came for a while in this level.
    pub fn lag(&self) -> Option<&LagWatch> {
        self.connection().and_then(Connection::lag)
    }

    /// What was said of late.
    pub fn wire_log(&self) -> Option<&WireLog> {
        self.feed.as_ref().and_then(Feed::wire_log)
    }

    /// How old snapshots were over the last so many seconds, in words.
    pub fn snapshot_ages_text(&self, seconds: i32) -> String {
        let connection = self.connection();
        match connection.and_then(|connection| connection.snapshot_ages(seconds)) {
            None => "There are no snapshots to tell the age of.\n".to_owned(),
            Some(ages) => format!(
                "Age of the newest snapshot over {} s and {} snapshots: p50 {} ms, p99 {} ms, most {} ms; p99 at arrival {} ms\n",
                ages.seconds,
                ages.snapshots,
                ages.p50_msec,
                ages.p99_msec,
                ages.max_msec,
                ages.p99_at_arrival_msec
            ),
        }
    }

    pub fn status(&self) -> SessionStatus {
        let (feed, level) = (self.feed.as_ref(), self.level.as_ref());
        let connection = self.connection();
        let snapshot = feed.and_then(Feed::newest_snapshot);
        SessionStatus {
            state: self.state(),
            map: level.map_or_else(String::new, |level| level.map.clone()),
            server: self.server.clone(),
            transport: self.transport,
            hops: self.hops,
            load: self.load_clock.newest(),
            protocol: connection.map_or(0, Connection::protocol),
            is_pure: feed
                .and_then(Feed::systeminfo)
                .is_some_and(|info| info.is_pure),
            runs_module: self.runs_module(),
            stats: connection.map(|c| c.stats().clone()).unwrap_or_default(),
            reliable_commands: connection.map_or(0, Connection::reliable_commands),
            origin: snapshot.map_or([0.0; 3], |snapshot| snapshot.player.origin.to_array()),
            viewed_name: snapshot
                .and_then(|snapshot| self.player_name(snapshot.player.client_num))
                .unwrap_or_default(),
            prediction: self.prediction(),
            smoothness: self.smoothness(),
            lines: self.conditioner.stats(),
        }
    }

    fn player_name(&self, client_num: i32) -> Option<String> {
        let number = usize::try_from(client_num).ok()?;
        let text = self
            .configstrings()?
            .get(shared::bg::numbers::configstring::PLAYERS + number);
        Some(Info::parse(text).get("n").to_owned())
    }

    /// Numbers and names of all who are there.
    pub fn players(&self) -> Vec<(usize, String)> {
        let named = |number: usize| Some((number, self.player_name(number as i32)?));
        (0..MAX_CLIENTS)
            .filter_map(named)
            .filter(|(_, name)| !name.is_empty())
            .collect()
    }

    /// The same without whoever plays here.
    pub fn other_players(&self) -> Vec<(usize, String)> {
        let own = self.connection().and_then(Connection::client_num);
        let mut players = self.players();
        players.retain(|(number, _)| own != Some(*number as i32));
        players
    }

    /// The number of the player with this name, without regard to colors and case.
    pub fn find_player(&self, name: &str) -> Option<usize> {
        let wanted = plain_name(name);
        (0..MAX_CLIENTS).find(|&number| {
            self.player_name(number as i32)
                .is_some_and(|name| !name.is_empty() && plain_name(&name) == wanted)
        })
    }

    /// The newest snapshot as text: the player's state, then the entities.
    pub fn state_lines(&self) -> Vec<String> {
        const MAX_ENTITIES: usize = 40;
        let newest = self.feed.as_ref().and_then(Feed::newest_snapshot);
        let Some(snapshot) = newest else {
            return vec!["There is no snapshot.".to_owned()];
        };
        let player = &snapshot.player;
        let place = |at: glam::Vec3| format!("{:.1} {:.1} {:.1}", at.x, at.y, at.z);
        let mut lines = vec![
            format!(
                "snapshot {} of {} ms, command {} ms, flags {}",
                snapshot.message_num, snapshot.server_time.0, player.command_time, snapshot.flags
            ),
            format!(
                "at {}  velocity {}  view {}",
                place(player.origin),
                place(player.velocity),
                place(player.view_angles)
            ),
            format!(
                "type {} flags {:#x} ground {} weapon {} state {} for {} ms",
                player.pm_type,
                player.pm_flags,
                player.ground_entity_num,
                player.weapon,
                player.weapon_state,
                player.weapon_time
            ),
            format!("stats {:?}", player.stats),
            format!("persistant {:?}", player.persistant),
            format!("ammo {:?}", player.ammo),
        ];
        let entities = snapshot.entities.iter().take(MAX_ENTITIES);
        let entities: Vec<String> = entities
            .map(|entity| {
                let (number, kind) = (entity.number, entity.e_type);
                format!("{number} type {kind} at {}", place(entity.pos.base))
            })
            .collect();
        lines.extend(entities.chunks(3).map(|three| three.join("   ")));
        lines
    }

    /// Why own shots missed, in words.
    pub fn shots_text(&self) -> String {
        match self.cgame() {
            Some(cgame) => cgame.shots().text(),
            None => "No cgame of Strafe's shows this level.\n".to_owned(),
        }
    }

    /// Figures of the whole session so far.
    fn smoothness(&self) -> cg::diagnose::smoothness::SmoothnessReport {
        let cgame = self.cgame();
        cgame.map_or_else(Default::default, |cgame| cgame.smoothness().report())
    }

    pub(super) fn prediction(&self) -> cg::predict::misses::PredictionStats {
        let mut sum = self.past_prediction.clone();
        if let Some(cgame) = self.cgame() {
            sum.add(cgame.prediction_stats());
        }
        sum
    }
}

pub(super) fn plain_name(name: &str) -> String {
    plain(name).to_ascii_lowercase()
}
