//! Real mods' modules: their switch tables are all understood, and what they become is valid and not too large.

use crate::golden::{image, modules, profile_stub};
use std::time::Instant;
use vm::{DEFAULT_BUDGET, Machine, NativeModule, translate};

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

/// Prints how long the way to the first answer takes; the limit only catches what is wrong by a factor.
#[test]
fn a_large_cgame_starts_and_answers() {
    let (_, file) = modules()
        .into_iter()
        .find(|(name, _)| *name == "ratoa-cgame")
        .expect("it is among them");
    let start = Instant::now();
    let image = image(&file);
    let mut host = profile_stub("cgame");
    host.game_version = "baseoa-1".to_owned();
    let module = NativeModule::load(image, host, DEFAULT_BUDGET);
    let mut module = module.expect("it compiles");
    let loaded = start.elapsed();
    assert_eq!(module.call(&[0, 1, 0, 0]), Ok(0), "CG_INIT");
    println!(
        "loaded in {loaded:?}, initialised after {:?}",
        start.elapsed()
    );
    assert!(loaded.as_secs() < 60, "{loaded:?}");
}
