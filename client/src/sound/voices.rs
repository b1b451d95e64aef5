//! Voices: sounds that play once, who may start, and who must give way.

use super::{Mix, Order, VoiceId, law};
use crate::{
    assets::sound::Sound,
    scene::{
        SoundId,
        sound::{Ear, SoundOrigin, SoundStart},
    },
};
use glam::Vec3;
use shared::base::time::ClientTime;
use std::sync::Arc;

/// As many sounds that play once as there may be.
pub const MAX_VOICES: usize = 96;
/// The same sound of one entity begins at most this often.
const MIN_MSEC_BETWEEN: i32 = 50;
/// More of the same sound of one entity add nothing.
const MAX_SAME: usize = 4;
const MAX_SAME_OF_LISTENER: usize = 8;
/// So near to the eye is the listener's own body.
const OWN_BODY: f32 = 48.0;
const ANNOUNCER: u8 = 7;

#[derive(Clone, Debug)]
struct Voice {
    id: VoiceId,
    sound: SoundId,
    entity_num: u16,
    channel: u8,
    place: SoundOrigin,
    since: ClientTime,
    until: ClientTime,
    mix: Mix,
}

/// All sounds that play once, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Voices {
    playing: Vec<Voice>,
}

/// What voices are judged by in one frame.
pub struct VoiceContext<'a> {
    pub now: ClientTime,
    pub ear: &'a Ear,
    pub volume: f32,
    /// By entity number.
    pub positions: &'a [Vec3],
}

impl VoiceContext<'_> {
    fn position(&self, entity_num: u16) -> Vec3 {
        self.positions
            .get(usize::from(entity_num))
            .copied()
            .unwrap_or_default()
    }

    fn mix(&self, place: SoundOrigin, entity_num: u16) -> Mix {
        let [left, right] = match place {
            SoundOrigin::Local => [law::VOICE; 2],
            SoundOrigin::Entity => law::ears(self.ear, self.position(entity_num), law::VOICE),
            SoundOrigin::Fixed(origin) => law::ears(self.ear, origin, law::VOICE),
        };
        Mix {
            left: left * self.volume,
            right: right * self.volume,
            rate: 1.0,
        }
    }
}

impl Voices {
    /// Begins a sound if it may; `id` is given to it then.
    pub fn start(
        &mut self,
        start: &SoundStart,
        sound: &Arc<Sound>,
        id: VoiceId,
        around: &VoiceContext<'_>,
        orders: &mut Vec<Order>,
    ) {
        let is_listener = start.entity_num == around.ear.entity_num;
        if !self.may_start(start, is_listener, around.now) {
            return;
        }
        if self.playing.len() >= MAX_VOICES {
            let Some(index) = self.weakest(start.entity_num, around.ear.entity_num) else {
                return;
            };
            let voice = self.playing.remove(index).id;
            orders.push(Order::Stop { voice });
        }
        let distance = || (around.position(start.entity_num)).distance(around.ear.origin);
        let place = match start.place {
            SoundOrigin::Entity if is_listener && distance() <= OWN_BODY => SoundOrigin::Local,
            place => place,
        };
        let mix = around.mix(place, start.entity_num);
        self.playing.push(Voice {
            id,
            sound: start.sound,
            entity_num: start.entity_num,
            channel: start.channel,
            place,
            since: around.now,
            until: around.now + duration_msec(sound),
            mix,
        });
        orders.push(Order::Once {
            voice: id,
            sound: Arc::clone(sound),
            mix,
        });
    }

    /// Forgets what is over and follows what moves.
    pub fn update(&mut self, around: &VoiceContext<'_>, orders: &mut Vec<Order>) {
        self.playing
            .retain(|voice| around.now.is_before(voice.until));
        for voice in &mut self.playing {
            let mix = around.mix(voice.place, voice.entity_num);
            if mix != voice.mix {
                voice.mix = mix;
                let voice = voice.id;
                orders.push(Order::Mix { voice, mix });
            }
        }
    }

    /// How many play.
    pub fn len(&self) -> usize {
        self.playing.len()
    }

    /// Ends everything at once.
    pub fn clear(&mut self, orders: &mut Vec<Order>) {
        let voices = self.playing.drain(..).map(|voice| voice.id);
        orders.extend(voices.map(|voice| Order::Stop { voice }));
    }

    fn may_start(&self, start: &SoundStart, is_listener: bool, now: ClientTime) -> bool {
        let is_same =
            |voice: &&Voice| voice.sound == start.sound && voice.entity_num == start.entity_num;
        let mut same = self.playing.iter().filter(is_same);
        let max = match is_listener {
            true => MAX_SAME_OF_LISTENER,
            false => MAX_SAME,
        };
        same.clone().count() <= max && !same.any(|voice| now - voice.since < MIN_MSEC_BETWEEN)
    }

    /// Who gives way: the oldest of the same entity, else of another one; the listener and announcers last.
    fn weakest(&self, entity_num: u16, listener: u16) -> Option<usize> {
        let may_go = |voice: &Voice| voice.channel != ANNOUNCER && voice.entity_num != listener;
        let of_same = |voice: &Voice| voice.entity_num == entity_num && may_go(voice);
        let is_no_announcer = |voice: &Voice| voice.channel != ANNOUNCER;
        let first_is_own = (self.playing.first()).is_some_and(|voice| voice.entity_num == listener);
        let all = || self.playing.iter();
        all()
            .position(of_same)
            .or_else(|| all().position(may_go))
            .or_else(|| all().position(is_no_announcer).filter(|_| first_is_own))
    }
}

/// How long a sound is, rounded up.
fn duration_msec(sound: &Sound) -> i32 {
    let frames = sound.samples.len() as u64 / u64::from(sound.channels.max(1));
    let msec = (frames * 1000).div_ceil(u64::from(sound.rate.max(1)));
    i32::try_from(msec).unwrap_or(i32::MAX)
}
