import { SvelteSet } from 'svelte/reactivity';
import { asBackendError, type Backend, type BackendError, type Page } from './backend';
import { Dismissed } from './dismissed';
import { LogView } from './logs/logs.svelte';
import { calledSession } from './sessions/name';
import { SettingsForm, type FieldName } from './settings/form.svelte';
import { ConversationView } from './conversation/view.svelte';
import type { NewSchedule } from './schedules/draft';
import {
  AgentEnded,
  AgentMissing,
  CodeNotRunning,
  DefaultSession,
  SessionFailed,
  SessionRunning,
  SessionStopped,
  SessionStopping,
  type ConversationID,
  type SessionInfo,
  type SessionName,
  type TabID,
  type WindowConversation,
  type WindowState,
} from '$ui/protocol/protocol';
import { Toasts } from '$ui/toasts.svelte';

/**
 * The state of the window. It is only a copy: each event replaces the state as a whole, and the
 * user's actions go to the backend.
 */
export class AppWindow {
  readonly backend: Backend;
  readonly toasts = new Toasts();
  readonly logs: LogView;
  readonly settings: SettingsForm;

  /** Undefined until the backend has answered for the first time. */
  state = $state.raw<WindowState>();
  /** Why the first request failed. */
  failure = $state.raw<BackendError>();
  page = $state<Page>('sessions');
  /** The tab of the page "view". */
  viewed = $state.raw<{ session: SessionName; tab: TabID }>();
  /** Whether the control page cannot reach Pilotfish at the moment. */
  lost = $state(false);
  /** The conversation of the page "talk". */
  conversation = $state.raw<ConversationView>();
  /** The conversation that was shown before the list: its row gets the focus. */
  left: ConversationID | undefined;
  /** The setting that the settings page focuses when it opens. */
  wanted = $state<FieldName>();
  /**
   * The browser with which the form of a new session begins: empty for one of the session's own;
   * undefined while the form is closed.
   */
  newSession = $state<string>();
  /** What the form of a new schedule is filled in with; the page of schedules takes it. */
  newSchedule = $state.raw<NewSchedule>();
  /** The notices that the user has dismissed. */
  readonly dismissed = new Dismissed();
  /** Whether it is known if the browser starts. */
  #begun = false;
  /** The running operations, such as "start default"; their buttons are busy. */
  readonly #pending = new SvelteSet<string>();

  constructor(backend: Backend) {
    this.backend = backend;
    this.logs = new LogView();
    this.settings = new SettingsForm(backend);
  }

  /** Subscribes first and then requests the state, so that no change is missed. */
  open(): () => void {
    const ends = [
      this.backend.onState((state) => {
        this.#take(state);
      }),
      this.backend.onLost(() => {
        this.lost = true;
      }),
      this.backend.onLog((records) => {
        this.logs.push(records);
      }),
      this.backend.onShow(({ page, schedule, session }) => {
        if (page !== undefined) this.page = page;
        if (schedule !== undefined)
          this.newSchedule = { what: schedule, session: session ?? DefaultSession };
      }),
    ];
    void this.load();
    return () => {
      for (const end of ends) end();
    };
  }

  /** Requests state and log; also after a failure. */
  async load(): Promise<void> {
    this.failure = undefined;
    try {
      const state = await this.backend.state();
      // An event may have come first. It is the newer state.
      if (!this.state) this.#take(state);
      this.logs.push(await this.backend.logs());
    } catch (reason) {
      this.failure = asBackendError(reason);
    }
  }

  #take(state: WindowState): void {
    // The browser opens with a welcome page, which offers the first steps. Only without a browser
    // the window begins with them: once, and not over a page that the user has opened.
    const browserless = state.sessions.every(({ state }) => state === SessionFailed);
    if (
      !this.#begun &&
      state.firstRun === true &&
      browserless &&
      this.page === 'sessions' &&
      !this.away
    )
      this.page = 'first';
    if (browserless || state.sessions.some(({ state }) => state === SessionRunning))
      this.#begun = true;
    this.state = state;
    this.failure = undefined;
    this.lost = false;
  }

  /**
   * Whether this is the control page, which may be at another computer than Pilotfish: nothing is
   * shown on the desktop, no file is chosen, and the app is not quit.
   */
  get away(): boolean {
    return this.backend.control !== undefined;
  }

  /** Shows a tab: in the browser, or on the control page as a live view. */
  showTab(session: SessionName, tab: TabID): void {
    if (this.away) {
      this.viewed = { session, tab };
      this.page = 'view';
      return;
    }
    void this.act(`show ${session} ${tab}`, `${tab} could not be shown`, () =>
      this.backend.showTab(session, tab),
    );
  }

  /** Whether an operation of this name is running. */
  pending(name: string): boolean {
    return this.#pending.has(name);
  }

  /**
   * Runs an operation for the user. It shows a failure, with what to do about it; the promise only
   * says whether the operation succeeded.
   */
  async act(name: string, title: string, work: () => Promise<unknown>): Promise<boolean> {
    if (this.#pending.has(name)) return false;
    this.#pending.add(name);
    try {
      await work();
      return true;
    } catch (reason) {
      this.toasts.show({ tone: 'danger', title, text: asBackendError(reason).text });
      return false;
    } finally {
      this.#pending.delete(name);
    }
  }

  start(session: Pick<SessionInfo, 'name' | 'title'>): void {
    this.#begin('start', session, () => this.backend.startSession(session.name));
  }

  stop(session: SessionInfo): void {
    void this.act(`stop ${session.name}`, `“${calledSession(session)}” did not stop`, () =>
      this.backend.stopSession(session.name),
    );
  }

  restart(session: SessionInfo): void {
    this.#begin('restart', session, () => this.backend.restartSession(session.name));
  }

  /** Starts a session, which may wait for its user. */
  #begin(
    verb: 'start' | 'restart',
    session: Pick<SessionInfo, 'name' | 'title'>,
    begin: () => Promise<void>,
  ): void {
    const title = `“${calledSession(session)}” did not ${verb}`;
    void this.act(`${verb} ${session.name}`, title, async () => {
      try {
        await begin();
      } catch (reason) {
        // A user who stopped it knows that it did not start.
        const now = this.state?.sessions.find(({ name }) => name === session.name)?.state;
        const stopped = now === SessionStopping || now === SessionStopped;
        if (!stopped || asBackendError(reason).code !== CodeNotRunning) throw reason;
      }
    });
  }

  /** Shows a conversation. */
  openConversation({ session, id }: WindowConversation): void {
    // A conversation that was read before continues where it was.
    if (this.conversation?.session !== session || this.conversation.id !== id)
      this.conversation = new ConversationView(this.backend, session, id);
    this.page = 'talk';
  }

  /** Goes back to the list. */
  leaveConversation(): void {
    this.left = this.conversation?.id;
    this.page = 'sessions';
  }

  /** Ends the steps of the first run, which are not shown again unless they are asked for. */
  firstRunDone(): void {
    this.page = 'sessions';
    if (this.state?.firstRun !== true) return;
    void this.act('first run', 'The first steps will be shown again', () =>
      this.backend.firstRunDone(),
    );
  }

  /** Opens the settings page at one of its fields. */
  editSetting(field: FieldName): void {
    this.wanted = field;
    this.page = 'settings';
  }

  /** Copies text, and shows that it did. */
  async copy(text: string, what: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.toasts.show({ tone: 'ok', title: `${what} copied` });
    } catch {
      this.toasts.show({ tone: 'danger', title: `${what} could not be copied` });
    }
  }

  /** How many agents would end if the app quit. */
  get agentsAlive(): number {
    let count = 0;
    for (const session of this.state?.sessions ?? []) {
      for (const terminal of session.terminals) {
        if (terminal.status !== AgentEnded && terminal.status !== AgentMissing) count++;
      }
    }
    return count;
  }
}
