//! What the program says to an operator who asks for what cannot be.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};

/// Starts the program, which must give up at once; yields what it said.
fn complaint(options: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_strafe-relay"))
        .args(options)
        .env("RUST_BACKTRACE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{options:?}: {said}");
    said
}

#[test]
fn wrong_options_are_told_with_what_helps() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    // Other tests take ports of 127.0.0.1 over TCP meanwhile, this one among them.
    let over_udp = UdpSocket::bind("127.6.0.1:0").unwrap();
    let taken_over_udp = over_udp.local_addr().unwrap().to_string();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let folder = env!("CARGO_MANIFEST_DIR");
    let cases: &[(&[&str], &str)] = &[
        (
            &["--listen", &taken],
            "another program has this port; stop it, or choose",
        ),
        (
            &["--listen", &taken_over_udp],
            "over UDP (--no-webtransport does without)",
        ),
        (&["--state", file], "cannot make this folder"),
        (
            &["--listen", "192.0.2.1:0"],
            "this machine has no such address; 0.0.0.0 or",
        ),
        (
            &["--listen", "8080"],
            "an IP address and a port are wanted, like 0.0.0.0:8080",
        ),
        (
            &["--server", "example.org"],
            "a port are wanted, like 127.0.0.1:27960",
        ),
        (
            &["--server", "example.org:99999"],
            "a port are wanted, like 127.0.0.1:27960",
        ),
        (
            &["--origin", "example.org"],
            "scheme and host are wanted, like https://example.org",
        ),
        (
            &["--web", folder],
            "there is no index.html in it; `cargo xtask web`",
        ),
        (
            &["--content", "/nowhere"],
            "--content /nowhere: cannot read this folder: No such file",
        ),
        (
            &["--content", file],
            "cannot read this folder: Not a directory",
        ),
        (
            &["--source", "192.0.2.0/24"],
            "cannot send from 192.0.2.1; route the network",
        ),
        (
            &["--ban", "10.0.0.0/40"],
            "\"10.0.0.0/40\" is neither an address nor a network like 10.0.0.0/8",
        ),
        (
            &["--delay", "much"],
            "invalid value 'much' for '--delay <MSEC>'",
        ),
        (&["--loss", "2"], "\"2\" is not a number from 0 to 1"),
        (&["--tls-certificate", file], "--tls-key <FILE>"),
        (
            &["--tls-certificate", "/nowhere", "--tls-key", file],
            "--tls-certificate /nowhere: cannot read it: No such file",
        ),
        (
            &["--tls-certificate", file, "--tls-key", file],
            "not a certificate chain and its private key, both in PEM",
        ),
    ];
    for (options, expected) in cases {
        let mut all = vec!["--listen", "127.0.0.1:0"];
        if options[0] == "--listen" {
            all.clear();
        }
        all.extend(*options);
        let said = complaint(&all);
        assert!(said.contains(expected), "{options:?}: {said}");
        assert!(!said.contains("backtrace"), "{options:?}: {said}");
    }
}

/// Starts the program from a shell with this limit of open files; yields it and what it says until
/// it listens.
fn start_under(limit: &str) -> (Child, String) {
    let mut relay = Command::new("sh")
        .args(["-c", &format!("{limit}; exec \"$0\" --listen 127.0.0.1:0")])
        .arg(env!("CARGO_BIN_EXE_strafe-relay"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut lines = BufReader::new(relay.stderr.as_mut().unwrap());
    while !said.contains("listening on") {
        assert!(lines.read_line(&mut said).unwrap() > 0, "{said}");
    }
    (relay, said)
}

#[test]
fn a_shells_limit_of_open_files_is_lifted() {
    let (mut relay, said) = start_under("ulimit -S -n 64");
    let (_, address) = said.rsplit_once("http://").unwrap();
    let (address, _) = address.split_once('/').unwrap();
    let open: Vec<TcpStream> = (0..120)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    let mut last = open.last().unwrap();
    last.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    last.read_to_string(&mut answer).unwrap();
    relay.kill().unwrap();
    relay.wait().unwrap();
    assert!(answer.ends_with("ok\n"), "{answer}");
    assert!(!said.contains("too few"), "{said}");
}

#[test]
fn too_few_open_files_are_told_with_what_helps() {
    let (mut relay, said) = start_under("ulimit -n 64");
    relay.kill().unwrap();
    relay.wait().unwrap();
    let help = "raise the limit (LimitNOFILE in relay/deploy/strafe-relay.service)";
    assert!(said.contains(help) && said.contains("allowed=64"), "{said}");
}
