//! When the farewell that a relay keeps for a player is stale.

use shared::base::time::ClientTime;

/// So many messages may follow before the farewell looks like an old one to the server.
pub const LEAD: i32 = 20_000;
/// The farewell goes out thrice, as `disconnect` does.
pub const COPIES: usize = 3;
const NEWER_MSEC: i32 = 1000;
const URGENT_MSEC: i32 = 200;

/// What a farewell was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Basis {
    pub server_id: i32,
    pub own_command: i32,
    pub server_command: i32,
    pub sequence: i32,
}

#[derive(Clone, Copy, Debug)]
pub struct Deposited {
    pub at: ClientTime,
    pub basis: Basis,
}

impl Deposited {
    /// A server ignores a farewell of another level or with a number that another command has taken,
    /// so these hurry; that it forgets what was acknowledged long ago takes 64 commands.
    pub fn is_stale(&self, now: ClientTime, basis: Basis) -> bool {
        let old = self.basis;
        let is_useless = old.server_id != basis.server_id || old.own_command != basis.own_command;
        let is_outrun = basis.sequence.wrapping_sub(old.sequence) > LEAD / 2;
        let is_older = old.server_command != basis.server_command || is_outrun;
        let age = now - self.at;
        is_useless && age >= URGENT_MSEC || is_older && age >= NEWER_MSEC
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_stale(age: i32, change: impl Fn(&mut Basis)) -> bool {
        let mut basis = Basis {
            server_id: 1,
            own_command: 2,
            server_command: 3,
            sequence: 4,
        };
        let deposited = Deposited {
            at: ClientTime(50),
            basis,
        };
        change(&mut basis);
        deposited.is_stale(ClientTime(50 + age), basis)
    }

    #[test]
    fn what_servers_would_ignore_is_replaced_soon() {
        for age in [199, 200] {
            assert_eq!(is_stale(age, |basis| basis.own_command += 1), age == 200);
            assert_eq!(is_stale(age, |basis| basis.server_id += 1), age == 200);
        }
    }

    #[test]
    fn acknowledgements_move_it_on_once_a_second() {
        for age in [999, 1000] {
            assert_eq!(
                is_stale(age, |basis| basis.server_command += 1),
                age == 1000
            );
            assert_eq!(is_stale(age, |basis| basis.sequence += 10_001), age == 1000);
        }
        assert!(!is_stale(100_000, |basis| basis.sequence += 10_000));
    }
}
