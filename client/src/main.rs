//! The entrance on every platform.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    client::platform::start::run()
}
