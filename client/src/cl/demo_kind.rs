//! Which game's protocol a demo speaks, by its content and by its name.

use shared::{
    base::{bits::BitReader, info::Info},
    net::{
        demo::Walk,
        protocol,
        svc::{Decoder, Origin, ServerOp},
    },
    types::configstring::index,
};

/// Protocols whose demos look alike from outside and cannot be read here.
const FOREIGN: [(i32, &str); 8] = [
    (43, "Quake III Arena 1.11 to 1.15"),
    (45, "Quake III Arena 1.16"),
    (46, "Quake III Arena 1.16"),
    (47, "Quake III Arena 1.17"),
    (48, "Quake III Arena 1.17"),
    (73, "Quake Live"),
    (90, "Quake Live"),
    (91, "Quake Live"),
];

/// Why this demo cannot be played, if it speaks a protocol that is not read here. What it says itself counts more than
/// its name.
pub fn refusal(name: &str, bytes: &[u8]) -> Option<String> {
    let stated = stated_protocol(bytes);
    let number = stated.or_else(|| of_name(name))?;
    let known: Vec<String> = protocol::PROTOCOLS
        .iter()
        .map(|row| row.number.to_string())
        .collect();
    let known = known.join(", ");
    if let Some((_, game)) = FOREIGN.iter().find(|(foreign, _)| *foreign == number) {
        return Some(format!(
            "This is a demo of {game}, protocol {number}. Demos of the protocols {known} can be played."
        ));
    }
    // Mods of the known protocols may call theirs as they like; such a demo is tried.
    let is_named_otherwise = stated.is_none() && protocol::find(number).is_none() && number != 69;
    is_named_otherwise.then(|| {
        format!(
            "This is a demo of protocol {number}. Demos of the protocols {known} can be played."
        )
    })
}

/// The protocol that the demo's own gamestate names.
fn stated_protocol(bytes: &[u8]) -> Option<i32> {
    let record = Walk::default().next(bytes)?;
    let read = Decoder::new(Origin::Demo).read(record.sequence, record.message, i32::MAX);
    let serverinfo = match read {
        Ok(message) => message.ops.iter().find_map(|op| match op {
            ServerOp::Gamestate(gamestate) => {
                Some(gamestate.configstrings.get(index::SERVERINFO).to_owned())
            }
            _ => None,
        })?,
        // Other protocols have other fields, so reading breaks off; the first configstrings are the same in all.
        Err(_) => first_configstring(record.message)?,
    };
    let number = Info::parse(&serverinfo).number("protocol");
    (number != 0).then_some(number)
}

/// The text of configstring 0, where a message begins with a gamestate.
fn first_configstring(message: &[u8]) -> Option<String> {
    const GAMESTATE: u8 = 2;
    const CONFIGSTRING: u8 = 3;
    const MAX_TEXT: usize = 8191;
    let mut reader = BitReader::new("demo", message);
    let _acknowledged = reader.i32().ok()?;
    // Texts of the server may come first.
    let is_gamestate = reader.u8().ok()? == GAMESTATE;
    let _command = reader.i32().ok()?;
    let is_first = reader.u8().ok()? == CONFIGSTRING && reader.u16().ok()? == 0;
    if is_gamestate && is_first {
        reader.string(MAX_TEXT).ok()
    } else {
        None
    }
}

/// The number behind `.dm_` at the end of a file's name.
fn of_name(name: &str) -> Option<i32> {
    let (_, number) = name.rsplit_once(".dm_")?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        net::{
            demo::{END_MARK, write_record},
            svc::Writer,
        },
        types::gamestate::Gamestate,
    };

    /// A demo whose gamestate names this protocol; another game's goes on with fields that are not known here.
    fn demo_of(protocol: i32, is_readable: bool) -> Vec<u8> {
        let mut gamestate = Gamestate::default();
        let info = format!("\\protocol\\{protocol}\\mapname\\campgrounds");
        gamestate
            .configstrings
            .set(index::SERVERINFO, &info)
            .expect("it is short");
        let mut writer = Writer::new(0);
        writer.gamestate(&gamestate);
        let mut message = writer.finish().expect("it is short");
        if !is_readable {
            message.truncate(message.len() - 4);
            message.extend([0xAA; 40]);
        }
        [&write_record(1, &message)[..], &END_MARK].concat()
    }

    #[test]
    fn content_counts_more_than_the_name() {
        for is_readable in [true, false] {
            for protocol in [73, 90, 91] {
                let told = refusal("duel.dm_68", &demo_of(protocol, is_readable));
                let words = format!("Quake Live, protocol {protocol}.");
                assert!(told.is_some_and(|told| told.contains(&words)), "{protocol}");
            }
        }
        assert_eq!(refusal("renamed.dm_73", &demo_of(68, true)), None);
        assert_eq!(refusal("mod.dm_68", &demo_of(84, true)), None);
    }

    #[test]
    fn names_tell_the_protocol_where_the_content_does_not() {
        let check = |name: &str, expected: Option<&str>| {
            let told = refusal(name, b"");
            match expected {
                Some(words) => assert!(told.is_some_and(|told| told.contains(words)), "{name}"),
                None => assert_eq!(told, None, "{name}"),
            }
        };
        check("duel.dm_73", Some("Quake Live, protocol 73"));
        check("duel.dm_90", Some("Quake Live, protocol 90"));
        check("duel.dm_91", Some("Quake Live, protocol 91"));
        check("old.dm_48", Some("Quake III Arena 1.17, protocol 48"));
        check("odd.dm_25", Some("protocol 25"));
        for name in [
            "a.dm_66", "a.dm_67", "a.dm_68", "a.dm_69", "a.dm_70", "a.dm_71", "a",
        ] {
            check(name, None);
        }
    }
}
