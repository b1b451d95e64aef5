//! Files that are opened: asked for where they are smallest, and handed out when they have arrived.

use super::{FileId, Purpose, Source, Vfs, lookup_name};
use crate::assets::{budget::megabytes, decode, fetch::Part, source::SourceId};
use shared::formats::{light::LightFile, pk3::Entry};

/// Files that do not count as use of their pak.
const UNCOUNTED: [&str; 7] = [
    ".shader", ".txt", ".cfg", ".config", ".bot", ".arena", ".menu",
];

/// The bytes of a file as they arrived.
#[derive(Clone, Debug)]
pub struct Packed {
    name: String,
    /// How a pak holds it; `None` if it is a loose file.
    entry: Option<Entry>,
    /// How many bytes the exact file has, where this is one in fewer.
    exact_size: Option<u64>,
    part: Part,
}

impl Packed {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes it has unpacked.
    pub fn size(&self) -> u64 {
        match (self.light_file_size(), &self.entry) {
            (Some(size), _) => size,
            (None, Some(entry)) => u64::from(entry.size),
            (None, None) => self.part.bytes().len() as u64,
        }
    }

    /// How many bytes a map or model has, where this is one in fewer.
    fn light_file_size(&self) -> Option<u64> {
        let size = self.exact_size?;
        LightFile::is_one(&self.head(8)).then_some(size)
    }

    /// About the first `count` bytes, unpacked.
    pub fn head(&self, count: usize) -> Vec<u8> {
        let bytes = self.part.bytes();
        match &self.entry {
            Some(entry) => entry.head(bytes, count),
            None => bytes[..count.min(bytes.len())].to_vec(),
        }
    }

    /// # Errors
    /// Says what is wrong with which file.
    pub fn unpack(&self) -> Result<Vec<u8>, String> {
        let bytes = self.part.bytes();
        match &self.entry {
            Some(entry) => {
                let bytes = entry.extract(bytes);
                let bytes = bytes.map_err(|error| error.to_string());
                let bytes = bytes.and_then(|bytes| match self.light_file_size() {
                    Some(size) => decode::decode_light_file(&bytes, size),
                    None => Ok(bytes),
                });
                bytes.map_err(|problem| format!("{}: {problem}", self.name))
            }
            None => Ok(bytes.to_vec()),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Opened {
    source: SourceId,
    /// The pak that has it in the exact form; the same where it is read from there.
    exact: SourceId,
    name: String,
    max_size: u64,
}

impl Vfs {
    /// Begins to read a file of at most `max_size` bytes, a larger one comes to nothing; `None` if there is none of this
    /// name.
    pub fn open(&mut self, name: &str, max_size: u64) -> Option<FileId> {
        self.open_file(name, max_size, false)
    }

    /// Begins to read a file before those that were opened earlier and still wait.
    pub fn open_urgent(&mut self, name: &str, max_size: u64) -> Option<FileId> {
        self.open_file(name, max_size, true)
    }

    /// Begins to read a file as its pak has it, also where there is one in fewer bytes.
    pub fn open_exact(&mut self, name: &str, max_size: u64) -> Option<FileId> {
        let name = lookup_name(name);
        let exact = self.locate(&name)?;
        let opened = Opened {
            source: exact,
            exact,
            name,
            max_size,
        };
        self.begin(opened, false)
    }

    fn open_file(&mut self, name: &str, max_size: u64, is_urgent: bool) -> Option<FileId> {
        let name = lookup_name(name);
        let exact = self.locate(&name)?;
        let opened = Opened {
            source: self.lighter_with(exact, &name).unwrap_or(exact),
            exact,
            name,
            max_size,
        };
        self.begin(opened, is_urgent)
    }

    fn begin(&mut self, opened: Opened, is_urgent: bool) -> Option<FileId> {
        if is_counted(&opened.name) {
            self.used.insert(opened.exact);
        }
        let file = FileId(self.last_file + 1);
        self.ask_for(file, opened, is_urgent)?;
        self.last_file = file.0;
        Some(file)
    }

    /// Asks for the bytes of a file; `None` if its source does not have it (any more).
    fn ask_for(&mut self, file: FileId, opened: Opened, is_urgent: bool) -> Option<()> {
        let source = self.sources.get(&opened.source)?;
        let (place, range) = source.place_of(opened.source, &opened.name)?;
        let size = source.size_of(&opened.name)?;
        // What is stored takes as much as what it unpacks to, and a forged size may hide that.
        let exact = self.sources.get(&opened.exact);
        let exact = exact.and_then(|source| source.size_of(&opened.name))?;
        let largest = size.unpacked.max(size.packed).max(exact.unpacked);
        if largest > opened.max_size {
            let problem = format!(
                "left out, because it has {}, and a file of its kind at most {}",
                megabytes(largest),
                megabytes(opened.max_size)
            );
            self.arrived.push_back((file, Err(problem)));
        } else {
            self.fetcher
                .want(place, range, Purpose::File(file), is_urgent);
        }
        self.opened.insert(file, opened);
        Some(())
    }

    /// The next file whose contents arrived (or did not, and why).
    pub fn poll(&mut self) -> Option<(FileId, Result<Packed, String>)> {
        loop {
            self.sort_arrivals();
            let (file, result) = self.arrived.pop_front()?;
            self.waiting_bytes -= result.as_ref().map_or(0, Part::size);
            let opened = self.opened.remove(&file)?;
            let result = match result.and_then(|part| self.packed(&opened, part)) {
                // Whoever has the smaller files may have given them up: there is still what they were made from.
                Err(problem) if opened.source != opened.exact => {
                    self.leave_out_light(opened.source, &problem);
                    let exact = Opened {
                        source: opened.exact,
                        ..opened.clone()
                    };
                    if self.ask_for(file, exact, true).is_some() {
                        continue;
                    }
                    Err(problem)
                }
                result => result,
            };
            let name = opened.name;
            return Some((file, result.map_err(|problem| format!("{name}: {problem}"))));
        }
    }

    /// Nothing more is read from a light pak.
    fn leave_out_light(&mut self, id: SourceId, problem: &str) {
        let before = self.lighter.len();
        self.lighter.retain(|_, light| *light != id);
        if let Some(source) = self.sources.get(&id)
            && self.lighter.len() < before
        {
            self.messages.push(format!(
                "{}/{}: its own files are read, because the smaller ones cannot be: {problem}",
                source.game, source.name
            ));
        }
    }

    fn packed(&self, opened: &Opened, part: Part) -> Result<Packed, String> {
        let directory = self.sources.get(&opened.source).and_then(Source::directory);
        let entry = directory.map(|directory| directory.find(&opened.name).cloned());
        let entry = entry.map(|entry| entry.ok_or("it is no longer in its pak"));
        let is_light = opened.source != opened.exact;
        let exact = self.sources.get(&opened.exact).filter(|_| is_light);
        let exact = exact.and_then(|source| source.size_of(&opened.name));
        Ok(Packed {
            name: opened.name.clone(),
            entry: entry.transpose()?,
            exact_size: exact.map(|size| size.unpacked),
            part,
        })
    }
}

fn is_counted(name: &str) -> bool {
    let is_exempt = UNCOUNTED.iter().any(|suffix| name.ends_with(suffix));
    !is_exempt && name != "vm/qagame.qvm" && !name.contains("levelshots")
}
