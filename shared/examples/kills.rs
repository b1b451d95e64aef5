//! Who killed whom how often in a demo, in sixty lines: `cargo run -p shared --example kills -- FILE`

use shared::{
    base::info::Info,
    bg::numbers::{entity_type, event},
    net::{
        demo::Records,
        svc::{Decoder, Origin},
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
};

/// Where the configstrings of the players begin.
const PLAYERS: usize = 544;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::fs::read(std::env::args().nth(1).ok_or("kills FILE")?)?;
    let mut decoder = Decoder::new(Origin::Demo);
    let mut kills = BTreeMap::new();
    // An event stays in several snapshots.
    let mut before = BTreeSet::new();
    for record in Records::new(&file) {
        // What is damaged is left out.
        let Ok(message) = decoder.read_in_place(record.sequence, record.message, 0) else {
            continue;
        };
        let Some(snapshot) = message.snapshot() else {
            continue;
        };
        let is_kill = |e_type: i32| e_type - entity_type::EVENTS == event::OBITUARY;
        let deaths = snapshot
            .entities
            .iter()
            .filter(|entity| is_kill(entity.e_type));
        let now: BTreeSet<_> = deaths
            .map(|death| {
                (
                    death.number,
                    death.other_entity_num2,
                    death.other_entity_num,
                )
            })
            .collect();
        for (_, killer, victim) in now.difference(&before) {
            *kills.entry((*killer, *victim)).or_insert(0) += 1;
        }
        before = now;
    }
    let strings = &decoder.gamestate().configstrings;
    let name = |client: i32| match usize::try_from(client) {
        Ok(number @ 0..64) => Info::parse(strings.get(PLAYERS + number))
            .get("n")
            .to_owned(),
        _ => "the world".to_owned(),
    };
    for ((killer, victim), count) in kills {
        println!("{count:4}  {} killed {}", name(killer), name(victim));
    }
    Ok(())
}
