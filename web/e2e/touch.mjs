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
      let [x, y] = await origin();
      let farthest = 0;
      for (let round = 0; round < 12 && farthest <= 60; round++) {
        // A wall may stand in one way, and a touch of the button for firing brings the dead back.
        const [right, back] = [[0, -1], [1, 0], [0, 1], [-1, 0]][round % 4];
        await tap(0.88 * 844, 0.6 * 390);
        await touch("touchStart", [150, 250]);
        await touch("touchMove", [150 + 100 * right, 250 + 100 * back]);
        await page.waitForTimeout(1000);
        const now = await origin();
        await touch("touchEnd");
        const way = Math.hypot(now[0] - x, now[1] - y);
        // Whoever comes back or is teleported has not walked.
        if (way < 700) farthest = Math.max(farthest, way);
        [x, y] = now;
      }
      assert(farthest > 60, `the left thumb moved the player by ${farthest.toFixed(0)} units only`);
      await touch("touchStart", [150, 250]);
      await touch("touchMove", [150, 150]);
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
