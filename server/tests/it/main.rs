//! Integration tests of the server: clients of both protocols on a real map.

mod baselines;
mod client;
mod joining;
mod playing;
mod session;
