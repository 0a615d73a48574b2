import { beforeEach, describe, expect, it, vi } from 'vitest';
import { OfflineError } from '../connection/connection';
import { AskedConnection } from '../connection/fakes/asked';
import { RefusedError } from '../connection/request';
import { exported } from './export';
import { Requests } from './requests';

let connection: AskedConnection;
let requests: Requests;
beforeEach(() => {
  connection = new AskedConnection();
  requests = new Requests(connection.whole);
});

const refuse = (message: string) => () => {
  throw new RefusedError({ code: 'internal', message, hint: 'wait' }, 500);
};

describe('what is asked of the backend', () => {
  it.each<[string, () => Promise<boolean>, object]>([
    ['/chat/cancel', () => requests.cancel('c1'), {}],
    ['/chat/sign-in', () => requests.signIn('c1', 'key'), { method: 'key' }],
    ['/chat/answer', () => requests.answer('c1', 'n1', 'once'), { approval: 'n1', option: 'once' }],
    [
      '/chat/queue',
      () => requests.queue('c1', 'move', 'm1', { to: 2 }),
      { action: 'move', message: 'm1', to: 2 },
    ],
  ])('%s says which conversation', async (path, ask, part) => {
    expect(await ask()).toBe(true);
    expect(connection.asked).toEqual([{ path, body: { conversation: 'c1', ...part } }]);
  });

  it.each([
    ['refused', new RefusedError({ code: 'internal', message: 'No.' }, 400), 'No.', ''],
    ['offline', new OfflineError(), 'Pilotfish is not connected.', 'Your message is kept.'],
    ['late', new Error('timeout'), 'Pilotfish doesn’t respond.', 'Try again.'],
  ])('%s is a problem in words', async (_, error, message, hint) => {
    connection.answers['/chat/cancel'] = () => {
      throw error;
    };
    expect(await requests.cancel('c1')).toBe(false);
    expect(requests.problems.get('c1')).toEqual({ message, hint });
    expect(requests.problems.get('c2')).toBeUndefined();
  });

  it('that works takes back the problem that it found', async () => {
    connection.answers['/chat/cancel'] = refuse('no');
    await requests.cancel('c1');
    await requests.restart('c1');
    expect(requests.problems.size).toBe(0);
  });

  it('that works leaves the problem that another request found meanwhile', async () => {
    const later = requests.try('c1', async () => {
      connection.answers['/chat/cancel'] = refuse('no');
      await requests.cancel('c1');
    });
    expect(await later).toBe(true);
    expect(requests.problems.get('c1')?.message).toBe('no');
  });

  it('by nobody takes back only its own problem', async () => {
    connection.answers['/chat/cancel'] = refuse('asked');
    await requests.cancel('c1');
    await requests.keep('c1', () => Promise.resolve());
    expect(requests.problems.get('c1')?.message).toBe('asked');
    await requests.keep('c1', () => Promise.reject(new Error('disk')));
    expect(requests.problems.get('c1')?.message).toBe('Pilotfish doesn’t respond.');
    await requests.keep('c1', () => Promise.resolve());
    expect(requests.problems.size).toBe(0);
  });

  it('is a file, or undefined with the problem said', async () => {
    const file = { name: 'a.md', format: 'markdown', text: '# a' };
    connection.answers['/chat/export'] = () => file;
    expect(await requests.export('c1', 'markdown')).toMatchObject({ name: 'a.md', text: '# a' });
    connection.answers['/chat/export'] = refuse('no');
    expect(await requests.export('c1', 'json')).toBeUndefined();
    expect(requests.problems.get('c1')?.message).toBe('no');
  });
});

it('a clipboard that refuses an export is a problem, too', async () => {
  connection.answers['/chat/export'] = () => ({ name: 'c1.md', text: '# c1' });
  const writeText = vi.fn().mockResolvedValueOnce(undefined).mockRejectedValue(new Error('focus'));
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  await exported(requests, 'c1', 'clipboard');
  expect([writeText.mock.calls, requests.problems.size]).toEqual([[['# c1']], 0]);
  await exported(requests, 'c1', 'clipboard');
  vi.unstubAllGlobals();
  expect(requests.problems.get('c1')?.message).toBe('The clipboard cannot be written to.');
});
