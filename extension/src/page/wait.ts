import { matcher } from './lines.js';
import { matches } from './locate.js';
import type { Snapshots } from './snapshots.js';
import { afterglow, animated, patience } from './motion.js';
import { elementOf } from './resolve.js';
import { parseTarget } from './target.js';
import { isExpression } from './normal.js';
import { linesOf, plainText } from './text.js';

/** The condition to wait for: exactly one of these. */
export interface WaitFor {
  /** Visible text, or /expression/. */
  text?: string;
  /** A target that exists and is drawn; for text= the visible text itself. */
  element?: string;
  /** A target that no longer exists or is no longer drawn. */
  gone?: string;
  /** Visible text, or /expression/, that is no longer visible. */
  goneText?: string;
  /** A function of this world, called until it returns something truthy. */
  test?: () => unknown;
  /** Milliseconds until it gives up; at least 0. */
  timeout: number;
  /** Also return what was found. */
  tell?: boolean;
}

/** How a wait ended. */
export interface Waited {
  state: 'met' | 'timeout';
  ms: number;
  /** The line that contains the text, or a description of the element. */
  what?: string;
  /** The document's origin. */
  origin?: string;
}

/**
 * Frames after which the condition is checked again without any observed change: about half a second.
 */
const unheard = 30;

/** What is observed in a document or a shadow root. */
const heard = { subtree: true, childList: true, attributes: true, characterData: true };

/** The most characters that are returned of what was found. */
const maxText = 500;

/**
 * Waits until a condition holds. The condition is checked again when the page or its known shadow
 * roots change, when a closed root is added, in each frame while an animation runs, and every
 * `unheard` frames: a new shadow root or a loaded style sheet causes no notification. The only
 * timer is the caller's deadline.
 */
export function waitFor(snapshots: Snapshots, what: WaitFor): Promise<Waited> {
  const start = performance.now();
  const holds = condition(snapshots, what);
  const early = holds();
  if (early === true) return Promise.resolve({ state: 'met', ms: 0, ...found(snapshots, what) });
  return new Promise((done, fail) => {
    let frame = 0;
    let ended = false;
    let stale = early === 'soon';
    let frames = 0;
    const inside = new Set<ShadowRoot>();
    const end = (state: Waited['state']): void => {
      ended = true;
      observer.disconnect();
      unlisten();
      cancelAnimationFrame(frame);
      clearTimeout(deadline);
      done({
        state,
        ms: performance.now() - start,
        ...(state === 'met' && found(snapshots, what)),
      });
    };
    const attempt = (): void => {
      if (ended) return;
      try {
        const now = holds();
        if (now === true) end('met');
        else if (now === 'soon') stale = true;
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
        end('timeout');
      }
    };
    const changed = (): void => {
      stale = true;
      // A hidden tab draws no frames, but it still reports changes.
      if (!document.hidden) return;
      listen();
      attempt();
    };
    const observer = new MutationObserver(changed);
    const unlisten = snapshots.tree.onRoots(changed);
    const listen = (): void => {
      if (ended) return;
      for (const root of snapshots.tree.roots())
        if (!inside.has(root)) {
          inside.add(root);
          observer.observe(root, heard);
        }
    };
    const tick = (): void => {
      if (ended) return;
      const late = ++frames % unheard === 0;
      // At most once per frame, however often the page changes.
      if (stale || late) listen();
      // Styles mostly change without a mutation only while an animation runs.
      const due = stale || late || what.test !== undefined || document.getAnimations().length > 0;
      stale = false;
      if (due) attempt();
      frame = requestAnimationFrame(tick);
    };
    const deadline = setTimeout(
      () => {
        end('timeout');
      },
      Math.max(0, what.timeout),
    );
    observer.observe(document, heard);
    listen();
    frame = requestAnimationFrame(tick);
  });
}

/** What met the condition, when the caller asked for it. */
function found(snapshots: Snapshots, what: WaitFor): Pick<Waited, 'what' | 'origin'> {
  if (what.tell !== true) return {};
  // A document with an opaque origin still has an address.
  const origin = self.origin === 'null' ? location.href.slice(0, maxText) : self.origin;
  const { text = wordsOf(what.element ?? ''), element } = what;
  if (text !== undefined) {
    const line = linesOf(snapshots.tree).find(matcher(text));
    return { what: (line ?? text).trim().slice(0, maxText), origin };
  }
  const el = element === undefined ? undefined : first(snapshots, element);
  return el ? { what: snapshots.words(el).slice(0, maxText), origin } : { origin };
}

/** Whether a condition holds; 'soon' asks for another check in the next frame. */
type Holds = boolean | 'soon';

function condition(snapshots: Snapshots, what: WaitFor): () => Holds {
  const { text, element, gone, goneText, test } = what;
  if (text !== undefined) return visible(snapshots, text);
  if (element !== undefined) return presence(snapshots, element);
  if (gone !== undefined) {
    const words = wordsOf(gone);
    if (words !== undefined) return vanished(snapshots, words);
    const there = presence(snapshots, gone);
    return () => !there();
  }
  if (goneText !== undefined) return vanished(snapshots, goneText);
  if (test) return () => Boolean(test());
  throw new TypeError('nothing to wait for: text, element, gone, goneText or test');
}

/**
 * Returns a test for whether a text is visible, in one line of text. An expression, or a text of
 * several lines, is looked for in the text of the whole page.
 */
function visible({ tree }: Snapshots, text: string): (faded?: boolean) => boolean {
  const has = matcher(text);
  return isExpression(text) || /\n/.test(text.trim())
    ? (faded) => has(plainText(tree, undefined, faded))
    : (faded) => linesOf(tree, faded).some(has);
}

/** The text that a target looks for; undefined for other kinds of target. */
function wordsOf(input: string): string | undefined {
  const target = parseTarget(input);
  return target.by === 'text' && target.nth === undefined ? target.text : undefined;
}

/**
 * Whether a text is no longer visible. A text that has just faded is not gone yet: a library
 * removes it from the document some frames later, and until then a dialog hides the page from
 * snapshots. A text that stays in the document invisibly counts as gone.
 */
function vanished(snapshots: Snapshots, text: string): () => Holds {
  const sees = visible(snapshots, text);
  let frames = 0;
  let rested = 0;
  return () => {
    if (sees()) {
      frames = rested = 0;
      return false;
    }
    // A hidden tab draws no frames.
    if (document.hidden || !sees(true)) return true;
    frames++;
    rested = animated(() => true, true) ? 0 : rested + 1;
    return rested > afterglow || frames > patience ? true : 'soon';
  };
}

/** Returns a test for whether a target exists; throws for an invalid target. */
function presence(snapshots: Snapshots, input: string): () => boolean {
  if (snapshots.refs.parse(input) === undefined) {
    const target = parseTarget(input);
    if (target.by === 'bad') throw new SyntaxError(target.why);
    if (target.by === 'point') throw new SyntaxError('a point is always there');
    // Throws before the wait starts.
    if (target.by === 'css') document.createDocumentFragment().querySelector(target.selector);
    if (target.by === 'text' && target.nth === undefined) return visible(snapshots, target.text);
  }
  return () => first(snapshots, input) !== undefined;
}

/** The first drawn element that a target means. Text targets are handled elsewhere. */
function first(snapshots: Snapshots, input: string): Element | undefined {
  if (snapshots.refs.parse(input) !== undefined) {
    const el = elementOf(snapshots, input);
    return el !== null && drawn(el) ? el : undefined;
  }
  const target = parseTarget(input);
  if (target.by === 'bad') return undefined;
  if (target.by !== 'css' || target.nth !== undefined)
    return matches(snapshots, target).find(drawn);
  const { selector } = target;
  const plain = [...document.querySelectorAll(selector)].find(drawn);
  if (plain) return plain;
  for (const el of snapshots.tree.all(document)) if (el.matches(selector) && drawn(el)) return el;
  return undefined;
}

function drawn(el: Element): boolean {
  return el.checkVisibility({ visibilityProperty: true });
}
