//! Protocol numbers and the two wire forms, and all that differs between them.

/// How sequenced datagrams look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WireForm {
    /// No checksum; messages are scrambled. Protocol 68, and OpenArena under the number 71.
    Legacy,
    /// A checksum in each datagram, messages in clear, voice possible.
    Modern,
}

/// What is known of a protocol number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// As in `connect` and in queries.
    pub number: i32,
    /// Whether one can connect with it; the others exist in demos only.
    pub is_playable: bool,
    /// `None`: the first datagram of the server tells.
    pub wire: Option<WireForm>,
    /// Whether voice can stand in its demos.
    pub has_voice: bool,
    /// Who speaks it.
    pub products: &'static str,
}

/// All known protocols. Field tables and messages are the same for all.
pub const PROTOCOLS: [Protocol; 5] = [
    Protocol {
        number: 66,
        is_playable: false,
        wire: Some(WireForm::Legacy),
        has_voice: false,
        products: "Quake III Arena 1.29 to 1.30",
    },
    Protocol {
        number: 67,
        is_playable: false,
        wire: Some(WireForm::Legacy),
        has_voice: false,
        products: "Quake III Arena 1.31",
    },
    Protocol {
        number: 68,
        is_playable: true,
        wire: Some(WireForm::Legacy),
        has_voice: false,
        products: "Quake III Arena 1.32, ioquake3, Quake3e",
    },
    Protocol {
        number: 70,
        is_playable: false,
        wire: Some(WireForm::Legacy),
        has_voice: false,
        products: "OpenArena 0.8.1 to 0.8.5",
    },
    Protocol {
        number: 71,
        is_playable: true,
        wire: None,
        has_voice: true,
        products: "OpenArena 0.8.8, ioquake3, Quake3e",
    },
];

/// The number of the classic game, which servers speak unless they say otherwise.
pub const CLASSIC: i32 = 68;
/// The number of ioquake3, Quake3e and OpenArena 0.8.8.
pub const CURRENT: i32 = 71;

/// What "getchallenge" names as the game, for OpenArena as well.
pub const GAMENAME: &str = "Quake3Arena";

/// UDP port of servers.
pub const PORT_SERVER: u16 = 27960;
/// UDP port of masters.
pub const PORT_MASTER: u16 = 27950;

/// The row of a protocol number.
pub fn find(number: i32) -> Option<&'static Protocol> {
    PROTOCOLS.iter().find(|protocol| protocol.number == number)
}

impl WireForm {
    /// The form, as far as the numbers of the handshake tell it: `connected_with` is what the
    /// client's userinfo said, `answered` the second argument of connectResponse.
    pub fn from_handshake(connected_with: i32, answered: Option<i32>) -> Option<Self> {
        if connected_with <= CLASSIC {
            return Some(Self::Legacy);
        }
        answered.map(|number| {
            if number > CLASSIC {
                Self::Modern
            } else {
                Self::Legacy
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handshake_often_tells_the_form() {
        assert_eq!(WireForm::from_handshake(68, None), Some(WireForm::Legacy));
        assert_eq!(
            WireForm::from_handshake(71, Some(71)),
            Some(WireForm::Modern)
        );
        assert_eq!(
            WireForm::from_handshake(71, Some(68)),
            Some(WireForm::Legacy)
        );
        assert_eq!(WireForm::from_handshake(71, None), None);
    }

    #[test]
    fn numbers_lead_to_rows() {
        assert!(find(71).is_some_and(|protocol| protocol.wire.is_none()));
        assert_eq!(find(69), None);
    }
}
