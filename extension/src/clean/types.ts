/** What Clean up hides, by what it is to a reader. */
export type HiddenKind = 'ad' | 'notice' | 'newsletter' | 'overlay' | 'bar' | 'other';

/** How many visible things of each kind are hidden now. A kind without any is missing. */
export type Hidden = Readonly<Partial<Record<HiddenKind, number>>>;

/** The state of Clean up on the page of a tab. */
export interface Cleaned {
  /** Clean up is on: it can be undone. */
  readonly on: boolean;
  readonly hidden: Hidden;
  /** The page scrolls again: it was locked. */
  readonly unlocked: boolean;
  /** The site as the list of sites names it. */
  readonly site: string;
  /** The site is in the list: its pages are cleaned up when they load. */
  readonly always: boolean;
}

/** What the engine needs to know about a document. */
export interface Seen {
  readonly url: string;
  readonly hostname: string;
  readonly classes: readonly string[];
  readonly ids: readonly string[];
  readonly hrefs: readonly string[];
}

/** What is hidden in one document. */
export interface FrameState {
  readonly on: boolean;
  readonly hidden: Hidden;
  readonly unlocked: boolean;
  /** The style sheets that were inserted for it. */
  readonly sheets: readonly string[];
}

/** What the script in the page does for the worker. It is in the isolated world of each frame. */
export interface Cleaner {
  look(): Seen;
  /**
   * Counts what the engine's style sheet will hide, and returns the part of it that can be
   * inserted here: one rule that is not valid would take its whole group with it.
   */
  match(css: string): string;
  /** Hides overlays and bars that no list knows, and unlocks the page. For the main frame. */
  sweep(): void;
  state(): FrameState;
  /** Restores what was changed, and returns the style sheets to remove. */
  undo(): readonly string[];
}

declare global {
  var pilotfishClean: Cleaner | undefined;
}
