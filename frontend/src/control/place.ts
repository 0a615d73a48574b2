/** Where the field of a list or a picker is, in CSS pixels of the area of a live view. */
export interface Field {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** How far a box stays from the sides of the area, in CSS pixels. */
const edge = 10;

/** The style that puts a box below its field, or above it where there is more room, within an area. */
export function placeBeside(
  field: Field,
  area: { width: number; height: number },
  least: { width: number; height: number },
): string {
  const width = Math.min(area.width - 2 * edge, Math.max(field.width, least.width));
  const left = Math.max(edge, Math.min(field.left, area.width - width - edge));
  const end = field.top + field.height;
  const below = area.height - end;
  const side =
    below >= Math.min(least.height, field.top)
      ? `top: ${String(end)}px; --room: ${String(below)}px`
      : `bottom: ${String(area.height - field.top)}px; --room: ${String(field.top)}px`;
  return `left: ${String(left)}px; width: ${String(width)}px; ${side}`;
}
