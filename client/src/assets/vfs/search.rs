//! The search order of paks, and which of them a pure server allows.

use super::{Contents, Fetched, Source, Vfs};
use crate::assets::source::{RELAY_STORE, SourceId};
use shared::base::sort::sort;
use std::cmp::Reverse;

/// Loose files that a pure server allows.
const PURE_LOOSE: [&str; 4] = [".cfg", ".menu", ".game", ".dat"];

impl Vfs {
    pub(super) fn update_search(&mut self) {
        self.is_ready |= self.sources_complete && self.are_all_read();
        let search = match &self.pure {
            None => self.full_search(),
            Some(checksums) => self.pure_search(checksums),
        };
        if self.is_ready && (search != self.search || self.generation == 0) {
            self.generation += 1;
        }
        self.search = search;
    }

    fn full_search(&self) -> Vec<SourceId> {
        let mut usable: Vec<_> = self
            .sources
            .iter()
            .filter(|(_, source)| source.is_searchable() && self.may_use(source))
            .filter_map(|(&id, source)| Some((source.rank(&self.games)?, id)))
            .collect();
        sort(&mut usable);
        usable.into_iter().map(|(_, id)| id).collect()
    }

    /// The source that has a file of this one in fewer bytes.
    pub(super) fn lighter_with(&self, id: SourceId, name: &str) -> Option<SourceId> {
        let light = *self.lighter.get(&id).filter(|_| !self.is_exact)?;
        let directory = self.sources.get(&light)?.directory()?;
        directory.find(name).is_some().then_some(light)
    }

    /// The player's own files always; what a server has handed out only where it belongs.
    pub(super) fn may_use(&self, source: &Source) -> bool {
        if source.is_light {
            return false;
        }
        let Some(store) = &source.store else {
            return true;
        };
        let is_in = |list: &[i32]| source.checksum().is_some_and(|one| list.contains(&one));
        match &self.fetched {
            Fetched::None => false,
            Fetched::From(server, listed) => {
                store == server || store == RELAY_STORE && is_in(listed)
            }
            Fetched::Listed(listed) => is_in(listed),
        }
    }

    fn pure_search(&self, checksums: &[i32]) -> Vec<SourceId> {
        let full = self.full_search();
        let source = |id: &SourceId| self.sources.get(id);
        // A server may list a pak of a game folder that is not ours; any copy serves.
        let listed = |&checksum: &i32| {
            let has = |id: &&SourceId| source(id).and_then(Source::checksum) == Some(checksum);
            full.iter()
                .find(has)
                .or_else(|| {
                    let may_use = |id: &&SourceId| source(id).is_some_and(|one| self.may_use(one));
                    self.sources.keys().filter(may_use).find(has)
                })
                .copied()
        };
        let mut search: Vec<SourceId> = Vec::new();
        for id in checksums.iter().filter_map(listed) {
            if !search.contains(&id) {
                search.push(id);
            }
        }
        let is_plain_folder = |id: &&SourceId| source(id).is_some_and(Source::is_plain_folder);
        search.extend(full.iter().filter(is_plain_folder));
        search
    }

    pub(super) fn locate(&self, name: &str) -> Option<SourceId> {
        if !is_allowed(name) {
            return None;
        }
        let may_be_loose = self.pure.is_none() || is_loose_allowed_when_pure(name);
        self.search.iter().copied().find(|id| {
            match self.sources.get(id).map(|source| &source.contents) {
                Some(Contents::Pak { directory, .. }) => directory.find(name).is_some(),
                Some(Contents::Folder(folder)) => may_be_loose && folder.files.contains_key(name),
                _ => false,
            }
        })
    }
}

impl Source {
    fn is_searchable(&self) -> bool {
        !self.is_light && matches!(self.contents, Contents::Pak { .. } | Contents::Folder(_))
    }

    /// Loose files themselves, not a folder that stands for a pak.
    fn is_plain_folder(&self) -> bool {
        self.is_folder() && self.name.is_empty()
    }

    /// Sorts sources into the order of searching; `None` if its game is not searched.
    fn rank(&self, games: &[String]) -> Option<(usize, Reverse<u8>, bool, Reverse<&str>)> {
        let layer = if games.is_empty() {
            0
        } else {
            games.iter().position(|game| *game == self.game)?
        };
        Some((
            layer,
            Reverse(self.root),
            !self.is_plain_folder(),
            Reverse(self.name.as_str()),
        ))
    }
}

fn is_allowed(name: &str) -> bool {
    !name.is_empty() && !name.contains("..") && !name.contains("//")
}

fn is_loose_allowed_when_pure(name: &str) -> bool {
    let is_demo = name
        .rsplit_once('.')
        .is_some_and(|(_, extension)| extension.starts_with("dm_"));
    is_demo || PURE_LOOSE.iter().any(|suffix| name.ends_with(suffix))
}
