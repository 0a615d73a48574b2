/** The height of one slice of a tall screenshot, and how much two of them overlap, in CSS pixels. */
export const sliceHeight = 1400;
export const overlap = 60;

/** The largest side and area of a canvas in Chromium, in pixels. */
const longest = 65_535;
const largest = 16_384 * 16_384;

/** Whether a picture of this size fits a canvas. */
export function fits(width: number, height: number): boolean {
  return width <= longest && height <= longest && width * height <= largest;
}

/**
 * Puts slices together, from the top, into one PNG. `height` is that of the whole and `step` the
 * distance of two slices, in CSS pixels; the slices may have more pixels.
 */
export async function stitch(parts: readonly Blob[], height: number, step: number): Promise<Blob> {
  const first = parts[0];
  if (first === undefined) throw new Error('There is no slice.');
  const begin = await createImageBitmap(first);
  const scale = begin.height / Math.min(sliceHeight, height);
  const whole = Math.round(height * scale);
  if (!fits(begin.width, whole))
    throw new Error(
      'The page is too large for one image. Choose a region, or send it in slices with `pilotfish screenshot --slices`.',
    );
  const canvas = new OffscreenCanvas(begin.width, whole);
  const pen = canvas.getContext('2d');
  if (pen === null) throw new Error('The browser has no memory for an image of this size.');
  for (const [at, part] of parts.entries()) {
    const image = at === 0 ? begin : await createImageBitmap(part);
    pen.drawImage(image, 0, Math.round(at * step * scale));
    image.close();
  }
  return canvas.convertToBlob({ type: 'image/png' });
}
