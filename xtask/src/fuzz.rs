//! Fuzzes everything that reads bytes from outside, by libFuzzer and with coverage, and counts the executions.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::Mutex,
    time::Instant,
};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A target, or a part of the names of several; none runs all.
    pub target: Option<String>,
    /// How long each target runs.
    #[arg(long, default_value_t = 1.0)]
    pub minutes: f64,
    /// How many run at the same time.
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Lists the targets, with all executions so far.
    #[arg(long)]
    pub list: bool,
    /// Runs one file, such as a finding, through the target.
    #[arg(long)]
    pub input: Option<PathBuf>,
    /// Puts the smallest inputs that cover what the working corpus covers into the tree.
    #[arg(long)]
    pub keep: bool,
}

/// The program of each group of targets: libFuzzer looks at all counters of a program after each execution, so
/// that small targets are fast only without the client beside them.
const PROGRAMS: [&str; 4] = ["wire", "relay", "files", "client"];
/// Set while cargo calls this program in place of the compiler.
const COVERAGE: &str = "STRAFE_COVERAGE";
/// The crates that are compiled with coverage; what they depend on is shared with the tests' build.
const COVERED: [&str; 4] = ["client", "fuzz", "relay", "shared"];
/// What cargo-fuzz asks of the compiler, less the sanitizer, which only a nightly one has. Overflow checks and debug
/// assertions are on as in all builds for tests.
const COVERAGE_FLAGS: [&str; 8] = [
    "-Copt-level=2",
    "-Ccodegen-units=16",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];
/// A hang is a finding: the targets themselves measure the processor time of what comes to an end.
const TIMEOUT_SECONDS: u32 = 20;
/// What lies in the tree for each target, at most, in bytes.
const MAX_KEPT: u64 = 24 << 10;

/// Where cargo calls this program as its compiler: compiles, with coverage if the crate is one of those.
pub(crate) fn as_compiler() -> Option<ExitCode> {
    std::env::var_os(COVERAGE)?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (compiler, arguments) = arguments.split_first()?;
    let name = arguments
        .windows(2)
        .find(|pair| pair[0] == "--crate-name")
        .and_then(|pair| pair[1].to_str());
    let mut command = Command::new(compiler);
    command.args(arguments);
    if name.is_some_and(|name| COVERED.contains(&name)) {
        command.args(COVERAGE_FLAGS);
    }
    let code = match command.status() {
        Ok(status) => status.code().unwrap_or(1),
        Err(error) => {
            eprintln!("error: cannot start the compiler: {error}");
            1
        }
    };
    Some(ExitCode::from(code as u8))
}

/// A target and the program that it is in.
#[derive(Clone, Debug)]
struct Target {
    program: PathBuf,
    name: String,
    max_len: String,
}

/// What one run of a target came to.
struct Outcome {
    executions: u64,
    seconds: f64,
    /// Empty if there was no finding.
    report: String,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let targets: Vec<Target> = targets()?
        .into_iter()
        .filter(|target| {
            let wanted = options.target.as_deref().unwrap_or("");
            target.name == wanted || options.input.is_none() && target.name.contains(wanted)
        })
        .collect();
    if targets.is_empty() {
        bail!("no target has this name; `cargo xtask fuzz --list` lists them");
    }
    if options.list {
        let totals = totals();
        for target in targets {
            let total = totals.get(&target.name).copied().unwrap_or(0);
            println!("{}: {total} executions so far", target.name);
        }
        return Ok(());
    }
    if let Some(input) = &options.input {
        return shell::run(libfuzzer(&targets[0]).arg(input));
    }
    if options.keep {
        return targets.iter().try_for_each(keep);
    }
    let waiting = Mutex::new(targets.into_iter());
    let findings = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().map(|mut waiting| waiting.next());
                    let Ok(Some(target)) = next else {
                        return;
                    };
                    let outcome = fuzz(&target, options.minutes);
                    if let (Some(finding), Ok(mut findings)) =
                        (told(&target, outcome), findings.lock())
                    {
                        findings.push(finding);
                    }
                }
            });
        }
    });
    let findings = findings.into_inner().unwrap_or_default();
    if findings.is_empty() {
        return Ok(());
    }
    bail!("findings in {}", findings.join(", "))
}

/// Prints what a run came to; yields the target's name if that was a finding.
fn told(target: &Target, outcome: Result<Outcome>) -> Option<String> {
    let name = &target.name;
    match outcome {
        Ok(outcome) => {
            let count = outcome.executions;
            let rate = count as f64 / outcome.seconds.max(0.001);
            let findings = u32::from(!outcome.report.is_empty());
            println!("{name}: {count} executions, {rate:.0}/s, {findings} findings");
            if findings == 0 {
                return None;
            }
            println!("{}", outcome.report);
        }
        Err(error) => println!("{name}: FAILED: {error:#}"),
    }
    Some(name.clone())
}

/// Builds the programs, and asks them for their targets.
fn targets() -> Result<Vec<Target>> {
    let mut command = shell::cargo(&[
        "build",
        "--quiet",
        "--workspace",
        "--features=fuzz/coverage",
    ]);
    for program in PROGRAMS {
        command.arg(format!("--bin=fuzz-{program}"));
    }
    command
        .env("RUSTC_WORKSPACE_WRAPPER", std::env::current_exe()?)
        .env(COVERAGE, "1");
    shell::run(&mut command)?;
    let mut targets = Vec::new();
    for program in PROGRAMS {
        let program = shell::target()
            .join("debug")
            .join(format!("fuzz-{program}{}", std::env::consts::EXE_SUFFIX));
        // Without a target's name, the program prints those it has.
        let listed = shell::read(Command::new(&program).arg("-runs=0").stderr(Stdio::null()))?;
        for line in listed.lines() {
            if let Some((name, max_len)) = line.split_once(' ') {
                targets.push(Target {
                    program: program.clone(),
                    name: name.to_owned(),
                    max_len: max_len.to_owned(),
                });
            }
        }
    }
    Ok(targets)
}

fn libfuzzer(target: &Target) -> Command {
    let mut command = Command::new(&target.program);
    command
        .env("FUZZ_TARGET", &target.name)
        .arg(format!("-max_len={}", target.max_len))
        .arg(format!("-timeout={TIMEOUT_SECONDS}"))
        // The targets have their own limit, which counts only what an input allocates.
        .arg("-rss_limit_mb=4096")
        .arg("-malloc_limit_mb=4096")
        .stdin(Stdio::null());
    command
}

fn fuzz(target: &Target, minutes: f64) -> Result<Outcome> {
    let corpus = folder("corpus", &target.name)?;
    let findings = folder("findings", &target.name)?;
    let mut command = libfuzzer(target);
    command
        .arg(format!(
            "-max_total_time={}",
            (minutes * 60.0).ceil().max(1.0)
        ))
        .arg("-print_final_stats=1")
        .arg("-close_fd_mask=1")
        .arg(format!("-artifact_prefix={}/", findings.display()))
        .args([&corpus, &kept(&target.name)?]);
    let began = Instant::now();
    let output = command.output().context("cannot start the program")?;
    let log = String::from_utf8_lossy(&output.stderr);
    let executions = executions(&log);
    add_total(&target.name, executions)?;
    let report = if output.status.success() {
        String::new()
    } else {
        let told: Vec<&str> = log.lines().filter(|line| !line.starts_with('#')).collect();
        told[told.len().saturating_sub(40)..].join("\n")
    };
    Ok(Outcome {
        executions,
        seconds: began.elapsed().as_secs_f64(),
        report,
    })
}

/// What the last lines of libFuzzer say; after a finding, the last number that it counted to.
fn executions(log: &str) -> u64 {
    let number = |text: &str| -> Option<u64> {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    let stated = log
        .lines()
        .filter_map(|line| line.strip_prefix("stat::number_of_executed_units:"))
        .filter_map(|rest| number(rest.trim_start()));
    let counted = log
        .lines()
        .filter_map(|line| number(line.strip_prefix('#')?));
    stated.chain(counted).max().unwrap_or(0)
}

/// Puts the smallest inputs that cover what the working corpus covers into the tree, as far as there is room.
fn keep(target: &Target) -> Result<()> {
    let kept = kept(&target.name)?;
    let merged = folder("merged", &target.name)?;
    for file in files(&merged)? {
        fs::remove_file(file)?;
    }
    let mut command = libfuzzer(target);
    command
        .args(["-merge=1", "-close_fd_mask=1"])
        .args([&merged, &kept, &folder("corpus", &target.name)?])
        .stderr(Stdio::null());
    shell::run(&mut command)?;
    let mut found: Vec<(u64, PathBuf)> = files(&merged)?
        .into_iter()
        .map(|file| Ok((fs::metadata(&file)?.len(), file)))
        .collect::<Result<_>>()?;
    found.sort();
    let mut room = MAX_KEPT.saturating_sub(size(&kept)?);
    for (size, file) in found {
        let to = kept.join(file.file_name().context("a file has a name")?);
        if size > room || to.exists() {
            continue;
        }
        room -= size;
        fs::copy(&file, to)?;
    }
    println!(
        "{}: {} bytes in {}",
        target.name,
        size(&kept)?,
        kept.display()
    );
    Ok(())
}

fn size(folder: &Path) -> Result<u64> {
    let sizes = files(folder)?
        .into_iter()
        .map(|file| Ok(fs::metadata(file)?.len()));
    sizes.sum()
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    entries.collect()
}

/// The inputs of a target that lie in the tree.
fn kept(target: &str) -> Result<PathBuf> {
    let folder = shell::root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A folder of a target beside what is built: its working corpus, its findings.
fn folder(kind: &str, target: &str) -> Result<PathBuf> {
    let folder = shell::target().join("fuzz").join(kind).join(target);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn totals_file() -> PathBuf {
    shell::target().join("fuzz/totals.json")
}

/// The executions of all runs on this machine.
fn totals() -> BTreeMap<String, u64> {
    let text = fs::read_to_string(totals_file()).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn add_total(target: &str, executions: u64) -> Result<()> {
    static WRITING: Mutex<()> = Mutex::new(());
    let _writing = WRITING.lock();
    let mut totals = totals();
    *totals.entry(target.to_owned()).or_default() += executions;
    fs::write(totals_file(), serde_json::to_string_pretty(&totals)?)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::executions;

    #[test]
    fn executions_are_counted_with_and_without_a_finding() {
        let whole = "#8\tINITED cov: 7\n#4096\tpulse\nstat::number_of_executed_units: 5000\n";
        assert_eq!(executions(whole), 5000);
        assert_eq!(
            executions("#8\tINITED cov: 7\n#4096\tpulse\npanicked"),
            4096
        );
        assert_eq!(executions(""), 0);
    }
}
