import type { Clock } from '../core/clock';

/** A clock that uses the browser's timers. */
export const systemClock: Clock = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => {
      clearTimeout(timer);
    };
  },
};
