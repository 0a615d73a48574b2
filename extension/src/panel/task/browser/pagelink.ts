import { hearing } from '../../../messages/answer';
import { ask, askAgain, type Send, type Waking } from '../../../messages/ask';
import {
  MessageError,
  question,
  type Asking,
  type Method,
  type Params,
  type Result,
} from '../../../messages/envelope';
import type { Frame } from '../../../messages/methods';
import type { Clock } from '../../core/clock';
import { PAGE_AGAIN, PAGE_AGAIN_MAX, PAGE_LOAD, PAGE_TIMEOUT } from '../../core/timing';
import { travel, type Arrival, type Way } from './travel';

/** One document of a tab, by Chrome's tab id and frame id. */
export interface Place {
  readonly tab: number;
  readonly frame: number;
}

/** Requests to the content scripts of tabs. */
export interface Link {
  /** Sends a request to the content script of a document. Throws MessageError. */
  tab<K extends 'cs:rpc' | 'cs:query', M extends Method<K>>(
    kind: K,
    method: M,
    params: Params<K, M>,
    place: Place,
    signal: AbortSignal,
  ): Promise<Result<K, M>>;
  /** The frames of a tab. */
  frames(tab: number, signal: AbortSignal): Promise<readonly Frame[]>;
  /** Waits until a tab has loaded, for at most PAGE_LOAD. Returns whether it is still loading. */
  loading(tab: number, signal: AbortSignal): Promise<boolean>;
  /** Whether a tab is loading now. */
  leaving(tab: number): Promise<boolean>;
  /** Navigates a tab, and returns the result. */
  go(tab: number, way: Way, signal: AbortSignal): Promise<Arrival>;
  /** Resolves after this many milliseconds. */
  rest(ms: number, signal: AbortSignal): Promise<void>;
}

/** What a link needs from the browser. */
export interface LinkConfig {
  readonly send: Send;
  readonly clock: Clock;
  /** The current time in milliseconds, like Date.now. */
  readonly now: () => number;
}

/** The link that sends requests through the extension's worker. */
export class PageLink implements Link {
  readonly #config: LinkConfig;

  constructor(config: LinkConfig) {
    this.#config = config;
  }

  async tab<K extends 'cs:rpc' | 'cs:query', M extends Method<K>>(
    kind: K,
    method: M,
    params: Params<K, M>,
    place: Place,
    signal: AbortSignal,
  ): Promise<Result<K, M>> {
    const to = { ...place, kind, method, params };
    const value = await this.#call('tab', to, kind, signal, () => ready(place));
    return value as Result<K, M>;
  }

  async frames(tab: number, signal: AbortSignal): Promise<readonly Frame[]> {
    return (await this.#call('frames', { tab }, 'cs:query', signal)) as readonly Frame[];
  }

  async loading(tab: number, signal: AbortSignal): Promise<boolean> {
    const end = new AbortController();
    const loaded = new Promise<void>((resolve) => {
      const updated = (id: number, { status }: { status?: string }): void => {
        if (id === tab && status === 'complete') resolve();
      };
      const removed = (id: number): void => {
        if (id === tab) resolve();
      };
      chrome.tabs.onUpdated.addListener(updated);
      chrome.tabs.onRemoved.addListener(removed);
      const cancel = this.#config.clock.after(PAGE_LOAD, resolve);
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { signal: end.signal },
      );
      end.signal.addEventListener('abort', () => {
        chrome.tabs.onUpdated.removeListener(updated);
        chrome.tabs.onRemoved.removeListener(removed);
        cancel();
      });
    });
    try {
      // The listeners are added before the check, because the tab may finish loading
      // in between.
      if (await this.leaving(tab)) await loaded;
    } finally {
      end.abort();
    }
    signal.throwIfAborted();
    return this.leaving(tab);
  }

  async leaving(tab: number): Promise<boolean> {
    const now = await chrome.tabs.get(tab).catch(() => undefined);
    return now?.status === 'loading';
  }

  /** Puts the content script into a page; does nothing where that is not possible. */
  async ready(tab: number): Promise<void> {
    const { signal } = new AbortController();
    await this.tab('cs:rpc', 'ready', null, { tab, frame: 0 }, signal).catch(() => null);
  }

  go(tab: number, way: Way, signal: AbortSignal): Promise<Arrival> {
    return travel(tab, way, { clock: this.#config.clock, signal });
  }

  rest(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#config.clock.after(ms, resolve);
      const given = (): void => {
        cancel();
        reject(new MessageError('aborted', 'The request was cancelled.'));
      };
      if (signal.aborted) given();
      else signal.addEventListener('abort', given, { once: true });
    });
  }

  #call<M extends Method<'rpc:call'>>(
    method: M,
    params: Params<'rpc:call', M>,
    /**
     * The kind of the request that reaches the page; it decides whether the request
     * may be repeated.
     */
    kind: Asking,
    signal: AbortSignal,
    woken?: () => Waking,
  ): Promise<unknown> {
    const { send, clock, now } = this.#config;
    const deadline = now() + PAGE_TIMEOUT;
    const patience = { clock, now, signal };
    return askAgain(() => ask(send, question('rpc:call', method, params, deadline), patience), {
      ...patience,
      kind,
      deadline,
      pause: (attempt) => Math.min(PAGE_AGAIN_MAX, PAGE_AGAIN * 2 ** (attempt - 1)),
      woken,
    });
  }
}

/** Resolves when the content script of this frame reports that it is ready. */
function ready({ tab, frame }: Place): Waking {
  let listener: ReturnType<typeof hearing> | undefined;
  const done = new Promise<void>((resolve) => {
    listener = hearing(chrome.runtime.id, ({ event }, sender) => {
      if (event === 'executor-ready' && sender.tab?.id === tab && sender.frameId === frame)
        resolve();
    });
    chrome.runtime.onMessage.addListener(listener);
  });
  return {
    done,
    end: () => {
      if (listener !== undefined) chrome.runtime.onMessage.removeListener(listener);
    },
  };
}
