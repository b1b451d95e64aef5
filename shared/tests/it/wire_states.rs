//! Differences of states and usercmds: vectors, tables, and that what is written reads back.

use crate::{
    data::{file, hex, int, vector, vectors},
    wire_captures::usercmd_facts,
};
use proptest::prelude::*;
use serde_json::Value;
use shared::{
    base::{
        bits::{BitReader, BitWriter},
        time::ServerTime,
    },
    net::{
        delta::{self, Presence},
        fields::{self, DeltaState, FieldKind},
    },
    types::{entitystate::EntityState, playerstate::PlayerState, usercmd::Usercmd},
};

fn read_entity(
    reader: &mut BitReader<'_>,
    base: impl Fn(u16) -> EntityState,
) -> Option<EntityState> {
    let mut entity = base(reader.take_bits(10) as u16);
    match delta::read_entity(reader, &mut entity).expect("a good difference") {
        Presence::Present => Some(entity),
        Presence::Removed => None,
    }
}

fn zero(number: u16) -> EntityState {
    EntityState {
        number,
        ..EntityState::default()
    }
}

fn vector_entity() -> EntityState {
    let mut entity = EntityState {
        number: 97,
        e_type: 2,
        model_index: 18,
        ..EntityState::default()
    };
    entity.origin = glam::vec3(-64.0, 512.0, 24.125);
    entity.pos.base = entity.origin;
    entity
}

fn check_bits(writer: BitWriter, vector: &Value, key: &str) {
    assert_eq!(writer.bit_len() as i64, int(&vector["bits"]), "{key}");
    assert_eq!(writer.finish(), hex(&vector["hex"]), "{key}");
}

#[test]
fn entities_match_the_vectors() {
    let baseline = vector("entity_baseline");
    let mut writer = BitWriter::new();
    delta::write_entity(&mut writer, &zero(97), &vector_entity(), true);
    check_bits(writer, &baseline, "entity_baseline");
    let bytes = hex(&baseline["hex"]);
    let read = read_entity(&mut BitReader::new("vector", &bytes), zero);
    assert_eq!(read, Some(vector_entity()));

    let list = vector("entity_list");
    let mut changed = vector_entity();
    changed.pos.base.x = 0.0;
    (changed.e_flags, changed.event, changed.solid) = (0x40080, 0x305, 0x20181F);
    let mut writer = BitWriter::new();
    delta::write_entity(&mut writer, &vector_entity(), &changed, false);
    delta::write_entity(&mut writer, &zero(98), &zero(98), true);
    delta::write_removed_entity(&mut writer, 99);
    delta::write_entity_number(&mut writer, 1023);
    check_bits(writer, &list, "entity_list");
    let bytes = hex(&list["hex"]);
    let mut reader = BitReader::new("vector", &bytes);
    let base = |number| {
        if number == 97 {
            vector_entity()
        } else {
            zero(number)
        }
    };
    let read: Vec<_> = (0..3).map(|_| read_entity(&mut reader, base)).collect();
    assert_eq!(read, [Some(changed), Some(zero(98)), None]);
    assert_eq!(reader.bits(10), Ok(1023));
}

#[test]
fn a_player_matches_the_vector() {
    let vector = vector("playerstate_full");
    let mut player = PlayerState {
        command_time: 123_456,
        weapon_time: -250,
        view_height: 26,
        ground_entity_num: 1022,
        pm_flags: 65,
        weapon: 5,
        speed: 320,
        gravity: 800,
        ..PlayerState::default()
    };
    (player.origin.x, player.origin.y, player.view_angles.y) = (100.0, -5000.5, -0.0);
    player.delta_angles[1] = -300;
    (player.stats[0], player.stats[2]) = (125, -3);
    (player.persistant[0], player.ammo[2], player.powerups[1]) = (-1, 100, i32::MAX);
    let mut writer = BitWriter::new();
    delta::write_player(&mut writer, &PlayerState::default(), &player);
    check_bits(writer, &vector, "playerstate_full");
    let mut read = PlayerState::default();
    let bytes = hex(&vector["hex"]);
    delta::read_player(&mut BitReader::new("vector", &bytes), &mut read).expect("a good vector");
    assert!(read.view_angles.y.is_sign_positive());
    player.delta_angles[1] = 65_236;
    assert_eq!(read, player);
}

/// Single floats, as the fields that come first after a time: origin of a player, base of an entity.
#[test]
fn floats_match_the_vectors() {
    for (key, vector) in vectors("float_") {
        let value = vector["value"].as_f64().expect("a number") as f32;
        // A base that differs from all the values, and one field before it that does not.
        let (mut old, mut new) = (zero(1), zero(1));
        (old.pos.base.x, new.pos.base.x) = (f32::MAX, value);
        let mut writer = BitWriter::new();
        delta::write_entity(&mut writer, &old, &new, false);
        // Number 10 bits as 2 + 3 …: all but the float is what an int in its place would have, too.
        let head = head_bits(|writer| {
            delta::write_entity_number(writer, 1);
            writer.bits(0b10, 2);
            writer.u8(2);
            writer.bits(0b10, 2);
        });
        assert_eq!(
            writer.bit_len() - head,
            int(&vector["entity_field_bits"]) as usize,
            "{key}"
        );

        let (mut old, mut new) = (PlayerState::default(), PlayerState::default());
        (old.origin.x, new.origin.x) = (f32::MAX, value);
        let mut writer = BitWriter::new();
        delta::write_player(&mut writer, &old, &new);
        let head = head_bits(|writer| {
            writer.u8(2);
            writer.bits(0b10, 2);
            writer.flag(false);
        });
        assert_eq!(
            writer.bit_len() - head,
            int(&vector["playerstate_field_bits"]) as usize,
            "{key}"
        );
        let bytes = writer.finish();
        delta::read_player(&mut BitReader::new("vector", &bytes), &mut old)
            .expect("what was written");
        assert_eq!(old, new, "{key}");
    }
}

fn head_bits(write: impl Fn(&mut BitWriter)) -> usize {
    let mut writer = BitWriter::new();
    write(&mut writer);
    writer.bit_len()
}

#[test]
fn floats_beyond_all_integers_are_written() {
    for value in [
        2_147_483_648.0,
        -2_147_483_648.0,
        f32::MAX,
        f32::INFINITY,
        4095.5,
        4096.0,
    ] {
        let mut new = PlayerState::default();
        new.origin.x = value;
        let mut writer = BitWriter::new();
        delta::write_player(&mut writer, &PlayerState::default(), &new);
        let bytes = writer.finish();
        let mut read = PlayerState::default();
        delta::read_player(&mut BitReader::new("player", &bytes), &mut read)
            .expect("what was written");
        assert_eq!(read.origin.x, value);
    }
}

#[test]
fn usercmds_match_the_vector() {
    let vector = vector("usercmds");
    let command = vector["last_server_command"]
        .as_str()
        .expect("a text")
        .as_bytes();
    let (feed, ack) = (
        int(&vector["checksum_feed"]) as i32,
        int(&vector["message_ack"]) as i32,
    );
    let key = delta::usercmd_key(feed, ack, command);
    assert_eq!(i64::from(key), int(&vector["key_u32"]));
    let bytes = hex(&vector["hex"]);
    let mut reader = BitReader::new("vector", &bytes);
    let (mut before, mut writer) = (Usercmd::default(), BitWriter::new());
    for expected in vector["cmds"].as_array().expect("a list") {
        let usercmd = delta::read_usercmd(&mut reader, key, &before).expect("a good vector");
        assert_eq!(usercmd_facts(&usercmd), *expected);
        delta::write_usercmd(&mut writer, key, &before, &usercmd);
        before = usercmd;
    }
    check_bits(writer, &vector, "usercmds");
}

#[test]
fn tables_match_those_of_the_protocol() {
    let check = |name: &str, known: &[FieldKind]| {
        let table = String::from_utf8(file(&format!("wire/{name}.csv"))).expect("plain text");
        let kinds = table.lines().skip(1).map(|line| {
            match line
                .split(',')
                .nth(2)
                .and_then(|bits| bits.parse().ok())
                .expect("a width")
            {
                0 => FieldKind::Float,
                bits @ 1.. => FieldKind::Unsigned(bits as u32),
                bits => FieldKind::Signed(i32::unsigned_abs(bits)),
            }
        });
        assert_eq!(kinds.collect::<Vec<_>>(), known, "{name}");
    };
    check("entity_state_fields", EntityState::FIELDS);
    check("player_state_fields", PlayerState::FIELDS);
}

/// Each field of a table is its own place.
#[test]
fn fields_do_not_overlap() {
    fn check<S: DeltaState + Default>() {
        let count = S::FIELDS.len();
        let mut state = S::default();
        (0..count).for_each(|index| state.set_field(index, index as u32 + 1));
        state.set_field(count, 7);
        assert!((0..count).all(|index| state.field(index) == index as u32 + 1));
        assert_eq!(state.field(count), 0);
    }
    check::<EntityState>();
    check::<PlayerState>();
}

#[test]
fn too_many_fields_are_an_error() {
    let mut writer = BitWriter::new();
    delta::write_entity_number(&mut writer, 5);
    writer.bits(0b10, 2);
    writer.u8(52);
    let bytes = writer.finish();
    let mut reader = BitReader::new("message", &bytes);
    let number = reader.take_bits(10) as u16;
    let error = delta::read_entity(&mut reader, &mut zero(number)).expect_err("52 fields");
    assert!(
        error.to_string().contains("52 fields where 51 are known"),
        "{error}"
    );
    let mut writer = BitWriter::new();
    writer.u8(49);
    let bytes = writer.finish();
    let read = delta::read_player(
        &mut BitReader::new("message", &bytes),
        &mut PlayerState::default(),
    );
    assert!(read.is_err());
}

/// A value that the wire can carry in a field of this kind: often zero, small or whole.
fn word(kind: FieldKind) -> BoxedStrategy<u32> {
    match kind {
        FieldKind::Float => prop_oneof![
            Just(0),
            (-5000_i32..5000).prop_map(|whole| (whole as f32).to_bits()),
            // Minus zero alone does not arrive as it was.
            any::<u32>().prop_filter("minus zero", |&word| word != 1 << 31),
        ]
        .boxed(),
        FieldKind::Unsigned(bits) => prop_oneof![
            Just(0),
            any::<u32>().prop_map(move |word| word >> (32 - bits))
        ]
        .boxed(),
        FieldKind::Signed(bits) => any::<i32>()
            .prop_map(move |word| (word >> (32 - bits)) as u32)
            .boxed(),
    }
}

fn state<S: DeltaState + Default + std::fmt::Debug + 'static>() -> impl Strategy<Value = S> {
    let words: Vec<_> = S::FIELDS
        .iter()
        .map(|&kind| prop_oneof![3 => Just(0).boxed(), 1 => word(kind)])
        .collect();
    words.prop_map(|words| {
        let mut state = S::default();
        words
            .into_iter()
            .enumerate()
            .for_each(|(index, word)| state.set_field(index, word));
        state
    })
}

fn words<S: DeltaState>(state: &S) -> Vec<u32> {
    (0..S::FIELDS.len())
        .map(|index| state.field(index))
        .collect()
}

fn player() -> impl Strategy<Value = PlayerState> {
    let element = prop_oneof![4 => Just(0), 1 => any::<i32>()];
    let arrays = prop::array::uniform4(prop::array::uniform16(element));
    (state::<PlayerState>(), arrays).prop_map(|(mut player, arrays)| {
        for ((kind, target), source) in fields::ARRAYS
            .iter()
            .zip(fields::arrays_mut(&mut player))
            .zip(arrays)
        {
            *target = source.map(|value| {
                if kind.bits == 16 {
                    i32::from(value as i16)
                } else {
                    value
                }
            });
        }
        player
    })
}

pub fn usercmd() -> impl Strategy<Value = Usercmd> {
    let speed = -127_i8..=127;
    let moves = (speed.clone(), speed.clone(), speed);
    let time = prop_oneof![Just(0), 0..600_i32, any::<i32>()];
    (time, any::<[u16; 3]>(), moves, any::<u16>(), any::<u8>()).prop_map(
        |(time, angles, (forward_move, right_move, up_move), buttons, weapon)| Usercmd {
            server_time: ServerTime(time),
            angles,
            forward_move,
            right_move,
            up_move,
            buttons,
            weapon,
        },
    )
}

proptest! {
    #[test]
    fn entities_read_back(mut old in state::<EntityState>(), mut new in state::<EntityState>(), number in 0_u16..1023) {
        (old.number, new.number) = (number, number);
        let mut writer = BitWriter::new();
        delta::write_entity(&mut writer, &old, &new, true);
        let bits = writer.bit_len();
        let bytes = writer.finish();
        let mut reader = BitReader::new("entity", &bytes);
        let read = read_entity(&mut reader, |_| old).expect("it is there");
        prop_assert_eq!(words(&read), words(&new));
        prop_assert_eq!((read.number, reader.at()), (number, bits));
    }

    #[test]
    fn players_read_back(old in player(), new in player()) {
        let mut writer = BitWriter::new();
        delta::write_player(&mut writer, &old, &new);
        let bits = writer.bit_len();
        let bytes = writer.finish();
        let mut reader = BitReader::new("player", &bytes);
        let mut read = old;
        delta::read_player(&mut reader, &mut read).expect("what was written");
        prop_assert_eq!(words(&read), words(&new));
        prop_assert_eq!(fields::arrays(&read), fields::arrays(&new));
        prop_assert_eq!(reader.at(), bits);
    }

    #[test]
    fn usercmds_read_back(usercmds in prop::collection::vec(usercmd(), 1..32), key in any::<u32>()) {
        let (mut writer, mut before) = (BitWriter::new(), Usercmd::default());
        for usercmd in &usercmds {
            delta::write_usercmd(&mut writer, key, &before, usercmd);
            before = *usercmd;
        }
        let bytes = writer.finish();
        let (mut reader, mut before) = (BitReader::new("usercmds", &bytes), Usercmd::default());
        for usercmd in &usercmds {
            before = delta::read_usercmd(&mut reader, key, &before).expect("what was written");
            prop_assert_eq!(before, *usercmd);
        }
    }
}

#[test]
fn a_move_of_minus_128_is_no_faster() {
    let fast = Usercmd {
        forward_move: -128,
        ..Usercmd::default()
    };
    let mut writer = BitWriter::new();
    delta::write_usercmd(&mut writer, 0, &Usercmd::default(), &fast);
    let bytes = writer.finish();
    let mut reader = BitReader::new("usercmd", &bytes);
    let read = delta::read_usercmd(&mut reader, 0, &Usercmd::default()).expect("what was written");
    assert_eq!(read.forward_move, -127);
    // Nor if a cheater writes it by hand.
    let mut writer = BitWriter::new();
    writer.flag(true);
    writer.u8(0);
    for differs in [true, false, false, false, true] {
        writer.flag(differs);
    }
    writer.bits(128, 8);
    (0..4).for_each(|_| writer.flag(false));
    let bytes = writer.finish();
    let mut reader = BitReader::new("usercmd", &bytes);
    let read = delta::read_usercmd(&mut reader, 0, &Usercmd::default()).expect("a good usercmd");
    assert_eq!(read.forward_move, -127);
}
