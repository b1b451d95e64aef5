//! Arrived files: unpacked and decoded within what memory and time allow, then taken in.

use super::{
    Assets,
    budget::Kind,
    kinds::{FileUse, Prepared},
    vfs::Packed,
};
use crate::jobs::JobHandle;
use std::sync::Arc;

/// Files are unpacked and decoded so many ahead of those that are taken in, so that helpers stay busy while a frame is
/// drawn.
const MAX_AHEAD: usize = 12;
/// They take at most so many bytes meanwhile; a file that takes more goes alone.
const MAX_AHEAD_BYTES: u64 = 384 << 20;

/// A file that is to be unpacked and decoded.
#[derive(Debug)]
pub(super) struct Arrived {
    purpose: Arc<dyn FileUse>,
    file: Result<Packed, String>,
    /// How many bytes there are at once while that is done.
    cost: u64,
}

/// A file that is being unpacked and decoded.
#[derive(Debug)]
pub(super) struct Coming {
    purpose: Arc<dyn FileUse>,
    prepared: JobHandle<Prepared>,
    cost: u64,
}

impl Assets {
    /// Goes on with what has arrived, for about `budget` bytes of files and pixels; at least one
    /// file if there is any. True if more could be done at once.
    pub fn poll(&mut self, budget: usize) -> bool {
        if self.vfs.is_ready() {
            self.start_scripts();
            self.run_tasks();
        }
        let mut spent = 0;
        while spent < budget {
            self.begin_files();
            let coming = &mut self.loader.coming;
            // While somebody else prepares the next file, those behind it are prepared here.
            while coming
                .front_mut()
                .is_some_and(|next| !next.prepared.is_done())
                && coming.iter().any(|file| file.prepared.run_here())
            {}
            let Some(next) = coming.pop_front() else {
                return false;
            };
            // A decoder that fell is no reason to wait for ever.
            let failed = || Err("its decoder failed".to_owned());
            let prepared = next.prepared.wait();
            if let Some(prepared) = prepared.or_else(|| next.purpose.prepare(self, failed()).wait())
            {
                spent += prepared.bytes;
                (prepared.take_in)(self);
            }
            self.run_tasks();
        }
        true
    }

    /// Has files that arrived unpacked and decoded.
    fn begin_files(&mut self) {
        while self.loader.coming.len() < MAX_AHEAD {
            let Some(arrived) = self.loader.next.take().or_else(|| self.next_arrived()) else {
                return;
            };
            let under_way: u64 = self.loader.coming.iter().map(|file| file.cost).sum();
            if under_way > 0 && under_way + arrived.cost > MAX_AHEAD_BYTES {
                self.loader.next.0 = Some(arrived);
                return;
            }
            let Arrived {
                purpose,
                file,
                cost,
            } = arrived;
            let prepared = purpose.prepare(self, file);
            self.loader.coming.push_back(Coming {
                purpose,
                prepared,
                cost,
            });
        }
    }

    fn next_arrived(&mut self) -> Option<Arrived> {
        loop {
            let (id, file) = self.vfs.poll()?;
            let Some(purpose) = self.loader.open.remove(&id) else {
                continue;
            };
            let admitted = file.and_then(|file| self.admit(&*purpose, file));
            let (file, cost) =
                admitted.map_or_else(|problem| (Err(problem), 0), |(file, cost)| (Ok(file), cost));
            return Some(Arrived {
                purpose,
                file,
                cost,
            });
        }
    }

    /// What a file costs while it is unpacked and decoded; an error if that is more than there is for its kind.
    fn admit(&mut self, purpose: &dyn FileUse, file: Packed) -> Result<(Packed, u64), String> {
        let size = file.size();
        if !self.budgets.spend(Kind::Unpacked, size) {
            self.leave_out(Kind::Unpacked, file.name());
            return Err(String::new());
        }
        let cost = purpose.cost(self, &file)?;
        Ok((file, cost))
    }
}
