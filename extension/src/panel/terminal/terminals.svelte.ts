import {
  CodeUnknownTerminal,
  TerminalEnded,
  TerminalMissing,
  type AgentKind,
  type PtySessionReply,
  type PtySessionRequest,
  type TabID,
  type TerminalID,
  type TerminalInfo,
} from '$ui/protocol/protocol';
import { agentsFileSchema, ptySessionReplySchema } from '$ui/protocol/schema';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import * as v from 'valibot';
import { systemClock } from '../connection/clock';
import type { Connection } from '../connection/connection';
import type { EarlyTerminal } from '../connection/earlyterminal';
import { RefusedError } from '../connection/request';
import type { Socket, SocketEvents } from '../core/lastingsocket';
import { GoneError, type StreamState } from '../core/stream';
import { MAX_SCREENS } from '../core/timing';
import type { Pasted } from '../send/deliver';
import type { SessionStore } from '../state/session.svelte';
import type { Form } from './export';
import { problem, type Problem } from './problem';
import { TerminalView } from './view';
import type { HoveredLink } from './viewconfig';

/** What all terminals need from the panel. */
export interface Dependencies {
  readonly connection: Connection;
  /** The terminal that was attached early, if it is this one; see EarlyConnection. */
  readonly early: (id: TerminalID) => EarlyTerminal | undefined;
  readonly session: SessionStore;
  readonly fontFamily: string;
  readonly mac: boolean;
  readonly graphicsCard: () => boolean;
  readonly askPaste: (text: string) => Promise<boolean>;
  readonly openLink: (url: string) => void;
  readonly onFind: () => void;
  readonly onLeave: () => void;
}

/** A view, and what is known about it before it has a terminal. */
interface Shown {
  readonly view: TerminalView;
  tab: TabID;
  id: TerminalID | undefined;
  /** What a new terminal runs. Used only for the first dial. */
  start: { agent: AgentKind | undefined; command: string } | undefined;
}

/** The terminals of the panel: shown, kept in memory, or starting. */
export class Terminals {
  /** The viewer's state of each terminal. */
  readonly streams = new SvelteMap<TerminalID, StreamState>();
  /** Tabs for which a terminal is starting. */
  readonly starting = new SvelteSet<TabID>();
  /** Why the last start for a tab failed. */
  readonly problems = new SvelteMap<TabID, Problem>();
  /** Terminals that rang the bell while they were not in view. */
  readonly rang = new SvelteSet<TerminalID>();
  /** The terminal that the user chose for a tab with several. */
  readonly #chosen = new SvelteMap<TabID, TerminalID>();
  link = $state.raw<HoveredLink>();
  found = $state.raw({ index: -1, count: 0 });
  dark = $state(false);

  readonly #deps: Dependencies;
  /** The views in memory; the one shown last is at the end. */
  #kept: Shown[] = [];
  #current: Shown | undefined;
  /**
   * A view made in advance while the backend still answers. The first terminal to
   * be shown uses it.
   */
  #spare: Shown | undefined;
  #host: HTMLElement | undefined;
  /** Tabs whose terminal the user closed here; no terminal starts there automatically. */
  readonly #left = new SvelteSet<TabID>();
  /**
   * The identity of the run of the app for which the first automatic start was
   * already considered.
   */
  #begun = '';

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Sets the element that contains the terminals. */
  mount(host: HTMLElement): void {
    this.#host = host;
    // First handle the messages of the backend that have already arrived.
    systemClock.after(0, () => {
      if (this.#host === host && this.#kept.length === 0) this.#spare ??= this.#make(host);
    });
  }

  /**
   * The terminal to show for a tab: the one chosen here, else the one shown last,
   * else the newest.
   */
  chosen(tab: TabID): TerminalInfo | undefined {
    const terminals = this.#deps.session.terminalsOf(tab);
    const id = this.#chosen.get(tab);
    const chosen = terminals.find((terminal) => terminal.id === id);
    return chosen ?? terminals.sort((a, b) => (a.shown ?? 0) - (b.shown ?? 0)).at(-1);
  }

  choose(tab: TabID, id: TerminalID): void {
    this.#chosen.set(tab, id);
  }

  /**
   * Starts a terminal for a tab automatically: the first of a run of the app, and
   * with `everyTab` one for each tab the user views. Never where the user closed a
   * terminal or a start failed.
   */
  startByItself(tab: TabID): void {
    const { session, connection } = this.#deps;
    if (session.terminalsOf(tab).length > 0 || this.starting.has(tab)) return;
    if (this.#left.has(tab) || this.problems.has(tab)) return;
    const first = this.#begun !== connection.identity && session.terminals.length === 0;
    this.#begun = connection.identity;
    if (first || session.settings.everyTab) this.start(tab);
  }

  /** Shows the terminal of this tab, or none. */
  show(tab: TabID | undefined, terminal: TerminalInfo | undefined): void {
    const wanted = tab === undefined ? undefined : this.#wanted(tab, terminal);
    if (wanted === this.#current) {
      if (terminal !== undefined) wanted?.view.stream.wake(terminal.epoch);
      return;
    }
    this.#current?.view.hide();
    this.#current = wanted;
    this.link = undefined;
    if (wanted === undefined) return;
    this.#kept = [...this.#kept.filter((kept) => kept !== wanted), wanted];
    this.#dropOldest();
    if (wanted.id !== undefined) this.rang.delete(wanted.id);
    wanted.view.show();
    wanted.view.focus();
    if (terminal === undefined) return;
    const { state } = wanted.view.stream;
    // If another panel has the terminal, showing it here takes it back.
    if (state === 'closed' || state === 'taken') wanted.view.stream.attach();
    else wanted.view.stream.wake(terminal.epoch);
  }

  /**
   * Starts a terminal for a tab and shows it. Without `agent` it runs the agent
   * from the settings.
   */
  start(tab: TabID, agent?: AgentKind, command = ''): void {
    if (this.starting.has(tab)) return;
    this.problems.delete(tab);
    this.starting.add(tab);
    const shown = this.#create(tab, undefined, { agent, command });
    if (shown === undefined) {
      this.starting.delete(tab);
      return;
    }
    this.show(tab, undefined);
    shown.view.stream.attach();
  }

  /** Ends what runs in a terminal and starts it again, or another agent; a shell also confined. */
  async restart(
    terminal: TerminalInfo,
    agent?: AgentKind,
    command?: string,
    confined?: boolean,
  ): Promise<void> {
    await this.#attempt(terminal.tab, async () => {
      await this.#deps.connection.request(
        '/pty-restart',
        {
          terminal: terminal.id,
          ...(agent !== undefined && { agent }),
          ...(command !== undefined && { command }),
          ...(confined !== undefined && { confined }),
        },
        v.unknown(),
      );
      this.focus();
    });
  }

  /** Ends the program of a terminal and removes the terminal. */
  async close(terminal: TerminalInfo): Promise<void> {
    await this.#attempt(terminal.tab, async () => {
      this.#left.add(terminal.tab);
      await this.#deps.connection.request('/pty-close', { terminal: terminal.id }, v.unknown());
    });
  }

  /** Searches again for installed agents. */
  async probe(tab: TabID): Promise<void> {
    await this.#attempt(tab, async () => {
      const agents = await this.#deps.connection.request('/agents/probe', {}, agentsFileSchema);
      this.#deps.session.apply({ type: 'agents', agents });
    });
  }

  dismiss(tab: TabID): void {
    this.problems.delete(tab);
  }

  /** Drops the views of terminals that no longer exist. */
  prune(known: readonly TerminalInfo[]): void {
    for (const kept of [...this.#kept]) {
      if (kept.id !== undefined && !known.some(({ id }) => id === kept.id)) this.#drop(kept);
    }
  }

  /** Retries now, after the connection is back. */
  wake(): void {
    for (const kept of this.#kept) kept.view.stream.wake();
  }

  /** Takes the terminal back from another panel. */
  takeBack(): void {
    this.#current?.view.stream.attach();
  }

  focus(): void {
    this.#current?.view.focus();
  }

  /** Sends input to the terminal that is shown. */
  type(text: string): void {
    this.#current?.view.stream.input(text);
  }

  /** Types a text as a paste into the terminal that is shown, where a program runs in it. */
  async paste(text: string): Promise<Pasted> {
    const { id, view } = this.#current ?? {};
    const over = id === undefined || isOver(this.#deps.session.terminal(id));
    if (view === undefined || over) return 'nothing';
    view.focus();
    return (await view.paste(text)) ? 'pasted' : 'declined';
  }

  find(text: string, direction: 'next' | 'previous', typing = false): void {
    this.#current?.view.find(text, direction, typing);
  }

  endFind(): void {
    this.#current?.view.endFind();
    this.found = { index: -1, count: 0 };
    this.focus();
  }

  get selection(): string {
    return this.#current?.view.selection ?? '';
  }

  /** What the terminal that is shown has, above and on its screen. */
  exported(form: Form): string | undefined {
    return this.#current?.view.exported(form);
  }

  setScheme(dark: boolean): void {
    this.dark = dark;
    for (const { view } of this.#views()) view.setScheme(dark);
  }

  setFontSize(size: number): void {
    for (const { view } of this.#views()) view.setFontSize(size);
  }

  dispose(): void {
    this.#host = undefined;
    for (const shown of this.#views()) this.#drop(shown);
    this.#spare = undefined;
  }

  #views(): Shown[] {
    return this.#spare === undefined ? [...this.#kept] : [...this.#kept, this.#spare];
  }

  #wanted(tab: TabID, terminal: TerminalInfo | undefined): Shown | undefined {
    const begun = this.#kept.find((kept) => kept.tab === tab && kept.id === undefined);
    // Show the terminal that is starting. The event that announces it may come before
    // the reply that names it.
    if (begun !== undefined) return begun;
    if (terminal === undefined || terminal.state === TerminalMissing) return undefined;
    return (
      this.#kept.find((kept) => kept.id === terminal.id) ??
      this.#create(terminal.tab, terminal.id, undefined)
    );
  }

  #create(tab: TabID, id: TerminalID | undefined, start: Shown['start']): Shown | undefined {
    if (this.#host === undefined) return undefined;
    const known = id === undefined ? undefined : this.#deps.session.terminal(id);
    const shown = this.#spare ?? this.#make(this.#host, known);
    this.#spare = undefined;
    shown.tab = tab;
    shown.id = id;
    shown.start = start;
    this.#kept = [...this.#kept, shown];
    return shown;
  }

  /** Makes a view that is invisible until it is shown and has no terminal yet. */
  #make(host: HTMLElement, terminal?: TerminalInfo): Shown {
    const { session, connection } = this.#deps;
    const shown: Shown = {
      tab: '',
      id: undefined,
      start: undefined,
      view: new TerminalView(host, {
        ...(terminal !== undefined && { cols: terminal.cols, rows: terminal.rows }),
        fontFamily: this.#deps.fontFamily,
        fontSize: session.settings.fontSize,
        dark: this.dark,
        mac: this.#deps.mac,
        graphicsCard: this.#deps.graphicsCard,
        online: () => connection.link === 'live',
        dial: (size, events) => this.#dial(shown, size, events),
        onState: (state) => {
          if (shown.id !== undefined) this.streams.set(shown.id, state);
        },
        onTerminal: (terminal) => {
          session.put(terminal);
        },
        onExit: (exit) => {
          if (shown.id !== undefined) session.ended(shown.id, exit);
        },
        onTitle: (title) => {
          const known = shown.id === undefined ? undefined : session.terminal(shown.id);
          if (known !== undefined) session.put({ ...known, title });
        },
        onBell: () => {
          if (shown.id !== undefined && (shown !== this.#current || !document.hasFocus()))
            this.rang.add(shown.id);
        },
        onFind: this.#deps.onFind,
        onLeave: this.#deps.onLeave,
        onLink: (link) => {
          this.link = link;
        },
        onOpenLink: this.#deps.openLink,
        onMatches: (index, count) => {
          this.found = { index, count };
        },
        askPaste: this.#deps.askPaste,
      }),
    };
    return shown;
  }

  /**
   * Requests an attach token, the first time by starting a new terminal, and opens
   * the socket with it.
   */
  async #dial(
    shown: Shown,
    size: { cols: number; rows: number },
    events: SocketEvents,
  ): Promise<Socket> {
    const { connection } = this.#deps;
    const early = shown.id === undefined ? undefined : this.#deps.early(shown.id);
    if (early !== undefined) return early.adopt(events);
    const request: PtySessionRequest =
      shown.id === undefined
        ? {
            tab: shown.tab,
            ...size,
            ...(shown.start?.agent && { agent: shown.start.agent }),
            ...(shown.start?.command && { command: shown.start.command }),
          }
        : { terminal: shown.id, ...size };
    let reply: PtySessionReply;
    try {
      reply = await connection.request('/pty-session', request, ptySessionReplySchema);
    } catch (error) {
      if (shown.id === undefined) {
        this.#startFailed(shown, error);
        throw new GoneError('the terminal was not started');
      }
      if (error instanceof RefusedError && error.code === CodeUnknownTerminal)
        throw new GoneError(error.message);
      throw error;
    }
    this.#started(shown, reply.terminal);
    return connection.dial('/ws', reply.attach, events);
  }

  #started(shown: Shown, terminal: TerminalInfo): void {
    const begun = shown.id === undefined;
    shown.id = terminal.id;
    this.#deps.session.put(terminal);
    if (!begun) return;
    this.starting.delete(shown.tab);
    this.#left.delete(shown.tab);
    this.#chosen.set(shown.tab, terminal.id);
    this.streams.set(terminal.id, shown.view.stream.state);
    if (terminal.state === TerminalMissing) {
      this.#drop(shown);
      throw new GoneError('there is nothing to show');
    }
  }

  #startFailed(shown: Shown, error: unknown): void {
    this.starting.delete(shown.tab);
    this.problems.set(shown.tab, problem(error));
    this.#drop(shown);
  }

  async #attempt(tab: TabID, action: () => Promise<void>): Promise<void> {
    this.problems.delete(tab);
    try {
      await action();
    } catch (error) {
      this.problems.set(tab, problem(error));
    }
  }

  #dropOldest(): void {
    while (this.#kept.length > MAX_SCREENS) {
      const oldest = this.#kept.find((kept) => kept !== this.#current && kept.id !== undefined);
      if (oldest === undefined) return;
      this.#drop(oldest);
    }
  }

  #drop(shown: Shown): void {
    this.#kept = this.#kept.filter((kept) => kept !== shown);
    if (this.#current === shown) this.#current = undefined;
    if (shown.id !== undefined) {
      this.streams.delete(shown.id);
      this.rang.delete(shown.id);
    }
    shown.view.dispose();
  }
}

/** Whether nothing runs in a terminal, so that another agent may start in it. */
export function isOver(terminal: TerminalInfo | undefined): boolean {
  return terminal?.state === TerminalEnded || terminal?.state === TerminalMissing;
}
