// A long stay on a server, frame by frame: node web/e2e/stay.mjs PAGE SERVER MINUTES
//
// Tells the memory every minute, and at the end how long frames took, which were over three times the median, and what
// the client said around them.

import { chromium } from "playwright-core";
import { ARGUMENTS } from "./browser.mjs";

const [address, server, minutes] = process.argv.slice(2);
if (!Number(minutes)) throw new Error("usage: node web/e2e/stay.mjs PAGE SERVER MINUTES");
/** Frames of loading, which are not counted. */
const WARM_UP_MSEC = 30_000;

const frames = [];
let said = [];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [...ARGUMENTS.common, ...ARGUMENTS.webgl, "--enable-precise-memory-info"],
});
try {
  const page = await browser.newPage({ viewport: { width: 240, height: 135 } });
  page.on("pageerror", (error) => console.log(`page: ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    const cost = /frame:(\d+) all:([\d.]+) client:([\d.]+) renderer:([\d.]+)/.exec(text);
    if (!cost) return said.push(text.slice(0, 120));
    const [, number, all, client, renderer] = cost.map(Number);
    frames.push({ number, all, client, renderer, said });
    said = [];
  });
  await page.goto(`${address}?server=${server}&name=stay`);
  await page.waitForFunction(() => globalThis.strafe?.status?.state === "active", null, { timeout: 240_000 });
  await page.waitForTimeout(WARM_UP_MSEC);
  await page.evaluate(() => globalThis.strafe.run("set com_speeds 1"));
  for (let minute = 1; minute <= Number(minutes); minute++) {
    await page.waitForTimeout(60_000);
    const { used, state, sound } = await page.evaluate(() => ({
      used: performance.memory.usedJSHeapSize,
      state: strafe.status.state,
      sound: strafe.sound && { state: strafe.sound.state, loudness: +strafe.sound.loudness().toFixed(3) },
    }));
    console.log(JSON.stringify({ minute, usedJSHeapMB: +(used / 1e6).toFixed(1), state, sound, frames: frames.length }));
  }
} finally {
  await browser.close();
}

const sorted = (field) => frames.map((frame) => frame[field]).sort((a, b) => a - b);
for (const field of ["all", "client", "renderer"]) {
  const times = sorted(field);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  console.log(`${field}: median ${at(0.5)} ms, p99 ${at(0.99)}, worst ${at(1)} of ${times.length}`);
}
const limit = 3 * sorted("all")[frames.length >> 1];
let seconds = 0;
for (const frame of frames) {
  seconds += frame.all / 1000;
  if (frame.all > limit) {
    console.log(`${seconds.toFixed(1)} s: all ${frame.all} client ${frame.client} renderer ${frame.renderer}; ${frame.said.join(" | ")}`);
  }
}
