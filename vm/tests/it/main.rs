//! The golden data; random modules; real ones.

#[path = "../golden/mod.rs"]
mod golden;
mod golden_checks;
#[path = "../mutations/mod.rs"]
mod mutations;
mod random_modules;
mod real_modules;
