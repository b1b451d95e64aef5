//! The entrance on every platform.

fn main() -> std::process::ExitCode {
    client::platform::start::run()
}
