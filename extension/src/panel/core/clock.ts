/** Cancels something that was started; a second call does nothing. */
export type Cancel = () => void;

/** A source of timers, so that tests can control the time. */
export interface Clock {
  /** Calls `run` once after `ms` milliseconds unless it is cancelled. */
  after(ms: number, run: () => void): Cancel;
}
