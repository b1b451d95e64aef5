//! Checks and tests everything with one command, and says at the end what passed and what failed.

use crate::{deny, e2e, e2e::Outcome, setup, shared_address, shell, tidy};
use anyhow::{Result, bail};
use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::Instant,
};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Leaves out the browser tests.
    #[arg(long)]
    pub no_browser: bool,
}

/// What the steps so far have come to.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    failures: Vec<String>,
}

impl Tally {
    /// Runs one step, prints its time, and goes on after a failure.
    fn step(&mut self, name: &str, step: impl FnOnce() -> Result<Outcome>) {
        println!("── {name}");
        let start = Instant::now();
        let outcome = step();
        let seconds = start.elapsed().as_secs_f32();
        match outcome {
            Ok(count) => {
                self.passed += count.passed;
                self.failed += count.failed;
                if count.failed > 0 {
                    self.failures
                        .push(format!("{name}: {} failed", count.failed));
                }
                println!(
                    "   {name}: {} passed, {} failed, {seconds:.0} s",
                    count.passed, count.failed
                );
            }
            Err(error) => {
                self.failed += 1;
                println!("   {name}: FAILED after {seconds:.0} s: {error:#}");
                self.failures.push(format!("{name}: {error:#}"));
            }
        }
    }

    fn check(&mut self, name: &str, check: impl FnOnce() -> Result<()>) {
        self.step(name, || {
            check()?;
            Ok(Outcome {
                passed: 1,
                failed: 0,
            })
        });
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut needs = vec![
        setup::NATIVE_BUILD,
        setup::LOCAL_GAME,
        setup::SMALL_BUNDLE,
        setup::NAMESPACES,
    ];
    if !options.no_browser {
        needs.push(setup::TESTS);
    }
    setup::packages(&needs)?;
    setup::wasm_target()?;
    let mut tally = Tally::default();
    tally.check("format", || {
        shell::run(&mut shell::cargo(&["fmt", "--all", "--check"]))
    });
    tally.check("tidy", tidy::run);
    tally.check("licences and versions", deny::check);
    tally.step("known vulnerabilities", || {
        let passed = usize::from(deny::advisories()?.is_some());
        Ok(Outcome { passed, failed: 0 })
    });
    tally.check("lint", || lint(&["--workspace", "--all-targets"]));
    tally.check("lint, the relay's core alone", || {
        lint(&["--package=relay", "--all-targets", "--no-default-features"])
    });
    tally.check("lint, browser", || {
        lint(&[
            "--package=client",
            "--target=wasm32-unknown-unknown",
            "--features=webgl,webgpu",
        ])
    });
    for (system, target) in OTHER_SYSTEMS {
        tally.check(&format!("lint, {system}"), || {
            lint_elsewhere(system, target)
        });
    }
    tally.check("docs", || {
        let mut command = shell::cargo(&["doc", "--quiet", "--workspace", "--no-deps"]);
        shell::run(command.env("RUSTDOCFLAGS", "--deny=warnings"))
    });
    tally.step("tests", native_tests);
    // Only `shared` has examples, and nextest runs none.
    tally.step("examples in docs", || {
        count(shell::cargo(&["test", "--package=shared", "--doc"]))
    });
    tally.step("tests as WASM", || node("shared/tests/wasm/run.mjs"));
    tally.step("match as WASM", || node("server/tests/wasm/run.mjs"));
    tally.step("virtual machine in a page's engine", || {
        node("vm/tests/wasm/run.mjs")
    });
    tally.step("tests of the page's link", || node("web/tests/outbox.mjs"));
    tally.step("tests of leaving", || node("web/tests/leaving.mjs"));
    tally.step("tests of the page's files", || {
        node("web/tests/fetched.mjs")
    });
    if !options.no_browser {
        tally.step(
            "browser",
            || e2e::play_and_measure(&e2e::Options::default()),
        );
        tally.check("eight players by one relay", || {
            shared_address::run(&shared_address::Options { no_build: true })
        });
    }
    println!();
    if let Err(reason) = namespaces() {
        println!("NOT RUN players from an IPv6 prefix: no network namespaces here ({reason})");
    }
    for failure in &tally.failures {
        println!("FAILED {failure}");
    }
    println!("{} passed, {} failed", tally.passed, tally.failed);
    if tally.failed > 0 {
        bail!("not everything passed");
    }
    Ok(())
}

/// Whether the relay's test in network namespaces ran: it takes root, and a system that has them.
fn namespaces() -> Result<()> {
    let name = format!("strafe-probe-{}", std::process::id());
    shell::read(&mut shell::program("ip", &["netns", "add", &name]))?;
    shell::read(&mut shell::program("ip", &["netns", "delete", &name])).map(drop)
}

fn lint(arguments: &[&str]) -> Result<()> {
    let mut command = shell::cargo(&["clippy", "--quiet"]);
    shell::run(command.args(arguments).args(["--", "--deny=warnings"]))
}

/// Where the programs must compile as well.
const OTHER_SYSTEMS: [(&str, &str); 2] = [
    ("Windows", "x86_64-pc-windows-gnu"),
    ("macOS", "aarch64-apple-darwin"),
];

/// Lints the programs for a system that this one cannot link for.
fn lint_elsewhere(system: &str, target: &str) -> Result<()> {
    setup::rust_target(target, &format!("whether all compiles for {system}"))?;
    let mut command = shell::cargo(&["clippy", "--quiet", "--target", target]);
    for package in ["client", "relay", "server", "xtask"] {
        command.args(["--package", package]);
    }
    // Nothing is linked, so the C code of libraries need not be compiled, and no compiler for it be there.
    for tool in ["CC", "AR"] {
        command.env(format!("{tool}_{}", target.replace('-', "_")), "true");
    }
    shell::run(command.args(["--", "--deny=warnings"]))
}

fn native_tests() -> Result<Outcome> {
    let has_nextest = shell::cargo(&["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if has_nextest {
        return count(shell::cargo(&[
            "nextest",
            "run",
            "--workspace",
            "--no-fail-fast",
            "--color=never",
            "--status-level=fail",
        ]));
    }
    count(shell::cargo(&["test", "--workspace", "--no-fail-fast"]))
}

/// Runs tests in node: the golden checks of the pure half as WASM must come out the same, bit for bit.
fn node(script: &str) -> Result<Outcome> {
    let mut command = Command::new("node");
    command.arg(script).current_dir(shell::root());
    count(command)
}

/// Runs a test command, shows what it prints, and adds up its summaries.
fn count(mut command: Command) -> Result<Outcome> {
    // nextest reports on standard error, cargo test on standard output: both are read, in order.
    let (reader, writer) = std::io::pipe()?;
    let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // The command holds the writing end; without it the reading would never end.
    drop(command);
    let mut count = Outcome {
        passed: 0,
        failed: 0,
    };
    for line in BufReader::new(reader).lines() {
        let line = line?;
        println!("   {line}");
        if let Some(found) = summary(&line) {
            count.passed += found.passed;
            count.failed += found.failed;
        }
    }
    let status = child.wait()?;
    if !status.success() && count.failed == 0 {
        bail!("the test command failed: {status}");
    }
    Ok(count)
}

/// Reads `test result: ok. 12 passed; 0 failed; …` and `Summary [ 1.2s] 12 tests run: 11 passed (1 slow), 1 failed, …`.
fn summary(line: &str) -> Option<Outcome> {
    let line = line.trim_start();
    if !line.starts_with("test result:") && !line.starts_with("Summary [") {
        return None;
    }
    let words = line.split([' ', ',', ';']).collect::<Vec<_>>();
    let number_before = |word: &str| {
        let at = words.iter().position(|candidate| *candidate == word)?;
        words[..at]
            .iter()
            .rev()
            .find_map(|number| number.parse().ok())
    };
    Some(Outcome {
        passed: number_before("passed").unwrap_or(0),
        failed: number_before("failed").unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::summary;

    fn check(line: &str, expected: Option<(usize, usize)>) {
        assert_eq!(
            summary(line).map(|count| (count.passed, count.failed)),
            expected,
            "{line}"
        );
    }

    #[test]
    fn both_test_runners_are_understood() {
        check(
            "test result: ok. 12 passed; 3 failed; 0 ignored; 0 measured; 7 filtered out",
            Some((12, 3)),
        );
        check(
            "     Summary [   1.234s] 12 tests run: 11 passed (2 slow), 1 failed, 3 skipped",
            Some((11, 1)),
        );
        check(
            "     Summary [   0.034s] 4 tests run: 4 passed, 0 skipped",
            Some((4, 0)),
        );
        check("running 3 tests", None);
    }
}
