/** A rectangle in CSS pixels of the frame's viewport: left, top, width, height. */
export type Box = [x: number, y: number, width: number, height: number];

/** A point in CSS pixels of the frame's viewport. */
export interface Point {
  x: number;
  y: number;
}

/** One item of a snapshot. */
export interface Item {
  /** The element; for text, the element that contains the text. */
  el: Element;
  /** The ARIA role, or a word of ours for what has none (`text`, `click`, `frame`, `scroll`, …). */
  role: string;
  /** The accessible name; the text itself for `text`. */
  name: string;
  /** Marks such as `disabled`, `checked`, `expanded`, `covered by dialog "Cookies"`. */
  states: string[];
  /** Something else would be hit in its place; the states say what. */
  covered?: true;
  /** The texts of a row's cells, one for each, empty where the cell can be acted on. */
  cells?: string[];
  /** The live value or chosen option, masked when secret. */
  value?: string;
  /** Heading level (1 to 6), or the level of a tree item. */
  level?: number;
  /** Target of a link, shortened when it is on the same origin. */
  href?: string;
  /** Whether it can be acted on, and so carries a ref. */
  offered: boolean;
  /** The number behind its ref; 0 while it has none. */
  num: number;
  /** A canvas, a chart or a part of one: its line always says where it is. */
  drawn?: true;
  /** What tells it from others of the same role and name: the title of what contains it. */
  context?: string;
  /** Its number among them, when no title tells them apart: `2 of 3`, `row 2, column 3`. */
  which?: string;
  /** Where a pointer hits it when that is not `el` itself: the label of a hidden input. */
  hit?: Element;
  /** Its box, when the walk needed it. */
  rect?: DOMRect;
  /** The area in which it can be seen: the viewport without what scrolling areas cut off. */
  view?: { left: number; top: number; right: number; bottom: number };
  /** Whether it is in that area; true when unknown. */
  inView: boolean;
  children: Item[];
}

/** Options of a snapshot. All are optional. */
export interface SnapshotOptions {
  /** The caller: `delta` compares with the last snapshot of the same caller. */
  caller?: string;
  /** Only what can be acted on, without structure and text. */
  interactive?: boolean;
  /** Less text: no link targets, names cut at 80 characters where that is unambiguous. */
  compact?: boolean;
  /** Structure down to this depth (1 is the top); the rest behind handles. */
  depth?: number;
  /** A CSS selector or a ref: only this part of the page. */
  scope?: string;
  /** Only the viewport and half a viewport around it. */
  near?: boolean;
  /**
   * Only lines with this text, or matching this `/expression/flags`, and the lines that contain
   * them.
   */
  find?: string;
  /** The most characters of text (at least 200); the rest is behind handles. */
  max?: number;
  /** Only what changed since the caller's last snapshot. */
  delta?: boolean;
  /** Add `@x,y,w,h` to everything with a ref. */
  boxes?: boolean;
  /** Also return the items as data. */
  json?: boolean;
  /** Start with a line about the page: title, address, size, and how much is above and below. */
  header?: boolean;
  /** The part of this frame that its parent shows, when that is less than its viewport. */
  view?: Box;
}

/** An item as plain data. */
export interface ItemData {
  ref?: string;
  role: string;
  name: string;
  /** The texts of the cells of a row that has a name of its own; else they are its name. */
  cells?: string[];
  states?: string[];
  value?: string;
  level?: number;
  href?: string;
  /** What tells it from others of the same role and name: the title of what contains it. */
  context?: string;
  /** Its number among them, when no title tells them apart. */
  which?: string;
  box?: Box;
  children?: ItemData[];
}

/**
 * A child frame. The caller walks it with that frame's own page object and puts its lines under
 * this one.
 */
export interface FrameLine {
  ref: string;
  /** Index of its line in the text. */
  line: number;
  /** How many spaces the child's lines start with. */
  indent: number;
  /** The part of it that the parent shows, in the child's own coordinates. */
  view: Box;
}

/** The result of a snapshot. */
export interface Snapshot {
  text: string;
  /** The number of items with a ref in the text. */
  refs: number;
  /** The number of lines that a budget or a depth left behind handles. */
  more: number;
  frames: FrameLine[];
  /** The next free number: the base for another document in this frame. */
  next: number;
  items?: ItemData[];
  /** Milliseconds spent in the page. */
  ms: number;
}

/** The current state of a ref. Only `ok` may be acted on without a new snapshot. */
export type Resolution =
  /** `bare` is the line of a field without its current value. */
  | { state: 'ok'; ref: string; line: string; bare?: string; box: Box }
  | { state: 'unknown'; ref: string }
  | { state: 'gone'; ref: string; was: string }
  | { state: 'changed'; ref: string; from: string; to: string }
  | { state: 'disabled'; ref: string; line: string }
  | { state: 'hidden'; ref: string; line: string; why: string }
  /** `dialog` says that an open dialog makes it inert. */
  | { state: 'inert'; ref: string; line: string; dialog: boolean }
  | { state: 'covered'; ref: string; line: string; bare?: string; by: string; byRef: string }
  | { state: 'outside'; ref: string; line: string; box: Box }
  | { state: 'off-screen'; ref: string; line: string; bare?: string; box: Box };

/** What to act on: an element, or a text or a point of one. */
export interface Spot {
  ref: string;
  el: Element;
  /** Its line, for a report. */
  line: string;
  /** What the caller was shown of it; empty for a target that was found by its current content. */
  said: string;
  /** The text that is meant, when it is not the whole element. */
  text?: Range[];
  /** The point that is meant, relative to the top left corner of its box. */
  offset?: Point;
  /** What a pointer hits in its place, and the control in it that was aimed at. */
  hit?: Element;
  control?: Element;
}

/** An item that a target may have meant. */
export interface Candidate {
  ref: string;
  line: string;
  /** What tells it from others of the same role and name: the title of what contains it. */
  context?: string;
  /** Its number among them, when no title tells them apart: `2 of 3`. */
  which?: string;
}

/** The result of locating a target. */
export type Located =
  | { state: 'one'; ref: string; line: string }
  | { state: 'none'; target: string; near: Candidate[] }
  | { state: 'many'; target: string; count: number; candidates: Candidate[] }
  | { state: 'bad'; target: string; why: string };
