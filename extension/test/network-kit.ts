import type { CommandRequest, ConsoleItem, NetworkItem, NetworkRule } from '$ui/protocol/protocol';
import type { Page } from 'playwright-core';
import type { FakeBackend } from './fakes/backend';

const begin = Date.UTC(2026, 10, 21, 9, 30);

/** A request of the page beside the panel. */
export function request(
  n: number,
  part: Partial<NetworkItem['entry']> = {},
  page = 1,
): NetworkItem {
  const durationMs = part.done === false ? undefined : (part.durationMs ?? 40 + ((n * 37) % 90));
  return {
    entry: {
      id: `n${String(n)}`,
      at: new Date(begin + n * 25).toISOString(),
      method: 'GET',
      url: `https://example.com/assets/app-${String(n)}.js`,
      type: 'script',
      status: 200,
      statusText: 'OK',
      mime: 'text/javascript',
      bytes: 1200 * n,
      done: true,
      initiator: 'parser https://example.com/',
      protocol: 'h2',
      remoteAddress: '192.0.2.7:443',
      ...part,
      ...(durationMs !== undefined && { durationMs }),
    },
    page,
    size: 3000 * n,
    times: { blocked: 2, dns: -1, connect: 8, tls: 5, send: 0.4, wait: 22, receive: 6.5 },
  };
}

/** The requests of a shop that has a failed call. */
export const shop: readonly NetworkItem[] = [
  request(1, { url: 'https://example.com/old', type: 'document', mime: 'text/html' }, 0),
  request(2, { url: 'https://example.com/', type: 'document', mime: 'text/html', durationMs: 180 }),
  request(3),
  request(4, {
    url: 'https://example.com/theme/a-very-long-name-of-a-style-sheet.css',
    type: 'stylesheet',
    from: 'cache',
  }),
  request(5, { url: 'https://cdn.example/logo.png', type: 'image', mime: 'image/png' }),
  {
    ...request(6, {
      url: 'https://example.com/api/cart?id=7&token=(masked)',
      method: 'POST',
      type: 'fetch',
      status: 503,
      statusText: 'Service Unavailable',
      mime: 'application/json',
      initiator: 'script',
    }),
    stack: [
      { function: 'save', url: 'https://example.com/assets/app-3.js', line: 1, column: 2345 },
      { url: 'https://example.com/assets/app-3.js', line: 1, column: 99 },
    ],
  },
  request(7, {
    url: 'https://ads.example/track.gif',
    type: 'image',
    failed: 'ERR_NAME_NOT_RESOLVED',
  }),
  request(8, { url: 'https://example.com/api/stream', type: 'eventsource', done: false }),
];

/** A browser that answers the commands of the rooms Network and Console. */
export function answering(made: FakeBackend): { rules: NetworkRule[]; throttle: string } {
  const state: { rules: NetworkRule[]; throttle: string } = { rules: [], throttle: '' };
  const tell = (): void => {
    made.rooms.feed('signals', {
      errors: 2,
      warnings: 1,
      blocked: state.rules.filter(({ block }) => block === true).length,
      mocked: state.rules.filter(({ block }) => block !== true).length,
      ...(state.throttle !== '' && { throttle: state.throttle }),
    });
  };
  const ok = (data: unknown = null): { ok: true; data: unknown } => ({ ok: true, data });
  made.rooms.answers.set('network', ({ args = {} }: CommandRequest) => {
    const what = typeof args.what === 'string' ? args.what : '';
    switch (args.do) {
      case 'show': {
        const item = shop.find(({ entry }) => entry.id === what);
        const hide = (text: string): string => (args.masked === true ? '(masked)' : text);
        return ok({
          ...item?.entry,
          requestHeaders: { accept: '*/*', cookie: hide(`sid=it's secret; theme=dark`) },
          responseHeaders: {
            'content-type': 'application/json',
            'set-cookie': hide('sid=new; Path=/; HttpOnly'),
          },
          ...(item?.entry.method === 'POST' && { postData: hide('{"sku":"A-1","n":2}') }),
        });
      }
      case 'body': {
        const item = shop.find(({ entry }) => entry.id === what);
        if (args.save === true)
          return ok({ entry: item?.entry, bytes: 24, path: '/files/network/t1-n6.json' });
        if (item?.entry.type === 'image') {
          const data =
            'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQMAAAD+wSzIAAAABlBMVEX///+/v7+jQ3Y5AAAADklEQVQI12P4AIX8EAgALgAD/aNpbtEAAAAASUVORK5CYII=';
          return ok({ entry: item.entry, bytes: 83, data });
        }
        if (what === 'n3')
          return {
            ok: false,
            error: { code: 'bad_argument', message: 'the body of n3 is not available' },
          };
        return ok({ entry: item?.entry, bytes: 24, text: '{"error":"no stock","id":7}' });
      }
      case 'har':
        return ok({ path: '/files/har/t1.har', bytes: 900, entries: 7 });
      case 'block':
      case 'mock':
        if (what === 'bad')
          return { ok: false, error: { code: 'bad_argument', message: 'bad is no pattern' } };
        state.rules = [
          ...state.rules.filter(({ pattern }) => pattern !== what),
          {
            pattern: what,
            hits: 0,
            ...(args.do === 'block'
              ? { block: true }
              : { status: Number(args.status), body: String(args.body) }),
          },
        ];
        break;
      case 'unblock':
        state.rules = state.rules.filter(({ pattern }) => what !== '' && pattern !== what);
        break;
      case 'throttle':
        state.throttle = what === 'off' ? '' : what;
        tell();
        return ok({});
      case 'rules':
        return ok(state.rules);
      default:
        return ok();
    }
    tell();
    return ok(state.rules);
  });
  made.rooms.answers.set('reload', () => ok());
  return state;
}

/** Opens a room of the drawer. */
export async function room(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();
  await page.getByRole('tabpanel', { name }).waitFor();
}

/** An entry of the console. */
export function line(
  n: number,
  part: Partial<ConsoleItem> & { text?: string; level?: string } = {},
): ConsoleItem {
  const { text = `line ${String(n)}`, level = 'log', ...rest } = part;
  return {
    entry: {
      n,
      at: new Date(begin + n).toISOString(),
      level,
      source: 'console',
      text,
      url: 'https://example.com/assets/app-3.js',
      line: 12,
      column: 3,
    },
    page: 1,
    args: [{ type: 'string', text }],
    stack: [{ function: 'f', url: 'https://example.com/assets/app-3.js', line: 12, column: 3 }],
    ...rest,
  };
}
