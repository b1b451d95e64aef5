//! The command buffer: console text, cut into one command at a time.

/// Text that waits for execution is refused beyond this many bytes.
pub const MAX_BUFFER: usize = 128 * 1024;
/// The rest of a longer command line is dropped.
pub const MAX_LINE: usize = 1023;

/// Commands that are still to run.
#[derive(Clone, Debug, Default)]
pub struct CommandBuffer {
    text: String,
    wait_frames: u32,
}

impl CommandBuffer {
    /// Adds commands behind all that wait. Returns false, and takes nothing, if the buffer is full.
    pub fn append(&mut self, text: &str) -> bool {
        if self.text.len() + text.len() + 1 > MAX_BUFFER {
            return false;
        }
        self.text.push_str(text);
        self.text.push('\n');
        true
    }

    /// Adds commands in front of all that wait, as `exec` and `vstr` do.
    pub fn insert(&mut self, text: &str) -> bool {
        if self.text.len() + text.len() + 1 > MAX_BUFFER {
            return false;
        }
        self.text.insert(0, '\n');
        self.text.insert_str(0, text);
        true
    }

    /// Lets the rest wait for this many frames.
    pub fn wait(&mut self, frames: u32) {
        self.wait_frames = self.wait_frames.saturating_add(frames.max(1));
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Once per frame: time passes for `wait`.
    pub fn begin_frame(&mut self) {
        self.wait_frames = self.wait_frames.saturating_sub(1);
    }

    /// The next command, without separator; `None` when all is done or has to wait.
    pub fn next_command(&mut self) -> Option<String> {
        while self.wait_frames == 0 && !self.text.is_empty() {
            let (end, next) = command_end(&self.text);
            let rest = self.text.split_off(next);
            let mut line = std::mem::replace(&mut self.text, rest);
            line.truncate(end);
            line.truncate(line.floor_char_boundary(MAX_LINE));
            if !line.trim().is_empty() {
                return Some(line);
            }
        }
        None
    }
}

/// Where the first command ends, at a line break, or at a `;` outside of quotes and comments; and where the next begins.
fn command_end(text: &str) -> (usize, usize) {
    let bytes = text.as_bytes();
    let mut is_quoted = false;
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'\n' | b'\r' => return (i, i + 1),
            b'"' => is_quoted = !is_quoted,
            b';' if !is_quoted => return (i, i + 1),
            b'/' if !is_quoted && bytes.get(i + 1) == Some(&b'/') => {
                let line = text[i..].find(['\n', '\r']);
                return (i, line.map_or(bytes.len(), |offset| i + offset + 1));
            }
            b'/' if !is_quoted && bytes.get(i + 1) == Some(&b'*') => {
                match text[i + 2..].find("*/") {
                    Some(offset) => i += 2 + offset + 1,
                    None => return (i, bytes.len()),
                }
            }
            _ => {}
        }
        i += 1;
    }
    (bytes.len(), bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut buffer = CommandBuffer::default();
        assert!(buffer.append(text));
        let mut commands = Vec::new();
        while let Some(command) = buffer.next_command() {
            commands.push(command.trim().to_owned());
        }
        assert_eq!(commands, expected);
    }

    #[test]
    fn commands_are_cut_at_semicolons_and_lines() {
        check("a; b\nc", &["a", "b", "c"]);
        check("say \"a;b\"; c", &["say \"a;b\"", "c"]);
        check("say \"a\nb", &["say \"a", "b"]);
        check("a // b; c\nd", &["a", "d"]);
        check("a /* ; \n */ b; c", &["a /* ; \n */ b", "c"]);
        check("a /* never closed", &["a"]);
        check(";;\n;\r\n", &[]);
    }

    #[test]
    fn inserted_commands_run_first() {
        let mut buffer = CommandBuffer::default();
        buffer.append("last");
        buffer.insert("first; second");
        assert_eq!(buffer.next_command().as_deref(), Some("first"));
        assert_eq!(
            buffer.next_command().as_deref().map(str::trim),
            Some("second")
        );
        assert_eq!(buffer.next_command().as_deref(), Some("last"));
        assert_eq!(buffer.next_command(), None);
    }

    #[test]
    fn wait_holds_the_rest_for_frames() {
        let mut buffer = CommandBuffer::default();
        buffer.append("a");
        buffer.wait(2);
        assert_eq!(buffer.next_command(), None);
        buffer.begin_frame();
        assert_eq!(buffer.next_command(), None);
        buffer.begin_frame();
        assert_eq!(buffer.next_command().as_deref(), Some("a"));
    }

    #[test]
    fn long_lines_are_cut_and_a_full_buffer_refuses() {
        let mut buffer = CommandBuffer::default();
        buffer.append(&"é".repeat(2000));
        assert!(
            buffer
                .next_command()
                .is_some_and(|line| line.len() <= MAX_LINE)
        );
        assert!(!buffer.append(&"x".repeat(MAX_BUFFER)));
        assert!(!buffer.insert(&"x".repeat(MAX_BUFFER)));
        assert_eq!(buffer.next_command(), None);
    }
}
