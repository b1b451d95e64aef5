// Plays over lines that break: one stay on the server, whatever carries it.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Line } from "./line.mjs";

/** What the server's log says when somebody comes, or comes anew. */
const COMINGS = /^\s*(?:\d+:\d+\s+)?(?:ClientConnect|ClientBegin): \d+/gm;

/** `tools`: facts, rcon, check, assert, waitFor, launch, patience. */
export async function playOverBadLines(tools) {
  const { facts, rcon, check, assert, waitFor, patience } = tools;
  const name = "Carried";
  const line = await Line.to(Number(new URL(facts.page).port));
  const browser = await tools.launch();
  const log = [];
  const comings = async () => (await readFile(facts.serverLog, "latin1")).match(COMINGS)?.length ?? 0;

  const isPlaying = (page) => page.waitForFunction(() => {
    if (globalThis.strafe?.status?.error) throw new Error(strafe.status.error);
    return globalThis.strafe?.status?.state === "active" && strafe.status.isDrawing;
  }, null, { timeout: patience, polling: 200 });

  const open = async () => {
    const context = await browser.newContext({ viewport: { width: 640, height: 360 } });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    page.on("console", (message) => log.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => log.push(`exception: ${error.stack}`));
    // The relay tells its own port; the line has another one.
    await page.route("**/api/transport", async (route) => {
      try {
        const answer = await route.fetch();
        const about = await answer.json();
        about.webtransport.port = line.udpPort;
        await route.fulfill({ response: answer, json: about });
      } catch {
        // The line may be broken at that moment, or the page gone.
        await route.abort().catch(() => {});
      }
    });
    await page.goto(`http://localhost:${line.tcpPort}/?server=${facts.server}&renderer=webgl`);
    await isPlaying(page);
    await page.evaluate((name) => globalThis.strafe.run(`name ${name}`), name);
    return page;
  };

  const told = (what, run) => check(`line: ${what}`, async () => {
    try {
      await run();
    } catch (error) {
      throw new Error(`${error.message.split("\n")[0]}; the server lists ${(await rcon.run("status")).split("\n").slice(3).join(" | ")}; last lines of the page:\n     ${log.slice(-8).join("\n     ")}`);
    }
  });

  try {
    let page;
    const session = () => page.evaluate(() => strafe.status.session);
    /** Slot and score in the server's own list. */
    const seat = async () => {
      const found = (await rcon.run("status")).split("\n").find((line) => line.includes(name));
      return found?.trim().split(/\s+/).slice(0, 2).join(" ");
    };
    /** The game goes on, and for the server nothing has happened. */
    const goesOn = async (before, transport) => {
      const start = Date.now();
      const { snapshots } = await session();
      await waitFor(async () => (await session())?.snapshots > snapshots + 20, "snapshots arrive again", 30_000);
      console.log(`           snapshots again after ${((Date.now() - start) / 1000).toFixed(1)} s, over ${(await session()).transport}`);
      assert(!transport || (await session()).transport === transport, `it goes over ${(await session()).transport}`);
      await page.keyboard.down("KeyW");
      await page.waitForTimeout(500);
      await page.keyboard.up("KeyW");
      const after = { seat: await seat(), comings: await comings() };
      assert(after.seat === before.seat, `slot and score were ${before.seat} and are ${after.seat}`);
      assert(after.comings === before.comings, `the server has seen ${after.comings - before.comings} more arrivals`);
    };

    /** The line is cut, and the page is loaded again as soon as it passes. */
    const reloadAfter = (what, cut) => told(`a line that is ${what} for 5 s, and then a reload`, async () => {
      const before = { seat: await seat(), comings: await comings() };
      cut();
      await page.waitForTimeout(5000);
      line.mend();
      await page.reload();
      await isPlaying(page);
      await goesOn(before);
    });

    const reached = await told("a match over WebTransport", async () => {
      const before = await comings();
      page = await open();
      // The log must show arrivals, else its silence later on would mean nothing.
      await waitFor(async () => (await comings()) >= before + 2, "the server's log tells of the player");
      await waitFor(seat, "the player is in the server's status");
      assert((await session()).transport === "WebTransport", `it goes over ${(await session()).transport}`);
      assert(line.udpDatagrams > 50, `only ${line.udpDatagrams} UDP datagrams passed`);
      await page.evaluate(() => strafe.run("cg_drawPing 2"));
      // The bots before it leave, so that a newcomer would get another slot.
      await rcon.run("kick allbots");
      await waitFor(async () => (await rcon.run("status")).match(/^ *\d+ +-?\d+ /gm)?.length === 1, "the player is alone on the server");
      assert(Number.parseInt(await seat(), 10) > 0, `a newcomer would get the same slot: ${await seat()}`);
      await page.screenshot({ path: join(facts.results, "line-webtransport.png") });
    });
    if (!reached) return;

    await told("the way is shown by hops", async () => {
      // Beside other browsers the page itself may hold a packet up for as long as it draws.
      const isUsual = ({ relayMsec, waitingMsec }) => relayMsec >= 0 && relayMsec < 500 && waitingMsec < 400;
      let hops;
      await waitFor(async () => {
        hops = (await session()).hops;
        return hops && isUsual(hops);
      }, "the relay tells how long the way takes, within half a second");
      console.log(`           hops: ${JSON.stringify(hops)}`);
      await page.evaluate(() => strafe.run("hops"));
      await waitFor(() => log.some((line) => /Of a ping of \d+ ms over WebTransport: [\d.]+ ms to the relay and back, [\d.]+ ms from the relay to the server and back, \d+ ms waiting/.test(line)), "the console tells of the hops");
      await page.screenshot({ path: join(facts.results, "line-hops.png") });
    });

    await told("a line that is silent for 5 s", async () => {
      const before = { seat: await seat(), comings: await comings() };
      line.hold();
      await page.waitForTimeout(5000);
      line.mend();
      await goesOn(before);
    });

    await told("a reload in the middle of the match", async () => {
      const before = { seat: await seat(), comings: await comings() };
      const start = Date.now();
      await page.reload();
      await isPlaying(page);
      console.log(`           in the game again after ${((Date.now() - start) / 1000).toFixed(1)} s`);
      await goesOn(before);
    });

    await reloadAfter("silent", () => line.hold());

    await told("back to WebTransport, where it passes", async () => {
      const before = { seat: await seat(), comings: await comings() };
      await waitFor(async () => (await session())?.transport === "WebTransport", "the page moves to WebTransport", 30_000);
      await goesOn(before, "WebTransport");
    });

    await told("WebTransport is blocked, and play goes on over WebSocket", async () => {
      const before = { seat: await seat(), comings: await comings() };
      line.blockUdp();
      await waitFor(async () => (await session())?.transport === "WebSocket", "the page moves to WebSocket", 15_000);
      await goesOn(before, "WebSocket");
      await page.screenshot({ path: join(facts.results, "line-websocket.png") });
    });

    await told("a line that is broken for 5 s", async () => {
      const before = { seat: await seat(), comings: await comings() };
      line.break();
      await page.waitForTimeout(5000);
      line.mend();
      await goesOn(before, "WebSocket");
    });

    await reloadAfter("broken", () => line.break());

    await told("a page that dies is gone from the server", async () => {
      const devtools = await page.context().newCDPSession(page);
      const start = Date.now();
      devtools.send("Page.crash").catch(() => null);
      await waitFor(async () => !(await seat()), "the player is gone from the server's status", 60_000);
      console.log(`           gone after ${((Date.now() - start) / 1000).toFixed(1)} s`);
    });

    await told("a blocked WebTransport does not keep anybody out", async () => {
      page = await open();
      assert((await session()).transport === "WebSocket", `it goes over ${(await session()).transport}`);
      await page.close();
    });
  } finally {
    await tools.keep(join(facts.results, "line-console.txt"), log.join("\n"));
    await browser.close();
    line.close();
  }
}
