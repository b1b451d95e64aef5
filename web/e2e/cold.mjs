// Opens the page in a browser that knows nothing of it, again in the same browser, and through a change of the map: how
// many bytes, requests and seconds each takes until the first frame, and until all is as it should be.

import { chromium } from "playwright-core";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Firefox } from "./bidi.mjs";
import { ARGUMENTS, openDisplay } from "./browser.mjs";
import { Rcon } from "./rcon.mjs";

const facts = JSON.parse(process.argv[2]);
const PATIENCE = 180_000;
/** So long nothing may come any more before all is said to be here. */
const QUIET_MSEC = 2000;
/** When pictures are taken, after the first frame. */
const PICTURE_SECONDS = [1, 2, 4, 8];
const pause = (msec) => new Promise((resolve) => setTimeout(resolve, msec));
const url = `${facts.page}?server=${facts.server}&renderer=${facts.renderer}`;

/** In the page: all that it has fetched, and how far it is. */
const LOOK = `(() => {
  const { status, figures } = globalThis.strafe ?? {};
  const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const isCode = ({ name }) => !/\\/(api|content|first|light)\\//.test(new URL(name).pathname) && !name.endsWith(".pk3");
  const sum = (entries) => entries.reduce((sum, { transferSize, encodedBodySize }) => sum + (transferSize ? encodedBodySize : 0), 0);
  const count = (entries) => ({
    codeBytes: sum(entries.filter(isCode)),
    dataBytes: sum(entries.filter((entry) => !isCode(entry))),
    requests: entries.length,
  });
  // What is put off begins with the first frame, and may be here when it is noticed.
  const isEarly = ({ responseEnd }) => responseEnd <= (figures?.firstFrameMsec ?? Infinity);
  return {
    error: status?.error ?? null,
    firstFrameMsec: figures?.firstFrameMsec ?? null,
    map: status?.map ?? null,
    isPlaying: status?.state === "active" && Boolean(status.isDrawing),
    wanted: status?.loading?.wanted ?? null,
    ...count(entries),
    early: count(entries.filter(isEarly)),
    msec: performance.now(),
  };
})()`;

/** In the page, before its own scripts: notes when frames begin, and makes room for all that is fetched. */
const PREPARE = `() => {
  performance.setResourceTimingBufferSize(5000);
  globalThis.frameMsecs = [];
  const note = (msec) => { frameMsecs.push(msec); requestAnimationFrame(note); };
  requestAnimationFrame(note);
}`;

/** In the page: how long frames between these times take in the middle, and the longest. */
const frames = ([startMsec, endMsec]) => `(() => {
  const msecs = frameMsecs.filter((msec) => msec > ${startMsec} && msec <= ${endMsec});
  const spans = msecs.slice(1).map((msec, at) => msec - msecs[at]).sort((a, b) => a - b);
  return { count: spans.length, medianMsec: spans[spans.length >> 1], longestMsec: spans.at(-1) };
})()`;

/** Both browsers look alike from here. */
async function openChromium() {
  const profile = await mkdtemp(join(tmpdir(), "strafe-cold-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport: { width: 1024, height: 576 },
    args: [...ARGUMENTS.common, ...ARGUMENTS[facts.renderer], `--unsafely-treat-insecure-origin-as-secure=${new URL(facts.page).origin}`],
  });
  await context.addInitScript({ content: `(${PREPARE})()` });
  return {
    open: async () => {
      const page = await context.newPage();
      await page.goto(url, { waitUntil: "commit" });
      return {
        look: () => page.evaluate(LOOK),
        frames: (times) => page.evaluate(frames(times)),
        run: (command) => page.evaluate((command) => globalThis.strafe.run(command), command),
        picture: () => page.screenshot(),
        close: () => page.close(),
      };
    },
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

async function openFirefox() {
  const display = await openDisplay();
  process.env.DISPLAY = display.name;
  const firefox = await Firefox.start();
  return {
    open: async () => {
      const context = await firefox.openTab();
      await firefox.ask("script.addPreloadScript", { functionDeclaration: PREPARE, contexts: [context] });
      await firefox.ask("browsingContext.navigate", { context, url, wait: "none" });
      return {
        look: () => firefox.evaluate(context, LOOK),
        frames: (times) => firefox.evaluate(context, frames(times)),
        run: (command) => firefox.evaluate(context, `globalThis.strafe.run(${JSON.stringify(command)})`),
        picture: async () => Buffer.from((await firefox.ask("browsingContext.captureScreenshot", { context })).data, "base64"),
        close: () => firefox.ask("browsingContext.close", { context }),
      };
    },
    close: async () => {
      await firefox.close();
      display.close();
    },
  };
}

/** Looks until it is so. */
async function until(page, isSo, what) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    // A page that is being replaced cannot be asked.
    const seen = await page.look().catch(() => null);
    if (seen?.error) throw new Error(seen.error);
    if (seen && isSo(seen)) return seen;
    if (Date.now() > end) throw new Error(`not so within ${PATIENCE / 1000} s: ${what}; ${JSON.stringify(seen)}`);
    await pause(25);
  }
}

/** Looks until nothing has come for a while. */
async function untilExact(page) {
  let last = null;
  let since = 0;
  return until(page, (seen) => {
    const isQuiet = seen.wanted === 0 && last?.dataBytes === seen.dataBytes;
    if (!isQuiet) since = seen.msec;
    last = seen;
    if (!isQuiet || seen.msec - since < QUIET_MSEC) return false;
    seen.exactMsec = since;
    return true;
  }, "all files are here");
}

/** What one sees while all else arrives. */
async function takePictures(page, firstFrameMsec) {
  await mkdir(facts.pictures, { recursive: true });
  for (const seconds of PICTURE_SECONDS) {
    const { msec } = await page.look();
    await pause(firstFrameMsec + seconds * 1000 - msec);
    await writeFile(join(facts.pictures, `${facts.map}-${facts.browser}-${seconds}s.png`), await page.picture());
  }
}

async function visit(browser, stays) {
  const page = await browser.open();
  await until(page, (seen) => seen.firstFrameMsec !== null && seen.isPlaying, "the first frame");
  const first = await page.look();
  const figures = { seconds: first.firstFrameMsec / 1000, ...first.early };
  if (facts.pictures && !stays) await takePictures(page, first.firstFrameMsec);
  if (!facts.firstFrames) {
    const exact = await untilExact(page);
    Object.assign(figures, { exactSeconds: exact.exactMsec / 1000, exactDataBytes: exact.dataBytes, exactRequests: exact.requests });
    figures.frames = await page.frames([first.firstFrameMsec, exact.exactMsec]);
    figures.laterFrames = await page.frames([exact.exactMsec, exact.msec]);
  }
  if (!stays) await page.close();
  return { page, figures };
}

/** From the end of one map to the first frame of another. */
async function change(page, map, ask) {
  const before = (await page.look()).dataBytes;
  await ask();
  const gone = await until(page, (seen) => !seen.isPlaying, "the map is left");
  const there = await until(page, (seen) => seen.isPlaying && seen.map === map, "the next map is drawn");
  return { map, seconds: (there.msec - gone.msec) / 1000, dataBytes: there.dataBytes - before, aheadBytes: gone.dataBytes - before };
}

const rcon = new Rcon(facts.rcon ?? facts.server, facts.rconPassword);
// Named, for a server that fills up by itself has other bots at each visit, and so other files are needed.
const BOTS = ["Sarge", "Grunt", "Liz", "Beret", "Major", "Gargoyle", "Kyonshi", "Merman", "Neko", "Tony"];
for (let at = 0; at < facts.bots; at++) await rcon.run(`addbot ${BOTS[at % BOTS.length]} 1`);
const browser = await (facts.browser === "firefox" ? openFirefox() : openChromium());
try {
  // A browser is busy with itself for its first seconds; who follows a link has it open.
  await pause(5000);
  const { figures: first } = await visit(browser, false);
  // The server keeps the place of whoever has just left.
  await pause(3000);
  const { page, figures: second } = await visit(browser, true);
  const report = { first, second };
  // A vote tells the next map some seconds before.
  if (facts.votedMap) report.voted = await change(page, facts.votedMap, () => page.run(`callvote map ${facts.votedMap}`));
  if (facts.nextMap) {
    await untilExact(page);
    report.change = await change(page, facts.nextMap, () => rcon.run(`map ${facts.nextMap}`));
  }
  console.log(JSON.stringify(report));
} finally {
  rcon.close();
  await browser.close();
}
