//! Pak checksums and the proof for pure servers against the vectors.

use crate::data::{int, vector};
use shared::net::pure::{PureProof, pak_checksum, pure_checksum};

#[test]
fn checksums_match_a_real_server() {
    let vector = vector("pak_checksum");
    let crcs: Vec<u32> = vector["crcs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|crc| int(crc) as u32)
        .collect();
    let feed = int(&vector["feed"]) as i32;
    assert_eq!(i64::from(pak_checksum(&crcs)), int(&vector["checksum"]));
    assert_eq!(
        i64::from(pure_checksum(&crcs, feed)),
        int(&vector["pure_checksum"])
    );
}

fn proof() -> PureProof {
    let vector = vector("cp_command");
    PureProof {
        cgame: int(&vector["cgame"]) as i32,
        ui: int(&vector["ui"]) as i32,
        referenced: vector["refs"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| int(one) as i32)
            .collect(),
    }
}

#[test]
fn the_proof_is_one_that_a_real_server_accepted() {
    let vector = vector("cp_command");
    let (server_id, feed) = (
        int(&vector["server_id"]) as i32,
        int(&vector["feed"]) as i32,
    );
    assert_eq!(vector["line"], proof().command(server_id, feed));
    let empty = PureProof::default();
    assert_eq!(empty.command(3, 17), "cp 3 0 0 @ 17 ");
}

#[test]
fn a_proof_always_fits_into_a_command() {
    let mut proof = proof();
    proof.referenced = vec![i32::MIN; 500];
    let command = proof.command(i32::MIN, -1);
    assert!(
        command.len() <= 1023 && command.len() > 1000,
        "{}",
        command.len()
    );
    let tokens: Vec<&str> = command.split_whitespace().collect();
    let references: Vec<i32> = tokens[5..tokens.len() - 1]
        .iter()
        .map(|one| one.parse().expect("a number"))
        .collect();
    let encoded = references.iter().fold(-1, |sum, one| sum ^ one) ^ references.len() as i32;
    assert_eq!(tokens.last().map(|last| last.parse()), Some(Ok(encoded)));
}
