/** How much of one picture is another one in the next. */

const WIDTH_PX = 96;
const LEAST = 24;

/**
 * The share of the screen that changed, 0-1; null where a picture cannot be had.
 *
 * Both are compared small: what a person would not see does not count.
 */
export async function shareOfChange(before, after) {
  try {
    const [one, other] = await Promise.all([pixels(before), pixels(after)]);
    if (one.width !== other.width || one.height !== other.height) return 1;
    let changed = 0;
    for (let place = 0; place < one.data.length; place += 4) {
      const far = Math.max(
        Math.abs(one.data[place] - other.data[place]),
        Math.abs(one.data[place + 1] - other.data[place + 1]),
        Math.abs(one.data[place + 2] - other.data[place + 2]),
      );
      if (far > LEAST) changed += 1;
    }
    return changed / (one.data.length / 4);
  } catch {
    return null;
  }
}

async function pixels(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const height = Math.max(1, Math.round((WIDTH_PX * image.naturalHeight) / image.naturalWidth));
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH_PX, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0, WIDTH_PX, height);
  return context.getImageData(0, 0, WIDTH_PX, height);
}
