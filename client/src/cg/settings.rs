//! Settings: what the player chose about the game's view, as plain values.

use crate::event::Hops;

/// Values of the `cg_*` cvars and their neighbours; read from the console once in every frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub fov: f32,
    pub zoom_fov: f32,
    /// Further factor for the mouse while zoomed.
    pub zoom_sensitivity: f32,
    /// Keeps the vertical angle of a 4:3 screen and lets wide screens see more to the sides.
    pub fov_is_aspect_correct: bool,
    /// Percent of the screen that the world takes.
    pub view_size: f32,
    /// 0 none, 1 right, 2 left-handed, 3 centred.
    pub draw_gun: i32,
    pub gun_offset: [f32; 3],
    pub run_pitch: f32,
    pub run_roll: f32,
    /// 0 none, 1 all, 2 pitch, 3 and 5 roll, 4 height, 6 sideways.
    pub bob: i32,
    pub bob_up: f32,
    pub bob_pitch: f32,
    pub bob_roll: f32,
    pub kick_scale: f32,
    pub third_person: bool,
    pub third_person_range: f32,
    pub third_person_angle: f32,
    /// Degrees that the camera goes on around the player after each delay.
    pub camera_orbit_deg: f32,
    pub camera_orbit_delay_msec: i32,
    pub swing_speed: f32,
    /// Bodies move; otherwise they stand in their first frame.
    pub is_animated: bool,
    pub taunts: bool,
    /// A sound for own hits, and for what others and team-mates say.
    pub hit_sound: bool,
    pub chat_beep: bool,
    pub team_chat_beep: bool,
    pub simple_items: bool,
    pub shadows: i32,
    pub blood: bool,
    pub gibs: bool,
    pub marks: bool,
    /// Lamps of the map dazzle.
    pub glare: Option<Glare>,
    pub brass_time_msec: i32,
    pub footsteps: bool,
    pub no_projectile_trail: bool,
    /// A rail without rings, and how long it stays; `None` is as the game's own client does.
    pub old_rail: Option<bool>,
    /// Rockets explode without further fire.
    pub old_rocket: bool,
    /// Plasma flies without sparks.
    pub old_plasma: bool,
    pub rail_trail_msec: Option<i32>,
    pub rail_core_width: f32,
    /// How many shots are seen flying, 0 to 1, and how large.
    pub tracer_chance: f32,
    pub tracer_width: f32,
    pub tracer_length: f32,
    /// Weapons that fire show their flash; its light is always there.
    pub draws_flashes: bool,
    pub true_lightning: f32,
    pub force_model: bool,
    /// Models that team-mates and opponents wear; empty leaves them as they are.
    pub team_model: String,
    pub enemy_model: String,
    pub own_model: String,
    pub own_head_model: String,
    pub draw_friend: bool,
    pub smooth_clients: bool,
    pub projectile_nudge_msec: i32,
    /// Bits of `cg_delag`.
    pub delag: i32,

    pub no_predict: bool,
    /// Runs only usercmds again whose result may have changed.
    pub keeps_predicted: bool,
    pub error_decay_msec: f32,
    pub predict_items: bool,
    pub show_miss: i32,
    pub draw_ghosts: bool,
    /// Milliseconds over which other players glide back after a correction; 0 is off.
    pub smooth_others_msec: f32,
    /// Longest extrapolation of other players in milliseconds; 0 leaves them where they were.
    pub extrapolate_others_msec: i32,
    /// Others are shown where the server has them by now, as far as that can be foreseen.
    pub predict_others: bool,

    /// After a pickup: 0 never, 1 always, 2 if it is new, 3 if it is better, 4 if it is new and better.
    pub autoswitch: i32,
    /// The hook is one of the weapons that are cycled through (OpenArena).
    pub cycles_grapple: bool,
    /// Music instead of the level's; empty leaves it, `none` is silence.
    pub music: String,
    /// Of the text about the own frags, 1 as usual.
    pub frag_text_size: f32,
    /// Takes another weapon when the ammunition is out.
    pub switches_on_empty: bool,
    /// Weapon numbers from worst to best, between slashes.
    pub weapon_order: String,
    pub draw_2d: bool,
    pub draw_status: bool,
    pub draw_icons: bool,
    pub draw_3d_icons: bool,
    pub draw_timer: bool,
    /// The timer tells how much of the time limit is left.
    pub timer_counts_down: bool,
    pub draw_fps: bool,
    pub draw_speed: i32,
    pub draw_snapshot: bool,
    pub draw_ping: bool,
    /// How datagrams travel, told beside the ping.
    pub transport: &'static str,
    /// The ping in its parts.
    pub draw_hops: bool,
    pub hops: Option<Hops>,
    pub draw_attacker: bool,
    pub draw_ammo_warning: bool,
    pub draw_rewards: bool,
    pub draw_team_overlay: i32,
    pub draw_crosshair: i32,
    pub draw_crosshair_names: bool,
    pub crosshair_size: f32,
    pub crosshair_health: bool,
    /// Number of a text colour, for a crosshair that does not tell health.
    pub crosshair_color: i32,
    /// Red, green and blue of that crosshair, 0 to 1.
    pub crosshair_tint: [f32; 3],
    pub crosshair_pulses: bool,
    /// Picture and size for each weapon, from the first on; none is the same for all.
    pub weapon_crosshairs: Option<[(i32, f32); WEAPON_CROSSHAIRS]>,
    pub crosshair_offset: [f32; 2],
    pub lagometer: bool,
    pub center_time_sec: f32,
    pub team_chat_time_msec: i32,
    pub team_chat_height: i32,
    pub team_chats_only: bool,
    pub score_plums: bool,
    pub always_weapon_bar: bool,
    /// 0 plain, 1 with bars, 2 to 4 a column at the left, 5 to 7 a row of boxes.
    pub weapon_bar_style: i32,
    /// Deaths are told: 0 nowhere, 1 among the messages, 2 in words and 3 in pictures at the right.
    pub obituary_output: i32,

    /// Told on the console: entities that start over, animations, events, and a count of frames.
    pub debug_position: bool,
    pub debug_anim: bool,
    pub debug_events: bool,
    pub stats: bool,
}

/// How the player wants lamps to dazzle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glare {
    /// Half of a far flare's side, where the view is 640 wide.
    pub size: f32,
    /// How much of a flare comes or goes in a second.
    pub fade_per_sec: f32,
    /// The larger, the farther a flare reaches.
    pub reach: f32,
}

/// Weapons that can have a crosshair of their own.
pub const WEAPON_CROSSHAIRS: usize = 13;

impl Default for Settings {
    /// The defaults of ioquake3, and of OpenArena where only it knows the setting.
    fn default() -> Self {
        Self {
            fov: 90.0,
            zoom_fov: 22.5,
            zoom_sensitivity: 1.0,
            fov_is_aspect_correct: false,
            view_size: 100.0,
            draw_gun: 1,
            gun_offset: [0.0; 3],
            run_pitch: 0.002,
            run_roll: 0.005,
            bob: 1,
            bob_up: 0.005,
            bob_pitch: 0.002,
            bob_roll: 0.002,
            kick_scale: 1.0,
            third_person: false,
            third_person_range: 40.0,
            third_person_angle: 0.0,
            camera_orbit_deg: 0.0,
            camera_orbit_delay_msec: 50,
            swing_speed: 0.3,
            is_animated: true,
            taunts: true,
            hit_sound: true,
            chat_beep: true,
            team_chat_beep: true,
            simple_items: false,
            shadows: 1,
            blood: true,
            gibs: true,
            marks: true,
            glare: None,
            brass_time_msec: 2500,
            footsteps: true,
            no_projectile_trail: false,
            old_rail: None,
            old_rocket: true,
            old_plasma: true,
            rail_trail_msec: None,
            rail_core_width: 6.0,
            tracer_chance: 0.4,
            tracer_width: 1.0,
            tracer_length: 100.0,
            draws_flashes: true,
            true_lightning: 0.0,
            force_model: false,
            team_model: String::new(),
            enemy_model: String::new(),
            own_model: "sarge".to_owned(),
            own_head_model: "sarge".to_owned(),
            draw_friend: true,
            smooth_clients: false,
            projectile_nudge_msec: 0,
            delag: 1,
            no_predict: false,
            keeps_predicted: true,
            error_decay_msec: 100.0,
            predict_items: true,
            show_miss: 0,
            draw_ghosts: false,
            smooth_others_msec: 0.0,
            extrapolate_others_msec: 0,
            predict_others: false,
            autoswitch: 1,
            cycles_grapple: true,
            music: String::new(),
            frag_text_size: 1.0,
            switches_on_empty: true,
            weapon_order: "/1/2/4/3/6/7/8/5/9/".to_owned(),
            draw_2d: true,
            draw_status: true,
            draw_icons: true,
            draw_3d_icons: true,
            draw_timer: false,
            timer_counts_down: false,
            draw_fps: false,
            draw_speed: 0,
            draw_snapshot: false,
            draw_ping: false,
            transport: "",
            draw_hops: false,
            hops: None,
            draw_attacker: true,
            draw_ammo_warning: true,
            draw_rewards: true,
            draw_team_overlay: 0,
            draw_crosshair: 4,
            draw_crosshair_names: true,
            crosshair_size: 24.0,
            crosshair_health: true,
            crosshair_color: 7,
            crosshair_tint: [1.0; 3],
            crosshair_pulses: true,
            weapon_crosshairs: None,
            crosshair_offset: [0.0; 2],
            lagometer: true,
            center_time_sec: 3.0,
            team_chat_time_msec: 3000,
            team_chat_height: 0,
            team_chats_only: false,
            score_plums: true,
            always_weapon_bar: false,
            weapon_bar_style: 0,
            obituary_output: 1,
            debug_position: false,
            debug_anim: false,
            debug_events: false,
            stats: false,
        }
    }
}
