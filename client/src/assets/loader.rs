//! Opens files for what is registered, and says what is wrong with them.

use super::{
    Assets, ImageId,
    arrivals::{Arrived, Coming},
    budget::Kind,
    kinds::{FileUse, ImageWork, ModelWork, Scripts, Task},
    vfs::FileId,
};
use crate::{
    jobs::InFlight,
    scene::{ModelId, ShaderId},
};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

/// When a file is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Priority {
    /// After those that were asked for before.
    InTurn,
    /// Before everything else.
    First,
}

/// What a level can begin without, soonest needed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Later {
    /// Whoever is seen is drawn with somebody else's looks until then.
    Players,
    /// What lies about, and the weapons among it.
    Items,
    Others,
}

/// Work in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct Loader {
    tasks: InFlight<VecDeque<Box<dyn Task>>>,
    /// What a level can begin without, by [`Later`].
    later: InFlight<[VecDeque<Box<dyn Task>>; 3]>,
    /// Something may be put off; see [`Assets::begin_with_the_map`].
    puts_off: bool,
    /// Something was put off, so that it may come while one plays.
    streams: bool,
    /// What is registered now is put off.
    put_off: Option<Later>,
    pub open: InFlight<HashMap<FileId, Arc<dyn FileUse>>>,
    /// A file that has arrived and finds no room among those that are coming.
    pub next: InFlight<Option<Arrived>>,
    /// Files that have arrived, in that order, which is also the order in which they are taken in.
    pub coming: InFlight<VecDeque<Coming>>,
    pub scripts: Scripts,
    /// Materials that wait for the scripts, and how their images are asked for.
    pub unresolved: Vec<(ShaderId, Priority)>,
    pub images: HashMap<ImageId, ImageWork>,
    pub models: HashMap<ModelId, ModelWork>,
    pub told: HashSet<String>,
}

impl Loader {
    /// Whether no file is on its way.
    pub fn is_idle(&self) -> bool {
        let is_waited_for = !self.open.is_empty() || self.has_arrivals();
        self.tasks.is_empty() && self.later_count() == 0 && !is_waited_for
    }

    /// Whether files have arrived that are not taken in yet.
    pub fn has_arrivals(&self) -> bool {
        self.next.is_some() || !self.coming.is_empty()
    }

    pub fn add(&mut self, task: impl Task + 'static) {
        self.queue(self.put_off).push_back(Box::new(task));
    }

    /// Adds what no level needs to begin.
    pub fn add_spare(&mut self, task: impl Task + 'static) {
        let later = self.puts_off.then_some(Later::Others);
        self.queue(later).push_back(Box::new(task));
    }

    fn queue(&mut self, later: Option<Later>) -> &mut VecDeque<Box<dyn Task>> {
        match later {
            Some(later) => &mut self.later[later as usize],
            None => &mut self.tasks,
        }
    }

    fn later_count(&self) -> usize {
        self.later.iter().map(VecDeque::len).sum()
    }

    pub fn add_first(&mut self, task: impl Task + 'static) {
        self.tasks.push_front(Box::new(task));
    }
}

impl Assets {
    /// From now on until [`Assets::load_rest`] nothing is read that was registered by [`Assets::later`], and no sound: a
    /// level can begin when the map is here, however slow the line.
    pub fn begin_with_the_map(&mut self) {
        self.loader.puts_off = true;
        self.loader.streams = true;
    }

    /// Whether something was put off, so that much may come while one plays.
    pub fn streams(&self) -> bool {
        self.loader.streams
    }

    /// Whether a level is about to begin with little more than its map.
    pub fn puts_off(&self) -> bool {
        self.loader.puts_off
    }

    /// Registers what a level can begin without.
    pub fn later<T>(&mut self, later: Later, register: impl FnOnce(&mut Self) -> T) -> T {
        let later = self.loader.puts_off.then_some(later);
        let before = std::mem::replace(&mut self.loader.put_off, later);
        let registered = register(self);
        self.loader.put_off = before;
        registered
    }

    /// Reads what was put off as well.
    pub fn load_rest(&mut self) {
        self.loader.puts_off = false;
        for mut later in std::mem::take(&mut self.loader.later.0) {
            self.loader.tasks.append(&mut later);
        }
    }

    /// How many registered things are still on their way that were not put off.
    pub fn awaited(&self) -> usize {
        self.progress().wanted - self.loader.later_count()
    }

    pub(super) fn run_tasks(&mut self) {
        if !self.vfs.is_ready() {
            return;
        }
        while let Some(task) = self.loader.tasks.pop_front() {
            task.open(self);
        }
    }

    /// Opens a file of at most so many bytes, if there is one of this name.
    pub(super) fn open(
        &mut self,
        name: &str,
        max_bytes: u64,
        purpose: impl FileUse + 'static,
    ) -> bool {
        self.open_in(Priority::InTurn, name, max_bytes, purpose)
    }

    pub(super) fn open_in(
        &mut self,
        priority: Priority,
        name: &str,
        max_bytes: u64,
        purpose: impl FileUse + 'static,
    ) -> bool {
        let file = match priority {
            Priority::InTurn => self.vfs.open(name, max_bytes),
            Priority::First => self.vfs.open_urgent(name, max_bytes),
        };
        self.expect(file, purpose)
    }

    /// Opens a file as its pak has it, not what a relay has made of it.
    pub(super) fn open_exact(
        &mut self,
        name: &str,
        max_bytes: u64,
        purpose: impl FileUse + 'static,
    ) -> bool {
        let file = self.vfs.open_exact(name, max_bytes);
        self.expect(file, purpose)
    }

    fn expect(&mut self, file: Option<FileId>, purpose: impl FileUse + 'static) -> bool {
        let Some(file) = file else {
            return false;
        };
        self.loader.open.insert(file, Arc::new(purpose));
        true
    }

    /// Says that something exceeds what there is for its kind, once.
    pub(super) fn leave_out(&mut self, kind: Kind, name: &str) {
        if let Some(line) = self.budgets.excess(kind, name) {
            self.tell(line);
        }
    }

    /// Says that a level registers too many things of a kind, once.
    pub(super) fn tell_full(&mut self, kind: &str) {
        self.tell(format!(
            "Left out: what comes from now on, because there are too many {kind}"
        ));
    }

    /// What came of a file; what is wrong with it is said.
    pub(super) fn ok_or_tell<T>(&mut self, file: &str, result: Result<T, String>) -> Option<T> {
        result
            .map_err(|problem| self.tell_problem(file, problem))
            .ok()
    }

    /// Says what is wrong with a file, unless that was said before with others of its kind.
    fn tell_problem(&mut self, file: &str, problem: String) {
        match (file, problem.as_str()) {
            (_, "") => {}
            ("", _) => self.tell(problem),
            _ => self.tell(format!("{file}: {problem}")),
        }
    }

    pub(super) fn tell(&mut self, message: String) {
        if self.loader.told.insert(message.clone()) {
            self.messages.push(message);
        }
    }
}
