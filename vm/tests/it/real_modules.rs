//! Real mods' modules: their switch tables are all understood, and what they become is valid and not too large.

use crate::golden::{image, modules};
use vm::translate;

#[test]
fn every_real_module_translates_to_a_valid_one() {
    for (name, file) in modules() {
        let image = image(&file);
        let wasm = translate(&image, 0).expect("real modules are not too large");
        let valid = wasmparser::Validator::new().validate_all(&wasm);
        assert!(valid.is_ok(), "{name}: {:?}", valid.err());
        let per_instruction = wasm.len() as f32 / image.instruction_count() as f32;
        assert!(
            per_instruction < 5.0,
            "{name}: {per_instruction} bytes for each instruction"
        );
    }
}
