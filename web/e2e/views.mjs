// Plays the demo of each reference view in a real browser, takes the picture that the client reads back from its
// graphics interface, and compares it with the reference client's frame.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ARGUMENTS, openDisplay } from "./browser.mjs";

const facts = JSON.parse(process.argv[2]);
/** Software rendering on a busy machine is slow. */
const PATIENCE = 180_000;
const manifest = JSON.parse(await readFile(facts.manifest, "utf8"));
await mkdir(facts.results, { recursive: true });

/** Shown by the reference only, or of no meaning here. */
const FOREIGN = /^(r_mode|r_custom|r_fullscreen|com_|s_|net_|cl_renderer|r_swapInterval)/;

const display = await openDisplay();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: facts.renderer !== "webgpu",
  env: { ...process.env, DISPLAY: display.name },
  args: [...ARGUMENTS.common, ...ARGUMENTS[facts.renderer]],
});
const failures = [];
try {
  const context = await browser.newContext({ viewport: { width: 640, height: 360 }, deviceScaleFactor: 1, acceptDownloads: true });
  const page = await context.newPage();
  page.on("pageerror", (error) => failures.push(String(error.stack)));
  page.on("console", (message) => message.type() === "error" && failures.push(message.text()));
  await page.goto(`${facts.page}?renderer=${facts.renderer}`);
  const status = await page.waitForFunction(() => {
    const status = globalThis.strafe?.status;
    return (status?.isDrawing || status?.error) && status;
  }, null, { timeout: PATIENCE });
  const refusal = await status.evaluate((status) => status.error);
  if (refusal) throw new Error(refusal);
  const adapter = await page.evaluate(() => strafe.status.adapter);
  if (!facts.json) console.log(`drawing on ${adapter}`);
  const settings = Object.entries(manifest.cvars).filter(([name]) => !FOREIGN.test(name));
  await run(page, ["set r_ext_max_anisotropy 1", "set cg_fovAspect 0", ...settings.map(([name, value]) => `set ${name} ${value}`)]);
  const views = [];
  for (const view of manifest.views) {
    if (facts.words.length > 0 && !facts.words.some((word) => view.id.includes(word))) continue;
    views.push({ name: view.id, ...(await compare(context, view, await draw(page, view))) });
    if (!facts.json) console.log(line(views.at(-1)));
  }
  const outside = views.filter((view) => !view.passes).length;
  if (facts.json) console.log(JSON.stringify({ renderer: facts.renderer, adapter, views: views.map(({ passes, ...view }) => view), errors: failures }));
  else console.log(`${views.length} views, ${outside} outside the gates; pictures in ${facts.results}`);
  for (const failure of failures) console.error(`page: ${failure}`);
  process.exitCode = outside > 0 || views.length === 0 || failures.length > 0 ? 1 : 0;
} finally {
  await browser.close();
  display.close();
}

function run(page, lines) {
  return page.evaluate((lines) => lines.forEach((line) => strafe.run(line)), lines);
}

/** Plays a view's demo as if it had been dropped on the page; the picture as a PNG, and its draws. */
async function draw(page, view) {
  const demo = await readFile(join(facts.demos, view.demo));
  await run(page, [`set cg_fov ${view.cg_fov}`]);
  await page.evaluate(({ name, base64 }) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    strafe.viewBegan = strafe.status.frames;
    dispatchEvent(new CustomEvent("strafe-demo", { detail: { name, bytes } }));
  }, { name: `${view.id}.dm_71`, base64: demo.toString("base64") });
  await page.waitForFunction(
    (map) => {
      const { status } = strafe;
      if (status.error) throw new Error(status.error);
      const { wanted = 0 } = status.loading ?? {};
      return status.state === "active" && status.isDrawing && status.map === map && wanted === 0 && status.frames > strafe.viewBegan + 10;
    },
    view.map,
    { timeout: PATIENCE, polling: 100 },
  );
  // Textures and pipelines go to the graphics adapter a few in each frame.
  const begun = await page.evaluate(() => strafe.status.frames);
  await page.waitForFunction((begun) => strafe.status.frames > begun + 30 && strafe.status.lacking === 0, begun, { timeout: PATIENCE, polling: 100 });
  const [download] = await Promise.all([page.waitForEvent("download", { timeout: PATIENCE }), run(page, [`screenshot ${view.id}`])]);
  const draws = await page.evaluate(() => strafe.status.draws ?? null);
  return { png: await readFile(await download.path()), draws };
}

/** Mean error and share of pixels far off, with the browser as the decoder. */
async function compare(context, view, { png, draws }) {
  const reference = await readFile(join(facts.pictures, view.file));
  const page = await context.newPage();
  try {
    const found = await page.evaluate(async (pictures) => {
      const [ours, theirs] = await Promise.all(pictures.map(async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }), { colorSpaceConversion: "none" });
        const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
        canvas.drawImage(image, 0, 0);
        return canvas.getImageData(0, 0, image.width, image.height);
      }));
      if (ours.width !== theirs.width || ours.height !== theirs.height) throw new Error(`the picture is ${ours.width} x ${ours.height}`);
      // Ours, the reference's, and what differs eight times as bright.
      const sheet = new OffscreenCanvas(3 * ours.width, ours.height);
      const paper = sheet.getContext("2d");
      const difference = new ImageData(ours.width, ours.height);
      let [sum, far] = [0, 0];
      for (let at = 0; at < ours.data.length; at += 4) {
        const off = [0, 1, 2].map((k) => Math.abs(ours.data[at + k] - theirs.data[at + k]));
        difference.data.set([...off.map((value) => Math.min(255, 8 * value)), 255], at);
        sum += off[0] + off[1] + off[2];
        far += Math.max(...off) > 16 ? 1 : 0;
      }
      const pixels = ours.width * ours.height;
      [ours, theirs, difference].forEach((image, place) => paper.putImageData(image, place * ours.width, 0));
      const png = new Uint8Array(await (await sheet.convertToBlob({ type: "image/png" })).arrayBuffer());
      return { mean_abs_error: sum / pixels / 3, share_over_16: far / pixels, sheet: btoa(Array.from(png, (byte) => String.fromCharCode(byte)).join("")) };
    }, [png, reference].map((bytes) => bytes.toString("base64")));
    const { sheet, ...errors } = found;
    await writeFile(join(facts.results, `${view.id}-${facts.renderer}.png`), Buffer.from(sheet, "base64"));
    return { ...errors, draws, passes: errors.mean_abs_error <= 1.5 && errors.share_over_16 <= 0.01 && draws <= 300 };
  } finally {
    await page.close();
  }
}

function line({ name, mean_abs_error, share_over_16, draws, passes }) {
  return `${name.padEnd(24)} mean ${mean_abs_error.toFixed(2).padStart(6)}  over 16: ${(share_over_16 * 100).toFixed(2).padStart(6)} %  ${String(draws).padStart(4)} draws  ${passes ? "ok" : "FAILED"}`;
}
