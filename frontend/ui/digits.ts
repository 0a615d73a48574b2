const digits = new Intl.NumberFormat();

/**
 * A count in the user's number format. Number.toLocaleString makes a new format each time, which costs a millisecond
 * or two.
 */
export function inDigits(count: number): string {
  return digits.format(count);
}
