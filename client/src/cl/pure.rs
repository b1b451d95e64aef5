//! The proof for pure servers that only their files are in use.

/// Pure checksums of the paks in use, each made with the level's checksum feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PureProof {
    /// Of the first pak in search order that has `vm/cgame.qvm`.
    pub cgame: i32,
    /// Of the first pak in search order that has `vm/ui.qvm`.
    pub ui: i32,
    /// Of every pak that something was read from, in search order.
    pub references: Vec<i32>,
}

impl PureProof {
    /// The `cp` command for a level.
    pub fn command(&self, server_id: i32, checksum_feed: i32) -> String {
        // Servers accept any subset, so what would not fit into a command is left out.
        let references = &self.references[..self.references.len().min(MAX_REFERENCES)];
        let encoded = references
            .iter()
            .fold(checksum_feed, |sum, reference| sum ^ reference)
            ^ references.len() as i32;
        let mut command = format!("cp {server_id} {} {} @ ", self.cgame, self.ui);
        for number in references {
            command.push_str(&format!("{number} "));
        }
        command.push_str(&format!("{encoded} "));
        command
    }
}

const MAX_REFERENCES: usize = 75;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_what_a_server_accepted() {
        let proof = PureProof {
            cgame: 875_236_556,
            ui: 875_236_556,
            references: vec![875_236_556, 1_404_189_973, 2_007_001_666],
        };
        assert_eq!(
            proof.command(453, -1_862_093_484),
            "cp 453 875236556 875236556 @ 875236556 1404189973 2007001666 -2126778676 "
        );
    }

    #[test]
    fn always_fits_into_a_command() {
        let proof = PureProof {
            cgame: i32::MIN,
            ui: i32::MIN,
            references: vec![i32::MIN; 500],
        };
        assert!(proof.command(i32::MIN, 1).len() <= super::super::reliable::MAX_COMMAND);
    }
}
