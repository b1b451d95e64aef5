//! Whole conversations: what one end writes, the other reads, whatever is lost between them.

use crate::wire_states::usercmd;
use proptest::prelude::*;
use shared::{
    base::{rng::Rng, time::ServerTime},
    net::{
        clc::{self, ClientMessage, MoveKey, Movement},
        fields::{self, DeltaState, FieldKind},
        protocol::WireForm::Modern,
        svc::{Command, Decoder, Download, Origin, ServerOp, Writer},
    },
    types::{
        entitystate::EntityState, gamestate::Gamestate, playerstate::PlayerState,
        snapshot::Snapshot,
    },
};
use std::collections::HashMap;

/// Changes some fields to values that the wire can carry.
fn change<S: DeltaState>(rng: &mut Rng, state: &mut S) {
    for _ in 0..rng.below(8) {
        let index = rng.below(S::FIELDS.len());
        let any = rng.next_u64() as u32;
        let word = match (S::FIELDS[index], rng.below(3)) {
            (_, 0) => 0,
            (FieldKind::Float, 1) => (rng.below(10_000) as f32 - 5000.0).to_bits(),
            (FieldKind::Float, _) => f32::from_bits(any & 0x7F7F_FFFF).to_bits(),
            (FieldKind::Unsigned(bits), _) => any >> (32 - bits),
            (FieldKind::Signed(bits), _) => (any as i32 >> (32 - bits)) as u32,
        };
        state.set_field(index, word);
    }
}

fn change_player(rng: &mut Rng, player: &mut PlayerState) {
    change(rng, player);
    for (kind, array) in fields::ARRAYS.iter().zip(fields::arrays_mut(player)) {
        let any = rng.next_u64();
        array[rng.below(16)] = if kind.bits == 16 {
            i32::from(any as i16)
        } else {
            any as i32
        };
    }
}

fn text(rng: &mut Rng, length: usize) -> String {
    (0..rng.below(length))
        .map(|_| char::from(b' ' + rng.below(95) as u8))
        .map(|c| if c == '%' { '.' } else { c })
        .collect()
}

fn gamestate(rng: &mut Rng, server_command_num: i32) -> Gamestate {
    let mut gamestate = Gamestate {
        server_command_num,
        client_num: rng.below(64) as i32,
        checksum_feed: rng.next_u64() as i32,
        ..Gamestate::default()
    };
    for _ in 0..rng.below(30) {
        let (index, text) = (rng.below(1024), text(rng, 200));
        gamestate.configstrings.set(index, &text).expect("it fits");
    }
    for number in 1..1023 {
        if rng.below(20) == 0 {
            let mut baseline = EntityState {
                number,
                ..EntityState::default()
            };
            change(rng, &mut baseline);
            gamestate.baselines.push(baseline);
        }
    }
    gamestate
}

/// The world one step later: some entities gone, some new, some changed.
fn next_snapshot(rng: &mut Rng, before: &Snapshot, gamestate: &Gamestate) -> Snapshot {
    let mut next = Snapshot {
        message_num: before.message_num + 1,
        server_time: before.server_time + 50,
        flags: rng.below(8) as u8,
        area_len: rng.below(33) as u8,
        ..before.clone()
    };
    next.area_mask = std::array::from_fn(|at| {
        if at < usize::from(next.area_len) {
            rng.next_u64() as u8
        } else {
            0
        }
    });
    change_player(rng, &mut next.player);
    let mut entities = before.entities.to_vec();
    entities.retain(|_| rng.below(20) != 0);
    for _ in 0..rng.below(6) {
        let number = rng.below(1023) as u16;
        let known = entities.binary_search_by_key(&number, |entity| entity.number);
        if let Err(place) = known {
            entities.insert(place, gamestate.baseline(number));
        }
    }
    for entity in &mut entities {
        if rng.below(3) == 0 {
            change(rng, entity);
        }
    }
    next.entities = entities.into();
    next
}

/// A server that knows what arrived, tells snapshots against it, and repeats commands until then.
fn check_conversation(seed: u64) {
    let rng = &mut Rng::new(seed);
    let mut decoder = Decoder::new(Origin::Connection(Modern));
    let mut commands: Vec<Command> = Vec::new();
    let level = gamestate(rng, 0);
    let mut writer = Writer::new(3);
    writer.nop();
    writer.gamestate(&level);
    let bytes = writer.finish().expect("it fits");
    let message = decoder.read(1, &bytes, 3).expect("what was written");
    assert_eq!(message.ops[..], [ServerOp::Gamestate(level.clone().into())]);
    let mut sent: HashMap<i32, Snapshot> = HashMap::new();
    let mut now = Snapshot {
        message_num: 1,
        server_time: ServerTime(rng.next_u64() as i32),
        ..Snapshot::default()
    };
    let (mut acknowledged, mut acknowledged_command) = (None, 0);
    for _ in 0..60 {
        now = next_snapshot(rng, &now, &level);
        if rng.below(4) == 0 {
            let number = commands.len() as i32 + 1;
            commands.push(Command {
                number,
                text: text(rng, 300),
            });
        }
        let base_num =
            acknowledged.filter(|base| now.message_num - base <= 28 && rng.below(5) != 0);
        now.delta_num = base_num;
        now.server_command_num = commands.len() as i32;
        sent.insert(now.message_num, now.clone());
        let mut writer = Writer::new(3);
        for command in &commands[acknowledged_command..] {
            writer.command(command.number, &command.text);
        }
        let base = base_num.map(|number| &sent[&number]);
        writer.snapshot(&now, base, &level);
        let bytes = writer.finish().expect("it fits");
        if rng.below(5) == 0 {
            continue;
        }
        let message = decoder
            .read(now.message_num, &bytes, 3)
            .expect("what was written");
        let news = commands[acknowledged_command..]
            .iter()
            .cloned()
            .map(ServerOp::Command);
        let expected: Vec<_> = news
            .chain([ServerOp::Snapshot(now.clone().into())])
            .collect();
        assert_eq!(message.ops[..], expected, "seed {seed}");
        assert_eq!(decoder.newest_command(), commands.len() as i32);
        (acknowledged, acknowledged_command) = (Some(now.message_num), commands.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn conversations_arrive(seed in any::<u64>()) {
        check_conversation(seed);
    }

    #[test]
    fn client_messages_arrive(
        ids in any::<[i32; 3]>(),
        texts in prop::collection::vec("[ -$&-~]{0,200}", 0..8),
        usercmds in prop::collection::vec(usercmd(), 0..=32),
        allows_delta in any::<bool>(),
        feed in any::<i32>(),
        key_text in "[ -$&-~]{0,60}",
    ) {
        let numbered = (1..).zip(texts).map(|(number, text)| Command { number, text });
        let message = ClientMessage {
            server_id: ids[0],
            message_ack: ids[1],
            command_ack: ids[2],
            commands: numbered.collect(),
            movement: Movement { allows_delta: allows_delta && !usercmds.is_empty(), usercmds },
        };
        let key = MoveKey { checksum_feed: feed, server_command: &key_text };
        let bytes = clc::write(&message, key).expect("it fits");
        prop_assert_eq!(clc::read(&bytes, feed, |_| &key_text), Ok(message));
    }

    #[test]
    fn downloads_arrive(expected in 0_i32..200_000, ahead in -100_i32..100, data in prop::collection::vec(any::<u8>(), 0..1024)) {
        let number = (expected + ahead).max(0);
        let size = (number == 0).then_some(12_345);
        let download = Download::Block { number, size, data };
        let mut writer = Writer::new(0);
        writer.download(&download);
        let mut decoder = Decoder::new(Origin::Connection(Modern));
        decoder.expect_block(expected);
        let message = decoder.read(1, &writer.finish().expect("it fits"), 0).expect("what was written");
        prop_assert_eq!(message.ops.into_vec(), vec![ServerOp::Download(download)]);
    }
}
