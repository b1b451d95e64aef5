# The menu; every line is a `cargo xtask` command.

# Into a match in the browser (add --native, --connect host:port, --data DIR, --game openarena).
play *options:
    cargo xtask play {{options}}

# Build the page into target/web.
web *options:
    cargo xtask web {{options}}

# Write a folder for any static host.
site *options:
    cargo xtask site {{options}}

# Build the relay with the page inside: target/release/strafe-relay.
relay:
    cargo xtask release

# Check and test everything.
test *options:
    cargo xtask test {{options}}

# Captions, floors, format and lints.
lint:
    cargo xtask tidy
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- --deny=warnings

# Fuzz what reads bytes from outside (--minutes N, a target's name, --list).
fuzz *options:
    cargo xtask fuzz {{options}}

bench *filter:
    cargo xtask bench {{filter}}

# Play in a real browser against a real server.
e2e *options:
    cargo xtask e2e {{options}}

# What continuous integration runs.
ci:
    .ci/run
