//! The program strafe-server itself, as an operator runs it.
#![cfg(unix)]

use std::{
    io::{BufRead, BufReader},
    net::UdpSocket,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Program {
    fn signal(&self, name: &str) {
        let id = self.0.id().to_string();
        let status = Command::new("kill").args([name, &id]).status();
        assert!(status.expect("kill").success(), "{name}");
    }
}

#[test]
fn a_server_that_was_halted_goes_on() {
    let child = Command::new(env!("CARGO_BIN_EXE_strafe-server"))
        .args(["--data", env!("CARGO_TARGET_TMPDIR")])
        .args(["--game", "baseq3", "--listen", "127.0.0.1:0"])
        .args(["+map", "strafe1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut program = Program(child.expect("the program"));
    let output = program.0.stdout.take().expect("its output");
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let first = lines.next().expect("its first line");
    let address = first.rsplit(' ').next().expect("an address").to_owned();
    assert!(lines.any(|line| line.contains("strafe1 is played")));
    // What it prints later must not fill the pipe.
    std::thread::spawn(move || lines.count());

    for _ in 0..10 {
        program.signal("-STOP");
        sleep(Duration::from_millis(30));
        program.signal("-CONT");
        sleep(Duration::from_millis(30));
    }

    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let wait = Some(Duration::from_millis(300));
    socket.set_read_timeout(wait).expect("a limit");
    let begun = Instant::now();
    let mut buffer = [0; 1500];
    loop {
        let ended = program.0.try_wait().expect("its state");
        assert_eq!(ended, None, "it has ended");
        assert!(begun.elapsed() < Duration::from_secs(20), "no answer");
        let question = b"\xff\xff\xff\xffgetinfo xyz";
        socket.send_to(question, &address).expect("a question sent");
        if let Ok(length) = socket.recv(&mut buffer) {
            assert!(buffer[..length].starts_with(b"\xff\xff\xff\xffinfoResponse"));
            break;
        }
    }
}
