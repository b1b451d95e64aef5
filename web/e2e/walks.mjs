// Players who know no command, one with keys, one with a mouse, one with a pad, one with fingers alone: each from the first
// screen into a match and onto a server, through the settings, and out again.

import { join } from "node:path";
import { openTouchScreen } from "./fingers.mjs";
import { makePad, plugIn, press } from "./pad.mjs";
import { SIZE, openWindow } from "./window.mjs";

/** How the menus divide the screen, in units: for a pointer, and for fingers (`ui/menu/draw.rs`). */
const PANEL = { width: 620, top: 76, row: 24, bottom: 78, unitsHigh: 600 };
const FINGER_PANEL = { width: 760, top: 62, row: 44, bottom: 58, unitsHigh: 400 };
const LETTERS = ["1234567890", "qwertyuiop", "asdfghjkl_", "zxcvbnm-.:"];
const WORDS = ["Shift", " ", "Delete", "Done"];
/** A server that answers, in the list. */
const ANY_SERVER = / milliseconds/;

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
    const word = WORDS.indexOf(number);
    const [line, column, count] = word >= 0 ? [4, word, 4] : [place, LETTERS[place].indexOf(number), 10];
    const top = height - (panel.bottom + 5 * 26) * unit;
    return [left + 28 * unit + ((column + 0.5) * across) / count, top + (line + 0.5) * 26 * unit];
  };
  return { rows, row, letters, title: [left + 60 * unit, 30 * unit], slider: right - (28 + 76 + 20) * unit };
}

/** `tools`: facts, check, assert, waitFor, launch, patience. */
export async function walkThrough(tools) {
  const browser = await tools.launch();
  try {
    for (const [name, ready] of Object.entries({ keys: byKeys, mouse: byMouse, pad: byPad, touch: byTouch })) {
      await walk(tools, name, "in the page", () => ready(tools, (...options) => openPage(tools, browser, ...options)));
    }
  } finally {
    await browser.close();
  }
}

/** The same in the native window. `tools` as above, with `display`. */
export async function walkNatively(tools) {
  const hands = { keys: async () => ({}), mouse: async () => ({}), pad: async () => ({ pad: await makePad() }), touch: async () => ({ touchScreen: await openTouchScreen(SIZE) }) };
  for (const [name, ready] of Object.entries({ keys: byKeys, mouse: byMouse, pad: byPad, touch: byTouch })) {
    await walk(tools, name, "in a window", () => ready(tools, async () => openWindow(tools, await hands[name]())));
  }
}

/** A page: what can be seen of it, and what hands can do to it. */
async function openPage({ facts, patience }, browser, options = {}, before = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 640, height: 400 }, ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  await before(page);
  await page.goto(`${facts.ownPage}?renderer=webgl`);
  const isReady = () => page.waitForFunction(() => strafe.status.frames > 1, null, { timeout: patience, polling: 100 });
  await page.waitForSelector("#connect:not([hidden])");
  await isReady();
  return {
    page,
    context,
    size: page.viewportSize(),
    spoken: () => page.locator("#spoken").textContent(),
    frames: (count) => page.evaluate((count) => new Promise((resolve) => {
      const step = () => (count-- > 0 ? requestAnimationFrame(step) : resolve());
      step();
    }), count),
    isPlaying: (transport) => page.waitForFunction((transport) => {
      const { error, state, isDrawing, session } = strafe.status;
      if (error) throw new Error(error);
      return state === "active" && isDrawing && (session.transport === "loopback") === (transport === "loopback");
    }, transport, { timeout: patience, polling: 100 }),
    hasLeft: () => page.waitForFunction(() => strafe.status.state === "disconnected", null, { timeout: patience, polling: 100 }),
    config: () => page.evaluate(() => strafe.host.load("strafe.cfg") ?? ""),
    picture: (path) => page.screenshot({ path }),
    restart: async () => {
      await page.reload();
      await isReady();
    },
    close: () => context.close(),
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    move: (at) => page.mouse.move(...at, { steps: 2 }),
    click: (at, button = "left") => page.mouse.click(...at, { button }),
    // Each is a notch, however far.
    wheel: async (isDown) => {
      for (let notches = 0; notches < 6; notches++) await page.mouse.wheel(0, isDown ? 600 : -600);
    },
  };
}

/** What the chosen row says begins with its page and its label; a server's is known by what it says. */
const isOn = async (seen, label) => {
  const spoken = await seen.spoken();
  return typeof label === "string" ? spoken.includes(`. ${label} `) : label.test(spoken);
};

/** Steps down to a row. */
async function stepTo(seen, label, step) {
  for (let steps = 0; steps < 60; steps++) {
    if (await isOn(seen, label)) return;
    await step();
    await seen.frames(3);
  }
  throw new Error(`${label} is on no row: ${await seen.spoken()}`);
}

/** Tries the rows that are to be seen, then all from the first one on; yields where the row is. */
async function lookFor(seen, label, { rows, row }, pointAt, scroll) {
  for (let screens = 0; screens < 8; screens++) {
    for (let number = 0; number < rows; number++) {
      await pointAt(row(number));
      await seen.frames(2);
      if (await isOn(seen, label)) return row(number);
    }
    // No page of settings is higher than three screens of fingers' rows.
    const pages = screens === 0 ? -3 : 1;
    for (let page = 0; page < Math.abs(pages); page++) await scroll(pages > 0);
    await seen.frames(3);
  }
  throw new Error(`${label} is on no row: ${await seen.spoken()}`);
}

/** Into a match and onto a server by the menus alone: first by its address where nothing lists it, then from the list. */
const throughMenus = (tools, seen, open, { take, type, menus, isListed }) => ({
  begin: async () => {
    await open();
    for (const label of ["Play", "Match against bots", "Begin"]) await take(label);
  },
  join: async () => {
    await open();
    if (!isListed) {
      for (const label of ["Play", "Join a server", "Address"]) await take(label);
      await type(tools.facts.server, 0);
      await take("Join");
      await seen.isPlaying("network");
      await menus();
      await says(tools, seen, "In the match.");
      await take("Leave the match");
      await seen.hasLeft();
      await open();
    }
    for (const label of ["Play", "Servers"]) await take(label);
    for (let presses = 0; !isListed && presses < 12 && !/From Joined before/.test(await seen.spoken()); presses++) await take("From");
    for (const label of [ANY_SERVER, "Join"]) await take(label);
  },
});

const says = ({ waitFor, patience }, seen, start) => waitFor(async () => (await seen.spoken()).startsWith(start), `the menus say "${start}"`, patience);

async function byKeys(tools, open) {
  const seen = await open();
  const { page, press: key } = seen;
  const take = async (label) => {
    await stepTo(seen, label, () => key("ArrowDown"));
    await key("Enter");
    await seen.frames(3);
  };
  const menus = () => key("Escape");
  const type = async (text, length) => {
    for (let presses = 0; presses < length; presses++) await key("Backspace");
    await seen.type(text);
    await key("Enter");
    await seen.frames(3);
  };
  const formHasFocus = () => tools.waitFor(() => page.evaluate(() => document.activeElement.id === "skirmish"), "the form has the focus");
  const byForm = {
    begin: async () => {
      await formHasFocus();
      await key("Enter");
    },
    join: async () => {
      await formHasFocus();
      for (let presses = 0; presses < 20; presses++) {
        if (await page.evaluate(() => document.activeElement.closest("#list") && !document.activeElement.matches(".star"))) break;
        await key("Tab");
      }
      await key("Enter");
    },
  };
  return {
    seen,
    ...(page ? byForm : throughMenus(tools, seen, () => passWelcome(seen, take), { take, type, menus })),
    menus,
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
    type,
    search: (text) => seen.type(text),
  };
}

/** The page of the first start has a way to all others. */
async function passWelcome(seen, take) {
  if ((await seen.spoken()).startsWith("Welcome.")) await take("All menus");
}

async function byMouse(tools, open) {
  const seen = await open({ viewport: { width: 960, height: 600 } });
  const { page, size, move, click } = seen;
  const layout = layOut(PANEL, size);
  const { row, letters, title, slider } = layout;
  const find = (label) => lookFor(seen, label, layout, move, seen.wheel);
  const take = async (label) => {
    await click(await find(label));
    await seen.frames(3);
  };
  const type = async (text, length) => {
    for (const name of [...text, "Done"]) {
      await click(letters(name));
      await seen.frames(3);
    }
  };
  const menus = async () => {
    if (page) {
      if (await page.locator("#play").isVisible()) await page.locator("#play").click();
      await tools.waitFor(() => page.evaluate(() => document.pointerLockElement !== null), "the mouse is taken");
    }
    await click([size.width / 2, size.height / 2], "middle");
  };
  const byForm = {
    begin: () => page.locator("#skirmish").click(),
    join: () => page.locator("#list li button:not(.star)").first().click(),
  };
  return {
    seen,
    ...(page ? byForm : throughMenus(tools, seen, () => passWelcome(seen, take), { take, type, menus })),
    menus,
    take,
    back: () => click(title),
    more: async (label) => click([slider, (await find(label))[1]]),
    bind: async () => {
      await take("Jump");
      await click(row(0), "right");
      return /bind MOUSE2 "\+moveup"/;
    },
    type,
  };
}

async function byPad(tools, open) {
  const seen = await open({}, plugIn);
  const { page } = seen;
  const hold = (number, isDown) => (page ? press(page, number, isDown) : seen.pad.press(number, isDown));
  const [A, B, X, , , , , , , START, , , , DOWN, , RIGHT] = Array.from({ length: 17 }, (_, number) => number);
  const key = async (number) => {
    await hold(number, true);
    await seen.frames(2);
    await hold(number, false);
    await seen.frames(2);
  };
  const take = async (label) => {
    await stepTo(seen, label, () => key(DOWN));
    await key(A);
  };
  const letter = async (name) => {
    const isThere = async () => (await seen.spoken()).endsWith(` Key ${name}`);
    const line = (key) => LETTERS.findIndex((line) => line.includes(key));
    const at = / Key (.+)$/.exec(await seen.spoken())?.[1] ?? "";
    // The last line has words, which are none of the letters.
    const down = ((name === "Done" ? 4 : line(name)) - (at.length > 1 ? 4 : line(at)) + 5) % 5;
    for (let presses = 0; presses < down; presses++) await key(DOWN);
    for (let presses = 0; presses < 10 && !(await isThere()); presses++) await key(RIGHT);
    tools.assert(await isThere(), `no key ${name}: ${await seen.spoken()}`);
    await key(A);
  };
  const type = async (text) => {
    for (const name of [...text, "Done"]) await letter(name);
  };
  const menus = () => key(START);
  const start = async () => {
    if (!page) return passWelcome(seen, take);
    // The form is nothing for a pad; its first key opens the menus.
    await hold(A, true);
    await says(tools, seen, "Strafe.");
    await hold(A, false);
    await seen.frames(2);
  };
  return {
    seen,
    ...throughMenus(tools, seen, start, { take, type, menus, isListed: page !== undefined }),
    menus,
    take,
    back: () => key(B),
    more: async (label) => {
      await stepTo(seen, label, () => key(DOWN));
      for (let presses = 0; presses < 3; presses++) await key(RIGHT);
    },
    bind: async () => {
      await take("Jump");
      await key(X);
      return /bind PAD0_X "\+moveup"/;
    },
    type,
  };
}

async function byTouch(tools, open) {
  const seen = await open({ viewport: { width: 667, height: 375 }, hasTouch: true, isMobile: true });
  const { page, size } = seen;
  const layout = layOut(FINGER_PANEL, size);
  const { rows, row, letters, title, slider } = layout;
  const touch = page ? await touchPage(seen) : seen.touch;
  const tap = async (at) => {
    await touch("began", at);
    await touch("ended", at);
    await seen.frames(3);
  };
  const slide = async (isDown) => {
    const way = Array.from({ length: rows }, (_, number) => row(isDown ? rows - 1 - number : number));
    await touch("began", way[0]);
    for (const at of way.slice(1)) await touch("moved", at);
    await touch("ended", way.at(-1));
  };
  /** A finger chooses what it is on; when it has slid away from there, nothing more has happened. */
  const find = (label) => lookFor(seen, label, layout, async ([x, y]) => {
    await touch("began", [x, y]);
    await touch("moved", [x + 0.3 * size.width, y]);
    await seen.frames(1);
    await touch("ended", [x + 0.3 * size.width, y]);
  }, slide);
  const take = async (label) => tap(await find(label));
  const type = async (text, length = 0) => {
    if (!page) {
      // The device shows no keys of its own.
      for (let presses = 0; presses < length; presses++) await tap(letters("Delete"));
      for (const name of [...text, "Done"]) await tap(letters(name));
      return;
    }
    await page.waitForSelector("#typing:not([hidden])");
    await tools.waitFor(() => page.evaluate(() => document.activeElement.id === "typing"), "the device's keyboard is there");
    for (let presses = 0; presses < length; presses++) await page.keyboard.press("Backspace");
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
    await seen.frames(3);
  };
  const menus = async () => {
    // Until then the page's own buttons lie there.
    if (page) await page.waitForSelector("body.playing");
    await tap([0.6 * size.width, 0.08 * size.height]);
  };
  const byForm = {
    begin: () => page.locator("#skirmish").tap(),
    join: () => page.locator("#list li button:not(.star)").first().tap(),
  };
  return {
    seen,
    ...(page ? byForm : throughMenus(tools, seen, () => passWelcome(seen, take), { take, type, menus })),
    menus,
    take,
    back: () => tap(title),
    more: async (label) => tap([slider, (await find(label))[1]]),
    // There are no keys: the button is what one moves.
    bind: async () => {
      await take("Jump");
      await type("70 80 22", 12);
      return /touch_jump "70 80 22"/;
    },
    keysPage: "Touch",
    type,
  };
}

/** What one finger does on a page. */
async function touchPage({ page, context }) {
  const fingers = await context.newCDPSession(page);
  const types = { began: "touchStart", moved: "touchMove", ended: "touchEnd" };
  return (phase, [x, y]) => fingers.send("Input.dispatchTouchEvent", { type: types[phase], touchPoints: phase === "ended" ? [] : [{ x, y }] });
}

/** What each of them does. */
async function walk({ facts, check, assert, waitFor, patience }, name, where, ready) {
  await check(`walk: by ${name} alone ${where} from the first screen through a match, a server and the settings`, async () => {
    const player = await ready();
    const { seen } = player;
    const tools = { waitFor, patience };
    const search = player.search ?? (async (text) => {
      await player.take("Search");
      await player.type(text);
    });
    const file = (what) => join(facts.results, `walk-${name}-${where.replaceAll(" ", "-")}-${what}.png`);
    const back = async () => {
      await player.back();
      await says(tools, seen, "Settings.");
    };
    try {
      await player.begin();
      await seen.isPlaying("loopback");
      await seen.frames(10);
      await player.menus();
      await says(tools, seen, "In the match.");
      await seen.picture(file("match"));
      await player.take("Leave the match");
      await seen.hasLeft();
      await player.join();
      await seen.isPlaying("network");
      await seen.frames(10);
      await player.menus();
      await says(tools, seen, "In the match.");
      for (const label of ["Settings", player.keysPage ?? "Keys"]) await player.take(label);
      const bound = await player.bind();
      await back();
      await player.take("Mouse and motion");
      await player.more("Mouse sensitivity");
      await back();
      await player.take("Crosshair");
      await player.more("Shape");
      await seen.picture(file("crosshair"));
      await back();
      for (const label of ["Player", "Name"]) await player.take(label);
      await seen.picture(file("typing"));
      await player.type(`by_${name}`, 20);
      await back();
      await player.take("Sound");
      await player.more("Loudness");
      await back();
      await search("nopredict");
      await says(tools, seen, "Search: nopredict.");
      await seen.picture(file("search"));
      await player.take("Without prediction");
      await waitFor(async () => /Without prediction On/.test(await seen.spoken()), "the prediction is off");
      for (let presses = 0; presses < 5 && !(await seen.spoken()).startsWith("In the match."); presses++) {
        await player.back();
        await seen.frames(3);
      }
      const kept = [bound, /seta sensitivity "/, /seta cg_drawCrosshair "/, new RegExp(`seta name "[^"]*by_${name}"`), /seta s_volume "/];
      const isMissing = (config) => kept.filter((wanted) => !wanted.test(config));
      await waitFor(async () => isMissing(await seen.config()).length === 0, "the settings are kept")
        .catch(async (error) => { throw new Error(`${error.message}: not there: ${isMissing(await seen.config()).join(" ")}`); });
      await player.take("Leave the match");
      await seen.hasLeft();
      await seen.restart();
      assert(bound.test(await seen.config()), "the key is lost after a restart");
    } catch (error) {
      await seen.picture(file("failure")).catch(() => null);
      throw new Error(`${error.message.split("\n")[0]}; the menus say: ${await seen.spoken().catch(() => "")}`);
    } finally {
      await seen.close();
    }
  });
}
