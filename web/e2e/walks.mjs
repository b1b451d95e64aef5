// Two players who know no command, one with keys, one with a mouse alone: each from the first screen into a match and
// onto a server, through the settings, and out again.

import { join } from "node:path";

/** How the menus divide the screen, in units (`ui/menu/draw.rs`). */
const PANEL = { width: 620, top: 76, row: 24, bottom: 78, unitsHigh: 600 };
const LETTERS = ["1234567890", "qwertyuiop", "asdfghjkl_", "zxcvbnm-.:"];

/** Where the panel's parts lie, in pixels. */
function layOut(panel, { width, height }) {
  const unit = height / panel.unitsHigh;
  const left = Math.max(0, (width - panel.width * unit) * 0.16);
  const right = left + Math.min(width, panel.width * unit);
  const rows = Math.floor((panel.unitsHigh - panel.top - panel.bottom) / panel.row);
  const row = (number) => [left + 60 * unit, (panel.top + (number + 0.5) * panel.row) * unit];
  const letters = (number) => {
    const across = right - left - 56 * unit;
    const place = LETTERS.findIndex((line) => line.includes(number));
    const [line, column, count] = number === "Done" ? [4, 3, 4] : [place, LETTERS[place].indexOf(number), 10];
    const top = height - (panel.bottom + 5 * 26) * unit;
    return [left + 28 * unit + ((column + 0.5) * across) / count, top + (line + 0.5) * 26 * unit];
  };
  return { rows, row, letters, title: [left + 60 * unit, 30 * unit], slider: right - (28 + 76 + 20) * unit };
}

/** `tools`: facts, check, assert, waitFor, launch, patience. */
export async function walkThrough(tools) {
  const { facts, check, assert, waitFor, patience } = tools;
  const browser = await tools.launch();

  /** A page, what both have in common, and what they see of the menus. */
  const open = async () => {
    const context = await browser.newContext({ viewport: { width: 960, height: 600 } });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    await page.goto(`${facts.ownPage}?renderer=webgl`);
    await page.waitForSelector("#connect:not([hidden])");
    await page.waitForFunction(() => strafe.status.frames > 1, null, { timeout: patience, polling: 100 });
    const spoken = () => page.locator("#spoken").textContent();
    const says = (start) => waitFor(async () => (await spoken()).startsWith(start), `the menus say "${start}"`, patience);
    const isOn = async (label) => (await spoken()).includes(`. ${label} `);
    const frames = async (count) => {
      const before = await page.evaluate(() => strafe.status.frames);
      await page.waitForFunction((frames) => strafe.status.frames >= frames, before + count, { timeout: patience, polling: 16 });
    };
    const isPlaying = (transport) => page.waitForFunction((transport) => {
      const { error, state, isDrawing, session } = strafe.status;
      if (error) throw new Error(error);
      return state === "active" && isDrawing && (session.transport === "loopback") === (transport === "loopback");
    }, transport, { timeout: patience, polling: 100 });
    const hasLeft = () => page.waitForFunction(() => strafe.status.state === "disconnected", null, { timeout: patience, polling: 100 });
    const config = () => page.evaluate(() => strafe.host.load("strafe.cfg") ?? "");
    return { page, context, spoken, says, isOn, frames, isPlaying, hasLeft, config };
  };

  /** Steps down to a row. */
  const stepTo = async (seen, label, step) => {
    for (let steps = 0; steps < 60; steps++) {
      if (await seen.isOn(label)) return;
      await step();
      await seen.frames(3);
    }
    throw new Error(`${label} is on no row: ${await seen.spoken()}`);
  };
  /** Tries the rows that are to be seen, then goes on below them. */
  const lookFor = async (seen, label, rows, look, scroll) => {
    for (let screens = 0; screens < 8; screens++) {
      for (let row = 0; row < rows; row++) {
        if (await look(row, label)) return;
      }
      await scroll();
      await seen.frames(3);
    }
    throw new Error(`${label} is on no row: ${await seen.spoken()}`);
  };

  const byKeys = async () => {
    const seen = await open();
    const { page } = seen;
    const key = (name) => page.keyboard.press(name);
    const take = async (label) => {
      await stepTo(seen, label, () => key("ArrowDown"));
      await key("Enter");
      await seen.frames(3);
    };
    return {
      ...seen,
      begin: async () => {
        await waitFor(() => page.evaluate(() => document.activeElement.id === "skirmish"), "the form has the focus");
        await key("Enter");
      },
      menus: () => key("Escape"),
      join: async () => {
        await waitFor(() => page.evaluate(() => document.activeElement.id === "skirmish"), "the form has the focus");
        for (let presses = 0; presses < 20; presses++) {
          if (await page.evaluate(() => document.activeElement.closest("#list") && !document.activeElement.matches(".star"))) break;
          await key("Tab");
        }
        await key("Enter");
      },
      take,
      back: () => key("Escape"),
      more: async (label) => {
        await stepTo(seen, label, () => key("ArrowDown"));
        for (let presses = 0; presses < 3; presses++) await key("ArrowRight");
      },
      bind: async () => {
        await take("Jump");
        await key("j");
        return /bind j "\+moveup"/;
      },
      type: async (text, length) => {
        for (let presses = 0; presses < length; presses++) await key("Backspace");
        await page.keyboard.type(text);
        await key("Enter");
      },
      search: (text) => page.keyboard.type(text),
    };
  };

  const byMouse = async () => {
    const seen = await open();
    const { page } = seen;
    const { rows, row, letters, title, slider } = layOut(PANEL, page.viewportSize());
    const find = (label) => lookFor(seen, label, rows, async (number) => {
      await page.mouse.move(...row(number));
      await seen.frames(3);
      return seen.isOn(label);
    }, () => page.mouse.wheel(0, 600));
    const at = async (label) => {
      await find(label);
      for (let number = 0; number < rows; number++) {
        await page.mouse.move(...row(number));
        await seen.frames(3);
        if (await seen.isOn(label)) return row(number);
      }
      throw new Error(`${label} is gone`);
    };
    const take = async (label) => {
      await find(label);
      await page.mouse.down();
      await page.mouse.up();
      await seen.frames(3);
    };
    const letter = async (name) => {
      await page.mouse.click(...letters(name));
      await seen.frames(3);
    };
    return {
      ...seen,
      begin: () => page.locator("#skirmish").click(),
      menus: async () => {
        if (await page.locator("#play").isVisible()) await page.locator("#play").click();
        await waitFor(() => page.evaluate(() => document.pointerLockElement !== null), "the mouse is taken");
        await page.mouse.click(500, 300, { button: "middle" });
      },
      join: () => page.locator("#list li button:not(.star)").first().click(),
      take,
      back: () => page.mouse.click(...title),
      more: async (label) => page.mouse.click(slider, (await at(label))[1]),
      bind: async () => {
        await take("Jump");
        await page.mouse.click(...row(0), { button: "right" });
        return /bind MOUSE2 "\+moveup"/;
      },
      type: async (text) => {
        for (const name of [...text, "Done"]) await letter(name);
      },
      search: async (text) => {
        await take("Search");
        for (const name of [...text, "Done"]) await letter(name);
      },
    };
  };

  /** What each of them does. */
  const walk = async (name, player) => {
    const picture = (what) => player.page.screenshot({ path: join(facts.results, `walk-${name}-${what}.png`) });
    const into = async (...labels) => {
      for (const label of labels) await player.take(label);
    };
    const back = async () => {
      await player.back();
      await player.says("Settings.");
    };
    await player.begin();
    await player.isPlaying("loopback");
    await player.menus();
    await player.says("In the match.");
    await picture("match");
    await player.take("Leave the match");
    await player.hasLeft();
    await player.join();
    await player.isPlaying("network");
    await player.menus();
    await player.says("In the match.");
    await into("Settings", "Keys");
    const bound = await player.bind();
    await back();
    await into("Mouse and motion");
    await player.more("Mouse sensitivity");
    await back();
    await into("Crosshair");
    await player.more("Shape");
    await picture("crosshair");
    await back();
    await into("Player", "Name");
    await picture("typing");
    await player.type(`by_${name}`, 20);
    await back();
    await into("Sound");
    await player.more("Loudness");
    await back();
    await player.search("nopredict");
    await player.says("Search: nopredict.");
    await picture("search");
    await player.take("Without prediction");
    await waitFor(async () => /Without prediction On/.test(await player.spoken()), "the prediction is off");
    for (let presses = 0; presses < 5 && !(await player.spoken()).startsWith("In the match."); presses++) {
      await player.back();
      await player.frames(3);
    }
    const config = await waitFor(player.config, "the settings are kept");
    const kept = [bound, /seta sensitivity "/, /seta cg_drawCrosshair "/, new RegExp(`seta name "[^"]*by_${name}"`), /seta s_volume "/];
    const missing = kept.filter((wanted) => !wanted.test(config));
    assert(missing.length === 0, `not kept: ${missing.join(" ")}`);
    await player.take("Leave the match");
    await player.hasLeft();
    await player.page.reload();
    await player.page.waitForFunction(() => strafe.status.frames > 1, null, { timeout: patience, polling: 100 });
    assert(bound.test(await player.config()), "the key is lost after a reload");
    await player.context.close();
  };

  try {
    for (const [name, ready] of Object.entries({ keys: byKeys, mouse: byMouse })) {
      await check(`walk: by ${name} alone from the first screen through a match, a server and the settings`, async () => {
        const player = await ready();
        try {
          await walk(name, player);
        } catch (error) {
          await player.page.screenshot({ path: join(facts.results, `walk-${name}-failure.png`) }).catch(() => null);
          throw new Error(`${error.message.split("\n")[0]}; the menus say: ${await player.spoken().catch(() => "")}`);
        }
      });
    }
  } finally {
    await browser.close();
  }
}
