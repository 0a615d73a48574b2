import {
  type ByPage as ByPageAsk,
  CodeNoInput,
  type Tab,
  type Task,
  type TaskCommandReply,
} from '$ui/protocol/protocol';
import * as v from 'valibot';
import type { Connection } from '../../connection/connection';
import { systemClock } from '../../connection/clock';
import { COMMAND_TIMEOUT, REPLAY_WAIT } from '../../core/timing';
import type { CoverSays } from '../../../messages/methods';
import { advice } from './advice';
import { ByPage } from './bypage';
import { callsOf, type Call } from './calls';
import { Covers } from './covers';
import type { TaskJournal } from '../run/journal';
import { PageLink } from './pagelink';
import { enveloped, originOf, short } from './pagewords';
import { taskCommandReplySchema } from '$ui/protocol/schemas/task';
import { lookSchema, resultOf } from './replies';
import type { Action, Browser, Observation, Result, TabLine } from '../core/types';

/** How many characters of a page the model gets. Handles stand for what is left out. */
const pageLetters = 14_000;

/**
 * The error codes for which another locator is tried: the option has another role
 * or name, or is there twice, once for screen readers only.
 */
const unseen = new Set(['no_element', 'hidden', 'covered', 'inert', 'ambiguous', 'not_actable']);

/** What a task's browser needs from the panel. */
export interface World {
  readonly connection: Pick<Connection, 'request'>;
  /** The task as the backend last reported it, with its tabs. */
  readonly task: () => Task | undefined;
  readonly tabs: () => readonly Tab[];
  /** The name of this panel. Only the panel that runs a task may act for it. */
  readonly viewer: () => string;
  /** Sends a request together with the journal entries that wait; see TaskJournal. */
  readonly along: TaskJournal['along'];
  /** A file of the session as base64; undefined if it is not available. */
  readonly file: (path: string) => Promise<string | undefined>;
  /** Called when the user asks for a pause on a page with an overlay from this panel. */
  readonly pause: () => void;
  /**
   * Whether snapshots contain the whole page. Set when no model has to read them
   * and an action may need an element that is out of view.
   */
  readonly whole?: boolean;
}

/**
 * The browser as a task uses it: through the same commands as every agent, with the
 * task as actor.
 */
export class TaskBrowser implements Browser {
  #picture: string | undefined;
  /** The refs of the last snapshot of each tab. Refs that are not among them are new. */
  readonly #seen = new Map<string, { url: string; refs: Set<string> }>();

  readonly #byPage: ByPage;
  readonly #covers: Covers;

  constructor(
    private readonly id: string,
    private readonly world: World,
  ) {
    const link = new PageLink({
      send: (message) => chrome.runtime.sendMessage(message),
      clock: systemClock,
      now: () => Date.now(),
    });
    this.#covers = new Covers({
      ready: (tab) => link.ready(tab),
      pause: () => {
        world.pause();
      },
    });
    this.#byPage = new ByPage({
      link,
      caller: `task:${id}`,
      chromeTab: (tab) => world.tabs().find((one) => one.id === tab)?.chromeTabId,
      allow: (tab, call, facts, signal) =>
        this.#request(tab, call, signal, { byPage: facts === undefined ? {} : { facts } }),
    });
  }

  async observe(tab: string, signal: AbortSignal): Promise<Observation> {
    const known = this.world.tabs().find(({ id }) => id === tab);
    const part = this.world.whole === true ? { full: true } : { near: true, max: pageLetters };
    const reply = await this.#run(
      tab,
      { command: 'snapshot', args: { ...part, news: true } },
      signal,
    );
    const where = v.safeParse(lookSchema, reply.data);
    const url = where.success ? where.output.url : (known?.url ?? '');
    const title = where.success ? where.output.title : (known?.title ?? '');
    if (!reply.ok) {
      const error = reply.error ?? { code: 'internal', message: 'it did not answer' };
      const refused = { code: error.code, message: error.message, hint: advice(error) };
      return { tab, url, title, text: '', refused };
    }
    const picture = this.#picture;
    this.#picture = undefined;
    // The reply's text contains the page and the background events; its data has them
    // separately.
    const lines = where.success ? where.output.news : [];
    const from = originOf(url);
    const text =
      lines.length === 0 || !where.success
        ? reply.text
        : where.output.text === ''
          ? 'The page shows nothing.'
          : enveloped(from, where.output.text);
    return {
      tab,
      url,
      title,
      text: text + this.#fresh(tab, url, text),
      ...(lines.length > 0 && {
        backgroundEvents: { lines, told: enveloped(from, lines.map(short).join('\n')) },
      }),
      ...(picture !== undefined && { picture }),
      ...(where.success && where.output.secrets.length > 0 && { secrets: where.output.secrets }),
      ...(where.success && where.output.byPage && { byPage: true }),
    };
  }

  async act(tab: string, action: Action, signal: AbortSignal): Promise<Result> {
    const on =
      action.do === 'close_tab' && action.tab !== undefined && action.tab !== '' ? action.tab : tab;
    let result: Result = { ok: true, text: '' };
    for (const call of callsOf(action)) {
      const reply = await this.#run(on, call, signal);
      const { secret = false, byPage = false } = result;
      result = resultOf(reply, result.moved === true);
      if (secret) result = { ...result, secret };
      if (byPage) result = { ...result, byPage };
      if (!result.ok) break;
    }
    if (action.do === 'select' && result.code === 'not_actable')
      return this.#choose(on, action.ref, action.option, signal);
    if (action.do === 'screenshot' && result.ok) await this.#take(result);
    return result;
  }

  /** Sets what the overlays say in the tabs that the browser refuses the app; null removes them. */
  cover(says: CoverSays): void {
    this.#covers.say(says);
  }

  tabs(): Promise<readonly TabLine[]> {
    const task = this.world.task();
    const mine = new Set([...(task?.tabs ?? []), ...(task?.tab === undefined ? [] : [task.tab])]);
    return Promise.resolve(
      this.world
        .tabs()
        .filter(({ id }) => mine.has(id))
        .map(({ id, title, url }) => ({ tab: id, title, url })),
    );
  }

  /**
   * Chooses an option of a list that is not a native select: opens the list, and
   * clicks the option by its text.
   */
  async #choose(tab: string, ref: string, option: string, signal: AbortSignal): Promise<Result> {
    const run = async (command: string, args: Record<string, unknown>, timeoutMs?: number) =>
      resultOf(await this.#run(tab, { command, args }, signal, timeoutMs), false);
    const opened = await run('click', { target: ref });
    if (!opened.ok) return opened;
    const name = JSON.stringify(option);
    const press = async (): Promise<Result | undefined> => {
      for (const target of [
        `role=option name=${name}`,
        `role=menuitem name=${name}`,
        `text=${option}`,
      ]) {
        const chosen = await run('click', { target });
        if (!unseen.has(chosen.code ?? '')) return chosen;
      }
      return undefined;
    };
    const chosen = await press();
    if (chosen !== undefined) return chosen;
    // The list shows only its first options, or loads them from a server, so type the
    // text to filter it.
    const searched = await run('type', { target: ref, value: option });
    if (searched.ok && searched.moved !== true) {
      await run('wait', { for: 'text', value: option }, REPLAY_WAIT);
      const found = await press();
      if (found !== undefined) return found;
    }
    return {
      ok: false,
      code: 'no_element',
      text: `The list was opened and has no option ${name}. ${opened.text}`,
      moved: true,
    };
  }

  async #take(result: Result): Promise<void> {
    if (result.picture !== undefined) this.#picture = await this.world.file(result.picture);
  }

  /**
   * Runs a command. Where the app cannot give a tab trusted input, the content
   * script runs it by the page's own events.
   */
  async #run(
    tab: string,
    call: Call,
    signal: AbortSignal,
    timeoutMs?: number,
  ): Promise<TaskCommandReply> {
    const reply = await this.#request(tab, call, signal, { timeoutMs });
    if (reply.error?.code !== CodeNoInput) return reply;
    const known = this.world.tabs().find(({ id }) => id === tab)?.chromeTabId;
    const done = await this.#byPage.run(tab, call, signal);
    // Only now, because the content script that makes the overlay is in the page only now.
    if (known !== undefined) this.#covers.add(known);
    return done;
  }

  async #request(
    tab: string,
    call: Call,
    signal: AbortSignal,
    { timeoutMs, byPage }: { timeoutMs?: number | undefined; byPage?: ByPageAsk } = {},
  ): Promise<TaskCommandReply> {
    signal.throwIfAborted();
    const reply = await this.world.along(call.command === 'snapshot', (writes) =>
      this.world.connection.request(
        '/task/command',
        {
          task: this.id,
          viewer: this.world.viewer(),
          // Mostly without a deadline of its own, because the command may wait for
          // the user's approval.
          command: { ...call, tab, ...(timeoutMs !== undefined && { timeoutMs }) },
          ...(byPage !== undefined && { byPage }),
          ...(writes.length > 0 && { writes: [...writes] }),
        },
        taskCommandReplySchema,
        { signal, timeout: COMMAND_TIMEOUT },
      ),
    );
    signal.throwIfAborted();
    return reply;
  }

  /** One line for the model with the refs that are new since the last snapshot. */
  #fresh(tab: string, url: string, text: string): string {
    const refs = new Set(
      Array.from(text.matchAll(/^\s*((?:f\d+)?e\d+) /gm), ([, ref]) => ref ?? ''),
    );
    const before = this.#seen.get(tab);
    this.#seen.set(tab, { url, refs });
    if (before?.url !== url) return '';
    const fresh = [...refs].filter((ref) => !before.refs.has(ref));
    return fresh.length === 0 || fresh.length === refs.size
      ? ''
      : `\nNew since the last look: ${fresh.join(', ')}`;
  }
}
