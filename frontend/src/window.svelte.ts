import { SvelteSet } from 'svelte/reactivity';
import { asBackendError, type Backend, type BackendError, type Page } from './backend';
import { LogView } from './logs/logs.svelte';
import { calledSession } from './sessions/name';
import { SettingsForm, type FieldName } from './settings/form.svelte';
import { TalkView } from './talk/view.svelte';
import {
  AgentEnded,
  AgentMissing,
  type ConversationID,
  type SessionInfo,
  type WindowConversation,
  type WindowState,
} from '$ui/protocol/protocol';
import { Toasts } from '$ui/toasts.svelte';

/**
 * What the window knows. It holds no truth of its own: the state is replaced
 * whole with each event, and what the person does goes to the backend.
 */
export class AppWindow {
  readonly backend: Backend;
  readonly toasts = new Toasts();
  readonly logs: LogView;
  readonly settings: SettingsForm;

  /** Absent until the backend has answered for the first time. */
  state = $state.raw<WindowState>();
  /** Why the first answer did not come. */
  failure = $state.raw<BackendError>();
  page = $state<Page>('sessions');
  /** The conversation of the page "talk". */
  talk = $state.raw<TalkView>();
  /** The conversation that was in view before the list that is: its row gets the focus. */
  left: ConversationID | undefined;
  /** The setting that the settings page shall put the focus on when it opens. */
  wanted = $state<FieldName>();
  /** The notices that the person has put away. */
  readonly putAway = new SvelteSet<string>();
  /** The operations under way, as "start default"; their buttons are busy. */
  readonly #pending = new SvelteSet<string>();

  constructor(backend: Backend) {
    this.backend = backend;
    this.logs = new LogView();
    this.settings = new SettingsForm(backend);
  }

  /** Listens first and asks then, so that no change falls between. */
  open(): () => void {
    const ends = [
      this.backend.onState((state) => {
        this.#take(state);
      }),
      this.backend.onLog((records) => {
        this.logs.push(records);
      }),
      this.backend.onShow((page) => {
        this.page = page;
      }),
    ];
    void this.load();
    return () => {
      for (const end of ends) end();
    };
  }

  /** Asks for state and log; again after a failure. */
  async load(): Promise<void> {
    this.failure = undefined;
    try {
      const state = await this.backend.state();
      // An event may have come first; it is the newer one.
      if (!this.state) this.#take(state);
      this.logs.push(await this.backend.logs());
    } catch (reason) {
      this.failure = asBackendError(reason);
    }
  }

  #take(state: WindowState): void {
    this.state = state;
    this.failure = undefined;
  }

  /** Whether an operation of this name is under way. */
  pending(name: string): boolean {
    return this.#pending.has(name);
  }

  /**
   * Does something for the person. A failure is shown, with what to do; the
   * promise tells only whether it went well.
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
    void this.act(`start ${session.name}`, `“${calledSession(session)}” did not start`, () =>
      this.backend.startSession(session.name),
    );
  }

  stop(session: SessionInfo): void {
    void this.act(`stop ${session.name}`, `“${calledSession(session)}” did not stop`, () =>
      this.backend.stopSession(session.name),
    );
  }

  restart(session: SessionInfo): void {
    void this.act(`restart ${session.name}`, `“${calledSession(session)}” did not restart`, () =>
      this.backend.restartSession(session.name),
    );
  }

  /** Shows a conversation. */
  openTalk({ session, id }: WindowConversation): void {
    // One that was read before goes on where it was.
    if (this.talk?.session !== session || this.talk.id !== id)
      this.talk = new TalkView(this.backend, session, id);
    this.page = 'talk';
  }

  /** Goes back to the list. */
  leaveTalk(): void {
    this.left = this.talk?.id;
    this.page = 'sessions';
  }

  /** Opens the settings page at one of its fields. */
  editSetting(field: FieldName): void {
    this.wanted = field;
    this.page = 'settings';
  }

  /** Copies text, and says so. */
  async copy(text: string, what: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.toasts.show({ tone: 'ok', title: `${what} copied` });
    } catch {
      this.toasts.show({ tone: 'danger', title: `${what} could not be copied` });
    }
  }

  /** How many agents would end with the app. */
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
