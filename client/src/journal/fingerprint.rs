//! Fingerprint: a few bytes that tell whether two frames gave the same, and if not, what differs.

use crate::{
    output::{Output, Request},
    scene::Refdef,
    sound::Order,
};
use postcard::{Serializer, ser_flavors::Flavor};
use serde::{Deserialize, Serialize};

/// What an output consists of, in the order of its sums.
pub const PARTS: [&str; 8] = [
    "camera",
    "things in the world",
    "flat pictures",
    "sounds",
    "datagrams",
    "requests",
    "printed lines",
    "other requests",
];

/// Those that leave the client for others than the player.
pub(super) const LEAVING: [&str; 2] = [PARTS[4], PARTS[5]];

/// A sum of each part. Sums are short because there are many: what they miss in one frame shows in the next. Of what is
/// many (things, flat pictures, places and orders of sounds) a sum holds the number and a sixteenth, so a difference in one
/// shows within 16 frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint([u16; PARTS.len()]);

impl Fingerprint {
    /// The parts that are not the same, by name.
    pub fn differing(&self, other: &Self) -> Vec<&'static str> {
        let sums = self.0.iter().zip(other.0);
        let parts = PARTS.iter().zip(sums);
        parts
            .filter(|(_, (one, two))| *one != two)
            .map(|(part, _)| *part)
            .collect()
    }
}

/// Of what is many, one in so many is summed in each frame and another one in the next: all of it in every frame cost as
/// much as the frame itself.
const SHARE: u64 = 16;

/// Of what frame `number` gave.
pub(super) fn of_output(output: &Output, number: u64) -> Fingerprint {
    let scene = &output.scene;
    let cameras: Vec<_> = scene.views.iter().map(camera).collect();
    let requests = (
        &output.deferred_disconnect,
        output.grabs_mouse,
        output.uses_touch,
        &output.spoken,
        output.wants_text,
        stored(&output.requests),
    );
    let mut things = Sum::default();
    for view in &scene.views {
        things.add_share(view.entities.iter(), number);
        things.add_share(view.lights.iter(), number);
        things.add_share(view.polys.iter(), number);
    }
    let mut flat = Sum::default();
    flat.add_share(scene.draw2d.iter(), number);
    let mut sounds = Sum::default();
    let told = &scene.sound;
    sounds.add(&(told.ear, &told.starts, &told.music, told.restarts_music));
    sounds.add_share(told.positions.iter(), number);
    sounds.add_share(told.loops.iter(), number);
    sounds.add_share(output.sounds.iter().map(sound), number);
    Fingerprint([
        sum(&(scene.time_msec, cameras)),
        things.end(),
        flat.end(),
        sounds.end(),
        sum(&output.datagrams),
        of_requests(&output.requests),
        sum(&output.printed),
        sum(&requests),
    ])
}

/// Without what is to be kept on this machine: who watches a run again and changes a setting has that kept too.
pub(super) fn of_requests(requests: &[Request]) -> u16 {
    let left: Vec<&Request> = requests.iter().filter(|one| !is_stored(one)).collect();
    sum(&left)
}

fn stored(requests: &[Request]) -> Vec<&Request> {
    requests.iter().filter(|one| is_stored(one)).collect()
}

fn is_stored(request: &Request) -> bool {
    matches!(request, Request::Store { .. } | Request::StoreBytes { .. })
}

fn sum<T: Serialize + ?Sized>(value: &T) -> u16 {
    let mut sum = Sum::default();
    sum.add(value);
    sum.end()
}

/// A sum in the making.
struct Sum(Serializer<Summed>);

impl Default for Sum {
    fn default() -> Self {
        Self(Serializer {
            output: Summed {
                bytes: [0; 256],
                length: 0,
                hasher: crc32fast::Hasher::new(),
            },
        })
    }
}

impl Sum {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) {
        // What has no end cannot be written; nothing here is so.
        let _ = value.serialize(&mut self.0);
    }

    /// How many there are, and those whose turn it is.
    fn add_share(&mut self, values: impl ExactSizeIterator<Item: Serialize>, number: u64) {
        self.add(&values.len());
        let first = (number % SHARE) as usize;
        for value in values.skip(first).step_by(SHARE as usize) {
            self.add(&value);
        }
    }

    fn end(self) -> u16 {
        let sum = self.0.output.finish();
        (sum ^ sum >> 16) as u16
    }
}

/// Takes bytes and keeps their sum alone.
struct Summed {
    bytes: [u8; 256],
    length: usize,
    hasher: crc32fast::Hasher,
}

impl Summed {
    fn flush(&mut self) {
        self.hasher.update(&self.bytes[..self.length]);
        self.length = 0;
    }

    fn finish(mut self) -> u32 {
        self.flush();
        self.hasher.finalize()
    }
}

impl Flavor for Summed {
    type Output = u32;

    #[inline]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        if self.length == self.bytes.len() {
            self.flush();
        }
        self.bytes[self.length] = byte;
        self.length += 1;
        Ok(())
    }

    #[inline]
    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        if bytes.len() > self.bytes.len() - self.length {
            self.flush();
        }
        match self.bytes.get_mut(self.length..self.length + bytes.len()) {
            Some(free) => {
                free.copy_from_slice(bytes);
                self.length += bytes.len();
            }
            None => self.hasher.update(bytes),
        }
        Ok(())
    }

    fn finalize(self) -> postcard::Result<u32> {
        Ok(self.finish())
    }
}

fn camera(view: &Refdef) -> impl Serialize + '_ {
    (
        (view.viewport, view.fov_x, view.fov_y, view.eye, view.axis),
        (
            view.time_msec,
            view.has_world,
            view.hyperspace,
            view.area_mask,
        ),
    )
}

/// An order without its samples, which are a file's.
fn sound(order: &Order) -> impl Serialize + use<> {
    match order {
        Order::Once { voice, mix, .. } => (0, voice.0, [mix.left, mix.right, mix.rate], 0.0),
        Order::Loop {
            voice,
            offset_sec,
            mix,
            ..
        } => (1, voice.0, [mix.left, mix.right, mix.rate], *offset_sec),
        Order::Mix { voice, mix } => (2, voice.0, [mix.left, mix.right, mix.rate], 0.0),
        Order::Stop { voice } => (3, voice.0, [0.0; 3], 0.0),
        Order::Music(tune) => (4, u64::from(tune.is_some()), [0.0; 3], 0.0),
        Order::MusicVolume(volume) => (5, 0, [*volume, 0.0, 0.0], 0.0),
    }
}
