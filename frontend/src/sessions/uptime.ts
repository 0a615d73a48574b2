const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long something runs, in at most two units: "42 s", "12 min", "3 h 5 min", "2 d 4 h". */
export function uptime(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < minute) return `${String(Math.floor(ms / second))} s`;
  if (ms < hour) return `${String(Math.floor(ms / minute))} min`;
  if (ms < day) return two(ms, hour, 'h', minute, 'min');
  return two(ms, day, 'd', hour, 'h');
}

/** Milliseconds until uptime() says something else. */
export function untilNext(milliseconds: number): number {
  const ms = Math.max(0, milliseconds);
  const step = ms < minute ? second : ms < day ? minute : hour;
  return step - (ms % step);
}

function two(
  ms: number,
  large: number,
  largeName: string,
  small: number,
  smallName: string,
): string {
  const whole = Math.floor(ms / large);
  const rest = Math.floor((ms % large) / small);
  const head = `${String(whole)} ${largeName}`;
  return rest === 0 ? head : `${head} ${String(rest)} ${smallName}`;
}
