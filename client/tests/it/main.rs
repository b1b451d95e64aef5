//! All integration tests of the client in one binary.

mod assets_budgets;
mod assets_images;
mod assets_load;
mod assets_sounds;
mod cg_demos;
mod cg_events;
mod cg_hitscan;
mod cg_hostile_time;
mod cg_latency;
mod cg_match;
mod cg_predict;
mod cg_tables;
mod cl_cadence;
mod cl_captures;
mod cl_connection;
mod cl_damaged_demos;
mod cl_demos;
mod cl_malformed;
mod cl_sim;
mod client_asks;
mod client_demo;
mod client_downloads;
mod cvars;
mod disk;
mod lab;
mod latency;
mod local_server;
mod practice;
mod render;
mod rig;
mod sound;
mod stage;
mod table;
#[expect(dead_code, reason = "the example shows times and pictures too")]
mod views;
mod zip;
