/**
 * Compares two times in the backend's format: negative when the first is earlier. Go omits trailing
 * zeros of the fraction of a second, so the times cannot be compared as strings.
 */
export function byTime(a: string, b: string): number {
  return Date.parse(a) - Date.parse(b);
}
