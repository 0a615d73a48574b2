import type {
  LLMProfile,
  LLMSaveRequest,
  LLMState,
  PanelEvent,
  Task,
  TaskEvent,
  TaskFound,
  TaskListRequest,
  TaskPlainReply,
  TaskPlainRequest,
  TaskRequest,
  TaskRoutine,
  TaskRoutineRequest,
  TaskCommandRequest,
  TaskWriteRequest,
} from '$ui/protocol/protocol';

/** The model's answer in one turn: the input of its tool, or an error of the app. */
export type Turn =
  | { readonly goal: string; readonly actions: readonly object[] }
  | { readonly message: string; readonly hint: string };

/** The state of one task. */
interface Kept {
  head: Task;
  events: TaskEvent[];
}

const full = {
  code: 'not_writable',
  message: 'The task cannot be written: the disk is full',
  hint: 'make room on the disk and resume the task',
};

/**
 * The models and tasks of the fake backend. Profiles and journals are kept as in the real one; the
 * test sets the pages and the model's turns.
 */
export class FakeTasks {
  readonly kept = new Map<string, Kept>();
  readonly llm: LLMState = {
    profiles: [],
    providers: [
      {
        provider: 'anthropic',
        name: 'Anthropic',
        dialect: 'anthropic',
        url: 'https://api.anthropic.com/v1',
        needsKey: true,
        keyUrl: 'https://console.anthropic.com/settings/keys',
      },
      {
        provider: 'compatible',
        name: 'Any OpenAI-compatible server',
        dialect: 'openai',
        needsKey: false,
      },
      {
        provider: 'ollama',
        name: 'Ollama',
        dialect: 'openai',
        url: 'http://127.0.0.1:11434/v1',
        needsKey: false,
      },
    ],
    keychain: true,
  };
  /** The model's answers, turn by turn. After the last one it does not answer any more. */
  turns: Turn[] = [];
  /** Bodies of the requests, with their routes. */
  readonly asked: { path: string; body: unknown }[] = [];
  /** The current page. */
  page = { url: 'https://example.com/', title: 'Example Domain', text: 'e1 btn "Save"' };
  /** The replies to a task's commands, by name; the page for other commands. */
  replies: Record<string, object> = {};
  /** Requests for the models wait for this promise. */
  slow: Promise<void> = Promise.resolve();
  /** What a search finds in a task besides its goal. */
  found: TaskFound[] = [];
  /** The user's MCP servers; each has one tool, search. */
  servers: string[] = [];
  /** The saved routines. */
  routines: TaskRoutine[] = [];
  readonly #push: (event: PanelEvent) => void;
  /** Lets a waiting model answer. */
  #wake: (() => void) | undefined;

  constructor(push: (event: PanelEvent) => void) {
    this.#push = push;
  }

  /** The tasks that have not ended. */
  heads(): Task[] {
    return [...this.kept.values()]
      .map(({ head }) => head)
      .filter(({ state }) => !['done', 'failed', 'stopped'].includes(state));
  }

  /** Adds a model profile. */
  profile(part: Partial<LLMProfile> = {}): void {
    this.llm.profiles.push({
      id: `m${String(this.llm.profiles.length + 1)}`,
      name: 'Ollama',
      provider: 'ollama',
      model: 'qwen3-coder:30b',
      for: ['task'],
      dialect: 'openai',
      hasKey: false,
      ...part,
    });
  }

  /** Whether the disk is full, so that nothing more of a task is stored. */
  full = false;

  /** Adds an older task. */
  add(id: string, part: Partial<Task> = {}): void {
    const at = new Date(1_800_000_000_000 - this.kept.size * 3_600_000).toISOString();
    const head: Task = {
      id,
      title: id,
      goal: id,
      tabs: ['t1'],
      state: 'done',
      steps: 3,
      maxSteps: 40,
      tokens: 9_800,
      budget: 400_000,
      created: at,
      updated: at,
      index: 0,
      ...part,
    };
    this.kept.set(id, { head, events: [] });
  }

  /** Changes a task's head, as the backend does when its tabs change. */
  change(id: string, part: Partial<Task>): void {
    const kept = this.kept.get(id);
    if (kept === undefined) throw new Error(`there is no task ${id}`);
    kept.head = { ...kept.head, ...part, index: kept.head.index + 1 };
    this.#push({ type: 'task', task: kept.head });
  }

  /** Answers a request; undefined for a route that does not belong to Task. */
  answer(path: string, body: unknown): Promise<[number, unknown]> | undefined {
    if (!path.startsWith('/task/') && !path.startsWith('/llm/')) return undefined;
    this.asked.push({ path, body });
    if (path === '/llm/call') return this.#call();
    if (path === '/llm/profiles') return this.slow.then(() => [200, this.llm]);
    return Promise.resolve(this.#answer(path, body));
  }

  #answer(path: string, body: unknown): [number, unknown] {
    const { task } = body as TaskRequest;
    switch (path) {
      case '/llm/save':
        return this.#save(body as LLMSaveRequest);
      case '/llm/delete': {
        const { profile } = body as { profile: string };
        this.llm.profiles = this.llm.profiles.filter(({ id }) => id !== profile);
        return [200, this.llm];
      }
      case '/llm/models':
        return [200, { models: [{ id: 'small' }, { id: 'large', name: 'Large' }] }];
      case '/llm/test':
        return [200, { ok: true, message: 'It answers and can call tools', millis: 640 }];
      case '/llm/local':
        return [200, { found: [] }];
      case '/task/write':
        if (this.full) return [507, { error: full }];
        return this.#write(body as TaskWriteRequest);
      case '/task/get': {
        const kept = this.kept.get(task);
        if (kept === undefined) return gone;
        const { after = 0 } = body as TaskRequest;
        const events = kept.events.filter(({ index }) => index > after);
        return [200, { head: kept.head, events }];
      }
      case '/task/list': {
        const { text = '' } = body as TaskListRequest;
        const found = this.found.filter(({ match }) => match === text);
        const tasks = [...this.kept.values()]
          .map(({ head }) => head)
          .filter(({ id, goal }) => goal.includes(text) || found.some((one) => one.task === id));
        return [200, { tasks, found }];
      }
      case '/task/plain':
        return [200, plainly(body as TaskPlainRequest)];
      case '/task/tools':
        return [200, { servers: this.servers.map((name) => ({ name, tools: searching })) }];
      case '/task/tool':
        return [
          200,
          {
            ok: true,
            text: '<page-0a1b origin="mcp:docs">3 pages about milk</page-0a1b>',
            kept: {
              arguments: { query: 'milk' },
              text: '<page-0a1b origin="mcp:docs">3 pages about milk</page-0a1b>',
            },
          },
        ];
      case '/task/close':
        this.change(task, { closed: true });
        return [200, {}];
      case '/task/delete':
        this.kept.delete(task);
        this.#push({ type: 'task_gone', task });
        return [200, {}];
      case '/task/routines':
        return [200, { routines: this.routines }];
      case '/task/save-routine':
      case '/task/delete-routine': {
        const { routine } = body as TaskRoutineRequest;
        this.routines = this.routines.filter(({ name }) => name !== routine.name);
        if (path === '/task/save-routine') this.routines.push(routine);
        return [200, { routines: this.routines }];
      }
      case '/task/picture':
        return [200, { kind: 'image', name: 'step', mime: 'image/png', data: onePixel }];
      case '/task/command': {
        const { command, writes = [] } = body as TaskCommandRequest;
        if (this.full && writes.length > 0) return [507, { error: full }];
        const written = writes.map((one) => this.#write(one)[1]).at(-1);
        return [
          200,
          { ...this.#command(command.command), ...(written !== undefined && { written }) },
        ];
      }
      default:
        return gone;
    }
  }

  #save({ profile, key }: LLMSaveRequest): [number, unknown] {
    const { profiles, providers } = this.llm;
    const known = profiles.find(({ id }) => id === profile.id);
    const info = providers.find((one) => one.provider === profile.provider);
    const saved: LLMProfile = {
      ...profile,
      id: known?.id ?? `m${String(profiles.length + 1)}`,
      name: info?.name ?? '',
      hasKey: key === undefined ? (known?.hasKey ?? false) : key !== '',
      ...(key !== undefined && key !== '' && { keyKept: 'keychain' }),
    };
    if (known === undefined) profiles.push(saved);
    else profiles[profiles.indexOf(known)] = saved;
    return [200, this.llm];
  }

  #write({ task, kind, head, data }: TaskWriteRequest): [number, unknown] {
    const before = this.kept.get(task);
    const said = head ?? before?.head;
    if (said === undefined) return gone;
    const index = (before?.head.index ?? 0) + 1;
    const at = new Date(1_800_000_000_000 + index * 1_000).toISOString();
    // The backend decides the tabs.
    const tabs = before?.head.tabs ?? said.tabs;
    const next: Task = { ...said, tabs, index, updated: at };
    const event: TaskEvent = { index, kind, at, head: next, ...(data !== undefined && { data }) };
    this.kept.set(task, { head: next, events: [...(before?.events ?? []), event] });
    this.#push({ type: 'task', task: next });
    return [200, { index, head: next }];
  }

  #command(name: string): object {
    const { url, title, text } = this.page;
    const reply = { ok: true, tab: 't1', text, data: { url, title }, durationMs: 12 };
    return { ...reply, ...this.replies[name] };
  }

  /** The answer of a waiting model. */
  answers(turn: Turn): void {
    this.turns.push(turn);
    this.#wake?.();
  }

  /** The model's next turn, in the form of OpenAI's chat completions. */
  #call(): Promise<[number, unknown]> {
    const turn = this.turns.shift();
    if (turn === undefined)
      return new Promise((resolve) => {
        this.#wake = () => {
          // Once: another answer is for the next request, also one that has not come yet.
          this.#wake = undefined;
          resolve(this.#call());
        };
      });
    if ('message' in turn) return Promise.resolve([502, { error: { code: 'internal', ...turn } }]);
    const input = { evaluation: 'The last step did what it should.', memory: '', ...turn };
    const call = { name: 'step', arguments: JSON.stringify(input) };
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: call }],
    };
    return Promise.resolve([
      200,
      {
        id: 'r1',
        object: 'chat.completion',
        created: 1_800_000_000,
        model: 'fake',
        choices: [{ index: 0, finish_reason: 'tool_calls', message }],
        usage: { prompt_tokens: 3_100, completion_tokens: 140, total_tokens: 3_240 },
      },
    ]);
  }
}

/** Parses the plain instructions that the panel's tests use. */
function plainly({ text, task, step = 0 }: TaskPlainRequest): TaskPlainReply {
  const steps = text.split(' then ').map((one) => one.replace(/^./, (c) => c.toUpperCase()));
  if (!steps.every((one) => /^(Click|List) /.test(one)))
    return { steps: [], unknown: `I do not understand “${text}”.` };
  if (task === undefined) return { steps };
  return steps[step]?.startsWith('Click') === true
    ? { steps, commands: [{ command: 'click', args: { target: 'e1' } }] }
    : { steps, said: 'There are 2 links.\n@e4 Home → https://example.com/\n@e5 More → /more' };
}

/** The tools of a server. */
const searching = [
  {
    name: 'search',
    description: 'finds pages',
    schema: { type: 'object', properties: { query: { type: 'string' } } },
  },
];

/** An image. */
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const gone: [number, unknown] = [
  404,
  { error: { code: 'unknown_task', message: 'This task is gone.' } },
];
