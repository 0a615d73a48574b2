import type {
  ChatAttachment,
  ChatEntry,
  ChatEvent,
  ChatPage,
  ChatPathsRequest,
  ChatQueueRequest,
  ChatSendRequest,
  ChatSetRequest,
  ChatStartRequest,
  Conversation,
  Error as Refusal,
  PanelEvent,
  PickedElement,
  PickRequest,
  PastSession,
} from '$ui/protocol/protocol';
import { ChatQueue } from '$ui/protocol/protocol';

/** The state of one conversation. */
interface Kept {
  head: Conversation;
  entries: ChatEntry[];
  /** All events, to repeat to a viewer that reconnects. */
  events: ChatEvent[];
}

/** The status for a reply that gets lost: the connection closes instead. */
export const lost = 0;

/** The number of entries in a page. */
const pageSize = 100;

/** Sends an event to one panel. */
type Tell = (event: PanelEvent) => void;

/**
 * The conversations of the fake backend. They keep entries, queue and drafts as the real one does;
 * the test decides what their agent says.
 */
export class FakeChat {
  readonly kept = new Map<string, Kept>();
  /** Bodies of the requests, with their routes. */
  readonly asked: { path: string; body: unknown }[] = [];
  /** The answer to the next message, which is then not accepted. */
  refuse: Refusal | undefined;
  /** Whether the next message is accepted but its reply gets lost. */
  loseReply = false;
  /** Values of a new conversation besides the defaults. */
  defaults: Partial<Conversation> = {};
  /** The content of every image. */
  picture: ChatAttachment | undefined;
  /** The sessions that agents keep themselves. */
  past: PastSession[] = [];
  /** The files of the working folder. */
  paths: string[] = [];
  /** The elements to pick on every page; refusePick is an error instead. */
  pickable: PickedElement[] = [];
  refusePick: Refusal | undefined;
  readonly #push: Tell;
  /** The conversations that each panel watches. */
  readonly #watched = new Map<Tell, Set<string>>();
  #made = 0;

  constructor(push: Tell) {
    this.#push = push;
  }

  heads(): Conversation[] {
    return [...this.kept.values()].map(({ head }) => head);
  }

  /** A conversation that must exist. */
  get(id: string): Kept {
    const kept = this.kept.get(id);
    if (kept === undefined) throw new Error(`there is no conversation ${id}`);
    return kept;
  }

  /** The conversation that was created first. */
  get first(): string {
    const id = this.kept.keys().next().value;
    if (id === undefined) throw new Error('no conversation was started');
    return id;
  }

  add(id: string, part: Partial<Conversation> = {}): Conversation {
    this.#made += 1;
    const at = new Date(1_800_000_000_000 + this.#made * 1_000).toISOString();
    const head: Conversation = {
      id,
      title: '',
      agent: 'pilot',
      agentName: 'Pilot',
      state: 'idle',
      queue: [],
      options: [],
      commands: [],
      can: { images: true, resume: true, steer: false, terminal: false },
      created: at,
      updated: at,
      index: 0,
      entries: 0,
      ...this.defaults,
      ...part,
    };
    this.kept.set(id, { head, entries: [], events: [] });
    this.#push({ type: 'conversation', conversation: head });
    return head;
  }

  /** Changes a conversation's head. */
  change(id: string, part: Partial<Conversation>): void {
    const kept = this.get(id);
    kept.head = { ...kept.head, ...part };
    this.#push({ type: 'conversation', conversation: kept.head });
  }

  /** Adds or replaces an entry, as the agent's event would; returns its id. */
  put(id: string, part: Partial<ChatEntry> & Pick<ChatEntry, 'kind'>): string {
    const kept = this.get(id);
    const index = kept.head.index + 1;
    const known = kept.entries.find((entry) => entry.id === part.id);
    const entry: ChatEntry = {
      id: `e${String(index)}`,
      at: '2026-11-21T09:30:00Z',
      ...part,
      index: known?.index ?? index,
    };
    if (known === undefined) kept.entries.push(entry);
    else kept.entries[kept.entries.indexOf(known)] = entry;
    this.#event(id, { index, op: 'put', entry });
    return entry.id;
  }

  /** Appends text to an entry. */
  append(id: string, entry: string, text: string): void {
    const kept = this.get(id);
    const known = kept.entries.findIndex((one) => one.id === entry);
    const before = kept.entries[known];
    if (before !== undefined) kept.entries[known] = { ...before, text: (before.text ?? '') + text };
    this.#event(id, { index: kept.head.index + 1, op: 'append', id: entry, text });
  }

  /** Repeats all events from the beginning, as a faulty backend might. */
  repeat(id: string): void {
    this.#push({ type: 'chat', conversation: id, events: this.get(id).events });
  }

  /** Starts a panel's watch: it receives the events after an index, and all further events. */
  watch(tell: Tell, id: string, after: number): void {
    this.#watched.set(tell, (this.#watched.get(tell) ?? new Set()).add(id));
    const kept = this.kept.get(id);
    if (kept === undefined) return;
    if (after === 0 && kept.events.length > 2_000)
      tell({ type: 'chat', conversation: id, events: [], page: this.page(id) });
    else {
      const events = kept.events.filter(({ index }) => index > after);
      const head: ChatEvent = { index: kept.head.index, op: 'head', head: kept.head };
      tell({ type: 'chat', conversation: id, events: [...events, head] });
    }
  }

  unwatch(tell: Tell, id: string): void {
    this.#watched.get(tell)?.delete(id);
  }

  /** Removes a panel and its watches. */
  left(tell: Tell): void {
    this.#watched.delete(tell);
  }

  /** A part of a conversation: the last entries before an index. */
  page(id: string, before = 0, limit = pageSize): ChatPage {
    const { head, entries } = this.get(id);
    const all = before === 0 ? entries : entries.filter(({ index }) => index < before);
    const more = all.length > limit;
    return { head, entries: more ? all.slice(-limit) : all, index: head.index, more };
  }

  /** Answers a request; undefined for a route that does not belong to Chat. */
  answer(path: string, body: unknown): [number, unknown] | undefined {
    if (!path.startsWith('/chat/') && path !== '/inspector/pick') return undefined;
    this.asked.push({ path, body });
    const { conversation } = body as { conversation: string };
    switch (path) {
      case '/chat/start':
        return this.#start(body as ChatStartRequest);
      case '/chat/send':
        return this.#send(body as ChatSendRequest);
      case '/chat/queue':
        return this.#queue(body as ChatQueueRequest);
      case '/chat/set':
        return this.#set(body as ChatSetRequest);
      case '/chat/cancel': {
        const { message } = this.get(conversation).head;
        this.put(conversation, {
          kind: 'end',
          ...(message !== undefined && { message }),
          end: { reason: 'cancelled', durationMs: 900 },
        });
        this.change(conversation, { state: 'idle' });
        return [200, {}];
      }
      case '/chat/delete':
        this.kept.delete(conversation);
        this.#push({ type: 'conversation_gone', conversation });
        return [200, {}];
      case '/chat/history': {
        const { before, limit } = body as { before?: number; limit?: number };
        return [200, this.page(conversation, before, limit)];
      }
      case '/chat/past':
        return [200, { sessions: this.past }];
      case '/chat/search':
        return [200, { found: this.#search((body as { text: string }).text) }];
      case '/chat/paths': {
        const { text } = body as ChatPathsRequest;
        return [200, { paths: this.paths.filter((one) => one.includes(text)) }];
      }
      case '/inspector/pick': {
        const { action } = body as PickRequest;
        const { refusePick } = this;
        if (refusePick !== undefined && action === 'start') return [409, { error: refusePick }];
        return [200, { elements: action === 'start' ? this.pickable : [] }];
      }
      case '/chat/export': {
        const { entries, head } = this.get(conversation);
        const text = entries.map((entry) => entry.text ?? '').join('\n\n');
        return [200, { name: `${head.title}.md`, text }];
      }
      case '/chat/screenshot':
      case '/chat/file':
        return this.picture === undefined
          ? [404, { error: { code: 'gone', message: 'There is no picture.' } }]
          : [200, this.picture];
      default:
        return [200, {}];
    }
  }

  #start(request: ChatStartRequest): [number, unknown] {
    if (!this.kept.has(request.conversation))
      this.add(request.conversation, {
        ...(request.tab !== undefined && { tab: request.tab }),
        ...(request.agent && { agent: request.agent, agentName: request.agent }),
        ...(request.title && { title: request.title }),
      });
    return [200, this.get(request.conversation).head];
  }

  #send(request: ChatSendRequest): [number, unknown] {
    const id = request.conversation;
    const kept = this.get(id);
    const { refuse } = this;
    if (refuse !== undefined) {
      this.refuse = undefined;
      return [409, { error: refuse }];
    }
    const { message, text, attachments = [], route } = request;
    if (request.replaces !== undefined) {
      const at = kept.entries.findIndex((entry) => entry.id === request.replaces);
      kept.entries.splice(at);
      this.#event(id, { index: kept.head.index + 1, op: 'remove', id: request.replaces });
    }
    if (kept.head.state === 'running' && !request.now) {
      if (kept.head.queue.length >= ChatQueue) {
        const most = `${String(ChatQueue)} messages are queued already.`;
        return [409, { error: { code: 'busy', message: most, hint: 'Remove one first.' } }];
      }
      const queued = { id: message, text, attachments, ...(route && { route }) };
      this.change(id, { queue: [...kept.head.queue, queued] });
      return [200, {}];
    }
    this.put(id, {
      id: message,
      kind: 'user',
      message,
      text,
      attachments,
      route: { kind: route ?? 'instant', reason: 'it is an instant command', chosen: !!route },
    });
    const title = kept.head.title === '' ? text.slice(0, 40) : kept.head.title;
    this.change(id, { state: 'running', message, title });
    const status = this.loseReply ? lost : 200;
    this.loseReply = false;
    return [status, {}];
  }

  #queue({ conversation, action, message, text, to }: ChatQueueRequest): [number, unknown] {
    const { queue } = this.get(conversation).head;
    const one = queue.find(({ id }) => id === message);
    if (one === undefined) return [404, { error: { code: 'gone', message: 'It was sent.' } }];
    const others = queue.filter(({ id }) => id !== message);
    if (action === 'edit')
      this.change(conversation, {
        queue: queue.map((other) =>
          other.id === message ? { ...other, text: text ?? '' } : other,
        ),
      });
    else if (action === 'move')
      this.change(conversation, { queue: others.toSpliced(to ?? 0, 0, one) });
    else this.change(conversation, { queue: others });
    return [200, {}];
  }

  #set(request: ChatSetRequest): [number, unknown] {
    const { conversation, title, draft, agent, tab, option, value } = request;
    const { head } = this.get(conversation);
    this.change(conversation, {
      ...(title !== undefined && { title }),
      ...(draft !== undefined && { draft }),
      ...(tab !== undefined && { tab }),
      ...(agent !== undefined && { agent, agentName: agent }),
      options: head.options.map((one) =>
        one.id === option ? { ...one, value: value ?? one.value } : one,
      ),
    });
    return [200, {}];
  }

  #search(text: string): object[] {
    return [...this.kept.values()].flatMap(({ head, entries }) =>
      entries
        .filter((entry) => entry.text?.includes(text))
        .map((entry) => {
          const [before = '', ...after] = (entry.text ?? '').split(text);
          return {
            conversation: head.id,
            title: head.title,
            entry: entry.id,
            index: entry.index,
            at: entry.at,
            before,
            match: text,
            after: after.join(text),
          };
        }),
    );
  }

  #event(id: string, event: ChatEvent): void {
    const kept = this.get(id);
    kept.events.push(event);
    kept.head = { ...kept.head, index: event.index, entries: kept.entries.length };
    for (const [tell, watched] of this.#watched)
      if (watched.has(id)) tell({ type: 'chat', conversation: id, events: [event] });
  }
}
