/** Font families that only Apple's systems have. */
const apples = new Set(['ui-monospace', 'SF Mono']);

/**
 * The font families to use, from a CSS list. For each family that is not installed,
 * the browser searches again in every weight and slope before the first frame. So
 * those that cannot exist on this system are removed.
 */
export function families(list: string, mac: boolean): string {
  if (mac) return list;
  const name = (family: string): string => family.trim().replaceAll(/^['"]|['"]$/g, '');
  return list
    .split(',')
    .filter((family) => !apples.has(name(family)))
    .join(',')
    .trim();
}
