// What a frame of the game costs as WASM, without drawing: node web/e2e/cost.mjs PAGE DEMO[.gz]
//
// The demo is played as a timedemo that draws nothing, since a browser that draws in software would need minutes; the
// client itself takes the times.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { ARGUMENTS } from "./browser.mjs";

const PATIENCE = 300_000;
const [address, file] = process.argv.slice(2);
if (!address || !file) throw new Error("usage: node web/e2e/cost.mjs PAGE DEMO");
const packed = await readFile(file);
const demo = file.endsWith(".gz") ? gunzipSync(packed) : packed;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [...ARGUMENTS.common, ...ARGUMENTS.webgl],
});
try {
  // Browsers offer a much smaller page about one frame a second.
  const page = await browser.newPage({ viewport: { width: 320, height: 180 } });
  page.on("pageerror", (error) => console.error(`page: ${error.message}`));
  // Its lines come in one message.
  const told = new Promise((resolve) => page.on("console", (message) => {
    const lines = message.text().split("\n").filter((line) => /^(frame: mean|game [\d.]+ ms)/.test(line));
    if (lines.length > 0) console.log(lines.join("\n"));
    if (lines.some((line) => line.startsWith("game"))) resolve();
  }));
  await page.goto(`${address}?renderer=webgl`);
  await page.waitForFunction(() => globalThis.strafe?.status?.isDrawing, null, { timeout: PATIENCE });
  await page.evaluate(({ name, base64 }) => {
    globalThis.strafe.run("set r_skipBackEnd 1; set timedemo 1");
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    dispatchEvent(new CustomEvent("strafe-demo", { detail: { name, bytes } }));
  }, { name: basename(file, ".gz"), base64: demo.toString("base64") });
  // Nothing waits for this any more once the demo has ended.
  const late = after(PATIENCE, null, { ref: false }).then(() => {
    throw new Error("the demo did not end");
  });
  await Promise.race([told, late]);
} finally {
  await browser.close();
}
