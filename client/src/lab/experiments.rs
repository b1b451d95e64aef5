//! The guided experiments as data: what to try, what one sees, and what the two sides are set to.

use super::rows::{ROWS, find};

/// One page of the lab.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    pub title: &'static str,
    pub try_this: &'static str,
    pub one_sees: &'static str,
    /// Rows that begin with another value than usual: the cvar, the value of side A, the value of side B.
    pub settings: &'static [(&'static str, &'static str, &'static str)],
    pub bots: usize,
    /// The player walks by himself until somebody takes over.
    pub walks: bool,
}

/// All experiments, in the order of the pages.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        title: "200 ms without prediction",
        try_this: "Walk, stop and jump. Both sides get the same keys at the same moment over the same line: 100 ms there, \
            100 ms back. Then pull the delays up and down.",
        one_sees: "A moves at once: it runs the server's own movement code on the keys just pressed, and drags the white \
            box, where the server has the player now, behind it. B waits until the server has answered: it moves 200 ms \
            late, starts late, stops late. The ticks on the upper line are A's proof: yellow ones are not answered yet, and \
            A runs all of them again in every frame.",
        settings: &[
            ("cg_nopredict", "0", "1"),
            ("net_delayUp", "100", "100"),
            ("net_delay", "100", "100"),
            ("cg_thirdPerson", "1", "1"),
        ],
        bots: 0,
        walks: true,
    },
    Experiment {
        title: "A good line and a bad one",
        try_this: "Read the two lagometers in the lower right corners. A is 20 ms away with 25000 bytes a second, B 150 ms \
            away with a tenth of all packets lost and 3000 bytes a second.",
        one_sees: "A: green bars, all alike, and blue ones above: there is always a newer snapshot to walk towards. B: high \
            bars, red where a snapshot was lost, yellow where the server held one back to keep the rate, and yellow above \
            where nothing newer had come and the others had to be guessed. The own movement stays even on both: it is \
            predicted.",
        settings: &[
            ("net_delayUp", "10", "75"),
            ("net_delay", "10", "75"),
            ("net_lossUp", "0", "10"),
            ("net_loss", "0", "10"),
            ("rate", "25000", "3000"),
        ],
        bots: 3,
        walks: true,
    },
    Experiment {
        title: "How often the server speaks",
        try_this: "Watch the others, and the orange lines that come up from the server. A asks for 40 snapshots a second \
            from a server that makes 40, B for 10 of a server that makes 20. Set both to the same and look again. F10 shows \
            what A's snapshots are told against and cost.",
        one_sees: "Others are drawn between two snapshots, so they are shown as old as one interval and the way: B's are \
            further from their white boxes, and cut corners. B costs half the bytes or less. What one does oneself feels \
            the same.",
        settings: &[
            ("sv_fps", "40", "20"),
            ("snaps", "40", "10"),
            ("net_delayUp", "20", "20"),
            ("net_delay", "20", "20"),
        ],
        bots: 3,
        walks: true,
    },
    Experiment {
        title: "Others: shown late or guessed",
        try_this: "Watch the others and the white boxes, where the server has them now. Then give B some smoothing, and try \
            timeNudge on A.",
        one_sees: "A shows where the others were: always true, always late. B carries them on from their last known motion by \
            the measured delay: on straight ways they stand in their boxes, at each turn they shoot past it and are pulled \
            back. The figures say how old and how far off each is.",
        settings: &[
            ("cg_predictOthers", "0", "1"),
            ("net_delayUp", "75", "75"),
            ("net_delay", "75", "75"),
        ],
        bots: 3,
        walks: false,
    },
    Experiment {
        title: "Where must one aim?",
        try_this: "Shoot at somebody who runs across, with the machine gun, aiming straight at the picture. Then aim ahead, \
            at the white box.",
        one_sees: "A's server keeps where everybody was and looks there for what the shooter saw: aim at the picture. B's \
            server knows only its own now: the picture is 150 ms old, and one must lead the target by that. The price of A: \
            who is hit may already be behind the corner.",
        settings: &[
            ("g_unlagged", "1", "0"),
            ("net_delayUp", "75", "75"),
            ("net_delay", "75", "75"),
        ],
        bots: 2,
        walks: false,
    },
    Experiment {
        title: "Why packetdup costs little",
        try_this: "A tenth of what goes up is lost. A sends each usercmd once, B repeats it in later packets, as often as the \
            loss needs. Set B to 0, 1, 2, 5 and read bytes and lost usercmds. F10 shows A's messages.",
        one_sees: "On A red ticks remain: usercmds that never arrived. The server moves the player without them, and A is \
            pulled back: mispredictions. On B a packet may be lost, its usercmds come with the next. A usercmd that does \
            not differ from the one before costs a few bits, so two repeats cost a few bytes in a packet of some forty.",
        settings: &[
            ("cl_packetdup", "0", "auto"),
            ("net_lossUp", "10", "10"),
            ("net_delayUp", "40", "40"),
            ("net_delay", "40", "40"),
            ("cg_thirdPerson", "1", "1"),
        ],
        bots: 0,
        walks: true,
    },
];

impl Experiment {
    /// Where the sliders of both sides stand at its beginning.
    pub fn places(&self) -> [Vec<usize>; 2] {
        let mut places = [0, 1].map(|_| {
            let rows = ROWS.iter();
            rows.map(|row| row.place(row.default).unwrap_or(0))
                .collect::<Vec<_>>()
        });
        for (cvar, a, b) in self.settings {
            let Some(row) = find(cvar) else { continue };
            for (side, value) in [a, b].into_iter().enumerate() {
                places[side][row] = ROWS[row].place(value).unwrap_or(places[side][row]);
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::con::{cvar::Cvars, cvars};
    use crate::lab::rows::RowTarget;

    #[test]
    fn every_row_has_a_cvar_that_takes_its_values() {
        let known = Cvars::new(cvars::TABLE);
        for row in ROWS {
            assert!(row.place(row.default).is_some(), "{}", row.label);
            match row.set_on {
                RowTarget::Client => {
                    let cvar = known.get(row.cvar).expect(row.cvar);
                    for value in row.values.all {
                        let mut cvars = known.clone();
                        cvars.force(row.cvar, value);
                        assert_eq!(cvars.text(row.cvar), *value, "{}", cvar.name());
                    }
                }
                RowTarget::Server => {
                    let mut all = server::cvars::CVARS.iter();
                    assert!(all.any(|def| def.name == row.cvar), "{}", row.cvar);
                }
            }
        }
    }

    #[test]
    fn experiments_name_rows_and_values_that_there_are() {
        assert_eq!(EXPERIMENTS.len(), 6);
        for experiment in EXPERIMENTS {
            for (cvar, a, b) in experiment.settings {
                let row = &ROWS[find(cvar).expect(cvar)];
                assert!(
                    row.place(a).is_some() && row.place(b).is_some(),
                    "{cvar} {a} {b}"
                );
            }
            let [a, b] = experiment.places();
            assert_ne!(a, b, "{}: the sides differ in something", experiment.title);
            assert!(
                experiment.try_this.len() < 320 && experiment.one_sees.len() < 480,
                "{}",
                experiment.title
            );
        }
    }
}
