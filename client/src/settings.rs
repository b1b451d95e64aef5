//! Cvars to the plain settings of input and connection, so that these know no cvars.

use crate::{
    assets::{AssetSettings, image::TextureLimits},
    cl::{
        self,
        input::{InputSettings, MouseAccelStyle, PadAxis, PadSettings},
        playback::Pace,
    },
    con::cvar::{Cvars, flag},
    output::OwnAddress,
};
use core::net::IpAddr;
use md5::{Digest, Md5};
use shared::base::info::Info;

/// How assets are prepared.
pub fn assets() -> AssetSettings {
    AssetSettings {
        textures: TextureLimits {
            round_down: true,
            max_size: MAX_TEXTURE_SIZE,
            max_bytes: u64::MAX,
        },
        keep_details: true,
    }
}

/// Every device can do this; the paks hold nothing larger.
const MAX_TEXTURE_SIZE: u32 = 2048;

/// What building usercmds needs to know of the cvars.
pub fn input(cvars: &Cvars) -> InputSettings {
    let number = |name| cvars.number(name);
    let axis = |name, factor| PadAxis {
        number: cvars.integer(name).clamp(0, 15) as u8,
        factor: cvars.number(factor),
    };
    InputSettings {
        sensitivity: number("sensitivity"),
        mouse_accel: number("cl_mouseAccel"),
        mouse_accel_style: match cvars.is_on("cl_mouseAccelStyle") {
            true => MouseAccelStyle::Power {
                offset: number("cl_mouseAccelOffset"),
            },
            false => MouseAccelStyle::Linear,
        },
        m_pitch: number("m_pitch"),
        m_yaw: number("m_yaw"),
        m_forward: number("m_forward"),
        m_side: number("m_side"),
        filters_mouse: cvars.is_on("m_filter"),
        free_look: cvars.is_on("cl_freelook"),
        always_run: cvars.is_on("cl_run"),
        yaw_speed: number("cl_yawspeed"),
        pitch_speed: number("cl_pitchspeed"),
        angle_speed_key: number("cl_anglespeedkey"),
        pad: PadSettings {
            pitch: axis("j_pitch_axis", "j_pitch"),
            yaw: axis("j_yaw_axis", "j_yaw"),
            forward: axis("j_forward_axis", "j_forward"),
            side: axis("j_side_axis", "j_side"),
            up: axis("j_up_axis", "j_up"),
        },
        command_rate: cvars.integer("cl_commandRate"),
    }
}

/// Whether missing paks are fetched from the server itself; there is no other way than in the protocol.
pub fn may_fetch(cvars: &Cvars) -> bool {
    let wanted = cvars.integer("cl_allowDownload");
    wanted & 1 != 0 && wanted & 4 == 0
}

/// How time passes in a demo.
pub fn demo_pace(cvars: &Cvars) -> Pace {
    if cvars.is_on("cl_freezeDemo") {
        Pace::Paused
    } else if cvars.is_on("timedemo") {
        Pace::Timedemo
    } else {
        let nudge_msec = cvars.integer("cl_timeNudge");
        Pace::Clock { nudge_msec }
    }
}

/// What the connection needs to know of the cvars.
pub fn connection(cvars: &Cvars, server: &str) -> cl::Settings {
    let protocol = cvars.integer("protocol");
    cl::Settings {
        userinfo: userinfo(cvars, server).0,
        shows_time_delta: cvars.is_on("cl_showTimeDelta"),
        protocol: (protocol != 0).then_some(protocol),
        max_packets: cvars.integer("cl_maxpackets"),
        packet_dup: cvars.chosen_integer("cl_packetdup"),
        time_nudge_msec: cvars.integer("cl_timeNudge"),
        auto_nudge: cvars.number("cl_autoNudge"),
        timeout_msec: cvars.integer("cl_timeout") * 1000,
        no_delta: cvars.is_on("cl_nodelta"),
        sends_every_frame: cvars.is_on("cl_lanForcePackets")
            && !cvars.is_on("cl_far")
            && is_lan(server),
    }
}

/// Whether a server's address, as the player wrote it, is on this machine or network.
pub fn is_lan(server: &str) -> bool {
    let host = server.rsplit_once(':').map_or(server, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse() {
        Ok(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Ok(IpAddr::V6(ip)) => {
            ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
        }
        Err(_) => host.eq_ignore_ascii_case("localhost"),
    }
}

/// The userinfo that the server is told: every cvar marked for it that has a value.
///
/// A value that an info string cannot hold is left out; the names of those come back too.
pub fn userinfo(cvars: &Cvars, server: &str) -> (Info, Vec<String>) {
    let mut info = Info::new();
    let mut refused = Vec::new();
    for cvar in cvars.iter().filter(|cvar| cvar.has(flag::USERINFO)) {
        let value = match cvar.name() {
            "name" => with_clan(cvars, cvar.value()),
            "cl_guid" if cvars.is_on("cl_guidServerUniq") => guid_for(server, cvar.value()),
            _ => cvar.value().to_owned(),
        };
        if !value.is_empty() && info.set(cvar.name(), &value, MAX_USERINFO).is_err() {
            refused.push(cvar.name().to_owned());
        }
    }
    (info, refused)
}

/// Servers add a key of their own and allow 1023 characters in all.
const MAX_USERINFO: usize = 980;

/// A guid that one server cannot compare with another's.
fn guid_for(server: &str, guid: &str) -> String {
    let digest = Md5::new()
        .chain_update(server)
        .chain_update(guid)
        .finalize();
    digest.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn with_clan(cvars: &Cvars, name: &str) -> String {
    match (cvars.text("clan"), cvars.is_on("ui_clantagpos")) {
        ("", _) => name.to_owned(),
        (clan, true) => format!("{clan}^7 {name}"),
        (clan, false) => format!("{name}^7 {clan}"),
    }
}

/// From where a program speaks to servers.
pub fn own_address(cvars: &Cvars) -> OwnAddress {
    let families = cvars.integer("net_enabled");
    OwnAddress {
        ip: cvars.text("net_ip").to_owned(),
        port: cvars.integer("net_port") as u16,
        uses_ipv4: families & 1 != 0,
        uses_ipv6: families & 2 != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::con::cvars;

    #[test]
    fn lan_servers_are_known_by_their_address() {
        for near in [
            "127.0.0.1:27960",
            "localhost",
            "192.168.1.5",
            "[::1]:27960",
            "10.0.0.1:1",
        ] {
            assert!(is_lan(near), "{near}");
        }
        for far in ["8.8.8.8:27960", "dm.example.org", "172.40.0.1"] {
            assert!(!is_lan(far), "{far}");
        }
    }

    #[test]
    fn a_near_server_gets_a_packet_per_frame_unless_it_counts_as_far() {
        let mut cvars = Cvars::new(cvars::TABLE);
        let near = |cvars: &Cvars| connection(cvars, "127.0.0.1:27960").sends_every_frame;
        assert!(near(&cvars));
        assert!(!connection(&cvars, "dm.example.org").sends_every_frame);
        cvars.set("cl_far", "1").unwrap();
        assert!(!near(&cvars));
    }

    #[test]
    fn userinfo_holds_what_the_server_needs_and_nothing_dangerous() {
        let mut cvars = Cvars::new(cvars::TABLE);
        cvars.set("name", "Visor").unwrap();
        cvars.set("clan", "x").unwrap();
        cvars.set("model", "a\\b").unwrap();
        cvars.force("cl_guid", "00112233445566778899AABBCCDDEEFF");
        let (info, refused) = userinfo(&cvars, "dm.example.org");
        let (elsewhere, _) = userinfo(&cvars, "ctf.example.org");
        assert_eq!(info.get("cl_guid").len(), 32);
        assert_ne!(info.get("cl_guid"), elsewhere.get("cl_guid"));
        cvars.set("cl_guidServerUniq", "0").unwrap();
        let (same, _) = userinfo(&cvars, "dm.example.org");
        assert_eq!(same.get("cl_guid"), cvars.text("cl_guid"));
        assert_eq!(info.get("name"), "x^7 Visor");
        cvars.set("ui_clantagpos", "0").unwrap();
        assert_eq!(userinfo(&cvars, "").0.get("name"), "Visor^7 x");
        assert_eq!(info.get("rate"), "25000");
        assert_eq!(info.get("cg_delag"), "1");
        assert_eq!(refused, ["model"]);
        assert_eq!(info.get("password"), "");
    }
}
