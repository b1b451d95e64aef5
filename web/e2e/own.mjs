// Plays as the first command has it: on our own server and arena, by a relay without any game's files.

import { join } from "node:path";

/** What comes over the line until the first frame: code and pak. */
const MAX_BYTES = 3_000_000;

/** `tools`: facts, report, check, assert, waitFor, launch, patience. */
export async function playOnOwnServer(tools) {
  const { facts, report, check, assert, waitFor, patience } = tools;
  const browser = await tools.launch();
  const log = [];
  try {
    await check("own: the first command's match needs our arena alone, and little of a line", async () => {
      const page = await browser.newPage({ viewport: { width: 640, height: 360 } });
      page.setDefaultTimeout(patience);
      page.on("console", (message) => log.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => log.push(`exception: ${error.stack}`));
      const paks = [];
      page.on("request", (request) => request.url().includes(".pk3") && paks.push(request.url()));
      await page.goto(`${facts.ownPage}?server=${facts.ownServer}&renderer=webgl`);
      await page.waitForFunction(() => {
        if (strafe.status.error) throw new Error(strafe.status.error);
        return strafe.status.state === "active" && strafe.status.isDrawing && strafe.status.map === "strafe1";
      }, null, { timeout: patience, polling: 100 });
      const { firstFrameMsec, firstFrameBytes } = await page.evaluate(() => strafe.figures);
      report.own = { firstFrameMsec, firstFrameBytes };
      console.log(`           ${(firstFrameBytes / 1e6).toFixed(2)} MB, first frame after ${(firstFrameMsec / 1000).toFixed(1)} s`);
      await waitFor(() => log.some((line) => line.includes("First frame")), "the console tells of the first frame");
      assert(paks.length === 1, `asked for ${paks}`);
      // A quick build is not small.
      assert(facts.isDev || firstFrameBytes <= MAX_BYTES, `${firstFrameBytes} bytes came`);
      const snapshots = () => page.evaluate(() => strafe.status.session.snapshots);
      const before = await snapshots();
      await waitFor(async () => (await snapshots()) > before + 20, "the match goes on");
      await page.screenshot({ path: join(facts.results, "own-play.png") });
    });

    await check("own: a relay with smaller files brings what a map needs first in two of them", async () => {
      const context = await browser.newContext({ viewport: { width: 640, height: 360 } });
      const page = await context.newPage();
      page.setDefaultTimeout(patience);
      const complaints = [];
      page.on("console", (message) => ["warning", "error"].includes(message.type()) && /first frame|light|cannot/.test(message.text()) && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      const asked = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      const enter = async () => {
        asked.length = 0;
        await page.goto(`${facts.lightPage}?server=${facts.lightServer}&renderer=webgl`);
        await page.waitForFunction(() => {
          if (strafe.status.error) throw new Error(strafe.status.error);
          return strafe.status.state === "active" && strafe.status.isDrawing && strafe.status.map === "strafe1";
        }, null, { timeout: patience, polling: 100 });
        return [asked.filter((path) => path.startsWith("/first/")), asked.filter((path) => /^\/(content|light)\//.test(path))];
      };
      const [first, parts] = await enter();
      assert(first.join() === "/first/baseq3,/first/baseq3/strafe1", `first files: ${first}`);
      assert(parts.length <= 14, `${parts.length} more requests for parts before the first frame`);
      await page.screenshot({ path: join(facts.results, "own-light.png") });
      await waitFor(() => page.evaluate(() => strafe.status.loading.wanted === 0), "all is here");
      const figures = await page.evaluate(() => strafe.figures);
      assert(figures.firstGotBytes === figures.firstBytes && figures.firstBytes > 0, `${figures.firstGotBytes} of ${figures.firstBytes} bytes of first files`);
      await page.waitForTimeout(1000);
      const [again] = await enter();
      assert(again.length === 0, `the next visit asked for ${again}`);
      assert(complaints.length === 0, complaints.join("\n"));
      await context.close();
    });
  } finally {
    await tools.keep(join(facts.results, "own-console.txt"), log.join("\n"));
    await browser.close();
  }
}
