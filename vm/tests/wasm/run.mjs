// Translates the golden programs in WASM and runs them in this engine, as a page does; all results must come out.
//
//     node vm/tests/wasm/run.mjs
//
// Needs the target wasm32-unknown-unknown.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const instances = new Map();
let lastNumber = 0;
let lastResult = 0;

const engine = {
  start(address, length) {
    const bytes = new Uint8Array(rust.memory.buffer, address, length).slice();
    const host = { memory: rust.memory, syscall, fail };
    lastNumber += 1;
    instances.set(lastNumber, new WebAssembly.Instance(new WebAssembly.Module(bytes), { host }).exports);
    return lastNumber;
  },
  stop: (number) => instances.delete(number),
  vm_main(number, stack) {
    try {
      lastResult = instances.get(number).vm_main(stack);
      return 1;
    } catch {
      // Either Rust knows why, or the engine's own stack was full.
      return 0;
    }
  },
  last_result: () => lastResult,
  budget: (number) => instances.get(number).budget.value,
  set_budget: (number, units) => (instances.get(number).budget.value = units),
};

function syscall(number, stack) {
  const result = rust.syscall(number, stack);
  if (rust.has_failed()) throw new Error("the host has ended the call");
  return result;
}

function fail(fault, instruction, value) {
  rust.fail(fault, instruction, value);
  throw new Error("the module has failed");
}

const rust = (await WebAssembly.instantiate(readFileSync(build()), { engine })).instance.exports;
let passed = 0;
let failed = 0;
rust.prepare();
for (let number = 0; number < rust.check_count(); number += 1) {
  if (agrees(number)) passed += 1;
  else failed += 1;
  const report = new Uint8Array(rust.memory.buffer, rust.report(), rust.report_length());
  console.log(Buffer.from(report).toString());
}
// In the words of Rust's own tests, which `cargo xtask test` adds up.
console.log(`test result: ${failed ? "FAILED" : "ok"}. ${passed} passed; ${failed} failed`);
process.exitCode = failed ? 1 : 0;

function agrees(number) {
  try {
    return rust.check(number) === 1;
  } catch {
    // A panic; the report has its message.
    return false;
  }
}

function build() {
  const target = "wasm32-unknown-unknown";
  const arguments_ = ["build", "--quiet", "--package", "vm", "--example", "vm_golden_wasm"];
  execFileSync("cargo", [...arguments_, "--target", target], { cwd: repository, stdio: "inherit" });
  const folder = process.env.CARGO_TARGET_DIR ?? join(repository, "target");
  return join(folder, target, "debug/examples/vm_golden_wasm.wasm");
}
