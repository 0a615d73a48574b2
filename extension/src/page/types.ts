/** A rectangle in CSS pixels of the frame's viewport: left, top, width, height. */
export type Box = [x: number, y: number, width: number, height: number];

/** A point in CSS pixels of the frame's viewport. */
export interface Point {
  x: number;
  y: number;
}

/** One thing that a look at the page shows. */
export interface Item {
  /** The node that it is about; for text, the element that the text stands in. */
  el: Element;
  /** The ARIA role, or one of the own words of words.ts (`text`, `click`, `frame`, `scroll`, …). */
  role: string;
  /** The accessible name; the text itself for `text`. */
  name: string;
  /** Marks such as `disabled`, `checked`, `expanded`, `covered by dialog "Cookies"`. */
  states: string[];
  /** Something else would be met in its place; which one is among the states. */
  covered?: true;
  /** What the cells of a row say, one for each, empty where something can be acted on. */
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
  /** Drawn by a program, or a part of that: its line always says where it lies. */
  drawn?: true;
  /** What tells it from others of the same role and name: the title of what it stands in. */
  context?: string;
  /** Which of them it is, where no title tells: `2 of 3`, `row 2, column 3`. */
  which?: string;
  /** Where a pointer meets it when that is not `el` itself: the label of a hidden input. */
  hit?: Element;
  /** Where it lies, when the walk had to know. */
  rect?: DOMRect;
  /** What can be seen where it lies: the viewport less what scrolling areas cut off. */
  view?: { left: number; top: number; right: number; bottom: number };
  /** Whether it lies in that; unknown things count as in it. */
  inView: boolean;
  children: Item[];
}

/** How a snapshot is wanted. Everything may be left out. */
export interface SnapshotOptions {
  /** Who looks: `delta` compares with the last look of the same caller. */
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
  /** Only lines with this text, or matching this `/expression/flags`, and what they stand in. */
  find?: string;
  /** Characters of text at most (at least 200); the rest behind handles. */
  max?: number;
  /** Only what changed since the caller's last look. */
  delta?: boolean;
  /** Add `@x,y,w,h` to everything with a ref. */
  boxes?: boolean;
  /** Also return the things as data. */
  json?: boolean;
  /** Start with a line about the page: title, address, size, what is above and below. */
  header?: boolean;
  /** What of this frame its parent shows, when that is less than its viewport. */
  view?: Box;
}

/** A thing as plain data. */
export interface ItemData {
  ref?: string;
  role: string;
  name: string;
  states?: string[];
  value?: string;
  level?: number;
  href?: string;
  /** What tells it from others of the same role and name: the title of what it stands in. */
  context?: string;
  /** Which of them it is, where no title tells. */
  which?: string;
  box?: Box;
  children?: ItemData[];
}

/** A child frame: the caller walks it by its own instance and puts its lines under this one. */
export interface FrameLine {
  ref: string;
  /** Index of its line in the text. */
  line: number;
  /** Spaces that the child's lines start with. */
  indent: number;
  /** What the parent shows of it, in the child's own coordinates. */
  view: Box;
}

/** What a look found. */
export interface Snapshot {
  text: string;
  /** Things with a ref in the text. */
  refs: number;
  /** Lines that a budget or a depth left behind handles. */
  more: number;
  frames: FrameLine[];
  /** The next free number: the base for another document in this frame. */
  next: number;
  items?: ItemData[];
  /** Milliseconds spent in the page. */
  ms: number;
}

/** What became of a ref. Only `ok` may be acted on without looking again. */
export type Resolution =
  /** `bare` is the line of a field without the value that it holds now. */
  | { state: 'ok'; ref: string; line: string; bare?: string; box: Box }
  | { state: 'unknown'; ref: string }
  | { state: 'gone'; ref: string; was: string }
  | { state: 'changed'; ref: string; from: string; to: string }
  | { state: 'disabled'; ref: string; line: string }
  | { state: 'hidden'; ref: string; line: string; why: string }
  | { state: 'inert'; ref: string; line: string }
  | { state: 'covered'; ref: string; line: string; bare?: string; by: string; byRef: string }
  | { state: 'outside'; ref: string; line: string; box: Box }
  | { state: 'off-screen'; ref: string; line: string; bare?: string; box: Box };

/** What is acted on: an element, or a text or a point of one. */
export interface Spot {
  ref: string;
  el: Element;
  /** Its line, for a report. */
  line: string;
  /** What who asks was shown of it; empty for one that is named by what it is now. */
  said: string;
  /** The text that is meant, and not all of the element. */
  text?: Range[];
  /** The point that is meant, from the top left corner of its box. */
  offset?: Point;
  /** What a pointer meets in its place, and the control in it that it was aimed at. */
  hit?: Element;
  control?: Element;
}

/** A thing that a target may have meant. */
export interface Candidate {
  ref: string;
  line: string;
  /** What tells it from others of the same role and name: the title of what it stands in. */
  context?: string;
  /** Which of them it is, where no title tells: `2 of 3`. */
  which?: string;
}

/** What a target led to. */
export type Located =
  | { state: 'one'; ref: string; line: string }
  | { state: 'none'; target: string; near: Candidate[] }
  | { state: 'many'; target: string; count: number; candidates: Candidate[] }
  | { state: 'bad'; target: string; why: string };
