//! Which lines and names hold secrets, so that they are neither shown nor stored.

use super::{
    cvar::{flag, is_secret_name},
    cvars,
};

/// Whether a typed line may hold a secret, by whatever command and however it is quoted. A line too many is forgotten
/// rather than one too few.
pub fn holds_secret(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let mut secrets = cvars::TABLE
        .iter()
        .filter(|def| def.flags & flag::SECRET != 0);
    is_secret_name(&line) || secrets.any(|def| line.contains(&def.name.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_however_they_are_written() {
        for line in [
            "set rconPassword hush",
            "/seta RCONPASSWORD \"hush\"",
            "\\rconpassword hush",
            "cg_fov 90; password hush",
            "bind x \"set rconPassword hush; rcon status\"",
            "rcon set g_password hush",
            "rcon sv_privatePassword hush",
            "set cl_cdkey abcd",
            "setu password hush",
            "\"password\" hush",
        ] {
            assert!(holds_secret(line), "{line}");
        }
        for line in [
            "set cg_fov 100",
            "rcon status",
            "connect 127.0.0.1",
            "say hello",
        ] {
            assert!(!holds_secret(line), "{line}");
        }
    }
}
