//! Noise: the sounds that a module asks for in one frame, and the loops that it leaves running.

use super::layout::{maybe_vec3, vec3_at};
use crate::scene::{
    SoundId, SoundScene,
    sound::{SoundLoop, SoundOrigin, SoundStart},
};
use shared::types::limits::MAX_GENTITIES;
use std::collections::BTreeMap;
use vm::{Memory, Syscall, Trap};

const MAX_STARTS: usize = 256;
const MAX_LOOPS: usize = 1024;

/// What has been asked for so far.
#[derive(Debug, Default)]
pub struct Noise {
    scene: SoundScene,
    /// Loops that stay until they are stopped, by entity.
    lasting: BTreeMap<u16, SoundLoop>,
}

fn sound_of(handle: i32) -> Option<SoundId> {
    u32::try_from(handle).ok()?.checked_sub(1).map(SoundId)
}

fn entity_of(number: i32) -> Result<u16, Trap> {
    let entity = u16::try_from(number).ok();
    entity
        .filter(|entity| usize::from(*entity) < MAX_GENTITIES)
        .ok_or_else(|| Trap::Host(format!("it lets entity {number} be heard")))
}

impl Noise {
    /// The frame is over: what is heard in it.
    pub fn take(&mut self) -> SoundScene {
        let mut heard = self.scene.clone();
        heard.loops.extend(self.lasting.values());
        self.scene.starts.clear();
        self.scene.positions.clear();
        self.scene.restarts_music = false;
        heard
    }

    /// # Errors
    /// If a sound without place belongs to no entity.
    pub fn start(&mut self, memory: &Memory<'_>, call: &Syscall) -> Result<(), Trap> {
        let place = maybe_vec3(memory, call.address(0));
        let entity_num = match place {
            Some(_) => u16::try_from(call.int(1)).unwrap_or(0),
            None => entity_of(call.int(1))?,
        };
        let place = place.map_or(SoundOrigin::Entity, SoundOrigin::Fixed);
        self.push(call.int(3), place, entity_num, call.int(2));
        Ok(())
    }

    pub fn start_local(&mut self, call: &Syscall) {
        let entity_num = self.scene.ear.entity_num;
        self.push(call.int(0), SoundOrigin::Local, entity_num, call.int(1));
    }

    fn push(&mut self, handle: i32, place: SoundOrigin, entity_num: u16, channel: i32) {
        if let Some(sound) = sound_of(handle)
            && self.scene.starts.len() < MAX_STARTS
        {
            self.scene.starts.push(SoundStart {
                sound,
                place,
                entity_num,
                channel: u8::try_from(channel).unwrap_or(0),
            });
        }
    }

    /// Forgets the loops of the last frame, or the lasting ones as well.
    pub fn clear_loops(&mut self, all: bool) {
        self.scene.loops.clear();
        if all {
            self.lasting.clear();
        }
    }

    /// # Errors
    /// If it belongs to no entity.
    pub fn add_loop(
        &mut self,
        memory: &Memory<'_>,
        call: &Syscall,
        is_lasting: bool,
    ) -> Result<(), Trap> {
        let entity_num = entity_of(call.int(0))?;
        let Some(sound) = sound_of(call.int(3)) else {
            return Ok(());
        };
        let added = SoundLoop {
            sound,
            entity_num,
            origin: vec3_at(memory, call.address(1)),
            velocity: vec3_at(memory, call.address(2)),
            is_ambient: is_lasting,
        };
        if is_lasting {
            self.lasting.insert(entity_num, added);
        } else if self.scene.loops.len() < MAX_LOOPS {
            self.scene.loops.push(added);
        }
        Ok(())
    }

    pub fn stop_loop(&mut self, number: i32) {
        if let Ok(entity) = u16::try_from(number) {
            self.lasting.remove(&entity);
            self.scene.loops.retain(|one| one.entity_num != entity);
        }
    }

    /// # Errors
    /// If there is no such entity.
    pub fn place(&mut self, memory: &Memory<'_>, call: &Syscall) -> Result<(), Trap> {
        let entity = entity_of(call.int(0))?;
        if self.scene.positions.len() < 2 * MAX_GENTITIES {
            let at = vec3_at(memory, call.address(1));
            self.scene.positions.push((entity, at));
        }
        Ok(())
    }

    /// From where one listens.
    pub fn listen(&mut self, memory: &Memory<'_>, call: &Syscall) {
        let axis = call.address(2);
        let row = |index: u32| vec3_at(memory, axis.wrapping_add(12 * index));
        let ear = &mut self.scene.ear;
        ear.entity_num = u16::try_from(call.int(0)).unwrap_or(0);
        ear.origin = vec3_at(memory, call.address(1));
        ear.axis = [row(0), row(1), row(2)];
        ear.is_under_water = call.int(3) != 0;
    }

    /// One or two files; none is silence.
    pub fn play_music(&mut self, intro: &str, rest: &str) {
        self.scene.music = format!("{intro} {rest}").trim().into();
        self.scene.restarts_music = true;
    }
}
