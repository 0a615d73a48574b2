const digits = new Intl.NumberFormat();

/** A count as it is written in the person's language. Number.toLocaleString makes a format each time, which costs a millisecond or two. */
export function inDigits(count: number): string {
  return digits.format(count);
}
