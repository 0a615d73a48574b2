// A real Chromium, driven over CDP as the app drives it: the built page script in an isolated
// world, with closed shadow roots and listeners from the DOM and debugger domains.
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { headless } from '../../../frontend/test/face/headless';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The folder of the zoo. */
export const zooDir = fileURLToPath(
  new URL('../../../backend/browser/testdata/zoo', import.meta.url),
);

const scripts = new Map<string, Promise<string>>();

/** The page script, or another entry, built once in memory as build.mjs does. */
export function script(entry = 'src/page/index.ts'): Promise<string> {
  let built = scripts.get(entry);
  if (!built) scripts.set(entry, (built = buildScript(entry)));
  return built;
}

async function buildScript(entry: string): Promise<string> {
  const result = await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      target: 'chrome120',
      write: false,
      lib: { entry, formats: ['iife'], name: 'pilotfish' },
    },
  });
  const built = Array.isArray(result) ? result : [result];
  for (const output of built) if ('output' in output) return output.output[0].code;
  throw new Error('the page script was not built');
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Serves a folder on loopback. Two servers are two origins. */
export async function serve(dir: string): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://x').pathname);
    readFile(join(dir, path)).then(
      (data) => {
        response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' }).end(data);
      },
      () => {
        response.writeHead(404).end();
      },
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Starts the system's Chromium. */
export function launch(): Promise<Browser> {
  return chromium.launch(headless);
}

let shared: Promise<Page> | undefined;

/** The page of all tests: a new one is a new process, which costs more than most tests do. */
export async function onePage(viewport = { width: 1000, height: 700 }): Promise<Page> {
  const page = await (shared ??= launch().then((browser) => browser.newPage()));
  await page.setViewportSize(viewport);
  return page;
}

/** The session of a page's main frame. A new one for each world would cost more each time. */
const sessions = new WeakMap<Page, Promise<CDPSession>>();

function sessionOf(page: Page): Promise<CDPSession> {
  let session = sessions.get(page);
  if (!session) {
    session = page.context().newCDPSession(page);
    sessions.set(page, session);
    // It ends when the page gets another process.
    void session.then((made) => made.once('close', () => sessions.delete(page)));
  }
  return session;
}

/** One document with the page script in an isolated world. */
export class World {
  readonly #cdp: CDPSession;
  readonly #context: number;

  private constructor(cdp: CDPSession, context: number) {
    this.#cdp = cdp;
    this.#context = context;
  }

  /** Creates a world in a document with this HTML. */
  static async show(page: Page, code: string, html: string): Promise<World> {
    await page.goto('about:blank');
    await page.setContent(html);
    return World.open(page, code);
  }

  /** Creates the world in the page's main frame, or in the child frame at a path of indexes. */
  static async open(page: Page, code: string, path: number[] = []): Promise<World> {
    let frame = page.mainFrame();
    for (const index of path) frame = frame.childFrames()[index] ?? frame;
    // A frame in its own process has its own CDP session; other frames are in the page's frame
    // tree.
    const own =
      path.length > 0
        ? await page
            .context()
            .newCDPSession(frame)
            .catch(() => null)
        : null;
    const cdp = own ?? (await sessionOf(page));
    const { frameTree } = await cdp.send('Page.getFrameTree');
    let at: typeof frameTree | undefined = frameTree;
    if (!own) for (const index of path) at = at?.childFrames?.[index];
    if (!at) throw new Error(`no frame ${path.join('.')}`);
    const { executionContextId } = await cdp.send('Page.createIsolatedWorld', {
      frameId: at.frame.id,
      worldName: 'pilotfish-test',
    });
    const world = new World(cdp, executionContextId);
    await cdp.send('Runtime.evaluate', { expression: code, contextId: executionContextId });
    return world;
  }

  /** The CDP session. */
  get cdp(): CDPSession {
    return this.#cdp;
  }

  /** Evaluates in the isolated world; `page` is the page object there. */
  async run<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#cdp.send('Runtime.evaluate', {
      expression: `(async () => { const page = globalThis.pilotfishPage; return (${expression}); })()`,
      contextId: this.#context,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as T;
  }

  /** Passes closed shadow roots and elements with pointer listeners to the page object. */
  async reveal(): Promise<void> {
    const { root: dom } = await this.#cdp.send('DOM.getDocument', { depth: -1, pierce: true });
    const closed: number[] = [];
    // Frames in the same process are in the tree, but their nodes are not in this world.
    const own = new Set<number>();
    const find = (node: typeof dom): void => {
      own.add(node.backendNodeId);
      for (const shadow of node.shadowRoots ?? []) {
        if (shadow.shadowRootType === 'closed') closed.push(shadow.backendNodeId);
        if (shadow.shadowRootType !== 'user-agent') find(shadow);
      }
      node.children?.forEach(find);
    };
    find(dom);
    await this.#give('addRoots', closed);
    const { result } = await this.#cdp.send('Runtime.evaluate', { expression: 'document' });
    const { listeners } = await this.#cdp.send('DOMDebugger.getEventListeners', {
      objectId: result.objectId ?? '',
      depth: -1,
      pierce: true,
    });
    const pointer = listeners.filter(({ type }) => /^(click|mousedown|pointerdown)$/.test(type));
    await this.#give(
      'addListening',
      pointer.flatMap(({ backendNodeId: id }) => (id !== undefined && own.has(id) ? id : [])),
    );
  }

  /** Calls a function in the isolated world with nodes as its arguments. */
  async call<T>(nodes: number[], declaration: string): Promise<T> {
    const { result } = await this.#cdp.send('Runtime.callFunctionOn', {
      functionDeclaration: declaration,
      executionContextId: this.#context,
      arguments: await this.#objects(nodes),
      returnByValue: true,
    });
    return result.value as T;
  }

  async #give(method: string, nodes: number[]): Promise<void> {
    if (nodes.length === 0) return;
    await this.call(
      nodes,
      `function (...nodes) {
        globalThis.pilotfishPage.${method}(...nodes.filter((node) => node.nodeType !== 9));
      }`,
    );
  }

  #objects(nodes: number[]): Promise<{ objectId: string }[]> {
    return Promise.all(
      nodes.map(async (backendNodeId) => {
        const { object } = await this.#cdp.send('DOM.resolveNode', {
          backendNodeId,
          executionContextId: this.#context,
        });
        return { objectId: object.objectId ?? '' };
      }),
    );
  }
}
