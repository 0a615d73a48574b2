import { RECONNECT_MAX, RECONNECT_MIN } from './timing';

/**
 * The pause before attempt `attempt` (0 is the first retry), in milliseconds:
 * it doubles up to the longest, and a random half of it keeps several panels
 * from coming back in step.
 */
export function backoff(attempt: number, random: () => number): number {
  const full = Math.min(RECONNECT_MAX, RECONNECT_MIN * 2 ** Math.min(attempt, 16));
  return Math.max(RECONNECT_MIN, full * (0.5 + random() / 2));
}
