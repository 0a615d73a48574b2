import { matcher } from './lines.js';
import type { Looker } from './look.js';
import { elementOf } from './resolve.js';
import { plainText } from './text.js';

/** What to wait for: exactly one of these. */
export interface WaitFor {
  /** Visible text, or /expression/. */
  text?: string;
  /** A selector or ref that is there and drawn. */
  element?: string;
  /** A selector, ref or text= that is no longer there or drawn. */
  gone?: string;
  /** A function of this world, called until it returns something true. */
  test?: () => unknown;
  /** Milliseconds until it gives up; at least 0. */
  timeout: number;
}

/** How a wait ended. */
export interface Waited {
  state: 'met' | 'timeout';
  ms: number;
}

/**
 * Waits until a condition holds. It is tried again when the page changes and
 * in each frame that is drawn; the only timer is the caller's deadline.
 */
export function waitFor(look: Looker, what: WaitFor): Promise<Waited> {
  const start = performance.now();
  const holds = condition(look, what);
  if (holds()) return Promise.resolve({ state: 'met', ms: 0 });
  return new Promise((done, fail) => {
    let frame = 0;
    let ended = false;
    let stale = true;
    const end = (state: Waited['state']): void => {
      ended = true;
      observer.disconnect();
      cancelAnimationFrame(frame);
      clearTimeout(deadline);
      done({ state, ms: performance.now() - start });
    };
    const attempt = (): void => {
      if (ended) return;
      try {
        if (holds()) end('met');
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
        end('timeout');
      }
    };
    const observer = new MutationObserver(() => {
      stale = true;
      // Frames stand still in a hidden tab; changes do not.
      if (document.hidden) attempt();
    });
    const tick = (): void => {
      if (ended) return;
      // Styles move without a mutation only while something is animated.
      if (stale || what.test || document.getAnimations().length > 0) attempt();
      stale = false;
      frame = requestAnimationFrame(tick);
    };
    const deadline = setTimeout(
      () => {
        end('timeout');
      },
      Math.max(0, what.timeout),
    );
    observer.observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    frame = requestAnimationFrame(tick);
  });
}

function condition(look: Looker, what: WaitFor): () => boolean {
  const { text, element, gone, test } = what;
  if (text !== undefined) {
    const has = matcher(text);
    return () => has(plainText(look.tree));
  }
  if (element !== undefined) return () => isThere(look, element);
  if (gone !== undefined) {
    if (gone.startsWith('text=')) {
      const has = matcher(gone.slice(5));
      return () => !has(plainText(look.tree));
    }
    return () => !isThere(look, gone);
  }
  if (test) return () => Boolean(test());
  throw new TypeError('nothing to wait for: text, element, gone or test');
}

function isThere(look: Looker, target: string): boolean {
  if (look.refs.parse(target) !== undefined) {
    const el = elementOf(look, target);
    return el !== null && drawn(el);
  }
  // Throws for a selector that cannot be read.
  if ([...document.querySelectorAll(target)].some(drawn)) return true;
  for (const el of look.tree.all(document)) if (el.matches(target) && drawn(el)) return true;
  return false;
}

function drawn(el: Element): boolean {
  return el.checkVisibility({ visibilityProperty: true });
}
