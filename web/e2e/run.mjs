// Plays in a real browser (page, relay, real server) and in the native window: keys move the player, a second
// client sees it, both survive a map change, a reload rejoins and fetches nothing that is kept, lines break,
// our own server needs our arena alone, a mod brings its own cgame, a site without a relay plays without a network, and the
// reference views look as they should.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { ARGUMENTS, openDisplay } from "./browser.mjs";
import { playAccessibly } from "./access.mjs";
import { playOverBadLines } from "./carry.mjs";
import { tradeConfigs } from "./configs.mjs";
import { playMod } from "./mod.mjs";
import { playOnOwnServer } from "./own.mjs";
import { playOnSite } from "./site.mjs";
import { playByTouch } from "./touch.mjs";
import { walkNatively, walkThrough } from "./walks.mjs";
import { lean, plugIn, press } from "./pad.mjs";
import { Rcon } from "./rcon.mjs";
import { colorsOf } from "./picture.mjs";

const facts = JSON.parse(process.argv[2]);
const rcon = new Rcon(facts.server, facts.rconPassword);
const report = { passed: 0, failed: 0, checks: [], coldStart: {} };

/** A picture of a map has more colors than this; its darkest corner, where one may enter, has 460. */
const TEXTURED = 300;
/** Software rendering on a busy machine is slow; nothing here depends on being fast. */
const PATIENCE = 180_000;

const display = await openDisplay();

async function check(name, run) {
  const start = Date.now();
  try {
    await run();
    report.passed++;
    report.checks.push({ name, passed: true });
    console.log(`   passed  ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    return true;
  } catch (error) {
    report.failed++;
    report.checks.push({ name, passed: false, error: String(error) });
    console.log(`   FAILED  ${name}: ${error.message}`);
    return false;
  }
}

function assert(condition, message) {
  if (!condition) throw new Error(message);
}

async function playIn(renderer) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: renderer !== "webgpu",
    env: { ...process.env, DISPLAY: display.name },
    args: [...ARGUMENTS.common, ...ARGUMENTS[renderer]],
  });
  const context = await browser.newContext({ viewport: { width: 1024, height: 576 } });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  await plugIn(page);
  const log = [];
  page.on("console", (message) => log.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => log.push(`exception: ${error.stack}`));
  const name = `Page-${renderer}`;
  const status = () => page.evaluate(() => globalThis.strafe?.status);
  /** Which row of them is chosen depends on where the pointer is. */
  const areMenusOpen = async () => (await page.locator("#spoken").textContent()).startsWith("In the match.");
  const isPlaying = (map) => page.waitForFunction(
    (map) => {
      const { status, figures } = globalThis.strafe ?? {};
      if (status?.error) throw new Error(status.error);
      return status?.state === "active" && status.isDrawing && (!map || status.map === map) && figures.firstFrameMsec !== null;
    },
    map,
    { timeout: PATIENCE, polling: 200 },
  );
  const picture = async (what) => {
    const bytes = await page.screenshot({ path: join(facts.results, `${renderer}-${what}.png`) });
    return colorsOf(context, bytes);
  };
  const isGone = async (msec) => {
    let players;
    const mine = () => players.split("\n").filter((line) => line.includes(name));
    try {
      await waitFor(async () => (players = await rcon.run("status"), mine().length === 0), "the player is gone from the server's status", msec);
    } catch (error) {
      throw new Error(`${error.message}: ${mine().join("; ")}`);
    }
  };
  const withLog = (what, run) => check(`${renderer}: ${what}`, async () => {
    try {
      await run();
    } catch (error) {
      await page.screenshot({ path: join(facts.results, `${renderer}-failure.png`) }).catch(() => null);
      throw new Error(`${error.message.split("\n")[0]}; state ${JSON.stringify(await status().catch(() => null))}; last lines of the page:\n     ${log.slice(-6).join("\n     ")}`);
    }
  });

  try {
    const address = `${facts.page}?server=${facts.server}&renderer=${renderer}`;
    const reached = await withLog("the page reaches the game", async () => {
      await page.goto(address);
      await isPlaying("oa_dm1");
      await page.evaluate((name) => globalThis.strafe.run(`name ${name}`), name);
    });
    if (!reached) return;

    await withLog("the cold start is measured", async () => {
      const figures = await page.evaluate(() => ({ ...globalThis.strafe.figures, adapter: globalThis.strafe.status.adapter }));
      const code = await page.evaluate(() => performance.getEntriesByType("resource")
        .filter((entry) => /\.(js|wasm)$/.test(new URL(entry.name).pathname))
        .reduce((sum, entry) => sum + entry.encodedBodySize, 0));
      report.coldStart[renderer] = { codeBytes: code, dataBytes: figures.fetchedBytes, requests: figures.requests, firstFrameMsec: figures.firstFrameMsec, adapter: figures.adapter };
      console.log(`           ${renderer} cold start: ${megabytes(code)} of code, ${megabytes(figures.fetchedBytes)} of data in ${figures.requests} requests, first frame after ${(figures.firstFrameMsec / 1000).toFixed(1)} s (${figures.adapter})`);
      await waitFor(() => page.evaluate(() => strafe.status.session.load), "the load is over");
      const [steps, sinceStart] = await page.evaluate(() => [globalThis.strafe.status.session.load, performance.now()]);
      report.coldStart[renderer].steps = steps;
      console.log(`           ${renderer}: ${Object.entries(steps).map(([step, msec]) => `${step} ${msec}`).join(", ")}`);
      const total = Object.values(steps).reduce((sum, msec) => sum + msec, 0);
      assert(steps.gamestateMsec > 0 && steps.mediaMsec > 0 && steps.frameMsec > 0, "the steps of the load are not told");
      assert(total < sinceStart, `the load took ${total} of the ${sinceStart} ms since the page began`);
      assert(figures.fetchedBytes > 100_000, "no game data was fetched");
      assert(figures.fetchedBytes < 80_000_000, `${figures.fetchedBytes} bytes are far more than one map needs`);
    });

    await withLog("the picture shows a textured map", async () => {
      await page.waitForTimeout(1500);
      const colors = await picture("game");
      assert(colors.distinct > TEXTURED, `only ${colors.distinct} colors`);
      assert(colors.brightest > 60, "the picture is dark all over");
    });

    await withLog("the sound runs, and the match is heard", async () => {
      // Nothing else need make a sound near the player.
      await page.evaluate(() => strafe.run("+attack"));
      await waitFor(() => page.evaluate(() => strafe.sound?.state === "running"), "the sound runs");
      await waitFor(() => page.evaluate(() => strafe.sound.loudness() > 0.002), "the player's own weapon is heard");
      await page.evaluate(() => strafe.run("-attack"));
    });

    await withLog("r_fullscreen fills the screen after a key, and leaving it is noticed", async () => {
      const run = (command) => page.evaluate((command) => strafe.run(command), command);
      const isFull = () => page.evaluate(() => document.fullscreenElement !== null);
      await run("set r_fullscreen 1");
      await page.waitForTimeout(500);
      await page.keyboard.press("Insert");
      await waitFor(isFull, "the game fills the screen");
      await run("set r_fullscreen 0");
      await waitFor(async () => !(await isFull()), "the screen is free again");
      await run("set r_fullscreen 1");
      await page.keyboard.press("Insert");
      await waitFor(isFull, "the game fills the screen again");
      await page.evaluate(async () => {
        const left = new Promise((resolve) => document.addEventListener("fullscreenchange", resolve, { once: true }));
        await document.exitFullscreen();
        await left;
      });
      await page.waitForTimeout(500);
      await page.keyboard.press("Insert");
      await page.waitForTimeout(500);
      assert(!(await isFull()), "the screen was taken again although the player had left");
    });

    await withLog("it is silent while the page has no focus or is hidden, unless the player wants to hear it", async () => {
      const run = (command) => page.evaluate((command) => strafe.run(command), command);
      const isLoud = () => page.evaluate(() => strafe.sound.loudness() > 0.002);
      const isSilent = () => page.evaluate(() => strafe.sound.loudness() === 0);
      const hide = (isHidden) => page.evaluate((isHidden) => {
        // A browser without a window never hides its pages, so the page is told that it is hidden.
        if (isHidden) Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" });
        else delete document.visibilityState;
        document.dispatchEvent(new Event("visibilitychange"));
      }, isHidden);
      await run("set s_musicvolume 1; music music/oa01.ogg");
      await waitFor(isLoud, "the music is heard");
      await page.evaluate(() => document.activeElement.blur());
      await waitFor(isSilent, "the page falls silent without the focus");
      await run("set s_muteWhenUnfocused 0");
      await waitFor(isLoud, "the music is heard without the focus");
      await hide(true);
      await waitFor(isSilent, "the hidden page falls silent");
      await hide(false);
      await run("set s_muteWhenUnfocused 1");
      await page.evaluate(() => document.getElementById("game").focus());
      await waitFor(isLoud, "the music is heard again");
      await run("set s_musicvolume 0.25");
    });

    await withLog("the server lists the player with a sane ping", async () => {
      const line = await waitFor(async () => (await rcon.run("status")).split("\n").find((line) => line.includes(name)), "the player is in the server's status");
      const ping = Number(line.trim().split(/\s+/)[2]);
      console.log(`           ${line.trim()}`);
      assert(ping >= 0 && ping < 500, `ping ${ping}`);
    });

    await withLog("keys move the player, and a second client sees it", async () => {
      let farthest = 0;
      const seen = await watch(name, async () => {
        // Leaving the full screen frees the mouse, which opens the menus where the page is fast enough to notice it; a
        // click on a row of theirs would be no shot.
        for (let presses = 0; presses < 5 && (await areMenusOpen()); presses++) {
          await page.keyboard.press("Escape");
          await page.waitForTimeout(500);
        }
        await page.locator("#game").click({ position: { x: 500, y: 300 } });
        const before = (await status()).session.origin;
        // A wall, a bot or a respawn may stand in the way of one direction, not of all.
        for (const key of ["KeyW", "KeyD", "KeyS", "KeyA", "KeyW"]) {
          // A click brings the dead back.
          await page.mouse.click(500, 300);
          await page.keyboard.down(key);
          await page.waitForTimeout(1000);
          await page.keyboard.up(key);
          const now = (await status()).session.origin;
          farthest = Math.max(farthest, Math.hypot(now[0] - before[0], now[1] - before[1]));
        }
      });
      assert(farthest > 60, `the keys moved the player by ${farthest.toFixed(0)} units only`);
      console.log(`           moved ${farthest.toFixed(0)} units; the second client saw ${seen.travelled.toFixed(0)} units of movement`);
      assert(seen.travelled > 60, `the second client saw ${seen.travelled} units of movement only`);
    });

    await withLog("a gamepad's stick moves the player, and its button runs what is bound to it", async () => {
      await page.evaluate(() => strafe.run("bind PAD0_A \"echo the pad's button\"; bind PAD0_A"));
      await waitFor(() => log.some((line) => line.includes("PAD0_A = ")), "the button is bound");
      await press(page, 0, true);
      await waitFor(() => log.some((line) => /^(log: )?the pad's button$/m.test(line)), "the console tells of the button");
      await press(page, 0, false);
      let [x, y] = (await status()).session.origin;
      let farthest = 0;
      // Where all share two processors, a second of leaning may arrive after two; a wall may stand in one way.
      for (let round = 0; round < 12 && farthest <= 60; round++) {
        const stick = [[0, -1], [1, 0], [0, 1], [-1, 0]][round % 4];
        await page.mouse.click(500, 300);
        await lean(page, stick);
        await page.waitForTimeout(1000);
        const now = (await status()).session.origin;
        await lean(page, [0, 0]);
        farthest = Math.max(farthest, Math.hypot(now[0] - x, now[1] - y));
        [x, y] = now;
      }
      assert(farthest > 60, `the stick moved the player by ${farthest.toFixed(0)} units only`);
    });

    await withLog("the click that takes the mouse is no shot, the next one is", async () => {
      const shots = () => log.filter((line) => /^(log: )?a shot$/.test(line)).length;
      await page.evaluate(() => {
        strafe.run("bind MOUSE1 \"echo a shot\"");
        // As when the player has turned to another window.
        document.hasFocus = () => false;
        document.exitPointerLock();
      });
      const isTaken = () => page.evaluate(() => document.pointerLockElement !== null);
      await waitFor(async () => !(await isTaken()), "the mouse is free");
      await page.mouse.click(500, 300);
      await waitFor(isTaken, "the mouse is taken");
      await page.waitForTimeout(500);
      assert(shots() === 0, `the click that took the mouse made ${shots()} shots`);
      await page.mouse.click(500, 300);
      await waitFor(() => shots() === 1, "the second click is a shot");
      await page.evaluate(() => strafe.run("bind MOUSE1 +attack"));
      await page.evaluate(() => delete document.hasFocus);
    });

    await withLog("the Escape that frees the mouse opens the menus, the next one closes them", async () => {
      // The browser keeps that Escape for itself; this is all that the page sees of it.
      await page.evaluate(() => document.exitPointerLock());
      await waitFor(areMenusOpen, "the menus are open");
      await picture("menus");
      await page.keyboard.press("Escape");
      await waitFor(async () => !(await areMenusOpen()), "the menus are closed");
    });

    await withLog("the page survives a map change", async () => {
      await rcon.run("map oa_dm2");
      await isPlaying("oa_dm2");
      await page.waitForTimeout(1500);
      const colors = await picture("next-map");
      assert(colors.distinct > TEXTURED, `only ${colors.distinct} colors`);
    });

    await withLog("a reload rejoins, and fetches nothing that is kept", async () => {
      // What is still on its way is not kept yet.
      const arrived = () => page.evaluate(() => ({ wanted: strafe.status.loading.wanted, bytes: strafe.figures.fetchedBytes }));
      await waitFor(async () => {
        const before = await arrived();
        await page.waitForTimeout(2000);
        return before.wanted === 0 && (await arrived()).bytes === before.bytes;
      }, "all of the map is here", PATIENCE);
      const kept = await page.evaluate(keptParts);
      assert(kept.length > 10, `only ${kept.length} parts of paks are kept`);
      const asked = [];
      const note = (request) => {
        const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers().range ?? "");
        if (range) asked.push({ url: request.url(), start: Number(range[1]), end: Number(range[2]) + 1 });
      };
      page.on("request", note);
      await page.reload();
      await isPlaying("oa_dm2");
      page.off("request", note);
      const fetched = await page.evaluate(() => globalThis.strafe.figures.fetchedBytes);
      const again = await page.evaluate(() => globalThis.strafe.figures.firstFrameMsec);
      report.coldStart[renderer] = { ...report.coldStart[renderer], secondVisitMsec: again, secondVisitBytes: fetched };
      console.log(`           ${renderer} second visit: ${fetched} bytes of data, first frame after ${(again / 1000).toFixed(1)} s`);
      // A bot that came meanwhile may need a model that nobody had on the first visit.
      const twice = asked.filter(({ url, start, end }) => kept.some((part) => part.url === url && part.start <= start && end <= part.end));
      assert(twice.length === 0, `what is kept was fetched again: ${JSON.stringify(twice)}`);
      assert(fetched < 2_000_000, `${fetched} bytes are more than a few models`);
      assert(asked.length > 0 || fetched === 0, `${fetched} bytes were fetched by requests that name no part`);
      await picture("reloaded");
    });

    if (renderer === "webgl") await withLog("a lost graphics adapter is followed by a new start", async () => {
      const [before] = await Promise.all([
        page.evaluate(() => performance.timeOrigin),
        page.waitForEvent("load", { timeout: PATIENCE }),
        page.evaluate(() => document.querySelector("#game").getContext("webgl2").getExtension("WEBGL_lose_context").loseContext()),
      ]);
      await isPlaying("oa_dm2");
      assert(await page.evaluate(() => performance.timeOrigin) > before, "the page did not start again");
      await page.waitForTimeout(1500);
      const colors = await picture("after-loss");
      assert(colors.distinct > TEXTURED, `only ${colors.distinct} colors`);
    });

    await withLog("a pk3 of the player's own is kept for the next visit", async () => {
      await page.locator("#pick").setInputFiles("/usr/share/games/openarena/oacmp-mod/z_oacmpcampaign.pk3");
      const isThere = () => page.evaluate(async () => (await strafe.host.sources()).some((source) => source.file && source.name === "z_oacmpcampaign.pk3"));
      await waitFor(isThere, "the pk3 is among the page's files");
      await page.reload();
      await isPlaying("oa_dm2");
      assert(await isThere(), "the pk3 is gone after a reload");
    });

    await withLog("who quits is gone from the server, and the page begins anew", async () => {
      await page.evaluate(() => strafe.run("quit"));
      await page.waitForURL((url) => url.search === "");
      await page.waitForSelector("#connect:not([hidden])");
      await isGone(5000);
      await page.goto(address);
      await isPlaying();
    });

    await withLog("who leaves is gone from the server", async () => {
      await page.close();
      await isGone();
    });
    await withLog("a star keeps a server in the list, and a second click forgets it", async () => {
      const list = await context.newPage();
      list.on("console", (message) => log.push(`${message.type()}: ${message.text()}`));
      list.on("pageerror", (error) => log.push(`exception: ${error.stack}`));
      const kept = () => list.evaluate(() => JSON.parse(localStorage.getItem("strafe/favourites") ?? "[]"));
      const star = list.locator("#list li .star").first();
      const shows = (sign) => waitFor(async () => (await star.textContent()) === sign, `the star is ${sign}`);
      await list.goto(`${facts.page}?renderer=${renderer}`);
      await shows("☆");
      await star.click();
      await shows("★");
      assert((await kept()).join() === facts.server, `kept are ${await kept()}`);
      // The next visit asks the relay for it, and shows that it is kept.
      const asked = list.waitForRequest((request) => request.url().endsWith(`?favourites=${encodeURIComponent(facts.server)}`));
      await list.reload();
      await asked;
      await shows("★");
      await list.screenshot({ path: join(facts.results, `${renderer}-favourite.png`) });
      await star.click();
      await shows("☆");
      assert((await kept()).length === 0, `kept are ${await kept()}`);
      await list.close();
    });
    if (renderer === "webgl") await withLog("a match in the page alone needs no server", async () => {
      const alone = await context.newPage();
      alone.on("console", (message) => log.push(`${message.type()}: ${message.text()}`));
      alone.on("pageerror", (error) => log.push(`exception: ${error.stack}`));
      const links = [];
      alone.on("websocket", (socket) => links.push(socket.url()));
      const origin = () => alone.evaluate(() => strafe.status.session.origin);
      await alone.goto(`${facts.page}?play=oa_dm1&renderer=${renderer}`);
      await alone.waitForFunction(() => strafe.status.state === "active" && strafe.status.isDrawing, null, { timeout: PATIENCE, polling: 200 });
      assert(await alone.evaluate(() => strafe.status.session.transport) === "loopback", "the match is not in the page");
      const before = await origin();
      await alone.evaluate(() => strafe.run("+forward; +left"));
      const moved = async () => Math.hypot(...(await origin()).map((one, axis) => one - before[axis])) > 60;
      await waitFor(moved, "the player moves");
      await alone.screenshot({ path: join(facts.results, `${renderer}-alone.png`) });
      assert(links.length === 0, `a way to ${links} was opened`);
      await alone.close();
    });

    await withLog("the page has no errors in its console", async () => {
      const errors = log.filter((line) => /^(error|exception):|the graphics adapter refused/.test(line));
      assert(errors.length === 0, errors.slice(0, 3).join(" | "));
    });
  } finally {
    await writeFile(join(facts.results, `${renderer}-console.txt`), log.join("\n"));
    await browser.close();
    await rcon.run("map oa_dm1");
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
}

/** The same match in the native client's own window. */
async function playNatively() {
  const name = "Native";
  const home = await mkdtemp(join(tmpdir(), "strafe-"));
  const env = { ...process.env, DISPLAY: display.name, HOME: home, XDG_DATA_HOME: join(home, "data"), XDG_CONFIG_HOME: join(home, "config"), WAYLAND_DISPLAY: "" };
  const client = spawn(facts.witness, ["+set", "name", name, "+connect", facts.server], { env, stdio: ["ignore", "pipe", "pipe"] });
  let words = "";
  for (const stream of [client.stdout, client.stderr]) stream.on("data", (chunk) => (words += chunk));
  const ended = new Promise((resolve) => client.on("close", (code) => resolve(code)));
  const run = (program, ...words) => promisify(execFile)(program, words, { env });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: ARGUMENTS.common });
  const context = await browser.newContext();
  const picture = async (what) => {
    const file = join(facts.results, `native-${what}.png`);
    await run("import", "-window", "root", file);
    return colorsOf(context, await readFile(file));
  };
  const shows = (what) => waitFor(async () => (await picture(what)).distinct > 500, `the window shows ${what}`, PATIENCE);
  const told = (what, check_) => check(`native: ${what}`, async () => {
    try {
      await check_();
    } catch (error) {
      throw new Error(`${error.message.split("\n")[0]}; its last words:\n     ${words.trim().split("\n").slice(-6).join("\n     ")}`);
    }
  });
  const line = async () => (await rcon.run("status")).split("\n").find((line) => line.includes(name));
  try {
    await told("the server lists the player with a sane ping", async () => {
      const found = await waitFor(async () => {
        const found = await line();
        return found && Number(found.trim().split(/\s+/)[2]) < 500 ? found : null;
      }, "the player is in the server's status", PATIENCE);
      console.log(`           ${found.trim()}`);
    });
    await told("the window shows a textured map", () => shows("game"));
    await told("keys move the player, and a second client sees it", async () => {
      // Nobody manages this display's windows, so nobody else gives one the keys.
      await run("xdotool", "search", "--name", "^Strafe", "windowfocus", "--sync");
      const seen = await watch(name, async () => {
        for (const key of ["w", "d", "s", "a", "w", "a", "s", "d"]) {
          // A click brings the dead back.
          await run("xdotool", "click", "1");
          await run("xdotool", "keydown", key);
          await new Promise((resolve) => setTimeout(resolve, 1000));
          await run("xdotool", "keyup", key);
        }
      });
      console.log(`           the second client saw ${seen.travelled.toFixed(0)} units of movement`);
      assert(seen.travelled > 60, `the second client saw ${seen.travelled} units of movement only`);
    });
    await told("it survives a map change", async () => {
      await rcon.run("map oa_dm2");
      await waitFor(async () => words.split("entered the game").length > 2, "the player enters the next map", PATIENCE);
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await shows("next-map");
      assert(await line(), "the player is no longer in the server's status");
    });
    await told("Ctrl-C says goodbye to the server", async () => {
      client.kill("SIGINT");
      const code = await ended;
      assert(code === 0, `it ended with ${code}`);
      await waitFor(async () => !(await line()), "the player is gone from the server's status");
    });
  } finally {
    client.kill("SIGKILL");
    await browser.close();
    await rm(home, { recursive: true, force: true });
    await rcon.run("map oa_dm1");
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
}

/** The same match in Firefox, whose own script steers it. */
async function playInFirefox() {
  const { stdout } = await promisify(execFile)(process.execPath, ["--experimental-websocket", "--no-warnings", "firefox.mjs", JSON.stringify(facts)], { env: { ...process.env, DISPLAY: display.name }, timeout: 3 * PATIENCE })
    .catch((error) => ({ stdout: error.stdout || JSON.stringify({ games: [{ wanted: "WebTransport", error: error.message }] }) }));
  for (const game of JSON.parse(stdout).games) {
    await check(`firefox: a match over ${game.wanted}`, () => {
      if (!game.error) console.log(`           ${game.snapshots_per_second} snapshots per second, moved ${Math.round(game.moved_units)} units, ping ${game.ping_msec} ms`);
      assert(game.passed, game.error ?? JSON.stringify(game));
    });
  }
}

/** The reference views, over both graphics interfaces. */
async function drawViews() {
  for (const renderer of ["webgl", "webgpu"]) {
    await check(`views: as the reference's, over ${renderer}`, async () => {
      const wishes = { page: facts.page, views: facts.views, results: facts.results, renderer, words: [], json: true };
      const { stdout } = await promisify(execFile)(process.execPath, ["views.mjs", JSON.stringify(wishes)], { timeout: 3 * PATIENCE })
        .catch((error) => (error.stdout ? error : Promise.reject(error)));
      const { views, errors } = JSON.parse(stdout);
      const outside = views.filter((view) => !view.passes);
      assert(outside.length === 0 && errors.length === 0, JSON.stringify({ outside, errors }));
      const means = views.map((view) => view.mean_abs_error);
      console.log(`           ${views.length} views, off by ${Math.max(...means).toFixed(2)} of 255 in the mean at most`);
      const { views: wanted } = JSON.parse(await readFile(join(facts.views, "manifest.json"), "utf8"));
      assert(views.length === wanted.length, `only ${views.length} of ${wanted.length} were drawn`);
    });
  }
}

/** A second client without a window follows the player while he moves, and tells how far. */
async function watch(name, move) {
  const child = spawn(facts.witness, ["--headless", "--seconds", "300", "--json", "--follow", name, "+set", "name", "Witness", "+connect", facts.server], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let words = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (words += chunk));
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  try {
    await waitFor(async () => /^ *\d+ +-?\d+ +\d+ Witness/m.test(await rcon.run("status")), "the second client is on the server");
    const end = Date.now() + PATIENCE;
    while (!words.includes(`Follows ${name}.`) && Date.now() < end) await move();
    await move();
  } catch (error) {
    throw new Error(`${error.message}; the second client's last words: ${words.trim().split("\n").slice(-4).join(" | ")}`);
  } finally {
    child.kill("SIGINT");
    await ended;
  }
  const line = output.trim().split("\n").findLast((line) => line.startsWith("{"));
  assert(line, "the second client reported nothing");
  return JSON.parse(line);
}

/** In the page: the parts of paks that the browser keeps. */
async function keptParts() {
  const opened = indexedDB.open("strafe");
  const database = await new Promise((resolve, reject) => {
    opened.onsuccess = () => resolve(opened.result);
    opened.onerror = () => reject(opened.error);
  });
  const asked = database.transaction("parts").objectStore("parts").getAllKeys();
  const keys = await new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  database.close();
  return keys.map((key) => {
    const [url, start, end] = key.split("|");
    return { url, start: Number(start), end: Number(end) };
  });
}

async function waitFor(ask, what, patience = 20_000) {
  const end = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`not so within ${patience / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

try {
  for (const bot of ["Sarge", "Grunt", "Liz", "Beret"]) await rcon.run(`addbot ${bot} 1`);
  const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...ARGUMENTS.common, ...ARGUMENTS.webgl] });
  const tools = { facts, report, rcon, check, assert, waitFor, launch, keep: writeFile, patience: PATIENCE };
  for (const part of facts.parts) {
    if (part === "native") {
      await playNatively();
      await tradeConfigs({ ...tools, display });
      await walkNatively({ ...tools, display });
    }
    else if (part === "firefox") await playInFirefox();
    else if (part === "views") await drawViews();
    else if (part === "own") {
      await playOnOwnServer(tools);
      await playByTouch(tools);
      await playAccessibly(tools);
      await walkThrough(tools);
    }
    else if (part === "mod") await playMod(tools);
    else if (part === "site") await playOnSite(tools);
    else if (part === "line") await playOverBadLines(tools);
    else await playIn(part);
  }
} finally {
  await writeFile(facts.report, JSON.stringify(report, null, 2));
  rcon.close();
  display.close();
}
