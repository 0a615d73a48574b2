/** Ends something that was begun; a second call does nothing. */
export type Cancel = () => void;

/** A source of deadlines, so that tests hold the time. */
export interface Clock {
  /** Calls `run` once after `ms` milliseconds unless it is cancelled. */
  after(ms: number, run: () => void): Cancel;
}
