/** Families that only Apple's systems have. */
const apples = new Set(['ui-monospace', 'SF Mono']);

/**
 * The families to ask for, of a CSS list. Each one that is not installed is asked
 * for again in every weight and slope, before the first picture: those that
 * cannot be there are left out.
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
