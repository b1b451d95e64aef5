//! A folder for one test, which goes with it.

use std::path::PathBuf;

pub(crate) struct Folder(pub PathBuf);

impl Folder {
    /// An empty one, whatever an earlier run has left there.
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("strafe-relay-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("temporary files can be written");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left of it does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
