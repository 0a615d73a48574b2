import {
  CarryCloseTab,
  CarryCommand,
  CarryGo,
  CarryNewTab,
  CarryShowTab,
  CodeInternal,
  type ByPage as ByPageAsk,
  type CarryDoneRequest,
  type CarryEvent,
  type CommandReply,
} from '$ui/protocol/protocol';
import { commandReplySchema } from '$ui/protocol/schemas/command';
import * as v from 'valibot';
import { bringForward } from '../../../forward';
import { MessageError } from '../../../messages/envelope';
import { newTab } from '../../../worker/windows';
import { systemClock } from '../../connection/clock';
import type { Connection } from '../../connection/connection';
import { COMMAND_TIMEOUT } from '../../core/timing';
import { ByPage } from './bypage';
import { arrived } from './bypageways';
import { PageLink, type Link } from './pagelink';
import { refused } from './pagewords';

/** What the panel tells the app of something that it was to carry out. */
type Done = Omit<CarryDoneRequest, 'id'>;

/**
 * Carries out what agents and the user's commands do in a browser into which the app has no way
 * but this panel: by the page's own events, and with the browser's API for extensions. The app
 * judges each command first, as if it carried the command out itself.
 */
export class Carrier {
  readonly #connection: Pick<Connection, 'request'>;
  readonly #link: Link;
  /** One for each caller, because the page remembers by it what it has shown. */
  readonly #byPage = new Map<string, ByPage>();
  /** The number of the event that the arguments of a command came with. */
  readonly #of = new WeakMap<object, number>();
  /** Chrome's ids of the tabs. */
  readonly #chromeTabs = new Map<string, number>();

  constructor(connection: Pick<Connection, 'request'>, link?: Link) {
    this.#connection = connection;
    this.#link =
      link ??
      new PageLink({
        send: (message) => chrome.runtime.sendMessage(message),
        clock: systemClock,
        now: () => Date.now(),
      });
  }

  /** Carries an event out, and tells the app what came of it. */
  async carry(event: CarryEvent): Promise<void> {
    const { id, tab = '' } = event;
    const done = await this.#do(event).catch((error: unknown): Done => {
      const known = error instanceof MessageError ? error : undefined;
      if (known !== undefined) return { reply: refused(tab, known, 'unknown') };
      const message = error instanceof Error ? error.message : String(error);
      return {
        reply: {
          ok: false,
          tab,
          text: message,
          error: { code: CodeInternal, message },
          durationMs: 0,
        },
      };
    });
    // Without a connection the app has given up already.
    await this.#connection.request('/panel/done', { id, ...done }, v.unknown()).catch(() => null);
  }

  async #do(event: CarryEvent): Promise<Done> {
    const { id, tab = '', chromeTabId = 0, front = false } = event;
    if (tab !== '') this.#chromeTabs.set(tab, chromeTabId);
    const ok: CommandReply = { ok: true, tab, text: '', durationMs: 0 };
    const { signal } = new AbortController();
    switch (event.do) {
      case CarryCommand: {
        const { command = '', args = {}, caller = '' } = event;
        this.#of.set(args, id);
        return { reply: await this.#caller(caller).run(tab, { command, args }, signal) };
      }
      case CarryGo: {
        const way = { to: event.url ?? '' };
        arrived(way, await this.#link.go(chromeTabId, way, signal));
        await this.#link.loading(chromeTabId, signal);
        return { reply: ok };
      }
      case CarryNewTab:
        return {
          reply: ok,
          chromeTabId: await newTab(chromeTabId === 0 ? null : chromeTabId, front),
        };
      case CarryCloseTab:
        await chrome.tabs.remove(chromeTabId);
        return { reply: ok };
      case CarryShowTab:
        await bringForward(chromeTabId, front);
        return { reply: ok };
    }
  }

  #caller(caller: string): ByPage {
    const known = this.#byPage.get(caller);
    if (known !== undefined) return known;
    const made = new ByPage({
      link: this.#link,
      caller,
      chromeTab: (tab) => this.#chromeTabs.get(tab),
      allow: (_, { args = {} }, facts) => {
        const byPage: ByPageAsk = facts === undefined ? {} : { facts };
        const id = this.#of.get(args) ?? 0;
        return this.#connection.request('/panel/allow', { id, byPage }, commandReplySchema, {
          timeout: COMMAND_TIMEOUT,
        });
      },
    });
    this.#byPage.set(caller, made);
    return made;
  }
}
