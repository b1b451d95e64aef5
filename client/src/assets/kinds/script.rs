//! Shader scripts: what materials are made of, read before the first of them is.

use super::{FileUse, Prepared};
use crate::{
    assets::{Assets, budget::Kind, builtin, source::OWN_GAME, vfs::Packed},
    jobs::JobHandle,
};
use shared::{base::sort::sort_by_key, formats::shader_script::Library};

/// Script files beyond these are ignored, as in the reference.
const MAX_SCRIPTS: usize = 4096;
/// Larger scripts are left out; real ones have some 100 kB.
const MAX_SCRIPT_BYTES: u64 = 8 << 20;

#[derive(Clone, Debug, Default)]
pub(in crate::assets) enum Scripts {
    #[default]
    Unknown,
    Loading {
        files: Vec<(String, Option<Vec<u8>>)>,
        missing: usize,
    },
    Ready(Library),
}

/// Which of the scripts it is.
#[derive(Clone, Copy, Debug)]
struct ScriptFile(usize);

impl FileUse for ScriptFile {
    fn prepare(&self, assets: &Assets, file: Result<Packed, String>) -> JobHandle<Prepared> {
        let Self(index) = *self;
        assets.prepare_file(file, Ok, move |assets, bytes| {
            assets.finish_script(index, bytes);
        })
    }
}

impl Assets {
    pub(in crate::assets) fn start_scripts(&mut self) {
        if !matches!(self.loader.scripts, Scripts::Unknown) {
            return;
        }
        let mut names = self.vfs.list("scripts", ".shader");
        names.truncate(MAX_SCRIPTS);
        // The last definition wins, but Strafe's own arena only stands in for what a game lacks.
        let is_own = |name: &String| {
            let game = self.vfs.game_of(&format!("scripts/{name}"));
            game == Some(OWN_GAME)
        };
        sort_by_key(&mut names, |name| !is_own(name));
        let mut files = Vec::with_capacity(names.len());
        for name in names {
            let path = format!("scripts/{name}");
            // One that is too large by itself is told so when it is opened.
            let size = self.vfs.size(&path).unwrap_or(0);
            if size <= MAX_SCRIPT_BYTES && !self.budgets.spend(Kind::Scripts, size) {
                self.leave_out(Kind::Scripts, &path);
                continue;
            }
            if self.open(&path, MAX_SCRIPT_BYTES, ScriptFile(files.len())) {
                files.push((path, None));
            }
        }
        let missing = files.len();
        self.loader.scripts = Scripts::Loading { files, missing };
        self.finish_scripts();
    }

    fn finish_script(&mut self, index: usize, result: Result<Vec<u8>, String>) {
        let bytes = self.ok_or_tell("", result);
        if let Scripts::Loading { files, missing } = &mut self.loader.scripts {
            files[index].1 = bytes;
            *missing -= 1;
        }
        self.finish_scripts();
    }

    fn finish_scripts(&mut self) {
        let Scripts::Loading { files, missing: 0 } = &self.loader.scripts else {
            return;
        };
        let present = files
            .iter()
            .filter_map(|(name, bytes)| Some((name.clone(), bytes.as_deref()?)));
        let (name, text) = builtin::SCRIPTS;
        let own = (name.to_owned(), text.as_bytes());
        let (library, errors) = Library::new([own].into_iter().chain(present));
        self.loader.scripts = Scripts::Ready(library);
        for error in errors {
            self.tell(error.to_string());
        }
        for (id, priority) in std::mem::take(&mut self.loader.unresolved) {
            self.resolve_material(id, priority);
        }
    }
}
