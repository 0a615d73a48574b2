import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pairing } from '$ui/protocol/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeClock } from '../core/fakes/clock';
import { newCode, pairByHand } from './byhand';

/** What a panel asks of the app. */
interface Asked {
  nonce: string;
  mac: string;
}

let server: Server;
let port: number;
let asked: Asked[];
/** How the app replies to the next panel; undefined lets it wait. */
let reply: (asked: Asked) => { status: number; body: unknown } | undefined;
let shown: (string | undefined)[];
let kept: Pairing[];
let refused: string | undefined;
let pairs = true;
let clock: FakeClock;
let abort: AbortController;
let waiters: (() => void)[];

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise<void>((resolve) => waiters.push(resolve));
}
function wake(): void {
  for (const waiter of waiters.splice(0)) waiter();
}

const mac = (code: string, ...parts: unknown[]): string =>
  createHmac('sha256', code.replaceAll('-', '')).update(parts.join('\n')).digest('hex');

function pairing(): Pairing {
  const made = { version: 'pilotfish.v1', session: 'mine', port, token: 'token', key: 'a2V5' };
  return { ...made, epoch: 1, byHand: true };
}

beforeEach(async () => {
  [asked, shown, kept, waiters] = [[], [], [], []];
  refused = undefined;
  pairs = true;
  reply = () => undefined;
  clock = new FakeClock();
  abort = new AbortController();
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      if (request.url === '/health') {
        response.end(
          JSON.stringify({ status: 'ok', version: '1', protocol: 'x', uptimeS: 1, pairs }),
        );
        return;
      }
      asked.push(JSON.parse(body) as Asked);
      const said = reply(asked.at(-1) ?? { nonce: '', mac: '' });
      if (said !== undefined) response.writeHead(said.status).end(JSON.stringify(said.body));
      wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  abort.abort();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function pair(): Promise<void> {
  return pairByHand(
    {
      port: () => Promise.resolve(port),
      keep: (one) => {
        kept.push(one);
        return Promise.resolve();
      },
      onCode: (code, why) => {
        shown.push(code);
        refused = why;
        wake();
      },
      clock,
    },
    abort.signal,
  );
}

test('a code has 60 bits and no characters that look alike', () => {
  const codes = Array.from({ length: 200 }, newCode);
  expect(new Set(codes).size).toBe(200);
  for (const code of codes) expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/);
});

test('the pairing is kept when the app proves that it knows the code, which is never sent', async () => {
  reply = ({ nonce }) => ({
    status: 200,
    body: {
      pairing: pairing(),
      mac: mac(shown.at(-1) ?? '', 'pilotfish app', port, nonce, 'token', 'a2V5'),
    },
  });
  await pair();
  expect(kept).toEqual([pairing()]);
  const [first] = asked;
  expect(first?.mac).toBe(mac(shown[0] ?? '', 'pilotfish panel', port, first?.nonce));
  expect(JSON.stringify(asked)).not.toContain(shown[0]);
});

test('a program that does not know the code gives no pairing', async () => {
  reply = ({ nonce }) => ({
    status: 200,
    body: {
      pairing: pairing(),
      mac: mac('GUESSED', 'pilotfish app', port, nonce, 'token', 'a2V5'),
    },
  });
  void pair();
  await until(() => shown.at(-1) === undefined && shown.length === 2);
  expect(kept).toEqual([]);
});

test('another code is shown when the app refuses the first', async () => {
  reply = () => ({ status: 504, body: { error: { code: 'timeout', message: 'too old' } } });
  void pair();
  await until(() => asked.length === 1);
  await expect.poll(() => clock.pending).toBe(1);
  reply = () => undefined;
  clock.advance(1_000);
  await until(() => asked.length === 2);
  expect(shown).toHaveLength(2);
  expect(shown[0]).not.toBe(shown[1]);
});

test('the user is told why the app refuses this browser', async () => {
  const error = { code: 'forbidden', message: 'an agent runs', hint: 'close it' };
  reply = () => ({ status: 403, body: { error } });
  void pair();
  await until(() => refused !== undefined);
  expect(refused).toBe('an agent runs: close it');
  expect(shown.at(-1)).toBeUndefined();
});

test('no code is shown while no session waits for one', async () => {
  pairs = false;
  void pair();
  await until(() => shown.length === 1);
  expect([shown, asked]).toEqual([[undefined], []]);
  await expect.poll(() => clock.pending).toBe(1);
  pairs = true;
  clock.advance(1_000);
  await until(() => asked.length === 1);
  expect(shown.at(-1)).toMatch(/^.{4}-.{4}-.{4}$/);
});
