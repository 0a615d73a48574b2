import { expect, test, vi } from 'vitest';
import { connect } from './backend';
import { AppWindow } from './window.svelte';
import type { WindowConversation } from '$ui/protocol/protocol';
import { install, type FakeOptions } from '../test/fakes/wails';

function openWindow(options: FakeOptions = {}) {
  const target = {} as Window;
  const fake = install(target, options);
  const app = new AppWindow(connect(target));
  return { fake, app, close: app.open() };
}

const loaded = (app: AppWindow) =>
  vi.waitFor(() => {
    expect(app.state).toBeDefined();
  });

test('the first answer is the state; events replace it whole', async () => {
  const { app, fake } = openWindow();
  await loaded(app);
  fake.push({ version: '9.9.9' });
  expect(app.state?.version).toBe('9.9.9');
});

test('an event that comes before the answer is the newer one', async () => {
  const { app, fake } = openWindow({ held: true });
  fake.push({ version: 'by event' });
  fake.state = { ...fake.state, version: 'by answer' };
  fake.release();
  await vi.waitFor(() => {
    expect(app.logs.shown.length).toBeGreaterThan(0);
  });
  expect(app.state?.version).toBe('by event');
});

test('a refused start is shown with what to do, and can be tried again', async () => {
  const { app } = openWindow({ refuse: '{"code":"internal","message":"no","hint":"try"}' });
  await vi.waitFor(() => {
    expect(app.failure?.hint).toBe('try');
  });
});

test('the app can ask for a page', async () => {
  const { app, fake, close } = openWindow();
  await loaded(app);
  fake.emit('show', { page: 'logs' });
  expect(app.page).toBe('logs');
  close();
  fake.emit('show', { page: 'settings' });
  expect(app.page).toBe('logs');
});

test('an operation runs once at a time, and its failure becomes a message', async () => {
  const { app, fake } = openWindow();
  await loaded(app);
  fake.refuseNext('StopSession', '{"code":"timeout","message":"too slow"}');
  const session = app.state?.sessions[0];
  if (!session) throw new Error('no session');
  app.stop(session);
  expect(app.pending('stop default')).toBe(true);
  app.stop(session);
  await vi.waitFor(() => {
    expect(app.pending('stop default')).toBe(false);
  });
  expect(fake.calls.filter(([method]) => method === 'StopSession')).toHaveLength(1);
  expect(app.toasts.items[0]).toMatchObject({ tone: 'danger', text: 'too slow' });
});

test('agents that live are counted before quitting', async () => {
  const { app } = openWindow();
  await loaded(app);
  expect(app.agentsAlive).toBe(3);
});

test('the same conversation goes on where it was; another one is read anew', () => {
  const { app } = openWindow({ scenario: 'conversations' });
  const conversation = (id: string) => ({ session: 'default', id }) as WindowConversation;
  app.openConversation(conversation('c1'));
  const first = app.conversation;
  expect(app.page).toBe('talk');
  app.leaveConversation();
  expect([app.page, app.left]).toEqual(['sessions', 'c1']);
  app.openConversation(conversation('c1'));
  expect(app.conversation).toBe(first);
  app.openConversation({ ...conversation('c1'), session: 'work' });
  expect(app.conversation).not.toBe(first);
});

test('an error leads to the setting that is wrong', () => {
  const { app } = openWindow();
  app.editSetting('browserPath');
  expect([app.page, app.wanted]).toEqual(['settings', 'browserPath']);
});

test.each([
  ['a clipboard', () => Promise.resolve(), { tone: 'ok', title: 'Log copied' }],
  [
    'none',
    () => Promise.reject(new Error('no')),
    { tone: 'danger', title: 'Log could not be copied' },
  ],
])('copying with %s says how it went', async (_, writeText, said) => {
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  const { app } = openWindow();
  await app.copy('text', 'Log');
  expect(app.toasts.items.at(-1)).toMatchObject(said);
  vi.unstubAllGlobals();
});
