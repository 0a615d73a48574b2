import type {
  AgentKind,
  ChatAttachment,
  Conversation,
  ConversationID,
  PanelEvent,
  PastSession,
  QueueAction,
  RouteKind,
  TabID,
} from '$ui/protocol/protocol';
import { PanelUnwatch, PanelWatch } from '$ui/protocol/protocol';
import { chatAttachmentSchema, chatPageSchema } from '$ui/protocol/schemas/chat';
import { SvelteMap } from 'svelte/reactivity';
import type { Connection } from '../connection/connection';
import type { Clock } from '../core/clock';
import { CHAT_PAGE } from '$ui/chat/limits';
import { Transcript } from '$ui/chat/transcript.svelte';
import { MAX_TRANSCRIPTS } from '../core/timing';
import type { Conversations } from '../state/conversations.svelte';
import { Draft } from './core/draft';
import { Input } from './input.svelte';
import { Requests } from './requests';

/** What the conversations need from the panel. */
export interface Dependencies {
  readonly connection: Connection;
  readonly heads: Conversations;
  readonly clock: Clock;
}

/** A message to send. */
export interface Outgoing {
  /** The message's id; a new one if it is left out. Two sends with the same id are one message. */
  readonly message?: string;
  readonly text: string;
  readonly attachments: readonly ChatAttachment[];
  readonly route?: RouteKind | undefined;
  /** Interrupts the running turn instead of waiting in the queue. */
  readonly now?: boolean;
  /**
   * The earlier user entry that this message replaces; that entry and all later
   * ones are removed.
   */
  readonly replaces?: string;
}

/** A conversation that this panel created. */
interface Fresh {
  readonly tab: TabID;
  /** Whether the user asked for it; otherwise it exists because the tab had none. */
  readonly wanted: boolean;
  agent?: AgentKind;
  command?: string;
  /** The session of the agent that it continues. */
  past?: PastSession;
  /** Set once the conversation is being created at the backend. */
  started?: Promise<void>;
}

/** The conversations of the panel: which one each tab shows, and the user's actions on them. */
export class Chats {
  /** The requests to the backend. */
  readonly requests: Requests;
  readonly #deps: Dependencies;
  /** The conversation that each tab shows. */
  readonly #chosen = new SvelteMap<TabID, ConversationID>();
  /** Conversations in memory; the one shown last is at the end. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #kept = new Map<ConversationID, Transcript>();
  /**
   * Conversations created here. The backend learns of one with its first message;
   * the event with its head then removes it from this map.
   */
  readonly #fresh = new SvelteMap<ConversationID, Fresh>();
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #inputs = new Map<ConversationID, Input>();
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #drafts = new Map<ConversationID, Draft>();
  /** Older entries that are being loaded. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #older = new Map<ConversationID, Promise<void>>();
  /** Called once something of a conversation has arrived. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #arrived = new Map<ConversationID, () => void>();
  #watched: ConversationID | undefined;
  /** Whether the open socket has received the current subscription. */
  #asked = false;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.requests = new Requests(deps.connection);
  }

  /** The conversation that a tab shows; undefined before `settle`. */
  of(tab: TabID): ConversationID | undefined {
    const chosen = this.#chosen.get(tab);
    if (chosen === undefined) return undefined;
    return this.#fresh.has(chosen) || this.#deps.heads.get(chosen) ? chosen : undefined;
  }

  /**
   * Decides which conversation a tab shows when none was chosen: the one used last,
   * else a new one. The decision then stays, whatever other panels do.
   */
  settle(tab: TabID, heads: readonly Conversation[]): void {
    const shown = this.of(tab);
    if (shown !== undefined && !this.#idle(shown)) return;
    const last = heads.find((one) => one.tab === tab)?.id;
    if (last !== undefined) this.#chosen.set(tab, last);
    else if (shown === undefined) this.#new(tab, false);
  }

  /**
   * Whether the user neither asked for this conversation nor wrote in it. One that
   * was started elsewhere is then shown instead.
   */
  #idle(id: ConversationID): boolean {
    const fresh = this.#fresh.get(id);
    if (fresh === undefined || fresh.wanted || fresh.started !== undefined) return false;
    const { text, attachments } = this.input(id);
    return text === '' && attachments.length === 0;
  }

  choose(tab: TabID, id: ConversationID): void {
    this.#chosen.set(tab, id);
  }

  /** Starts another conversation for a tab. An existing empty one is reused. */
  begin(tab: TabID): void {
    const empty = this.#deps.heads.of(tab).find((one) => one.entries === 0 && !one.draft);
    if (empty === undefined) this.#new(tab, true);
    else this.#chosen.set(tab, empty.id);
  }

  /** Continues a session that was begun elsewhere, in a conversation of its own. */
  async take(tab: TabID, past: PastSession): Promise<void> {
    const id = crypto.randomUUID();
    this.#fresh.set(id, { tab, wanted: true, agent: past.agent, past });
    this.#chosen.set(tab, id);
    const begun = await this.requests.try(id, () => this.#exist(id));
    // Where its files do not tell what was said, the agent repeats it when it opens the session.
    if (begun && (this.#deps.heads.get(id)?.entries ?? 0) === 0) await this.requests.restart(id);
  }

  /**
   * The agent of a conversation that is not at the backend yet; empty for the one
   * from the settings.
   */
  freshAgent(id: ConversationID): AgentKind {
    return this.#fresh.get(id)?.agent ?? '';
  }

  /** The entries of a conversation. */
  transcript(id: ConversationID): Transcript {
    let transcript = this.#kept.get(id);
    if (transcript === undefined) transcript = new Transcript();
    else this.#kept.delete(id);
    this.#kept.set(id, transcript);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_TRANSCRIPTS) break;
      this.#kept.delete(oldest);
    }
    return transcript;
  }

  /** What the user is writing in a conversation. */
  input(id: ConversationID): Input {
    let input = this.#inputs.get(id);
    if (input === undefined) {
      input = new Input();
      this.#inputs.set(id, input);
    }
    return input;
  }

  /**
   * Sets the conversation whose events this panel receives; undefined for none.
   * `rewatch` sends the subscription.
   */
  watch(id: ConversationID | undefined): void {
    if (this.#watched === id) return;
    if (this.#watched !== undefined) {
      this.#drafts.get(this.#watched)?.flush();
      this.#deps.connection.send({ type: PanelUnwatch, conversation: this.#watched });
    }
    this.#watched = id;
    this.#asked = false;
  }

  /** Records that the socket is lost, and the subscription with it. */
  lost(): void {
    this.#asked = false;
  }

  /**
   * Subscribes to the watched conversation, from the last known index on, unless
   * that was done already.
   */
  rewatch(): void {
    if (this.#asked) return;
    const id = this.#watched;
    const fresh = id === undefined ? undefined : this.#fresh.get(id);
    if (id === undefined || (fresh !== undefined && fresh.started === undefined)) return;
    this.#asked = true;
    const after = this.transcript(id).index;
    this.#deps.connection.send({ type: PanelWatch, conversation: id, after });
  }

  apply(event: PanelEvent): void {
    if (event.type === 'conversation_gone') {
      this.#kept.delete(event.conversation);
      this.requests.problems.delete(event.conversation);
      if (this.#watched === event.conversation) this.#watched = undefined;
    }
    if (event.type === 'conversation') this.#fresh.delete(event.conversation.id);
    if (event.type !== 'chat') return;
    const transcript = this.#kept.get(event.conversation);
    if (transcript === undefined) return;
    if (event.page !== undefined) transcript.take(event.page);
    if (event.events.length > 0) transcript.take(event.events);
    this.#arrived.get(event.conversation)?.();
    this.#arrived.delete(event.conversation);
  }

  /** Loads entries before the first one; waits for a load that is in progress instead. */
  older(id: ConversationID): Promise<void> {
    const running = this.#older.get(id) ?? this.#load(id).finally(() => this.#older.delete(id));
    this.#older.set(id, running);
    return running;
  }

  async #load(id: ConversationID): Promise<void> {
    const transcript = this.transcript(id);
    const first = transcript.cells[0];
    if (!transcript.more || first === undefined) return;
    transcript.fetching = true;
    await this.requests.try(id, async () => {
      const body = { conversation: id, before: first.entry.index, limit: CHAT_PAGE };
      transcript.prepend(
        await this.#deps.connection.request('/chat/history', body, chatPageSchema),
      );
    });
    transcript.fetching = false;
  }

  /** Sends a message. Returns false if it was refused, with the reason in `problems`. */
  async send(id: ConversationID, message: Outgoing): Promise<boolean> {
    const draft = this.#draft(id);
    draft.drop();
    const sent = await this.requests.try(id, async () => {
      await this.#exist(id);
      await draft.settled();
      await this.requests.post('/chat/send', {
        conversation: id,
        message: message.message ?? crypto.randomUUID(),
        text: message.text,
        attachments: [...message.attachments],
        ...(message.route && { route: message.route }),
        ...(message.now && { now: true }),
        ...(message.replaces !== undefined && { replaces: message.replaces }),
      });
    });
    // The event with the conversation's saved draft may not have arrived yet.
    if (sent && message.replaces === undefined)
      draft.clear(Boolean(this.#deps.heads.get(id)?.draft));
    return sent;
  }

  /** Records the draft, to save it; `of` is the id of the message that it may have been sent as. */
  draft(id: ConversationID, text: string, of?: string): void {
    this.#draft(id).change({ text, of });
  }

  /**
   * Changes a queued message. What was typed into one that cannot be changed, because it was sent
   * meanwhile, is kept.
   */
  async queue(
    id: ConversationID,
    action: QueueAction,
    message: string,
    part: { text?: string; to?: number } = {},
  ): Promise<void> {
    const done = await this.requests.queue(id, action, message, part);
    if (!done && part.text !== undefined) this.keep(id, part.text);
  }

  /** Adds a text to what the user is writing in a conversation. */
  keep(id: ConversationID, text: string): void {
    const own = this.input(id);
    own.add(text, []);
    this.draft(id, own.text);
  }

  /** Saves all drafts now, because the panel closes. */
  flush(): void {
    for (const draft of this.#drafts.values()) draft.flush();
  }

  /** Changes the given properties of a conversation. */
  set(
    id: ConversationID,
    part: {
      title?: string;
      draft?: string;
      draftOf?: string;
      agent?: AgentKind;
      command?: string;
      tab?: TabID;
      option?: string;
      value?: string;
    },
  ): Promise<boolean> {
    const fresh = this.#fresh.get(id);
    if (fresh !== undefined && fresh.started === undefined && part.agent !== undefined) {
      this.#fresh.set(id, {
        ...fresh,
        agent: part.agent,
        ...(part.command !== undefined && { command: part.command }),
      });
      return Promise.resolve(true);
    }
    const set = async (): Promise<void> => {
      await this.#exist(id);
      await this.requests.post('/chat/set', { conversation: id, ...part });
    };
    // A draft is saved while the user types, so its success must not remove another
    // request's problem.
    return part.draft === undefined ? this.requests.try(id, set) : this.requests.keep(id, set);
  }

  /** Loads older entries until the one with this index is loaded, once the newest ones are. */
  async reach(id: ConversationID, index: number): Promise<void> {
    const transcript = this.transcript(id);
    if (!transcript.known)
      await new Promise<void>((resolve) => {
        this.#arrived.set(id, resolve);
      });
    while (transcript.more && (transcript.cells[0]?.entry.index ?? 0) > index) {
      const before = transcript.cells.length;
      await this.older(id);
      if (transcript.cells.length === before) return;
    }
  }

  /** Attaches a screenshot of a tab to the message that is being written. */
  async shot(id: ConversationID, tab: TabID): Promise<void> {
    await this.requests.try(id, async () => {
      const { connection } = this.#deps;
      const picture = await connection.request('/chat/screenshot', { tab }, chatAttachmentSchema);
      this.input(id).attach(picture);
    });
  }

  #new(tab: TabID, wanted: boolean): void {
    const unused = [...this.#fresh].find(
      ([, made]) => made.tab === tab && made.started === undefined,
    );
    const id = unused?.[0] ?? crypto.randomUUID();
    this.#fresh.set(id, { ...unused?.[1], tab, wanted });
    this.#chosen.set(tab, id);
  }

  /** Creates a conversation at the backend if only this panel knows it. */
  async #exist(id: ConversationID): Promise<void> {
    const fresh = this.#fresh.get(id);
    if (fresh === undefined) return;
    fresh.started ??= this.#start(id, fresh);
    await fresh.started;
  }

  async #start(id: ConversationID, fresh: Fresh): Promise<void> {
    try {
      await this.requests.post('/chat/start', {
        conversation: id,
        tab: fresh.tab,
        ...(fresh.agent !== undefined && { agent: fresh.agent }),
        ...(fresh.command !== undefined && { command: fresh.command }),
        ...(fresh.past && {
          resume: fresh.past.id,
          folder: fresh.past.folder,
          title: fresh.past.title,
        }),
      });
    } catch (error) {
      delete fresh.started;
      throw error;
    }
    if (this.#watched === id) this.rewatch();
  }

  #draft(id: ConversationID): Draft {
    let draft = this.#drafts.get(id);
    if (draft === undefined) {
      draft = new Draft(this.#deps.clock, ({ text, of }) =>
        this.set(id, { draft: text, ...(of !== undefined && { draftOf: of }) }),
      );
      this.#drafts.set(id, draft);
    }
    return draft;
  }
}
