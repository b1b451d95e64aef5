// Runs a test program compiled for WASI: `node wasi.mjs program.wasm arguments…`.

import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({
  version: "preview1",
  args: [program, ...rest],
  env: process.env,
  // Tests read their data below the folder they are started in, by the paths the compiler knew.
  preopens: { "/": "/", ".": process.cwd() },
  returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(program));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
