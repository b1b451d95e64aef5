//! Loops: what is heard as long as the scene repeats it, equal ones merged into one voice.

use super::{Mix, Order, SoundSettings, VoiceId, law};
use crate::{
    assets::Assets,
    scene::{
        SoundId,
        sound::{Ear, SoundLoop},
    },
};
use shared::base::time::ClientTime;
use std::collections::BTreeMap;

/// As many different loops as are heard at once.
pub const MAX_LOOPS: usize = 96;

/// Loops of the same sound are one voice, but for those whose pitch changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    sound: SoundId,
    /// Whose it is, if it cannot be merged.
    alone: Option<u16>,
}

/// The loops that play.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    playing: BTreeMap<Key, (VoiceId, Mix)>,
}

/// What loops are judged by in one frame.
pub struct LoopContext<'a> {
    pub now: ClientTime,
    pub ear: &'a Ear,
    pub settings: &'a SoundSettings,
    pub assets: &'a Assets,
}

impl Loops {
    /// Brings what plays in line with what the scene repeats.
    pub fn update(
        &mut self,
        loops: &[SoundLoop],
        around: &LoopContext<'_>,
        mut next_voice: impl FnMut() -> VoiceId,
        orders: &mut Vec<Order>,
    ) {
        let wanted = merge(loops, around);
        self.playing.retain(|key, (voice, _)| {
            let stays = wanted.contains_key(key);
            if !stays {
                orders.push(Order::Stop { voice: *voice });
            }
            stays
        });
        for (key, mix) in wanted {
            match self.playing.get_mut(&key) {
                Some((_, old)) if *old == mix => {}
                Some((voice, old)) => {
                    *old = mix;
                    orders.push(Order::Mix { voice: *voice, mix });
                }
                None => self.begin(key, mix, around, &mut next_voice, orders),
            }
        }
    }

    /// How many play.
    pub fn len(&self) -> usize {
        self.playing.len()
    }

    /// Ends everything at once.
    pub fn clear(&mut self, orders: &mut Vec<Order>) {
        let playing = std::mem::take(&mut self.playing);
        let voices = playing.into_values().map(|(voice, _)| voice);
        orders.extend(voices.map(|voice| Order::Stop { voice }));
    }

    fn begin(
        &mut self,
        key: Key,
        mix: Mix,
        around: &LoopContext<'_>,
        next_voice: &mut impl FnMut() -> VoiceId,
        orders: &mut Vec<Order>,
    ) {
        let Some(sound) = around.assets.sound(key.sound) else {
            return;
        };
        let frames = sound.samples.len() / usize::from(sound.channels.max(1));
        if frames == 0 || self.playing.len() >= MAX_LOOPS {
            return;
        }
        let voice = next_voice();
        // The clock decides where in the sound it is, so that a merged loop goes on where another one was.
        let length_sec = frames as f64 / f64::from(sound.rate);
        let offset_sec = (f64::from(around.now.0) / 1000.0).rem_euclid(length_sec);
        self.playing.insert(key, (voice, mix));
        orders.push(Order::Loop {
            voice,
            sound: sound.clone(),
            offset_sec,
            mix,
        });
    }
}

/// How loud each sound is when all its loops are added up; what nobody hears is left out.
fn merge(loops: &[SoundLoop], around: &LoopContext<'_>) -> BTreeMap<Key, Mix> {
    let mut merged: BTreeMap<Key, Mix> = BTreeMap::new();
    // An entity has one loop: the last one it was given in the frame.
    let mut latest: BTreeMap<u16, &SoundLoop> = BTreeMap::new();
    latest.extend(loops.iter().map(|each| (each.entity_num, each)));
    for each in latest.values() {
        let base = match each.is_ambient {
            true => law::AMBIENT,
            false => law::VOICE,
        };
        let rate = match around.settings.has_doppler && !each.is_ambient {
            true => law::doppler(around.ear, each.origin, each.velocity),
            false => 1.0,
        };
        let key = Key {
            sound: each.sound,
            alone: (rate > 1.0).then_some(each.entity_num),
        };
        let [left, right] = law::ears(around.ear, each.origin, base);
        let mix = merged.entry(key).or_insert(Mix {
            left: 0.0,
            right: 0.0,
            rate,
        });
        mix.left = (mix.left + left).min(1.0);
        mix.right = (mix.right + right).min(1.0);
    }
    merged.retain(|_, mix| mix.left > 0.0 || mix.right > 0.0);
    for mix in merged.values_mut() {
        mix.left *= around.settings.volume;
        mix.right *= around.settings.volume;
    }
    merged
}
