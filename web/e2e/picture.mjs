// Tells how much there is to see in a screenshot, with the browser as the decoder.

/** Distinct colors (5 bits a channel) and the brightest value of a PNG. */
export async function colorsOf(context, png) {
  const page = await context.newPage();
  try {
    return await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      const { data } = canvas.getImageData(0, 0, image.width, image.height);
      const seen = new Set();
      let brightest = 0;
      for (let at = 0; at < data.length; at += 4) {
        seen.add(((data[at] >> 3) << 10) | ((data[at + 1] >> 3) << 5) | (data[at + 2] >> 3));
        brightest = Math.max(brightest, data[at], data[at + 1], data[at + 2]);
      }
      return { distinct: seen.size, brightest };
    }, png.toString("base64"));
  } finally {
    await page.close();
  }
}
