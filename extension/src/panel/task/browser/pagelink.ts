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

/** One document of a tab, by Chrome's ids. */
export interface Place {
  readonly tab: number;
  readonly frame: number;
}

/** What is asked of the content scripts of tabs. */
export interface Link {
  /** Asks a page, or has it do something. It throws a MessageError. */
  tab<K extends 'cs:rpc' | 'cs:query', M extends Method<K>>(
    kind: K,
    method: M,
    params: Params<K, M>,
    place: Place,
    signal: AbortSignal,
  ): Promise<Result<K, M>>;
  /** The documents of a tab. */
  frames(tab: number, signal: AbortSignal): Promise<readonly Frame[]>;
  /** Waits until a tab loads nothing, for a while; whether it loads still. */
  loading(tab: number, signal: AbortSignal): Promise<boolean>;
  /** Whether a tab is on its way to another document right now. */
  leaving(tab: number): Promise<boolean>;
  /** Brings a tab elsewhere, and says how that ended. */
  go(tab: number, way: Way, signal: AbortSignal): Promise<Arrival>;
  /** Resolves after so many milliseconds. */
  rest(ms: number, signal: AbortSignal): Promise<void>;
}

/** What a link needs of the browser. */
export interface LinkConfig {
  readonly send: Send;
  readonly clock: Clock;
  /** Milliseconds, as Date.now counts them. */
  readonly now: () => number;
}

/** The link of this panel, by way of its worker. */
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
      // Listened for before it is asked: it may be loaded in between.
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

  /** Puts the script that acts into a page; one that cannot be is left. */
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
        reject(new MessageError('aborted', 'The asker gave up.'));
      };
      if (signal.aborted) given();
      else signal.addEventListener('abort', given, { once: true });
    });
  }

  #call<M extends Method<'rpc:call'>>(
    method: M,
    params: Params<'rpc:call', M>,
    /** What it comes to in the end: by that it is judged whether it may be repeated. */
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

/** Resolves when a content script says that it is there, in this frame. */
function ready({ tab, frame }: Place): Waking {
  let listener: ReturnType<typeof hearing> | undefined;
  const done = new Promise<void>((resolve) => {
    listener = hearing(chrome.runtime.id, ({ event }, sender) => {
      if (event === 'hands-ready' && sender.tab?.id === tab && sender.frameId === frame) resolve();
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
