//! Turns bytes into numbers and texts at which games go wrong.

use arbitrary::{Result, Unstructured};
use shared::{bg::numbers::configstring as cs, net::fields::DeltaState};

const EDGES: [i32; 16] = [
    0,
    1,
    -1,
    63,
    64,
    255,
    256,
    1022,
    1023,
    1024,
    0x00ff_ffff,
    i32::MAX,
    i32::MAX - 100,
    i32::MIN,
    i32::MIN + 100,
    0x4000_0000,
];
const FLOATS: [f32; 10] = [
    0.0,
    -0.0,
    1.0,
    1e-30,
    8192.0,
    -131_072.0,
    1e9,
    3.4e38,
    f32::INFINITY,
    f32::NAN,
];

/// What servers say. `#` stands for a number, `$` for any text, `~` for many numbers.
pub(super) const COMMANDS: &[&str] = &[
    "cs # \"$\"",
    "bcs0 # \"$\"",
    "bcs1 # \"$\"",
    "bcs2 # \"$\"",
    "print \"$\"",
    "cp \"$\"",
    "chat \"$\"",
    "tchat \"$\"",
    "scores # ~",
    "tinfo # ~",
    "accs ~",
    "map_restart",
    "disconnect \"$\"",
    "clientLevelShot",
    "loaddefered",
    "remapShader $ $ #",
    "customvotes $ $",
    "mappage # $ $",
    "elimination # # #",
    "attackingteam #",
    "ddtaken #",
    "ddTakeAt # #",
    "dompointnames # \"$\"",
    "domStatus # ~",
    "oh # #",
    "respawn #",
    "vchat 0 # # $",
    "vtell 0 # # $",
    "team \"$\"",
    "$ $ #",
];

/// What configstrings may say.
const TEXTS: &[&str] = &[
    "",
    "#",
    "$",
    "# # #",
    "models/$.md3",
    "*1",
    "*#",
    "sound/$.wav",
    "*pain100_1.wav",
    "n\\Ranger\\t\\#\\model\\sarge/$\\hmodel\\sarge\\c1\\#\\hc\\#\\w\\#\\l\\#",
    "\\sv_serverid\\#\\sv_pure\\#\\sv_paks\\# #\\sv_cheats\\1\\timescale\\#\\fs_game\\$\\sv_fps\\#",
    "\\sv_serverid\\1\\sv_referencedPaks\\# 7\\sv_referencedPakNames\\baseq3/$ baseq3/x\\pmove_msec\\#",
    "\\mapname\\room\\g_gametype\\#\\sv_hostname\\$\\timelimit\\#\\fraglimit\\#\\sv_maxclients\\#",
    "\\mapname\\$\\gamename\\baseoa\\g_gametype\\#",
    "textures/floor=textures/$:#@textures/water=$:#",
    "music/$.wav music/$.ogg",
    "~",
];

/// The configstrings that mean something of their own.
const INDICES: &[usize] = &[
    0,
    1,
    cs::MUSIC,
    cs::MESSAGE,
    cs::WARMUP,
    cs::SCORES1,
    cs::VOTE_TIME,
    cs::VOTE_STRING,
    cs::TEAM_VOTE_TIME,
    cs::GAME_VERSION,
    cs::LEVEL_START_TIME,
    cs::INTERMISSION,
    cs::FLAG_STATUS,
    cs::SHADER_STATE,
    cs::ITEMS,
    cs::MODELS + 1,
    cs::SOUNDS + 1,
    cs::PLAYERS,
    cs::PLAYERS + 3,
    cs::PLAYERS + 63,
    cs::LOCATIONS,
    1023,
];

/// Any number, most of them small or at an edge.
pub(super) fn number(choices: &mut Unstructured<'_>) -> Result<i32> {
    Ok(match choices.int_in_range(0..=7)? {
        0..=3 => i32::from(choices.arbitrary::<u8>()?),
        4 => i32::from(choices.arbitrary::<i16>()?),
        5 => choices.arbitrary()?,
        _ => *choices.choose(&EDGES)?,
    })
}

/// The word of a field: a number, or the bits of a float.
pub(super) fn word(choices: &mut Unstructured<'_>) -> Result<u32> {
    Ok(match choices.int_in_range(0..=3)? {
        0 => choices.choose(&FLOATS)?.to_bits(),
        1 => (f32::from(choices.arbitrary::<i16>()?) / 8.0).to_bits(),
        _ => number(choices)?.cast_unsigned(),
    })
}

/// A template with its signs filled in.
pub(super) fn text(choices: &mut Unstructured<'_>, template: &str) -> Result<String> {
    let mut text = String::new();
    for letter in template.chars() {
        match letter {
            '#' => text.push_str(&number(choices)?.to_string()),
            '~' => {
                let count = choices.int_in_range(0..=100)?;
                let value = number(choices)?;
                for place in 0..count {
                    text.push_str(&format!("{} ", value.wrapping_add(place)));
                }
            }
            '$' => {
                let length = choices.int_in_range(0..=24)?;
                let bytes = choices.bytes(length)?.iter();
                text.extend(bytes.map(|&byte| match byte {
                    0 | b'"' => '"',
                    byte => char::from(byte),
                }));
            }
            letter => text.push(letter),
        }
    }
    Ok(text)
}

pub(super) fn configstring(choices: &mut Unstructured<'_>) -> Result<(usize, String)> {
    let index = match choices.ratio(1, 4)? {
        true => choices.int_in_range(0..=1023)?,
        false => *choices.choose(INDICES)?,
    };
    let template = *choices.choose(TEXTS)?;
    Ok((index, text(choices, template)?))
}

/// Changes up to eight fields.
pub(super) fn fields<S: DeltaState>(choices: &mut Unstructured<'_>, state: &mut S) -> Result<()> {
    for _ in 0..choices.int_in_range(0..=8)? {
        let index = choices.int_in_range(0..=S::FIELDS.len() - 1)?;
        state.set_field(index, word(choices)?);
    }
    Ok(())
}
