// A long match, frame by frame, in the native window or in Chromium: node endurance.mjs FACTS
//
// Plays without a pause, tells the memory every minute, and at the end how long frames took from one end to the next,
// and which of them took over three times the median, with what the client said before them.

import { execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as after } from "node:timers/promises";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { ARGUMENTS, openDisplay } from "./browser.mjs";

const { kind, page: address, server, client: program, minutes, size, fps } = JSON.parse(process.argv[2]);
/** Loading and the first sight of everything that a match shows; not counted. */
const WARM_UP_MSEC = 60_000;
const LIMIT = 3;
/** From this minute on the memory may become at most so many times as large. It goes up and down as garbage is collected, so the least of some minutes counts. */
const SETTLED_MINUTES = 5;
const AROUND_MINUTES = 5;
const GROWTH = 1.03;
/** What is held down in turn, each for the time of one step. */
const STEPS = [["w", "Left"], ["w"], ["w", "Right"], ["d"], ["w", "Left"], ["a", "Right"], ["w", "space"], ["s", "Left"]];
const STEP_MSEC = 1500;

const frames = [];
let counts = false;
let said = [];
/** What the client waited for since its last frame, as far as the system tells. */
let waits = () => undefined;
/** How many pipelines there are, and were at the frame before. */
const pipelines = { now: 0, before: 0 };
function hear(text) {
  for (const line of text.split("\n")) {
    const drawn = /pipelines:(\d+)/.exec(line);
    if (drawn) {
      pipelines.now = Number(drawn[1]);
      continue;
    }
    const cost = /frame:(\d+) all:([\d.]+) client:([\d.]+) renderer:([\d.]+)/.exec(line);
    if (!cost) {
      if (line.trim()) said.push(line.trim().slice(0, 120));
      continue;
    }
    const [, number, all, client, renderer] = cost.map(Number);
    // `own` is what the frame takes of its thread.
    const made = pipelines.now - pipelines.before;
    pipelines.before = pipelines.now;
    if (counts) frames.push({ at: performance.now(), number, all, client, renderer, own: client + renderer, made, said, waited: waits() });
    said = [];
  }
}

const times = (field) => frames.map((frame) => frame[field]).sort((a, b) => a - b);
function overlong() {
  const limit = LIMIT * times("all")[frames.length >> 1];
  return frames.filter((frame) => frame.all > limit);
}

const residentMB = async (pid) => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "latin1"))[1]) / 1024;

/** A clock tick of /proc/stat. */
const TICK_MSEC = 10;
/** How long the machine under this one has kept its processors for others. */
const stolen = () => Number(readFileSync("/proc/stat", "latin1").split("\n", 1)[0].trim().split(/\s+/)[8]) * TICK_MSEC;

/** Tells what processes waited for and did from one call to the next: reads of their files, their threads in line for a processor and at work, and what the machine gave to others. */
function watchWaits(...pids) {
  let before;
  const schedule = (pid, thread) => {
    const folder = `/proc/${pid}/task/${thread}`;
    const [ran, queued] = readFileSync(`${folder}/schedstat`, "latin1").split(" ").map((time) => Number(time) / 1e6);
    return { name: readFileSync(`${folder}/comm`, "latin1").trim(), ran, queued };
  };
  const readsOf = (pid) => Number(readFileSync(`/proc/${pid}/stat`, "latin1").replace(/.*\) /, "").split(" ")[9]);
  return () => {
    const threads = new Map();
    for (const pid of pids) {
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        try {
          threads.set(thread, schedule(pid, thread));
        } catch {
          // It has ended between the two calls.
        }
      }
    }
    const now = { reads: pids.reduce((sum, pid) => sum + readsOf(pid), 0), threads, stolen: stolen() };
    const last = before ?? now;
    before = now;
    const most = (what) =>
      [...threads]
        .map(([thread, { name, [what]: msec }]) => ({ name, msec: msec - (last.threads.get(thread)?.[what] ?? 0) }))
        .sort((a, b) => b.msec - a.msec)
        .slice(0, 3)
        .map(({ name, msec }) => `${name} ${msec.toFixed(1)}`);
    return { reads: now.reads - last.reads, inLine: most("queued"), atWork: most("ran"), stolen: now.stolen - last.stolen };
  };
}

async function openNative() {
  const display = await openDisplay();
  const home = await mkdtemp(join(tmpdir(), "strafe-"));
  const env = { ...process.env, DISPLAY: display.name, HOME: home, XDG_DATA_HOME: join(home, "data"), XDG_CONFIG_HOME: join(home, "config"), WAYLAND_DISPLAY: "" };
  const [width, height] = size ?? [320, 180];
  const settings = { name: "Stay", r_mode: -1, r_customwidth: width, r_customheight: height, com_maxfps: fps, com_speeds: 1, r_speeds: 1 };
  const client = spawn(program, [...Object.entries(settings).flatMap(([name, value]) => ["+set", name, `${value}`]), "+connect", server], { env, stdio: ["ignore", "pipe", "inherit"] });
  waits = watchWaits(client.pid);
  let entered;
  const isIn = new Promise((resolve, reject) => {
    entered = resolve;
    client.on("close", (code) => reject(new Error(`the client ended with ${code}`)));
  });
  createInterface({ input: client.stdout }).on("line", (line) => {
    hear(line);
    if (line.includes("entered the game")) entered();
  });
  await isIn;
  const run = (...words) => promisify(execFile)("xdotool", words, { env });
  await after(3000);
  // Nobody manages this display's windows, so nobody else gives one the keys.
  await run("search", "--name", "^Strafe", "windowfocus", "--sync");
  await run("mousedown", "1");
  return {
    hold: (key) => run("keydown", key),
    release: (key) => run("keyup", key),
    memory: async () => ({ residentMB: { client: Math.round(await residentMB(client.pid)) } }),
    async close() {
      client.removeAllListeners("close");
      client.kill("SIGINT");
      await new Promise((resolve) => client.on("close", resolve));
      display.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function openBrowser() {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [...ARGUMENTS.common, ...ARGUMENTS.flowing, "--enable-precise-memory-info"],
  });
  // A larger picture costs a software renderer most of its time.
  const [width, height] = size ?? [240, 135];
  const page = await browser.newPage({ viewport: { width, height } });
  page.on("pageerror", (error) => console.log(`page: ${error.message}`));
  page.on("console", (message) => hear(message.text()));
  await page.goto(`${address}?server=${server}&name=Stay`);
  await page.waitForFunction(() => globalThis.strafe?.status?.state === "active", null, { timeout: 240_000 });
  await after(3000);
  const run = (line) => page.evaluate((line) => globalThis.strafe.run(line), line);
  await run(`set com_maxfps ${fps}`);
  await run("set com_speeds 1; set r_speeds 1");
  await run("+attack");
  const commands = { w: "forward", s: "back", a: "moveleft", d: "moveright", Left: "left", Right: "right", space: "moveup" };
  const system = await browser.newBrowserCDPSession();
  const { processInfo } = await system.send("SystemInfo.getProcessInfo");
  waits = watchWaits(...processInfo.filter(({ type }) => type === "renderer" || type === "GPU").map(({ id }) => id));
  return {
    hold: (key) => run(`+${commands[key]}`),
    release: (key) => run(`-${commands[key]}`),
    async memory() {
      const { processInfo } = await system.send("SystemInfo.getProcessInfo");
      const resident = {};
      for (const { type, id } of processInfo) {
        if (type === "renderer" || type === "GPU") resident[type] = Math.max(resident[type] ?? 0, Math.round(await residentMB(id)));
      }
      const { used, state, sound } = await page.evaluate(() => ({
        used: performance.memory.usedJSHeapSize,
        state: strafe.status.state,
        sound: strafe.sound && { state: strafe.sound.state, loudness: +strafe.sound.loudness().toFixed(3) },
      }));
      return { residentMB: resident, scriptHeapMB: +(used / 1e6).toFixed(1), state, sound };
    },
    close: () => browser.close(),
  };
}

async function play(hand, msec) {
  const end = performance.now() + msec;
  for (let step = 0; performance.now() < end; step++) {
    const keys = STEPS[step % STEPS.length];
    for (const key of keys) await hand.hold(key);
    await after(STEP_MSEC);
    for (const key of keys) await hand.release(key);
  }
}

const hand = await (kind === "native" ? openNative() : openBrowser());
const memory = [];
try {
  await play(hand, WARM_UP_MSEC);
  counts = true;
  for (let minute = 1; minute <= minutes; minute++) {
    await play(hand, 60_000);
    memory.push({ minute, ...(await hand.memory()) });
    console.log(JSON.stringify({ kind, ...memory.at(-1), frames: frames.length, over: overlong().length }));
  }
} finally {
  counts = false;
  await hand.close();
}

for (const field of ["all", "client", "renderer", "own"]) {
  const sorted = times(field);
  const at = (share) => +sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(2);
  console.log(`${kind} ${field}: median ${at(0.5)} ms, p99 ${at(0.99)}, p99.9 ${at(0.999)}, worst ${at(1)} of ${sorted.length} frames`);
}
const long = overlong();
console.log(`${kind}: ${long.length} frames took over ${LIMIT} times the median`);
for (const frame of long) {
  const seconds = (frame.at - frames[0].at) / 1000;
  console.log(`${kind} ${seconds.toFixed(1)} s: all ${frame.all} client ${frame.client} renderer ${frame.renderer} pipelines made ${frame.made};${frame.waited ? ` ${JSON.stringify(frame.waited)};` : ""} ${frame.said.join(" | ")}`);
}
const settled = memory.slice(Math.min(SETTLED_MINUTES, memory.length) - 1);
const least = (some, what) => Math.min(...some.map(({ residentMB }) => residentMB[what]));
const grown = Object.keys(settled[0].residentMB).map((what) => ({
  what,
  begin: least(settled.slice(0, AROUND_MINUTES), what),
  end: least(settled.slice(-AROUND_MINUTES), what),
}));
for (const { what, begin, end } of grown) {
  const [first, last] = [settled[0], settled.at(-1)];
  console.log(`${kind} ${what}: ${first.residentMB[what]} MB at minute ${first.minute}, ${last.residentMB[what]} MB at minute ${last.minute}; at least ${begin} MB in the first minutes, ${end} MB in the last`);
}
const passed = long.length === 0 && grown.every(({ begin, end }) => end <= GROWTH * begin);
process.exit(passed ? 0 : 1);
