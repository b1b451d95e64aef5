// Plays a match of eight bots natively and once more in WASM: each of its seconds must bring forth the same bytes.
//
//     node server/tests/wasm/run.mjs [seconds]
//
// Needs the target wasm32-unknown-unknown.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SEED = 27;
const wasm = "wasm32-unknown-unknown";
const repository = fileURLToPath(new URL("../../..", import.meta.url));
const seconds = process.argv[2] ?? "600";

const folder = mkdtempSync(join(tmpdir(), "strafe-match-"));
const program = build("record_match", []);
const recorded = timed("natively", () => execFileSync(program, [folder, seconds], { stdio: "inherit" }));
const events = readFileSync(join(folder, "events"));
const expected = hashesOf(readFileSync(join(folder, "hashes")));
rmSync(folder, { recursive: true });

const { instance } = await WebAssembly.instantiate(readFileSync(build("replay_match", ["--target", wasm]) + ".wasm"));
const module = instance.exports;
write(module.pak_buffer, readFileSync(join(repository, "arena/strafe.pk3")));
write(module.events_buffer, events);
const replayed = timed("as WASM", () => module.replay(SEED));
const count = replayed.result;
const found = hashesOf(Buffer.from(module.memory.buffer, module.hashes(), count * 8));
const differing = expected.findIndex((hash, second) => hash !== found[second]);
const agrees = differing === -1 && count === expected.length && count >= Number(seconds);
console.log(`${expected.length} s of a match, ${events.length} bytes of events: ${recorded.text}, ${replayed.text}`);
if (!agrees) console.log(`second ${differing} of ${expected.length} (${count} as WASM) differs`);
// In the words of Rust's own tests, which `cargo xtask test` adds up.
console.log(`test result: ${agrees ? "ok" : "FAILED"}. ${Number(agrees)} passed; ${Number(!agrees)} failed`);
process.exitCode = agrees ? 0 : 1;

function build(example, target) {
  const words = ["build", "--quiet", "--package", "server", "--example", example, ...target];
  execFileSync("cargo", words, { cwd: repository, stdio: "inherit" });
  const folder = process.env.CARGO_TARGET_DIR ?? join(repository, "target");
  return join(folder, target[1] ?? "", "debug/examples", example);
}

function timed(how, act) {
  const start = performance.now();
  const result = act();
  return { result, text: `${((performance.now() - start) / 1000).toFixed(1)} s ${how}` };
}

function hashesOf(bytes) {
  return Array.from({ length: bytes.length / 8 }, (_, at) => bytes.readBigUInt64LE(at * 8));
}

function write(makeRoom, bytes) {
  const start = makeRoom(bytes.length);
  new Uint8Array(module.memory.buffer, start, bytes.length).set(bytes);
}
