// Who sees, hears or points otherwise: axe-core looks at each state of the page, keys reach everything, and large text stays usable.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

/** What axe calls worth mending at once. */
const GRAVE = ["serious", "critical"];
const SIZES = {
  "a window": { width: 1024, height: 768 },
  // A page that is zoomed to 200 % has half as many of its pixels across.
  "the same at 200 %": { width: 512, height: 384 },
};

/** `tools`: facts, check, assert, waitFor, launch, patience. */
export async function playAccessibly(tools) {
  const { facts, check, assert, waitFor, patience } = tools;
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const browser = await tools.launch();
  const open = async (query, options = {}) => {
    const context = await browser.newContext({ viewport: SIZES["a window"], ...options });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    await page.goto(`${facts.ownPage}?renderer=webgl${query}`);
    return page;
  };
  const looks = async (page, state) => {
    await page.screenshot({ path: join(facts.results, `access-${state.replaceAll(" ", "-")}.png`) });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const grave = violations.filter(({ impact }) => GRAVE.includes(impact));
    const told = grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
    assert(grave.length === 0, `${state}: ${told.join("; ")}`);
  };
  const isPlaying = (page) => page.waitForFunction(() => {
    if (strafe.status.error) throw new Error(strafe.status.error);
    return strafe.status.state === "active" && strafe.status.isDrawing;
  }, null, { timeout: patience, polling: 100 });
  const hasForm = async (page) => {
    await page.waitForSelector("#connect:not([hidden])");
    await page.waitForFunction(() => strafe.status.frames > 1, null, { timeout: patience, polling: 100 });
    await waitFor(() => page.locator("#list li").count(), "the relay's servers are listed");
  };
  const spoken = (page) => page.locator("#spoken").textContent();

  try {
    await check("access: axe finds nothing grave on the first screen, while connecting, in a match, its menus, and an error", async () => {
      const page = await open("");
      await hasForm(page);
      await looks(page, "form");
      await page.fill("#address", "!");
      await page.keyboard.press("Enter");
      await waitFor(async () => /is not the address/.test(await page.locator("#state").textContent()), "the address is refused");
      await looks(page, "refused");
      await page.fill("#address", facts.ownServer);
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => strafe.status.state !== "disconnected", null, { timeout: patience, polling: 20 });
      await looks(page, "connecting");
      await isPlaying(page);
      await looks(page, "match");
      await page.keyboard.press("Escape");
      await waitFor(async () => (await spoken(page)).startsWith("In the match"), "the menus are open");
      await looks(page, "menus");
      await page.context().close();
      const lost = await open("&server=127.0.0.1:9");
      await lost.waitForSelector("#state.error");
      await looks(lost, "error");
      await lost.context().close();
    });

    await check("access: axe finds nothing grave where thumbs play and type, and what they touch is large", async () => {
      const page = await open("", { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true });
      await hasForm(page);
      await looks(page, "touch form");
      const small = await page.evaluate(() => [...document.querySelectorAll("button, .button, summary, input:not(#pick):not(#typing)")]
        .map((control) => [control.textContent.trim() || control.id, control.getBoundingClientRect()])
        .filter(([, { width, height }]) => width > 0 && (width < 44 || height < 44))
        .map(([name, { width, height }]) => `${name} ${width.toFixed()}x${height.toFixed()}`));
      assert(small.length === 0, `too small for fingers: ${small}`);
      await page.locator("#skirmish").tap();
      await isPlaying(page);
      await page.touchscreen.tap(700, 150);
      await looks(page, "touch match");
      await page.evaluate(() => strafe.run("messagemode"));
      await page.waitForSelector("#typing:not([hidden])");
      await looks(page, "touch typing");
      await page.context().close();
    });

    await check("access: keys alone reach every control, and each shows that it has the focus", async () => {
      const page = await open("");
      await hasForm(page);
      const controls = await page.evaluate(() => [...document.querySelectorAll("button, input, summary, a[href]")]
        .filter((control) => control.checkVisibility({ visibilityProperty: true }))
        .map((control, number) => (control.dataset.number = String(number))));
      const first = await page.evaluate(() => document.activeElement.id);
      assert(first === "skirmish", `the focus begins on "${first}"`);
      const seen = new Set();
      for (let step = 0; step < controls.length + 4; step++) {
        const { number, isShown, name } = await page.evaluate(() => {
          const control = document.activeElement;
          const framed = control.closest(".button") ?? control;
          const { outlineStyle, outlineWidth } = getComputedStyle(framed);
          const isShown = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
          return { number: control.dataset.number, isShown, name: control.outerHTML.slice(0, 80) };
        });
        if (number) {
          seen.add(number);
          assert(isShown, `nothing shows that the focus is on ${name}`);
        }
        await page.keyboard.press("Tab");
      }
      const missed = controls.filter((number) => !seen.has(number));
      const names = await page.evaluate((missed) => missed.map((number) => document.querySelector(`[data-number="${number}"]`).outerHTML.slice(0, 80)), missed);
      assert(missed.length === 0, `keys do not reach ${names}`);
      // Menus that were opened over the form give the keys back.
      await page.locator("#settings").focus();
      await page.keyboard.press("Enter");
      await waitFor(async () => (await spoken(page)) !== "", "the menus are open");
      for (let presses = 0; presses < 4 && (await spoken(page)) !== ""; presses++) {
        await page.keyboard.press("Escape");
        await page.waitForTimeout(300);
      }
      await waitFor(() => page.evaluate(() => document.activeElement.id === "skirmish"), "the form has the focus again");
      await page.keyboard.press("Enter");
      await isPlaying(page);
      await page.context().close();
    });

    for (const [name, viewport] of Object.entries(SIZES)) await check(`access: in ${name}, letters of twice the size cut nothing off`, async () => {
      const page = await open("", { viewport });
      await page.addStyleTag({ content: "html { font-size: 200% !important; }" });
      await hasForm(page);
      const hidden = await page.evaluate(async () => {
        const hidden = [];
        for (const control of document.querySelectorAll("#connect button, #connect input, #corner .button, #corner button")) {
          if (!control.checkVisibility({ visibilityProperty: true })) continue;
          control.scrollIntoView({ block: "nearest" });
          await new Promise(requestAnimationFrame);
          const { left, top, width, height, right } = control.getBoundingClientRect();
          const found = document.elementFromPoint(left + width / 2, top + height / 2);
          const isReached = control === found || control.contains(found) || found?.closest("label") === control;
          if (!isReached || left < 0 || right > innerWidth + 1) hidden.push(`${control.textContent.trim() || control.id} (${found?.id || found?.className})`);
        }
        return hidden;
      });
      await page.screenshot({ path: join(facts.results, `access-large-${viewport.width}.png`) });
      assert(hidden.length === 0, `out of reach: ${hidden}`);
      assert(await page.evaluate(() => document.querySelector("#overlay").scrollWidth <= innerWidth), "the page scrolls sideways");
      await page.context().close();
    });
  } finally {
    await browser.close();
  }
}
