// Runs the golden checks in WASM: collision and movement must give the same bits there as natively.
//
//     node shared/tests/wasm/run.mjs
//
// Needs the target wasm32-unknown-unknown and the Debian package openarena-data.

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const golden = join(repository, "shared/tests/data/movement");
const paks = "/usr/share/games/openarena/baseoa";
const maps = ["oa_ctf2", "oa_bases3plus3", "oa_spirit3", "oacmpdm10", "oa_dm1"];

const { instance } = await WebAssembly.instantiate(readFileSync(build()));
const module = instance.exports;
const mapBytes = readMaps();
let passed = 0;
let failed = 0;
for (const file of readdirSync(golden).filter((name) => name.endsWith(".gz")).sort()) {
  const map = maps.find((name) => file.split(".")[0].endsWith(name));
  write(module.file_name_buffer, Buffer.from(file));
  write(module.golden_data_buffer, readFileSync(join(golden, file)));
  write(module.map_buffer, map ? mapBytes.get(map) : Buffer.alloc(0));
  if (module.check() === 1) passed += 1;
  else failed += 1;
  const report = new Uint8Array(module.memory.buffer, module.report(), module.report_length());
  console.log(Buffer.from(report).toString());
}
// In the words of Rust"s own tests, which `cargo xtask test` adds up.
console.log(`test result: ${failed ? "FAILED" : "ok"}. ${passed} passed; ${failed} failed`);
process.exitCode = failed ? 1 : 0;

function build() {
  const target = "wasm32-unknown-unknown";
  const arguments_ = ["build", "--quiet", "--package", "shared", "--example", "golden_wasm"];
  execFileSync("cargo", [...arguments_, "--target", target], { cwd: repository, stdio: "inherit" });
  const folder = process.env.CARGO_TARGET_DIR ?? join(repository, "target");
  return join(folder, target, "debug/examples/golden_wasm.wasm");
}

function write(makeRoom, bytes) {
  const start = makeRoom(bytes.length);
  new Uint8Array(module.memory.buffer, start, bytes.length).set(bytes);
}

// The maps out of the highest pak that has each, as the game would find them.
function readMaps() {
  const found = new Map();
  for (const pak of readdirSync(paks).filter((name) => name.endsWith(".pk3")).sort()) {
    const archive = readFileSync(join(paks, pak));
    const end = archive.lastIndexOf("PK\x05\x06", undefined, "latin1");
    let at = archive.readUInt32LE(end + 16);
    for (let count = archive.readUInt16LE(end + 10); count > 0; count -= 1) {
      const nameLength = archive.readUInt16LE(at + 28);
      const name = archive.toString("latin1", at + 46, at + 46 + nameLength);
      const map = maps.find((wanted) => name.toLowerCase() === `maps/${wanted}.bsp`);
      if (map) found.set(map, unpack(archive, at));
      at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    }
  }
  return found;
}

function unpack(archive, entry) {
  const local = archive.readUInt32LE(entry + 42);
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + archive.readUInt32LE(entry + 20));
  return archive.readUInt16LE(entry + 10) === 0 ? packed : inflateRawSync(packed);
}
