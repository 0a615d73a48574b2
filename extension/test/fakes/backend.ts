import type {
  AgentsFile,
  Error as Refusal,
  PanelEvent,
  PanelMessage,
  PanelView,
  Pairing,
  PtyCloseRequest,
  PtyRestartRequest,
  PtySessionRequest,
  SessionInfo,
  Tab,
  TerminalInfo,
} from '$ui/protocol/protocol';
import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { extname, join } from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import { FakeChat, lost } from './chat';
import { FakeRooms } from './rooms';
import { FakeTasks } from './task';
import { FakeTerminal } from './terminal';

/** The media types of the built panel's files. */
export const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/**
 * A small honest backend: it speaks the wire format, checks the tokens, and has terminals that
 * print what a test tells them to.
 */
export class FakeBackend {
  readonly key = randomBytes(32);
  token = randomBytes(32).toString('base64url');
  tabs: Tab[] = [];
  agents: AgentsFile = { version: 1, agents: [], default: 'shell' };
  settings: PanelView = {
    agent: 'auto',
    fontSize: 13,
    textSize: 100,
    everyTab: false,
    confinement: { on: true },
    chatAgent: 'auto',
    theme: 'system',
    appVersion: '0.1.0',
  };
  readonly terminals = new Map<string, FakeTerminal>();
  readonly chat = new FakeChat((event) => {
    this.push(event);
  });
  readonly tasks = new FakeTasks((event) => {
    this.push(event);
  });
  readonly rooms = new FakeRooms();
  /** Every message of the panel, in order. */
  readonly messages: PanelMessage[] = [];
  /** The paths of the accepted requests. */
  readonly requests: string[] = [];
  /** The requests that started a terminal. */
  readonly starts: PtySessionRequest[] = [];
  /** The answer to the next start, instead of a terminal. */
  refuseStart: Refusal | undefined;
  /** The first output of a started terminal. */
  greeting = '$ ';
  /** The page served as /welcome. */
  welcome = '';
  /** Whether hello contains the key for the first terminal. */
  tellsFirst = false;
  /** Whether to keep the terminals' sockets waiting until `release`. */
  holds = false;
  /** Whether to prove another key than the paired one. */
  impostor = false;

  readonly #server: Server = createServer((request, response) => {
    this.#serve(request, response).catch((error: unknown) => {
      // A panel that is closed may end in the middle of a request.
      if (!request.errored) throw error;
    });
  });
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: () => 'pilotfish.v1',
  });
  readonly #connections = new Set<Socket>();
  readonly #attach = new Map<string, string>();
  readonly #panels = new Set<WebSocket>();
  readonly #files: string | undefined;
  #held: (() => void)[] = [];
  #waiters: (() => void)[] = [];
  #made = 0;

  /** `files` is a folder to serve besides the routes. */
  constructor(files?: string) {
    this.#files = files;
    this.#server.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
    this.#server.on('upgrade', (request, socket, head) => {
      const [version, secret] = (request.headers['sec-websocket-protocol'] ?? '').split(/,\s*/);
      const token = secret?.replace(/^token\./, '');
      const terminal = request.url === '/ws' && this.#attach.get(token ?? '');
      const panel = request.url === '/panel' && token === this.token;
      if (version !== 'pilotfish.v1' || !(panel || terminal)) {
        socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
        return;
      }
      this.#attach.delete(token ?? '');
      const open = (): void => {
        this.#sockets.handleUpgrade(request, socket, head, (ws) => {
          if (panel) this.#panel(ws);
          else if (terminal) this.terminals.get(terminal)?.serve(ws);
        });
      };
      if (terminal && this.holds) this.#held.push(open);
      else open();
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Whether a session waits for a panel that its user pairs by a code. */
  pairs = false;

  get pairing(): Pairing {
    return {
      version: 'pilotfish.v1',
      session: 'default',
      port: this.port,
      token: this.token,
      key: this.key.toString('base64url'),
      epoch: 1,
    };
  }

  /** The same for a panel that the user paired by a code. */
  get pairingByHand(): Pairing {
    return { ...this.pairing, byHand: true };
  }

  async start(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    // The server does not close connections that were upgraded or refused, but would wait for them.
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }

  /** Opens the waiting sockets. */
  release(): void {
    this.holds = false;
    for (const open of this.#held.splice(0)) open();
  }

  /** Sends an event to every panel. */
  push(event: PanelEvent): void {
    for (const panel of this.#panels) panel.send(JSON.stringify(event));
  }

  /** Closes the panels' sockets. */
  dropPanels(code = 1011): void {
    for (const panel of this.#panels) panel.close(code);
  }

  /** The terminal that was started first. */
  get first(): FakeTerminal | undefined {
    return this.terminals.values().next().value;
  }

  /** Adds a terminal as if the backend had started it. */
  add(tab: string, part: Partial<TerminalInfo> = {}): FakeTerminal {
    this.#made += 1;
    const terminal = new FakeTerminal(
      {
        id: randomBytes(8).toString('hex'),
        session: 'default',
        tab,
        agent: 'claude',
        name: 'Claude Code',
        title: '',
        state: 'live',
        status: 'idle',
        epoch: 1,
        cols: 80,
        rows: 24,
        startedAt: new Date(1_800_000_000_000 + this.#made * 1000).toISOString(),
        viewers: 0,
        ...part,
      },
      (info) => {
        if (this.terminals.has(info.id)) this.push({ type: 'terminal', terminal: info });
      },
    );
    this.terminals.set(terminal.info.id, terminal);
    this.push({ type: 'terminal', terminal: terminal.info });
    return terminal;
  }

  /** What of the session differs from the only session of a new installation. */
  sessionPart: Partial<SessionInfo> = {};

  session(): SessionInfo {
    return {
      name: 'default',
      alone: true,
      state: 'running',
      warnings: [],
      panel: 'connected',
      tabs: this.tabs,
      terminals: [...this.terminals.values()].map(({ info }) => info),
      ...this.sessionPart,
    };
  }

  /** Resolves once `done` returns true; it is checked after every message and request. */
  async until(done: () => boolean): Promise<void> {
    while (!done()) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  #panel(socket: WebSocket): void {
    this.#panels.add(socket);
    const tell = (event: PanelEvent): void => {
      socket.send(JSON.stringify(event));
    };
    socket.on('close', () => {
      this.chat.left(tell);
      this.rooms.left(tell);
      this.#panels.delete(socket);
      this.#wake();
    });
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as PanelMessage;
      this.messages.push(message);
      if (message.type === 'chat_watch')
        this.chat.watch(tell, message.conversation ?? '', message.after ?? 0);
      if (message.type === 'chat_unwatch') this.chat.unwatch(tell, message.conversation ?? '');
      this.rooms.hear(message, tell);
      if (message.type === 'ping') socket.send(JSON.stringify({ type: 'pong', id: message.id }));
      this.#wake();
    });
    const first = this.tellsFirst ? this.first : undefined;
    const hello: PanelEvent = {
      type: 'hello',
      version: 'pilotfish.v1',
      session: this.session(),
      agents: this.agents,
      settings: this.settings,
      conversations: this.chat.heads(),
      panel: 'p1',
      tasks: this.tasks.heads(),
      ...(first && {
        attach: { terminal: first.info.id, token: this.#key(first.info.id) },
      }),
    };
    tell(hello);
    this.#wake();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    // A test's page may come from the port of another backend. This header replaces the extension's
    // host permission.
    response.setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '*');
    response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type');
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    if (url.pathname === '/health') {
      const challenge = url.searchParams.get('challenge') ?? '';
      const key = this.impostor ? randomBytes(32) : this.key;
      const proof = createHmac('sha256', key).update(challenge).digest('hex');
      const pairs = this.pairs;
      reply(200, {
        status: 'ok',
        version: '0.1.0',
        protocol: 'pilotfish.v1',
        uptimeS: 1,
        proof,
        pairs,
      });
      return;
    }
    if (url.pathname === '/welcome') {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(this.welcome);
      return;
    }
    if (request.method !== 'POST') {
      await this.#file(url.pathname, response);
      return;
    }
    // The user enters the code later.
    if (url.pathname === '/pair') return;
    if (request.headers.authorization !== `Bearer ${this.token}`) {
      reply(401, { error: { code: 'unauthorized', message: 'The token is not valid.' } });
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    this.requests.push(url.pathname);
    const task = this.tasks.answer(url.pathname, body);
    if (task !== undefined) this.#wake();
    const [status, answer] = (await task) ?? this.#answer(url.pathname, body);
    // Without a first byte, Chromium would repeat the request automatically.
    if (status === lost) response.writeHead(200).write('{', () => response.destroy());
    else reply(status, answer);
    this.#wake();
  }

  /** A token for one socket of a terminal. */
  #key(terminal: string): string {
    const attach = randomBytes(32).toString('base64url');
    this.#attach.set(attach, terminal);
    return attach;
  }

  #answer(path: string, body: unknown): [number, unknown] {
    const room = this.rooms.answer(path, body);
    if (room !== undefined) return room;
    const chat = this.chat.answer(path, body);
    if (chat !== undefined) return chat;
    const unknown = { error: { code: 'unknown_terminal', message: 'This terminal is gone.' } };
    switch (path) {
      case '/pty-session': {
        const request = body as PtySessionRequest;
        const refusal = request.terminal === undefined ? this.refuseStart : undefined;
        if (refusal !== undefined) return [409, { error: refusal }];
        const terminal = request.terminal
          ? this.terminals.get(request.terminal)
          : this.#begin(request);
        if (terminal === undefined) return [404, unknown];
        const attach = this.#key(terminal.info.id);
        return [200, { terminal: terminal.info, attach, expires: new Date().toISOString() }];
      }
      case '/pty-restart': {
        const request = body as PtyRestartRequest;
        const terminal = this.terminals.get(request.terminal);
        if (terminal === undefined) return [404, unknown];
        terminal.restart(request.agent ? this.#agent(request.agent, request.command) : {});
        terminal.print(this.greeting);
        return [200, terminal.info];
      }
      case '/pty-close': {
        const { terminal } = body as PtyCloseRequest;
        this.terminals.get(terminal)?.drop(4404);
        this.terminals.delete(terminal);
        this.push({ type: 'terminal_gone', terminal });
        return [200, {}];
      }
      case '/agents/probe':
        return [200, this.agents];
      default:
        return [404, { error: { code: 'bad_argument', message: 'There is no such route.' } }];
    }
  }

  #begin(request: PtySessionRequest): FakeTerminal {
    this.starts.push(request);
    const terminal = this.add(request.tab ?? '', {
      // As the app does: without an agent, use the one in Settings.
      ...this.#agent(request.agent ?? this.settings.agent, request.command),
      cols: request.cols,
      rows: request.rows,
    });
    terminal.print(this.greeting);
    return terminal;
  }

  #agent(kind: string, command?: string): Partial<TerminalInfo> {
    const meant = kind === 'auto' ? this.agents.default : kind;
    const found = this.agents.agents.find((agent) => agent.kind === meant);
    const missing = found?.installed === false;
    return {
      agent: meant,
      name: command?.split(' ')[0] ?? found?.name ?? meant,
      ...(missing && { state: 'missing', status: 'missing' }),
    };
  }

  async #file(path: string, response: ServerResponse): Promise<void> {
    try {
      if (this.#files === undefined) throw new Error('no files');
      const data = await readFile(join(this.#files, path));
      response.writeHead(200, { 'Content-Type': types[extname(path)] ?? 'text/plain' }).end(data);
    } catch {
      response.writeHead(404).end();
    }
  }
}
