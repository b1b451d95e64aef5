//! Small named texts (config, history) that outlive the page, kept by the browser.

use super::host;

/// The text stored under this name, if there is one.
pub fn load(name: &str) -> Option<String> {
    host::load(name)
}

/// Offers what the player made, such as a demo, as a download.
pub fn store_bytes(name: &str, bytes: &[u8]) -> Result<(), String> {
    let file = name.rsplit('/').next().unwrap_or(name);
    host::save_file(file, bytes);
    Ok(())
}

/// A journal as it is kept; whoever wants it small can pack it.
pub fn packed(journal: &[u8]) -> Vec<u8> {
    journal.to_vec()
}

/// Browsers number what has the same name.
pub fn free_name(beginning: &str, ending: &str) -> String {
    format!("{beginning}{ending}")
}

/// A page has no folder of demos; the player drops them on it.
pub fn load_demo(_name: &str) -> Option<Vec<u8>> {
    None
}

/// A page does not know who looks at it.
pub fn user_name() -> String {
    String::new()
}

/// Nor what other programs keep.
pub fn load_foreign(_name: &str) -> Option<String> {
    None
}

/// A page does not know which files the player has.
pub fn list_demos() -> Vec<String> {
    Vec::new()
}

/// Stores a text.
pub fn store(name: &str, text: &str) -> Result<(), String> {
    host::store(name, text).map_err(|error| {
        format!(
            "the browser does not keep \"{name}\": {}",
            host::text_of(&error)
        )
    })
}
