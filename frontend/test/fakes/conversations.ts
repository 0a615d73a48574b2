// The conversations of the fake app. They are kept as events, and repeated to a reader that returns
// with an index, as the real app does.
import type {
  ChatEntry,
  ChatEvent,
  ChatEventsEvent,
  ChatPage,
  ChatRequest,
  Conversation,
  ConversationWatchRequest,
  FileRequest,
  WindowConversation,
} from '../../ui/protocol/protocol';

type Said = Pick<ChatEventsEvent, 'events' | 'page'>;

/** The events that wait for a reader, or the reader that waits for events. */
interface Reader {
  readonly number: number;
  readonly id: string;
  readonly waiting: Said[];
  next?: { resolve: (said: Said) => void; reject: (why: Error) => void };
  over: boolean;
}

interface Kept {
  head: Conversation;
  entries: ChatEntry[];
  events: ChatEvent[];
}

const refusal = (code: string, message: string): Error =>
  new Error(JSON.stringify({ code, message }));

/** A red square. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mP4z8CAFTEMLQkAuAI/wVjCLwcAAAAASUVORK5CYII=';

/** How many of the last entries the first page has. */
const pageSize = 40;

export class FakeConversations {
  readonly kept = new Map<string, Kept>();
  #reader: Reader | undefined;
  #last = 0;

  constructor(all: readonly WindowConversation[]) {
    for (const one of all) this.#add(one);
    if (this.kept.has('c1')) this.#fill('c1');
  }

  #add(one: WindowConversation): void {
    const { id, title, agentName, state, tab } = one;
    this.kept.set(id, {
      entries: [],
      events: [],
      head: {
        id,
        title,
        agent: 'claude',
        agentName,
        state,
        ...(tab !== undefined && { tab }),
        queue: [],
        options: [],
        commands: [],
        can: { images: true, resume: true, steer: false, terminal: false },
        created: '2026-11-21T09:30:00Z',
        updated: '2026-11-21T09:30:00Z',
        index: 0,
        entries: 0,
      },
    });
  }

  #get(id: unknown): Kept {
    const kept = this.kept.get(String(id));
    if (kept === undefined)
      throw refusal('unknown_conversation', `there is no conversation "${String(id)}"`);
    return kept;
  }

  /** Adds or replaces an entry; one without an index gets the next one. */
  put(id: string, part: Partial<ChatEntry> & Pick<ChatEntry, 'kind'>): void {
    const kept = this.#get(id);
    const index = kept.head.index + 1;
    const at = kept.entries.findIndex((one) => one.id === part.id);
    const entry: ChatEntry = {
      id: `e${String(index)}`,
      at: '2026-11-21T09:30:00Z',
      ...part,
      index: kept.entries[at]?.index ?? index,
    };
    if (at < 0) kept.entries.push(entry);
    else kept.entries[at] = entry;
    this.#event(id, { index, op: 'put', entry });
  }

  /** Appends text to an entry. */
  append(id: string, entry: string, text: string): void {
    const kept = this.#get(id);
    const at = kept.entries.findIndex((one) => one.id === entry);
    const before = kept.entries[at];
    if (before !== undefined) kept.entries[at] = { ...before, text: (before.text ?? '') + text };
    this.#event(id, { index: kept.head.index + 1, op: 'append', id: entry, text });
  }

  /** Changes a conversation's head. */
  change(id: string, part: Partial<Conversation>): void {
    const kept = this.#get(id);
    kept.head = { ...kept.head, ...part };
    this.#say(id, { events: [{ index: kept.head.index, op: 'head', head: kept.head }] });
  }

  /** Repeats all events from the beginning, as a faulty backend might. */
  repeat(id: string): void {
    this.#say(id, { events: this.#get(id).events });
  }

  /** Ends the session and its reader. */
  end(): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) return;
    reader.over = true;
    reader.next?.reject(
      refusal('not_running', 'this conversation is no longer open in the window'),
    );
  }

  #event(id: string, event: ChatEvent): void {
    const kept = this.#get(id);
    kept.head = { ...kept.head, index: event.index, entries: kept.entries.length };
    kept.events.push(event);
    this.#say(id, { events: [event] });
  }

  #say(id: string, said: Said): void {
    const reader = this.#reader;
    if (reader?.id !== id) return;
    const { next } = reader;
    delete reader.next;
    if (next === undefined) reader.waiting.push(said);
    else next.resolve(said);
  }

  #page(id: unknown, before = 0, limit = pageSize): ChatPage {
    const { head, entries } = this.#get(id);
    const all = before === 0 ? entries : entries.filter(({ index }) => index < before);
    const more = all.length > limit;
    return { head, entries: more ? all.slice(-limit) : all, index: head.index, more };
  }

  /** The operations. */
  readonly methods: Record<string, (...args: unknown[]) => unknown> = {
    WatchConversation: (_, part) => {
      const { conversation: id, after } = part as ConversationWatchRequest;
      const { head, events } = this.#get(id);
      this.end();
      this.#last += 1;
      const since = events.filter(({ index }) => index > after);
      const first: Said =
        after === 0
          ? { events: [], page: this.#page(id) }
          : { events: [...since, { index: head.index, op: 'head', head }] };
      this.#reader = { number: this.#last, id, waiting: [first], over: false };
      return this.#last;
    },
    NextSaid: async (number) => {
      const reader = this.#reader;
      if (reader === undefined || reader.number !== number)
        throw refusal('not_running', 'this conversation is no longer open in the window');
      const said =
        reader.waiting.shift() ??
        (await new Promise<Said>((resolve, reject) => {
          reader.next = { resolve, reject };
        }));
      return { type: 'chat', conversation: reader.id, ...said };
    },
    UnwatchConversation: (number) => {
      if (this.#reader?.number === number) this.end();
    },
    ConversationHistory: (_, part) => {
      const { conversation, before, limit } = part as Record<string, unknown>;
      return this.#page(conversation, Number(before), Number(limit));
    },
    AnswerQuestion: (_, part) => {
      const { conversation, option } = part as Record<string, string>;
      const kept = this.#get(conversation);
      const asked = kept.entries.find(({ permission }) => permission?.approval);
      if (asked?.permission === undefined) throw refusal('bad_argument', 'this question is over');
      const permission = { ...asked.permission };
      delete permission.approval;
      this.put(kept.head.id, {
        ...asked,
        permission: { ...permission, answer: option ?? '', outcome: 'by you in the window' },
      });
      this.change(kept.head.id, { state: 'running' });
    },
    StopTurn: (_, part) => {
      const { conversation: id } = part as ChatRequest;
      this.put(id, { kind: 'end', end: { reason: 'cancelled', durationMs: 900 } });
      this.change(id, { state: 'idle' });
    },
    RestartAgent: (_, part) => {
      this.change((part as ChatRequest).conversation, { state: 'idle' });
    },
    ConversationFile: (_, part) => ({
      kind: 'image',
      name: (part as FileRequest).path,
      mime: 'image/png',
      data: picture,
    }),
    ShowConversation: () => undefined,
    OpenLink: () => undefined,
  };

  /** Fills a conversation with every kind of entry, and a question at its end. */
  #fill(id: string): void {
    for (let at = 1; at <= 60; at++)
      this.put(id, { kind: 'text', text: `Word ${String(at)} of before.` });
    this.put(id, {
      kind: 'user',
      text: 'Why does the coupon go away at the second step, and only then?',
      message: 'm1',
      attachments: [{ kind: 'tab', name: 'Checkout', tab: 't1', text: 'http://localhost:5173/' }],
      route: { kind: 'strong', reason: 'you asked why', word: 'why', model: 'opus' },
    });
    this.put(id, { kind: 'thought', text: 'The cart is read twice.\nI look at both.' });
    this.put(id, {
      kind: 'tool',
      tool: {
        call: 'c1',
        title: 'click',
        line: 'Clicked Next',
        kind: 'browser',
        status: 'done',
        content: [],
        screenshot: 'screenshots/1.png',
      },
    });
    this.put(id, {
      kind: 'plan',
      plan: [
        { text: 'Read the cart', status: 'completed' },
        { text: 'Find where the coupon is dropped', status: 'in_progress' },
      ],
    });
    this.put(id, {
      kind: 'text',
      text: [
        'The second step **reads the cart again**, see [its page](https://docs.example.com/cart).',
        '',
        '```ts',
        'const cart = await load(); // the coupon is not part of it, whatever the step before it said',
        '```',
      ].join('\n'),
    });
    this.put(id, {
      kind: 'permission',
      permission: {
        approval: 'n7',
        origin: 'http://localhost:5173',
        tab: 't1',
        subject: {
          call: 'c3',
          title: 'Edit src/cart/load.ts',
          kind: 'edit',
          status: 'pending',
          content: [
            {
              kind: 'diff',
              path: 'src/cart/load.ts',
              old: 'const keep = ["items"];\nexport { keep };\n',
              new: 'const keep = ["items", "coupon"];\nexport { keep };\n',
            },
          ],
        },
        options: [
          { id: 'once', name: 'Allow once', kind: 'once' },
          { id: 'always', name: 'Always allow', kind: 'always', scope: 'all edits of files' },
          { id: 'deny', name: 'Deny', kind: 'deny' },
        ],
      },
    });
    this.change(id, {
      usage: { input: 12_000, output: 900, cost: 0.12, context: 44_000, contextSize: 200_000 },
      queue: [{ id: 'q1', text: 'Then write a test for it', attachments: [] }],
    });
  }
}
