//! Fingerprint: a few bytes that tell whether two frames gave the same, and if not, what differs.

use crate::{
    output::{Output, Request},
    scene::View,
    sound::Order,
};
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
    "other wishes",
];

/// Those that leave the client for others than the player.
pub(super) const LEAVING: [&str; 2] = [PARTS[4], PARTS[5]];

/// A sum of each part. Sums are short because there are many: what they miss in one frame shows in the next.
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

/// Makes fingerprints; the memory is used again.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    bytes: Vec<u8>,
}

impl Fingerprints {
    pub(super) fn of_output(&mut self, output: &Output) -> Fingerprint {
        let scene = &output.scene;
        let cameras: Vec<_> = scene.views.iter().map(camera).collect();
        let things: Vec<_> = (scene.views.iter())
            .map(|view| (&view.entities, &view.lights, &view.polys))
            .collect();
        let sounds: Vec<_> = output.sounds.iter().map(sound).collect();
        let wishes = (
            &output.deferred_disconnect,
            output.grabs_mouse,
            output.uses_touch,
            &output.spoken,
            output.wants_text,
        );
        Fingerprint([
            self.sum(&(scene.time_msec, cameras)),
            self.sum(&things),
            self.sum(&scene.draw2d),
            self.sum(&(&scene.sound, sounds)),
            self.sum(&output.datagrams),
            self.of_requests(&output.requests),
            self.sum(&output.printed),
            self.sum(&wishes),
        ])
    }

    pub(super) fn of_requests(&mut self, requests: &[Request]) -> u16 {
        self.sum(requests)
    }

    fn sum<T: Serialize + ?Sized>(&mut self, value: &T) -> u16 {
        self.bytes.clear();
        let written = postcard::to_extend(value, std::mem::take(&mut self.bytes));
        // What has no end cannot be written; nothing here is so.
        self.bytes = written.unwrap_or_default();
        let sum = crc32fast::hash(&self.bytes);
        (sum ^ sum >> 16) as u16
    }
}

fn camera(view: &View) -> impl Serialize + '_ {
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
