import { chromium } from "playwright-core";
import { ARGUMENTS } from "./browser.mjs";
import { plugIn, press } from "./pad.mjs";
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: [...ARGUMENTS.common, ...ARGUMENTS.webgl] });
const page = await browser.newPage({ viewport: { width: 960, height: 600 } });
page.on("console", (m) => console.log("  con:", m.text().slice(0, 150)));
await plugIn(page);
await page.goto("http://127.0.0.1:8399/?renderer=webgl");
await page.waitForFunction(() => strafe.status.frames > 1);
await page.evaluate(() => { const o = strafe.run; strafe.run = (c) => { console.log("run: " + c); return o(c); }; });
const say = async (w) => console.log(w, await page.evaluate(() => JSON.stringify({ sp: document.getElementById("spoken").textContent, f: strafe.status.frames, st: strafe.status.state, d: strafe.status.isDrawing, form: document.getElementById("connect").hidden, gone: document.getElementById("overlay").classList.contains("gone") })));
const wait = (ms) => new Promise((r) => setTimeout(r, ms));
await say("start");
for (const b of [0, 13, 12, 0, 0, 1]) { await press(page, b, true); await wait(400); await say("down " + b); await press(page, b, false); await wait(400); await say("up " + b); }
await browser.close(); process.exit(0);
