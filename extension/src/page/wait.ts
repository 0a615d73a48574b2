import { matcher } from './lines.js';
import { matches } from './locate.js';
import type { Looker } from './look.js';
import { afterglow, animated, patience } from './motion.js';
import { elementOf } from './resolve.js';
import { parseTarget } from './target.js';
import { fadedText, plainText } from './text.js';

/** What to wait for: exactly one of these. */
export interface WaitFor {
  /** Visible text, or /expression/. */
  text?: string;
  /** A target that is there and drawn; for text= it is the text itself. */
  element?: string;
  /** A target that is no longer there or drawn. */
  gone?: string;
  /** Visible text, or /expression/, that is no longer there. */
  goneText?: string;
  /** A function of this world, called until it returns something true. */
  test?: () => unknown;
  /** Milliseconds until it gives up; at least 0. */
  timeout: number;
  /** Says what was found, too. */
  tell?: boolean;
}

/** How a wait ended. */
export interface Waited {
  state: 'met' | 'timeout';
  ms: number;
  /** The line that has the text, or the element in words. */
  what?: string;
  /** Where the document is from. */
  origin?: string;
}

/** Frames after which it is looked again though nothing was heard of a change: about half a second. */
const unheard = 30;

/** What is heard of a document or a shadow root. */
const heard = { subtree: true, childList: true, attributes: true, characterData: true };

/** What was found is told with at most so many characters. */
const told = 500;

/**
 * Waits until a condition holds. It is tried again when the page or what is in
 * its shadow roots changes, when a closed root is opened to it, in each frame
 * while something is animated, and now and then: of a new shadow root or a style
 * sheet that has come nobody is told.
 * The only timer is the caller's deadline.
 */
export function waitFor(look: Looker, what: WaitFor): Promise<Waited> {
  const start = performance.now();
  const holds = condition(look, what);
  const early = holds();
  if (early === true) return Promise.resolve({ state: 'met', ms: 0, ...found(look, what) });
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
        ...(state === 'met' && found(look, what)),
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
      // Frames stand still in a hidden tab; changes do not.
      if (!document.hidden) return;
      listen();
      attempt();
    };
    const observer = new MutationObserver(changed);
    const unlisten = look.tree.onRoots(changed);
    const listen = (): void => {
      if (ended) return;
      for (const root of look.tree.roots())
        if (!inside.has(root)) {
          inside.add(root);
          observer.observe(root, heard);
        }
    };
    const tick = (): void => {
      if (ended) return;
      const late = ++frames % unheard === 0;
      // Once a frame, however often the page changes in it.
      if (stale || late) listen();
      // Styles move without a mutation mostly while something is animated.
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

/** What met a condition, for one who asked for it. */
function found(look: Looker, what: WaitFor): Pick<Waited, 'what' | 'origin'> {
  if (what.tell !== true) return {};
  // A document without an origin of its own still has an address.
  const origin = self.origin === 'null' ? location.href.slice(0, told) : self.origin;
  const { text = wordsOf(what.element ?? ''), element } = what;
  if (text !== undefined) {
    const has = matcher(text);
    const line = plainText(look.tree).split('\n').find(has);
    return { what: (line ?? text).trim().slice(0, told), origin };
  }
  const el = element === undefined ? undefined : first(look, element);
  return el ? { what: look.words(el).slice(0, told), origin } : { origin };
}

/** Whether a condition holds; 'soon' asks for another look in the next frame. */
type Holds = boolean | 'soon';

function condition(look: Looker, what: WaitFor): () => Holds {
  const { text, element, gone, goneText, test } = what;
  if (text !== undefined) {
    const has = matcher(text);
    return () => has(plainText(look.tree));
  }
  if (element !== undefined) return presence(look, element);
  if (gone !== undefined) {
    const words = wordsOf(gone);
    if (words !== undefined) return vanished(look, words);
    const there = presence(look, gone);
    return () => !there();
  }
  if (goneText !== undefined) return vanished(look, goneText);
  if (test) return () => Boolean(test());
  throw new TypeError('nothing to wait for: text, element, gone, goneText or test');
}

/** What a target asks of the text of the page, for one that does. */
function wordsOf(input: string): string | undefined {
  const target = parseTarget(input);
  return target.by === 'text' && target.nth === undefined ? target.text : undefined;
}

/**
 * Whether a text is no longer to be seen. What has just faded is not gone yet: a
 * library takes it out of the document some frames later, and until then a dialog
 * hides the page from whoever looks. What stays there unseen for good counts as gone.
 */
function vanished(look: Looker, text: string): () => Holds {
  const has = matcher(text);
  let frames = 0;
  let rested = 0;
  return () => {
    if (has(plainText(look.tree))) {
      frames = rested = 0;
      return false;
    }
    // Frames stand still in a hidden tab.
    if (document.hidden || !has(fadedText(look.tree))) return true;
    frames++;
    rested = animated(() => true, true) ? 0 : rested + 1;
    return rested > afterglow || frames > patience ? true : 'soon';
  };
}

/** A test whether what a target means is there; throws for one that cannot be read. */
function presence(look: Looker, input: string): () => boolean {
  if (look.refs.parse(input) === undefined) {
    const target = parseTarget(input);
    if (target.by === 'bad') throw new SyntaxError(target.why);
    if (target.by === 'point') throw new SyntaxError('a point is always there');
    // Throws before anything is waited for.
    if (target.by === 'css') document.createDocumentFragment().querySelector(target.selector);
    if (target.by === 'text' && target.nth === undefined) {
      const has = matcher(target.text);
      return () => has(plainText(look.tree));
    }
  }
  return () => first(look, input) !== undefined;
}

/** The first drawn element that a target means; that of a text is not asked for here. */
function first(look: Looker, input: string): Element | undefined {
  if (look.refs.parse(input) !== undefined) {
    const el = elementOf(look, input);
    return el !== null && drawn(el) ? el : undefined;
  }
  const target = parseTarget(input);
  if (target.by === 'bad') return undefined;
  if (target.by !== 'css' || target.nth !== undefined) return matches(look, target).find(drawn);
  const { selector } = target;
  const plain = [...document.querySelectorAll(selector)].find(drawn);
  if (plain) return plain;
  for (const el of look.tree.all(document)) if (el.matches(selector) && drawn(el)) return el;
  return undefined;
}

function drawn(el: Element): boolean {
  return el.checkVisibility({ visibilityProperty: true });
}
