//! GameFeed: what the server has said so far, and what the player did, as a module asks for it.

use super::layout::{put_game_state, put_snapshot, put_usercmd};
use crate::cg::SnapshotArrival;
use shared::{
    base::{time::ServerTime, tokens::Tokens},
    types::{
        configstring::Configstrings,
        gamestate::Gamestate,
        servercmd::{ServerCommand, ServerCommandBody},
        usercmd::{Usercmd, UsercmdRing},
    },
};
use std::collections::VecDeque;
use vm::{Memory, Syscall, Trap};

/// Snapshots that a module may still ask for.
const MAX_SNAPSHOTS: usize = 32;
/// Usercmds that a module may still ask for.
const MAX_USERCMDS: i32 = 64;
/// Commands that wait until the module reaches their snapshot; servers give up after 64.
const MAX_COMMANDS: usize = 1024;

/// What a module has been told and may ask for.
#[derive(Debug, Default)]
pub struct GameFeed {
    /// As far as the module has heard of their changes.
    configstrings: Configstrings,
    snapshots: VecDeque<SnapshotArrival>,
    /// Modules count snapshots from 1 on: so many messages came before the first.
    messages_before: Option<i32>,
    commands: VecDeque<ServerCommand>,
    usercmds: Vec<Usercmd>,
    newest_usercmd: i32,
    /// The time of the frame before.
    shown: ServerTime,
    /// The command whose words the module may ask for.
    words: Vec<String>,
    /// The newest command that the module has asked for.
    executed: i32,
    /// The match began again.
    pub restarts: bool,
}

impl GameFeed {
    pub fn new(gamestate: &Gamestate) -> Self {
        Self {
            configstrings: gamestate.configstrings.clone(),
            executed: gamestate.server_command_num,
            ..Self::default()
        }
    }

    /// The newest command that the module knows of.
    pub fn executed(&self) -> i32 {
        self.executed
    }

    /// Takes what has come since the last frame.
    pub fn take_in(&mut self, snapshots: &[SnapshotArrival], commands: &[ServerCommand]) {
        for arrival in snapshots {
            let before = arrival.snapshot.message_num.wrapping_sub(1);
            self.messages_before.get_or_insert(before);
            if self.snapshots.len() == MAX_SNAPSHOTS {
                self.snapshots.pop_front();
            }
            self.snapshots.push_back(arrival.clone());
        }
        for command in commands {
            if self.commands.len() == MAX_COMMANDS {
                self.commands.pop_front();
            }
            self.commands.push_back(command.clone());
        }
    }

    /// What the player did.
    pub fn take_usercmds(&mut self, usercmds: &UsercmdRing) {
        self.newest_usercmd = usercmds.newest_number();
        self.usercmds.clear();
        let numbers = (0..MAX_USERCMDS).map(|back| self.newest_usercmd - back);
        let found = numbers.map(|number| usercmds.get(number).copied().unwrap_or_default());
        self.usercmds.extend(found);
    }

    /// In a demo nobody plays; a module still finds a usercmd for each frame, and one from before the first, as in the
    /// originals: it asks for old ones to see whether the line is broken.
    pub fn make_usercmd(&mut self, now: ServerTime, weapon: u8) {
        if self.newest_usercmd == 0 {
            self.newest_usercmd = 1;
            self.usercmds.push(Usercmd::default());
        }
        self.newest_usercmd += 1;
        self.usercmds.truncate(MAX_USERCMDS as usize - 1);
        self.usercmds.insert(
            0,
            Usercmd {
                server_time: self.shown,
                weapon,
                ..Usercmd::default()
            },
        );
        self.shown = now;
    }

    /// A console command of the player's, for the module to look at.
    pub fn set_line(&mut self, line: &str) {
        self.words = Tokens::new(line).iter().map(str::to_owned).collect();
    }

    pub fn word_count(&self) -> i32 {
        self.words.len() as i32
    }

    pub fn word(&self, index: i32) -> &str {
        let index = usize::try_from(index).ok();
        let word = index.and_then(|index| self.words.get(index));
        word.map_or("", String::as_str)
    }

    /// All words but the first.
    pub fn rest(&self) -> String {
        self.words.get(1..).unwrap_or_default().join(" ")
    }

    /// # Errors
    /// If the block does not lie in the module's memory.
    pub fn put_game_state(&self, memory: &mut Memory<'_>, address: u32) -> Result<(), Trap> {
        put_game_state(memory, address, self.configstrings.iter())
    }

    pub fn put_newest_snapshot(&self, memory: &mut Memory<'_>, call: &Syscall) {
        let newest = self.snapshots.back();
        let (number, time) = newest.map_or((0, 0), |arrival| {
            let snapshot = &arrival.snapshot;
            (self.number_of(arrival), snapshot.server_time.0)
        });
        memory.write_i32(call.address(0), number);
        memory.write_i32(call.address(1), time);
    }

    fn number_of(&self, arrival: &SnapshotArrival) -> i32 {
        let before = self.messages_before.unwrap_or(0);
        arrival.snapshot.message_num.wrapping_sub(before)
    }

    /// Whether there is a snapshot of this number; then it is copied.
    ///
    /// # Errors
    /// If it does not lie in the module's memory.
    pub fn put_snapshot(&self, memory: &mut Memory<'_>, call: &Syscall) -> Result<bool, Trap> {
        let number = call.int(0);
        let mut arrivals = self.snapshots.iter().rev();
        let found = arrivals.find(|arrival| self.number_of(arrival) == number);
        if let Some(arrival) = found {
            put_snapshot(
                memory,
                call.address(1),
                &arrival.snapshot,
                arrival.ping_msec,
            )?;
        }
        Ok(found.is_some())
    }

    /// Does what a server command means here; whether it has words for the module.
    pub fn execute(&mut self, number: i32) -> bool {
        self.executed = number;
        while self
            .commands
            .front()
            .is_some_and(|command| command.number.wrapping_sub(number) < 0)
        {
            self.commands.pop_front();
        }
        let Some(command) = self
            .commands
            .pop_front_if(|command| command.number == number)
        else {
            self.words.clear();
            return false;
        };
        self.words = match command.body {
            ServerCommandBody::Configstring { index, text } => {
                // The connection has taken it, so that it fits here as well.
                let _ = self.configstrings.set(index, &text);
                vec!["cs".to_owned(), index.to_string(), text]
            }
            ServerCommandBody::Words(words) => words,
        };
        self.restarts |= self.word(0) == "map_restart";
        true
    }

    pub fn newest_usercmd(&self) -> i32 {
        self.newest_usercmd
    }

    /// Whether there is a usercmd of this number; then it is copied. Before the first there were idle ones.
    ///
    /// # Errors
    /// If it is still to come.
    pub fn put_usercmd(&self, memory: &mut Memory<'_>, call: &Syscall) -> Result<bool, Trap> {
        let back = self.newest_usercmd.wrapping_sub(call.int(0));
        if back < 0 {
            let told = format!(
                "it asks for usercmd {}, which is still to come",
                call.int(0)
            );
            return Err(Trap::Host(told));
        }
        if back >= MAX_USERCMDS {
            return Ok(false);
        }
        let usercmd = self.usercmds.get(back as usize).copied();
        put_usercmd(memory, call.address(1), &usercmd.unwrap_or_default());
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demos_have_a_usercmd_for_each_frame() {
        let mut feed = GameFeed::new(&Gamestate::default());
        for time in [100, 150, 200] {
            feed.make_usercmd(ServerTime(time), 2);
        }
        let times = feed.usercmds.iter().map(|usercmd| usercmd.server_time.0);
        assert_eq!(times.collect::<Vec<_>>(), [150, 100, 0, 0]);
        assert_eq!(feed.newest_usercmd(), 4);
    }

    #[test]
    fn commands_are_carried_out_when_the_module_gets_to_them() {
        let mut feed = GameFeed::new(&Gamestate::default());
        let command = |number, body| ServerCommand { number, body };
        let commands = [
            command(
                4,
                ServerCommandBody::Configstring {
                    index: 5,
                    text: "a b".into(),
                },
            ),
            command(6, ServerCommandBody::Words(vec!["map_restart".into()])),
        ];
        feed.take_in(&[], &commands);
        assert_eq!(feed.configstrings.get(5), "");
        assert!(feed.execute(4) && !feed.restarts);
        assert_eq!((feed.word(0), feed.word(2)), ("cs", "a b"));
        assert_eq!(
            (feed.configstrings.get(5), feed.rest().as_str()),
            ("a b", "5 a b")
        );
        assert!(!feed.execute(5));
        assert_eq!((feed.word_count(), feed.word(-1)), (0, ""));
        assert!(feed.execute(6) && feed.restarts);
        assert_eq!(feed.executed(), 6);
    }
}
