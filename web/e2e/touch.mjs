// Plays by fingers alone, in a browser that says it is a phone held across.

import { join } from "node:path";

/** `tools`: facts, check, assert, waitFor, launch, patience. */
export async function playByTouch(tools) {
  const { facts, check, assert, waitFor, patience } = tools;
  const browser = await tools.launch();
  try {
    await check("touch: thumbs walk, look, open the menus and type", async () => {
      const context = await browser.newContext({ viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true });
      const page = await context.newPage();
      await page.goto(`${facts.ownPage}?server=${facts.ownServer}&renderer=webgl`);
      await page.waitForFunction(() => {
        if (strafe.status.error) throw new Error(strafe.status.error);
        return strafe.status.state === "active" && strafe.status.isDrawing;
      }, null, { timeout: patience, polling: 100 });
      // Until then the page's own buttons lie over the game.
      await page.waitForSelector("body.playing", { timeout: patience });
      const fingers = await context.newCDPSession(page);
      const touch = (type, ...points) => fingers.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
      const tap = async (x, y) => {
        await touch("touchStart", [x, y]);
        await touch("touchEnd");
      };
      const spoken = () => page.textContent("#spoken");
      const says = (words) => waitFor(async () => (await spoken()).startsWith(words), `the menus say "${words}"`)
        .catch(async (error) => {
          await page.screenshot({ path: join(facts.results, "touch-failure.png") });
          throw new Error(`${error.message}, but "${(await spoken()).slice(0, 80)}"`);
        });
      const origin = () => page.evaluate(() => strafe.status.session.origin);

      assert(await page.isHidden("#play"), "nobody is asked to catch a mouse");
      const before = await origin();
      await touch("touchStart", [150, 250]);
      await touch("touchMove", [150, 150]);
      await waitFor(async () => {
        const now = await origin();
        return Math.hypot(now[0] - before[0], now[1] - before[1]) > 60;
      }, "the left thumb walks");
      // A second finger looks meanwhile.
      await touch("touchStart", [150, 150], [600, 130]);
      await touch("touchMove", [150, 150], [660, 130]);
      await page.screenshot({ path: join(facts.results, "touch-play.png") });
      await touch("touchEnd");

      await tap(0.6 * 844, 0.08 * 390);
      await says("In the match. Resume");
      // Of 400 units of height a row has 44, from 62 on.
      const row = (number) => (62 + 44 * (number + 0.5)) * (390 / 400);
      await tap(150, row(4));
      await says("Settings. Search");
      await tap(150, row(1));
      await says("Player. Name");
      await tap(150, row(0));
      await waitFor(() => page.evaluate(() => document.activeElement.id === "typing"), "the keyboard is asked for");
      await page.keyboard.type("Thumb");
      await page.keyboard.press("Enter");
      await waitFor(async () => (await spoken()).includes("PlayerThumb"), "the name is typed");
      await page.screenshot({ path: join(facts.results, "touch-menu.png") });
      for (const title of ["Settings.", "In the match."]) {
        await tap(150, 30);
        await says(title);
      }
      await tap(150, 30);
      await waitFor(async () => (await spoken()) === "", "the title leads out");
      assert(await page.evaluate(() => visualViewport.scale) === 1, "nothing zooms the page");
    });
  } finally {
    await browser.close();
  }
}
