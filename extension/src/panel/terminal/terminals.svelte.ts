import {
  CodeUnknownTerminal,
  TerminalMissing,
  type AgentKind,
  type PtySessionReply,
  type PtySessionRequest,
  type TabID,
  type TerminalID,
  type TerminalInfo,
} from '$ui/protocol/protocol';
import { ptySessionReplySchema } from '$ui/protocol/schemas/terminal';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { systemClock } from '../connection/clock';
import { RefusedError } from '../connection/request';
import type { Socket, SocketEvents } from '../core/lastingsocket';
import { GoneError, type StreamState } from '../core/stream';
import { MAX_SCREENS } from '../core/timing';
import type { Pasted } from '../send/deliver';
import type { Dependencies, Shown } from './dependencies';
import type { Form } from './export';
import { isOver } from './over';
import { problem } from './problem';
import { Requests } from './requests.svelte';
import { TerminalView } from './view';
import type { HoveredLink } from './viewconfig';

/** The terminals of the panel: shown, kept in memory, or starting. */
export class Terminals extends Requests {
  /** The viewer's state of each terminal. */
  readonly streams = new SvelteMap<TerminalID, StreamState>();
  /** Tabs for which a terminal is starting. */
  readonly starting = new SvelteSet<TabID>();
  /** Terminals that rang the bell while they were not in view. */
  readonly rang = new SvelteSet<TerminalID>();
  /** The terminal that the user chose for a tab with several. */
  readonly #chosen = new SvelteMap<TabID, TerminalID>();
  link = $state.raw<HoveredLink>();
  found = $state.raw({ index: -1, count: 0 });
  dark = $state(false);
  /** What is shown where a tab has no terminal. */
  empty = $state.raw<{ focus: () => void }>();

  readonly #deps: Dependencies;
  /** The views in memory; the one shown last is at the end. */
  #kept: Shown[] = [];
  /** The view that has the keyboard. */
  #current: Shown | undefined;
  /** The view that is shown together with it. */
  #beside: Shown | undefined;
  /** Tabs for which the second terminal of a pair is starting, with the first one. */
  readonly #splitting = new SvelteMap<TabID, TerminalID>();
  /**
   * A view made in advance while the backend still answers. The first terminal to
   * be shown uses it.
   */
  #spare: Shown | undefined;
  #host: HTMLElement | undefined;
  /**
   * The identity of the run of the app for which the first automatic start was
   * already considered.
   */
  #begun = '';

  constructor(deps: Dependencies) {
    super(deps);
    this.#deps = deps;
    deps.looking.onchange = () => {
      for (const { view } of this.#kept) view.stream.look();
    };
  }

  /** Sets the element that contains the terminals. */
  mount(host: HTMLElement): void {
    this.#host = host;
    // First handle the messages of the backend that have already arrived.
    systemClock.after(0, () => {
      if (this.#host === host && this.#kept.length === 0) this.#spare ??= this.#make(host);
    });
  }

  /** The terminals of a tab in the order of the strip. */
  of(tab: TabID): TerminalInfo[] {
    return this.#deps.layout.sorted(this.#deps.session.terminalsOf(tab));
  }

  /**
   * The terminal to show for a tab: the one chosen here, or the one that was shown
   * together with it, else the one shown last, else the newest.
   */
  chosen(tab: TabID): TerminalInfo | undefined {
    const terminals = this.#deps.session.terminalsOf(tab);
    const id = this.#chosen.get(tab);
    const find = (wanted: TerminalID | undefined): TerminalInfo | undefined =>
      terminals.find((terminal) => terminal.id === wanted);
    return (
      find(id) ??
      find(this.#deps.layout.partner(id)) ??
      terminals.sort((a, b) => (a.shown ?? 0) - (b.shown ?? 0)).at(-1)
    );
  }

  /** The terminal that is shown together with the chosen one. */
  beside(tab: TabID): TerminalInfo | undefined {
    const { layout, session } = this.#deps;
    const chosen = this.chosen(tab);
    const first = this.starting.has(tab) ? this.#splitting.get(tab) : undefined;
    const id =
      first ?? (chosen?.state === TerminalMissing ? undefined : layout.partner(chosen?.id));
    const other = session.terminalsOf(tab).find((terminal) => terminal.id === id);
    return other?.state === TerminalMissing ? undefined : other;
  }

  /** Starts a terminal and shows it together with the chosen one. */
  split(tab: TabID, agent?: AgentKind): void {
    const first = this.chosen(tab);
    // Asked again while it starts: it will be shown alone.
    if (this.starting.has(tab)) this.#splitting.delete(tab);
    if (first === undefined || first.state === TerminalMissing || this.starting.has(tab)) return;
    this.#splitting.set(tab, first.id);
    this.start(tab, agent);
  }

  /** Moves the keyboard to the other terminal of two. Returns false if there is only one. */
  other(): boolean {
    const { id, tab } = this.#beside ?? {};
    if (id === undefined || tab === undefined) return false;
    this.choose(tab, id);
    return true;
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
    if (this.left.has(tab) || this.problems.has(tab)) return;
    const first = this.#begun !== connection.identity && session.terminals.length === 0;
    this.#begun = connection.identity;
    if (first || session.settings.everyTab) this.start(tab);
  }

  /** Shows the terminal of this tab, and the one beside it; or none. */
  show(tab: TabID | undefined, terminal: TerminalInfo | undefined): void {
    const wanted = tab === undefined ? undefined : this.#wanted(tab, terminal);
    const second = tab === undefined || wanted === undefined ? undefined : this.beside(tab);
    const other = second && this.#kept.find(({ id }) => id === second.id);
    const before = [this.#current, this.#beside];
    this.#current = wanted;
    this.#beside = second && (other ?? this.#create(second.tab, second.id, undefined));
    if (this.#beside === wanted) this.#beside = undefined;
    const now = [this.#current, this.#beside];
    for (const old of before) if (!now.includes(old)) old?.view.hide();
    this.#place();
    for (const [at, shown] of now.entries()) {
      const info = at === 0 ? terminal : second;
      if (shown !== undefined && !before.includes(shown)) this.#appear(shown, info);
      else if (info !== undefined) shown?.view.stream.wake(info.epoch);
    }
    if (wanted === before[0]) return;
    this.link = undefined;
    wanted?.view.focus();
  }

  /**
   * Starts a terminal for a tab and shows it, to continue a past session with `resume`. Without `agent` it runs the agent
   * from the settings.
   */
  start(tab: TabID, agent?: AgentKind, command = '', resume = ''): void {
    if (this.starting.has(tab)) return;
    this.problems.delete(tab);
    this.starting.add(tab);
    const shown = this.#create(tab, undefined, { agent, command, resume });
    if (shown === undefined) {
      this.starting.delete(tab);
      return;
    }
    this.show(tab, undefined);
    shown.view.stream.attach();
  }

  /**
   * Drops the views of terminals that no longer exist, and takes back those that another panel
   * had and has left: it may have been the document before this one.
   */
  update(known: readonly TerminalInfo[]): void {
    for (const kept of [...this.#kept]) {
      if (kept.id === undefined) continue;
      const now = known.find(({ id }) => id === kept.id);
      if (now === undefined) this.#drop(kept);
      else if (now.viewers === 0 && this.#inView(kept) && kept.view.stream.state === 'taken')
        kept.view.stream.attach();
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
    if (this.#current !== undefined) this.#current.view.focus();
    else this.empty?.focus();
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

  /** Gives the views that are shown their places. */
  #place(): void {
    const one = this.#current;
    const two = this.#beside;
    if (two === undefined) {
      one?.view.place('whole', true);
      return;
    }
    // The terminal that is starting has no id yet; it is the second.
    const first = this.#deps.layout.pairOf(two.id)?.[0] ?? two.id;
    one?.view.place(one.id === first ? 'first' : 'second', true);
    two.view.place(two.id === first ? 'first' : 'second', false);
  }

  #appear(shown: Shown, terminal: TerminalInfo | undefined): void {
    this.#kept = [...this.#kept.filter((kept) => kept !== shown), shown];
    this.#dropOldest();
    if (shown.id !== undefined) this.rang.delete(shown.id);
    shown.view.show();
    if (terminal === undefined) return;
    const { state } = shown.view.stream;
    // If another panel has the terminal, showing it here takes it back.
    if (state === 'closed' || state === 'taken') shown.view.stream.attach();
    else shown.view.stream.wake(terminal.epoch);
  }

  #inView(shown: Shown): boolean {
    return shown === this.#current || shown === this.#beside;
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
        looked: () => this.#deps.looking.now,
        dial: (size, events) => this.#dial(shown, size, events),
        onState: (state) => {
          if (shown.id === undefined) return;
          this.streams.set(shown.id, state);
          // The event may have come before the reply that names a terminal that starts.
          if (state === 'gone') session.gone(shown.id);
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
          if (shown.id !== undefined && (!this.#inView(shown) || !document.hasFocus()))
            this.rang.add(shown.id);
        },
        onFind: this.#deps.onFind,
        onLeave: this.#deps.onLeave,
        onFocus: () => {
          if (shown === this.#beside && shown.id !== undefined) this.choose(shown.tab, shown.id);
        },
        onKey: (key) => (key === 'other' ? this.other() : this.#deps.onKey(key)),
        onLink: (link) => {
          this.link = link;
        },
        onOpenLink: this.#deps.openLink,
        onMatches: (index, count) => {
          if (shown === this.#current) this.found = { index, count };
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
            ...(shown.start?.resume && { resume: shown.start.resume }),
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
    const first = this.#splitting.get(shown.tab);
    this.#splitting.delete(shown.tab);
    if (first !== undefined && terminal.state !== TerminalMissing)
      this.#deps.layout.pair(first, terminal.id);
    this.left.delete(shown.tab);
    this.#chosen.set(shown.tab, terminal.id);
    this.streams.set(terminal.id, shown.view.stream.state);
    if (terminal.state === TerminalMissing) {
      this.#drop(shown);
      throw new GoneError('there is nothing to show');
    }
  }

  #startFailed(shown: Shown, error: unknown): void {
    this.starting.delete(shown.tab);
    this.#splitting.delete(shown.tab);
    this.problems.set(shown.tab, problem(error));
    this.#drop(shown);
  }

  #dropOldest(): void {
    while (this.#kept.length > MAX_SCREENS) {
      const oldest = this.#kept.find((kept) => !this.#inView(kept) && kept.id !== undefined);
      if (oldest === undefined) return;
      this.#drop(oldest);
    }
  }

  #drop(shown: Shown): void {
    this.#kept = this.#kept.filter((kept) => kept !== shown);
    if (this.#current === shown) this.#current = undefined;
    if (this.#beside === shown) this.#beside = undefined;
    if (shown.id !== undefined) {
      this.streams.delete(shown.id);
      this.rang.delete(shown.id);
    }
    shown.view.dispose();
  }
}
