//! Movement agrees with the recorded results of the reference, bit for bit.

use crate::golden_world::check;

#[test]
fn functions_agree() {
    check("qmath.jsonl.gz");
}

#[test]
fn ioquake3_moves_agree() {
    for map in ["oa_ctf2", "oa_bases3plus3", "oa_spirit3", "oacmpdm10"] {
        check(&format!("seq_ioq3_{map}.jsonl.gz"));
    }
}

#[test]
fn bytecode_moves_agree() {
    check("seq_qvm_oa_bases3plus3.jsonl.gz");
    check("seq_qvm132_oa_bases3plus3.jsonl.gz");
}

#[test]
fn openarena_moves_agree() {
    for rules in ["oa088", "oa"] {
        for map in ["oa_dm1", "oa_bases3plus3"] {
            check(&format!("seq_{rules}_{map}.jsonl.gz"));
        }
    }
}
