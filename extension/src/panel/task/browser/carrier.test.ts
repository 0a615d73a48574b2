import type { CarryDoneRequest, CarryEvent } from '$ui/protocol/protocol';
import { expect, it, vi } from 'vitest';
import { MessageError } from '../../../messages/envelope';
import { Carrier } from './carrier';
import type { Link } from './pagelink';

const place = { next: 9, url: 'https://shop.example/', title: 'Shop' };

/** A page with one button, and an app that allows what it is asked about. */
function stage(allowed = true) {
  const asked: [path: string, body: Record<string, unknown>][] = [];
  const acted: string[] = [];
  const link: Link = {
    tab: (_, method) => {
      acted.push(method);
      if (method === 'wait') throw new MessageError('no_tab', 'The tab was closed.');
      const facts = { role: 'button', name: 'Save', type: 'submit' };
      return Promise.resolve({ ...place, ref: 'f0e1', facts, hit: 'btn "Save"' } as never);
    },
    frames: () => Promise.resolve([{ frame: 0, parent: -1, url: 'https://shop.example/' }]),
    loading: () => Promise.resolve(false),
    leaving: () => Promise.resolve(false),
    go: () => Promise.resolve({ came: 'failed', why: 'net::ERR_FAILED' }),
    rest: () => Promise.resolve(),
  };
  const request = (path: string, body: unknown): Promise<never> => {
    asked.push([path, body as Record<string, unknown>]);
    const reply = allowed
      ? { ok: true, text: '', data: { url: place.url, to: '' }, durationMs: 0 }
      : { ok: false, text: 'denied', durationMs: 0 };
    return Promise.resolve(reply as never);
  };
  const carrier = new Carrier({ request }, link);
  const carry = async (part: Partial<CarryEvent>): Promise<CarryDoneRequest> => {
    const event = { type: 'carry', id: 7, panel: 'p1', do: 'command', tab: 't3', chromeTabId: 41 };
    await carrier.carry({ ...event, ...part } as CarryEvent);
    return asked.at(-1)?.[1] as unknown as CarryDoneRequest;
  };
  return { asked, acted, carry };
}

it('asks with the facts before it acts, and tells the app what came of it', async () => {
  const { asked, acted, carry } = stage();
  const done = await carry({ command: 'click', args: { target: 'f0e1' }, caller: 'mcp:a' });
  expect(acted).toEqual(['facts', 'click']);
  expect(asked.map(([path]) => path)).toEqual(['/panel/allow', '/panel/done']);
  expect(asked[0]?.[1]).toMatchObject({ id: 7, byPage: { facts: { name: 'Save' } } });
  expect(done).toMatchObject({ id: 7, reply: { ok: true, tab: 't3', data: { byPage: true } } });
});

it('does nothing that the app does not allow', async () => {
  const { acted, carry } = stage(false);
  const done = await carry({ command: 'click', args: { target: 'f0e1' }, caller: 'mcp:a' });
  expect(acted).toEqual(['facts']);
  expect(done.reply).toMatchObject({ ok: false, text: 'denied' });
});

it('tells the app why something failed', async () => {
  const { carry } = stage();
  const gone = await carry({ do: 'go', url: 'https://a.example/' });
  expect(gone.reply).toMatchObject({ ok: false, error: { code: 'navigation' } });
  vi.stubGlobal('chrome', {
    tabs: { remove: () => Promise.reject(new Error('No tab with id 41')) },
  });
  const closed = await carry({ do: 'close-tab' });
  vi.unstubAllGlobals();
  expect(closed.reply).toMatchObject({ ok: false, error: { message: 'No tab with id 41' } });
});
