//! What arrives of sources: their directories, and files in the order in which they come.

use super::{Contents, MAX_ENTRIES, Purpose, Source, Vfs};
use crate::assets::{
    fetch::{FileLocation, Part},
    source::SourceId,
};
use shared::formats::pk3::{self, Directory, DirectoryPlace};

impl Vfs {
    pub(super) fn sort_arrivals(&mut self) {
        while let Some(arrival) = self.fetcher.next_arrival() {
            match arrival.tag {
                Purpose::File(file) => {
                    self.waiting_bytes += arrival.result.as_ref().map_or(0, Part::size);
                    self.arrived.push_back((file, arrival.result));
                }
                Purpose::Tail(source) => self.handle_tail(source, arrival.result),
                Purpose::Directory(source, place) => {
                    self.handle_directory(source, &place, arrival.result)
                }
            }
        }
    }

    pub(super) fn handle_tail(&mut self, id: SourceId, result: Result<Part, String>) {
        let Some(&Contents::Unread { size }) = self.sources.get(&id).map(|source| &source.contents)
        else {
            return;
        };
        let tail = match result {
            Ok(tail) => tail,
            Err(problem) => return self.break_source(id, &problem),
        };
        let place = match pk3::find_directory(size, tail.bytes()) {
            Ok(place) => place,
            Err(error) => return self.break_source(id, &error.to_string()),
        };
        // Small directories already lie in the bytes at hand.
        let tail_at = size - tail.bytes().len() as u64;
        match place.range.start.checked_sub(tail_at) {
            Some(start) => {
                let end = place.range.end - tail_at;
                let bytes = tail.bytes()[start as usize..end as usize].to_vec();
                self.read_directory(id, &place, &bytes);
            }
            None => {
                let (pak, range) = (FileLocation::pak(id), place.range.clone());
                self.fetcher
                    .want(pak, range, Purpose::Directory(id, place), false);
            }
        }
    }

    pub(super) fn handle_directory(
        &mut self,
        id: SourceId,
        place: &DirectoryPlace,
        result: Result<Part, String>,
    ) {
        match result {
            Ok(part) => self.read_directory(id, place, part.bytes()),
            Err(problem) => self.break_source(id, &problem),
        }
    }

    pub(super) fn read_directory(&mut self, id: SourceId, place: &DirectoryPlace, bytes: &[u8]) {
        match Directory::parse(place, bytes) {
            Ok(directory) if self.entry_count() + directory.entries().len() > MAX_ENTRIES => {
                let problem = format!("all paks together would have more than {MAX_ENTRIES} files");
                self.break_source(id, &problem);
            }
            Ok(directory) => {
                if let Some(source) = self.sources.get_mut(&id) {
                    let checksum = directory.checksum();
                    source.contents = Contents::Pak {
                        directory,
                        checksum,
                    };
                }
                self.update_search();
            }
            Err(error) => self.break_source(id, &error.to_string()),
        }
    }

    /// How many files all paks have together.
    pub(super) fn entry_count(&self) -> usize {
        let directories = self.sources.values().filter_map(Source::directory);
        directories.map(|directory| directory.entries().len()).sum()
    }

    pub(super) fn break_source(&mut self, id: SourceId, problem: &str) {
        if let Some(source) = self.sources.get_mut(&id) {
            source.contents = Contents::Broken;
            self.messages.push(format!(
                "{}/{} is left out: {problem}",
                source.game, source.name
            ));
        }
        self.update_search();
    }

    pub(super) fn are_all_read(&self) -> bool {
        let mut sources = self.sources.values();
        sources.all(|source| !matches!(source.contents, Contents::Unread { .. }))
    }
}
