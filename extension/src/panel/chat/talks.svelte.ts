import type {
  AgentKind,
  ChatAttachment,
  Conversation,
  ConversationID,
  PanelEvent,
  RouteKind,
  TabID,
} from '$ui/protocol/protocol';
import { PanelUnwatch, PanelWatch } from '$ui/protocol/protocol';
import { chatAttachmentSchema, chatPageSchema } from '$ui/protocol/chat';
import { SvelteMap } from 'svelte/reactivity';
import type { Connection } from '../connection/connection';
import type { Clock } from '../core/clock';
import { CHAT_PAGE } from '$ui/chat/limits';
import { Talk } from '$ui/chat/talk.svelte';
import { MAX_TALKS } from '../core/timing';
import type { Conversations } from '../state/conversations.svelte';
import { Draft } from './core/draft';
import { Input } from './input.svelte';
import { Requests } from './requests';

/** What the surroundings give. */
export interface Surroundings {
  readonly connection: Connection;
  readonly heads: Conversations;
  readonly clock: Clock;
}

/** A message that is on its way. */
export interface Outgoing {
  /** Its id; a new one when it is left out. The same one twice is one message. */
  readonly message?: string;
  readonly text: string;
  readonly attachments: readonly ChatAttachment[];
  readonly route?: RouteKind | undefined;
  /** Interrupts the turn that runs instead of waiting behind it. */
  readonly now?: boolean;
  /** An earlier user entry that is taken back with all behind it. */
  readonly replaces?: string;
}

/** A conversation that was made here. */
interface Fresh {
  readonly tab: TabID;
  /** A person asked for it; else it is there because the tab had none. */
  readonly wanted: boolean;
  agent?: AgentKind;
  command?: string;
  /** It was begun at the backend. */
  started?: Promise<void>;
}

/** The conversations of the panel: which is shown where, and what a person does with them. */
export class Talks {
  /** What is asked of the backend. */
  readonly requests: Requests;
  readonly #around: Surroundings;
  /** The one that was chosen beside a tab. */
  readonly #chosen = new SvelteMap<TabID, ConversationID>();
  /** Kept conversations, the one shown last at the end. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #kept = new Map<ConversationID, Talk>();
  /** Made here; the backend learns of it with the first word, and then its head comes. */
  readonly #fresh = new SvelteMap<ConversationID, Fresh>();
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #inputs = new Map<ConversationID, Input>();
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #drafts = new Map<ConversationID, Draft>();
  #watched: ConversationID | undefined;
  /** The socket that is open was told what is watched. */
  #asked = false;

  constructor(around: Surroundings) {
    this.#around = around;
    this.requests = new Requests(around.connection);
  }

  /** Which conversation a tab shows; undefined before `settle`. */
  of(tab: TabID): ConversationID | undefined {
    const chosen = this.#chosen.get(tab);
    if (chosen === undefined) return undefined;
    return this.#fresh.has(chosen) || this.#around.heads.get(chosen) ? chosen : undefined;
  }

  /**
   * Decides which conversation of all a tab shows when none was chosen: the one
   * used last, else a new one. It stays that one, whatever others do meanwhile.
   */
  settle(tab: TabID, heads: readonly Conversation[]): void {
    const shown = this.of(tab);
    if (shown !== undefined && !this.#idle(shown)) return;
    const last = heads.find((one) => one.tab === tab)?.id;
    if (last !== undefined) this.#chosen.set(tab, last);
    else if (shown === undefined) this.#new(tab, false);
  }

  /** Whether nobody asked for this one and nobody wrote to it: one that was begun elsewhere is better. */
  #idle(id: ConversationID): boolean {
    const fresh = this.#fresh.get(id);
    if (fresh === undefined || fresh.wanted || fresh.started !== undefined) return false;
    const { text, attachments } = this.input(id);
    return text === '' && attachments.length === 0;
  }

  choose(tab: TabID, id: ConversationID): void {
    this.#chosen.set(tab, id);
  }

  /** Begins another conversation beside a tab; one without a word is that already. */
  begin(tab: TabID): void {
    const empty = this.#around.heads.of(tab).find((one) => one.entries === 0 && !one.draft);
    if (empty === undefined) this.#new(tab, true);
    else this.#chosen.set(tab, empty.id);
  }

  /** Which agent a conversation that was not begun yet will have; empty for that of Settings. */
  freshAgent(id: ConversationID): AgentKind {
    return this.#fresh.get(id)?.agent ?? '';
  }

  /** The conversation as it is seen. */
  talk(id: ConversationID): Talk {
    let talk = this.#kept.get(id);
    if (talk === undefined) talk = new Talk();
    else this.#kept.delete(id);
    this.#kept.set(id, talk);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_TALKS) break;
      this.#kept.delete(oldest);
    }
    return talk;
  }

  /** What a person is writing to a conversation. */
  input(id: ConversationID): Input {
    let input = this.#inputs.get(id);
    if (input === undefined) {
      input = new Input();
      this.#inputs.set(id, input);
    }
    return input;
  }

  /** Asks for what is said in this conversation, and for no other; undefined for none. */
  watch(id: ConversationID | undefined): void {
    if (this.#watched === id) return;
    if (this.#watched !== undefined) {
      this.#drafts.get(this.#watched)?.flush();
      this.#around.connection.send({ type: PanelUnwatch, conversation: this.#watched });
    }
    this.#watched = id;
    this.#asked = false;
  }

  /** The socket is gone, and with it what was asked. */
  lost(): void {
    this.#asked = false;
  }

  /** Asks for what is said from where it was, unless it was asked already. */
  rewatch(): void {
    if (this.#asked) return;
    const id = this.#watched;
    const fresh = id === undefined ? undefined : this.#fresh.get(id);
    if (id === undefined || (fresh !== undefined && fresh.started === undefined)) return;
    this.#asked = true;
    const after = this.talk(id).index;
    this.#around.connection.send({ type: PanelWatch, conversation: id, after });
  }

  apply(event: PanelEvent): void {
    if (event.type === 'conversation_gone') {
      this.#kept.delete(event.conversation);
      this.requests.problems.delete(event.conversation);
      if (this.#watched === event.conversation) this.#watched = undefined;
    }
    if (event.type === 'conversation') this.#fresh.delete(event.conversation.id);
    if (event.type !== 'chat') return;
    const talk = this.#kept.get(event.conversation);
    if (talk === undefined) return;
    if (event.page !== undefined) talk.take(event.page);
    if (event.events.length > 0) talk.take(event.events);
  }

  /** Fetches entries before the first. */
  async older(id: ConversationID): Promise<void> {
    const talk = this.talk(id);
    const first = talk.cells[0];
    if (talk.fetching || !talk.more || first === undefined) return;
    talk.fetching = true;
    await this.requests.try(id, async () => {
      const body = { conversation: id, before: first.entry.index, limit: CHAT_PAGE };
      talk.prepend(await this.#around.connection.request('/chat/history', body, chatPageSchema));
    });
    talk.fetching = false;
  }

  /** Sends a message; false when it was refused, with the reason in `problems`. */
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
        attachments: message.attachments,
        ...(message.route && { route: message.route }),
        ...(message.now && { now: true }),
        ...(message.replaces !== undefined && { replaces: message.replaces }),
      });
    });
    // Its head may not have come back yet with what was saved.
    if (sent && message.replaces === undefined)
      draft.clear(Boolean(this.#around.heads.get(id)?.draft));
    return sent;
  }

  /** Keeps what is being typed; `of` is the message that it may have been sent as. */
  draft(id: ConversationID, text: string, of?: string): void {
    this.#draft(id).change({ text, of });
  }

  /** Keeps it now: the panel goes. */
  flush(): void {
    for (const draft of this.#drafts.values()) draft.flush();
  }

  /** Changes what is not null. */
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
    // A draft is saved while it is written: what was said meanwhile stays.
    return part.draft === undefined ? this.requests.try(id, set) : this.requests.keep(id, set);
  }

  /** Fetches entries until the one of an index is here. */
  async reach(id: ConversationID, index: number): Promise<void> {
    const talk = this.talk(id);
    while (talk.more && (talk.cells[0]?.entry.index ?? 0) > index) {
      const before = talk.cells.length;
      await this.older(id);
      if (talk.cells.length === before) return;
    }
  }

  /** Adds a picture of a tab to what is being written. */
  async shot(id: ConversationID, tab: TabID): Promise<void> {
    await this.requests.try(id, async () => {
      const { connection } = this.#around;
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

  /** Makes the backend know a conversation that was made here. */
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
      draft = new Draft(this.#around.clock, ({ text, of }) =>
        this.set(id, { draft: text, ...(of !== undefined && { draftOf: of }) }),
      );
      this.#drafts.set(id, draft);
    }
    return draft;
  }
}
