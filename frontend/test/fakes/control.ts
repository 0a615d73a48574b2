// The fake app as the control page has it: over HTTP and WebSockets, in place of Wails' bridge.
import type { ControlCall, LiveInput } from '../../ui/protocol/protocol';
import type { Fake } from './wails';

/** The one code that counts, once. */
export const code = 'good-code';

/** A WebSocket that the page opened. */
class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static readonly open = new Set<FakeSocket>();
  static heard: (input: LiveInput) => void = () => undefined;
  static opened: (socket: FakeSocket) => void = () => undefined;
  readyState = 0;
  binaryType = '';
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  readonly path: string;

  constructor(url: URL | string) {
    super();
    this.path = new URL(url).pathname;
    setTimeout(() => {
      this.readyState = FakeSocket.OPEN;
      FakeSocket.open.add(this);
      this.onopen?.();
      FakeSocket.opened(this);
    });
  }

  send(text: string): void {
    FakeSocket.heard(JSON.parse(text) as LiveInput);
  }

  close(code = 1000): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    FakeSocket.open.delete(this);
    this.onclose?.({ code, reason: '' });
  }
}

/** Serves a fake app below /control/ in place of Wails' bridge. */
export function overHTTP(target: Window & typeof globalThis, fake: Fake): void {
  const bridge = target.go?.main?.Bridge;
  const runtime = target.runtime;
  if (!bridge || !runtime) throw new Error('there is no fake app');
  delete target.go;
  delete target.runtime;
  let used = false;
  let revoked = false;
  let seq = 0;
  const sockets = (path: string): FakeSocket[] =>
    [...FakeSocket.open].filter((one) => one.path.endsWith(path));
  for (const event of ['state', 'log'])
    runtime.EventsOn(event, (data) => {
      for (const one of sockets('events'))
        one.onmessage?.({ data: JSON.stringify({ event, data }) });
    });
  FakeSocket.heard = (input) => fake.live.push(input);
  fake.picture = async (colour) => {
    const canvas = new OffscreenCanvas(640, 400);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('nothing can be drawn');
    context.fillStyle = colour;
    context.fillRect(0, 0, 640, 400);
    const blob = await canvas.convertToBlob({ type: 'image/jpeg' });
    const data = new Uint8Array(4 + blob.size);
    new DataView(data.buffer).setUint32(0, ++seq);
    data.set(new Uint8Array(await blob.arrayBuffer()), 4);
    const views = sockets('view');
    for (const one of views) one.onmessage?.({ data: data.buffer });
    if (views.length === 0) waiting = data.buffer;
  };
  // A view that is still opening gets the picture then, as in the app.
  let waiting: ArrayBuffer | undefined;
  FakeSocket.opened = (socket) => {
    if (waiting === undefined || !socket.path.endsWith('view')) return;
    socket.onmessage?.({ data: waiting });
    waiting = undefined;
  };
  fake.shows = (state) => {
    for (const one of sockets('view')) one.onmessage?.({ data: JSON.stringify(state) });
  };
  fake.revoke = () => {
    revoked = true;
    for (const one of [...FakeSocket.open]) one.close(4401);
  };

  const json = (body: unknown, status = 200): Response =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  const refuse = (message: string): Response =>
    json({ error: { code: 'unauthorized', message, hint: 'run `pilotfish control`' } }, 401);

  async function answer({ op, session, in: input }: ControlCall): Promise<Response> {
    try {
      return json({ data: await bridge?.Call(op, session ?? '', input ?? null) });
    } catch (reason) {
      const text = reason instanceof Error ? reason.message : String(reason);
      const failed: unknown = text.startsWith('{')
        ? JSON.parse(text)
        : { code: 'internal', message: text };
      return json({ failed });
    }
  }

  target.WebSocket = FakeSocket as unknown as typeof WebSocket;
  target.fetch = async (url, request) => {
    const { pathname } = new URL(url instanceof Request ? url.url : url, location.href);
    const body = JSON.parse(typeof request?.body === 'string' ? request.body : '{}') as {
      code?: string;
    } & ControlCall;
    if (pathname === '/control/token') {
      const good = body.code === code && !used;
      used ||= good;
      return good
        ? json({ token: 'a-token', name: 'Chrome on Linux (K7QF)', ends: '2026-12-01T00:00:00Z' })
        : refuse('this address was used already, or is too old');
    }
    const authorization = new Headers(request?.headers).get('authorization');
    if (revoked || authorization !== 'Bearer a-token')
      return refuse('the user revoked the access of Chrome on Linux (K7QF) at 09:30');
    if (body.op === 'LeaveControl') {
      revoked = true;
      return json({});
    }
    return answer(body);
  };
}
