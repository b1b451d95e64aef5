// Plays behind a line that loses packets, by each transport in turn, and tells how old the newest snapshot was.

import { join } from "node:path";
import { chromium } from "playwright-core";
import { ARGUMENTS } from "./browser.mjs";

const facts = JSON.parse(process.argv[2]);
/** One line per word: { line }, { note }, { measured } or { error }. */
const say = (word) => console.log(JSON.stringify(word));
const pause = (msec) => new Promise((resolve) => setTimeout(resolve, msec));

const PATIENCE = 180_000;
/** So long the line stays good, so that the client knows what the fastest way is. */
const GOOD_SEC = 8;
/** What a change of the line takes to be felt. */
const SETTLE_SEC = 3;

async function waitForServer() {
  for (let tries = 0; tries < 240; tries++) {
    const answer = await fetch(new URL("api/servers", facts.page)).then((answer) => answer.json()).catch(() => null);
    if (answer?.servers?.[0]?.online) return;
    await pause(500);
  }
  throw new Error("relay and server do not answer");
}

/** What the relay has counted of datagrams for players. */
async function counts() {
  const text = await fetch(new URL("metrics", facts.page)).then((answer) => answer.text());
  return Object.fromEntries(["to_player", "repeated", "stale"].map((name) => [name, Number(text.match(new RegExp(`^strafe_${name}_total (\\d+)$`, "m"))[1])]));
}

async function measure(transport) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: [
      // Snapshots would wait for pixels that are read back, on either transport.
      ...ARGUMENTS.common, ...ARGUMENTS.flowing,
      // Browsers give pages WebTransport over HTTPS and on localhost; both ends of this line have other addresses.
      `--unsafely-treat-insecure-origin-as-secure=${new URL(facts.page).origin}`,
    ],
  });
  try {
    const context = await browser.newContext({ viewport: { width: 320, height: 180 } });
    if (transport === "WebSocket") await context.addInitScript(() => delete globalThis.WebTransport);
    const page = await context.newPage();
    const log = [];
    page.on("console", (message) => log.push(message.text()));
    page.on("pageerror", (error) => log.push(`exception: ${error.stack}`));
    const session = () => page.evaluate(() => strafe.status.session);
    const run = (line) => page.evaluate((line) => strafe.run(line), line);
    const ask = async (line, answer) => {
      const from = log.length;
      await run(line);
      for (let tries = 0; tries < 100; tries++) {
        const found = log.slice(from).map((text) => text.match(answer)).find(Boolean);
        if (found) return found.groups;
        await pause(100);
      }
      throw new Error(`"${line}" was not answered; last lines of the page: ${log.slice(-6).join(" | ")}`);
    };
    const ages = async (seconds) => {
      const found = await ask(`snapshotages ${seconds}`, /over (?<seconds>\d+) s and (?<snapshots>\d+) snapshots: p50 (?<p50_msec>\d+) ms, p99 (?<p99_msec>\d+) ms, most (?<most_msec>\d+) ms; p99 at arrival (?<p99_at_arrival_msec>\d+) ms/);
      return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, Number(value)]));
    };

    say({ line: "good" });
    await page.goto(`${facts.page}?server=${facts.server}&renderer=webgl`);
    await page.waitForFunction(() => {
      if (globalThis.strafe?.status?.error) throw new Error(strafe.status.error);
      return globalThis.strafe?.status?.state === "active" && strafe.status.isDrawing;
    }, null, { timeout: PATIENCE, polling: 200 }).catch((error) => {
      throw new Error(`${error.message.split("\n")[0]}; last lines of the page: ${log.slice(-6).join(" | ")}`);
    });
    // A machine that draws without a GPU has little time for anything else; frames are not what is measured here.
    await run("cg_lagometer 1; cg_drawPing 2; com_maxfps 20");
    await pause(GOOD_SEC * 1000);
    const good = await ages(GOOD_SEC);
    say({ note: `${transport}, good line: ${JSON.stringify(good)}` });

    say({ line: "bad" });
    await pause(SETTLE_SEC * 1000);
    const before = await counts();
    const framesBefore = await page.evaluate(() => strafe.status.frames);
    const begun = Date.now();
    const end = Date.now() + facts.seconds * 1000;
    // Somebody who plays: the world around changes, and so do the snapshots.
    while (Date.now() < end) {
      for (const key of ["KeyW", "KeyD", "KeyS", "KeyA"]) {
        await page.mouse.click(160, 90);
        await page.keyboard.down(key);
        await pause(700);
        await page.keyboard.up(key);
      }
    }
    const frames = (await page.evaluate(() => strafe.status.frames)) - framesBefore;
    const bad = { ...(await ages(facts.seconds)), frames_per_second: Math.round(1000 * frames / (Date.now() - begun)) };
    const after = await counts();
    bad.by_the_relay = Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - before[name]]));
    const { transport: used, pingMsec, hops } = await session();
    await page.screenshot({ path: join(facts.results, `lossy-${transport.toLowerCase()}.png`) });
    if (used !== transport) throw new Error(`the game went over ${used} instead of ${transport}; last lines of the page: ${log.slice(-6).join(" | ")}`);
    say({ measured: { transport, ...bad, on_the_good_line: good, ping_msec: pingMsec, hops } });
    say({ note: `${transport}, bad line: ${JSON.stringify(bad)}` });
  } finally {
    await browser.close();
  }
}

try {
  await waitForServer();
  for (const transport of facts.transports) await measure(transport);
} catch (error) {
  say({ error: error.message });
  process.exitCode = 1;
}
