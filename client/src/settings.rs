//! Cvars to the plain settings of input and game, so that these know no cvars.

use crate::{
    assets::{AssetSettings, image::TextureLimits},
    cg::{
        self,
        settings::{Glare, WEAPON_CROSSHAIRS},
    },
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

/// What the game's view needs to know of the cvars.
pub fn game(cvars: &Cvars) -> cg::Settings {
    let number = |name| cvars.number(name);
    let integer = |name| cvars.integer(name);
    let is_on = |name| cvars.is_on(name);
    // Below zero the game decides.
    let chosen = |name| Some(cvars.integer(name)).filter(|&value| value >= 0);
    cg::Settings {
        fov: number("cg_fov"),
        zoom_fov: number("cg_zoomfov"),
        zoom_sensitivity: number("cg_zoomSensitivity"),
        fov_is_aspect_correct: is_on("cg_fovAspect"),
        view_size: number("cg_viewsize"),
        draw_gun: integer("cg_drawGun"),
        gun_offset: [number("cg_gunX"), number("cg_gunY"), number("cg_gunZ")],
        run_pitch: number("cg_runpitch"),
        run_roll: number("cg_runroll"),
        bob: integer("cg_bob"),
        bob_up: number("cg_bobup"),
        bob_pitch: number("cg_bobpitch"),
        bob_roll: number("cg_bobroll"),
        kick_scale: number("cg_kickScale"),
        third_person: is_on("cg_thirdPerson"),
        third_person_range: number("cg_thirdPersonRange"),
        third_person_angle: number("cg_thirdPersonAngle"),
        camera_orbit_deg: number("cg_cameraOrbit"),
        camera_orbit_delay_msec: integer("cg_cameraOrbitDelay"),
        swing_speed: number("cg_swingSpeed"),
        is_animated: number("cg_animspeed") != 0.0 && !is_on("cg_noplayeranims"),
        taunts: !is_on("cg_noTaunt"),
        hit_sound: is_on("cg_hitSound"),
        chat_beep: is_on("cg_chatBeep"),
        team_chat_beep: is_on("cg_teamChatBeep"),
        simple_items: is_on("cg_simpleItems"),
        shadows: integer("cg_shadows"),
        blood: is_on("com_blood"),
        gibs: is_on("cg_gibs"),
        marks: is_on("cg_marks"),
        glare: is_on("r_flares").then(|| Glare {
            size: number("r_flareSize"),
            fade_per_sec: number("r_flareFade"),
            reach: number("r_flareCoeff"),
        }),
        brass_time_msec: integer("cg_brassTime"),
        footsteps: is_on("cg_footsteps"),
        no_projectile_trail: is_on("cg_noProjectileTrail"),
        old_rail: chosen("cg_oldRail").map(|value| value != 0),
        old_rocket: is_on("cg_oldRocket"),
        old_plasma: is_on("cg_oldPlasma"),
        rail_trail_msec: chosen("cg_railTrailTime"),
        rail_core_width: number("r_railCoreWidth"),
        tracer_chance: number("cg_tracerchance"),
        tracer_width: number("cg_tracerwidth"),
        tracer_length: number("cg_tracerlength"),
        draws_flashes: is_on("cg_muzzleflashStyle"),
        true_lightning: number("cg_trueLightning"),
        force_model: is_on("cg_forceModel"),
        team_model: cvars.text("cg_forceTeamModel").to_owned(),
        enemy_model: cvars.text("cg_forceEnemyModel").to_owned(),
        own_model: cvars.text("model").to_owned(),
        own_head_model: cvars.text("headmodel").to_owned(),
        draw_friend: is_on("cg_drawFriend"),
        smooth_clients: is_on("cg_smoothClients"),
        projectile_nudge_msec: integer("cg_projectileNudge"),
        delag: integer("cg_delag"),
        no_predict: is_on("cg_nopredict"),
        keeps_predicted: is_on("cg_optimizePrediction"),
        error_decay_msec: number("cg_errordecay"),
        predict_items: is_on("cg_predictItems"),
        show_miss: integer("cg_showmiss"),
        draw_ghosts: is_on("cg_drawGhosts"),
        smooth_others_msec: number("cg_smoothOthers"),
        extrapolate_others_msec: integer("cg_extrapolate"),
        predict_others: is_on("cg_predictOthers"),
        autoswitch: integer("cg_autoswitch"),
        cycles_grapple: is_on("cg_cyclegrapple"),
        music: cvars.text("cg_music").to_owned(),
        frag_text_size: number("cg_fragmsgsize"),
        switches_on_empty: is_on("cg_switchonempty"),
        weapon_order: cvars.text("cg_weaponOrder").to_owned(),
        draw_2d: is_on("cg_draw2D"),
        draw_status: is_on("cg_drawStatus"),
        draw_icons: is_on("cg_drawIcons"),
        draw_3d_icons: is_on("cg_draw3dIcons"),
        draw_timer: is_on("cg_drawTimer"),
        timer_counts_down: is_on("cg_levelTimerDirection"),
        draw_fps: is_on("cg_drawFPS"),
        draw_speed: integer("cg_drawSpeed"),
        draw_snapshot: is_on("cg_drawSnapshot"),
        draw_ping: is_on("cg_drawPing"),
        // Only the session knows.
        transport: "",
        draw_hops: integer("cg_drawPing") == 2,
        hops: None,
        draw_attacker: is_on("cg_drawAttacker"),
        draw_ammo_warning: is_on("cg_drawAmmoWarning"),
        draw_rewards: is_on("cg_drawRewards"),
        draw_team_overlay: integer("cg_drawTeamOverlay"),
        draw_crosshair: integer("cg_drawCrosshair"),
        draw_crosshair_names: is_on("cg_drawCrosshairNames"),
        crosshair_size: number("cg_crosshairSize"),
        crosshair_health: is_on("cg_crosshairHealth"),
        crosshair_color: integer("cg_crosshairColor"),
        crosshair_tint: [
            number("cg_crosshairColorRed"),
            number("cg_crosshairColorGreen"),
            number("cg_crosshairColorBlue"),
        ],
        crosshair_pulses: is_on("cg_crosshairPulse"),
        weapon_crosshairs: is_on("cg_differentCrosshairs").then(|| weapon_crosshairs(cvars)),
        crosshair_offset: [number("cg_crosshairX"), number("cg_crosshairY")],
        lagometer: is_on("cg_lagometer"),
        center_time_sec: number("cg_centertime"),
        team_chat_time_msec: integer("cg_teamChatTime"),
        team_chat_height: integer("cg_teamChatHeight"),
        team_chats_only: is_on("cg_teamChatsOnly"),
        score_plums: is_on("cg_scorePlums"),
        always_weapon_bar: is_on("cg_alwaysWeaponBar"),
        weapon_bar_style: integer("cg_weaponBarStyle"),
        obituary_output: integer("cg_obituaryOutput"),
        debug_position: is_on("cg_debugposition"),
        debug_anim: is_on("cg_debuganim"),
        debug_events: is_on("cg_debugevents"),
        stats: is_on("cg_stats"),
    }
}

/// `cg_ch1` and `cg_ch1size` belong to the first weapon, and so on.
fn weapon_crosshairs(cvars: &Cvars) -> [(i32, f32); WEAPON_CROSSHAIRS] {
    std::array::from_fn(|place| {
        let number = place + 1;
        let picture = cvars.integer(&format!("cg_ch{number}"));
        (picture, cvars.number(&format!("cg_ch{number}size")))
    })
}

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
        sends_every_frame: cvars.is_on("cl_lanForcePackets") && is_lan(server),
    }
}

/// Whether a server's address, as the player wrote it, is on this machine or network.
fn is_lan(server: &str) -> bool {
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
    fn defaults_agree_with_those_of_the_game() {
        let from_cvars = game(&Cvars::new(cvars::TABLE));
        let wanted = cg::Settings {
            fov_is_aspect_correct: true,
            ..cg::Settings::default()
        };
        assert_eq!(from_cvars, wanted);
    }

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
