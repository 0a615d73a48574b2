import { expect, test } from 'vitest';
import { connect } from '../backend';
import { SettingsForm } from './form.svelte';
import { install } from '../../test/fakes/wails';

async function open() {
  const target = {} as Window;
  const fake = install(target);
  const form = new SettingsForm(connect(target));
  await form.load();
  const draft = form.draft;
  if (!draft) throw new Error(`no settings: ${String(form.failure?.message)}`);
  return { fake, form, draft };
}

test('a field is saved by itself; another one being edited is not sent', async () => {
  const { fake, form, draft } = await open();
  draft.fontSize = 15;
  draft.agentArgs = '--half-typ';
  await form.save('fontSize');
  expect(fake.settings).toMatchObject({ fontSize: 15, agentArgs: '' });
  expect(form.saved).toBe('fontSize');
  expect(form.draft?.agentArgs).toBe('--half-typ');
});

test('a refused value stays in its field with the reason, until it is mended', async () => {
  const { fake, form, draft } = await open();
  draft.fontSize = 99;
  await form.save('fontSize');
  expect(form.errors.fontSize).toBe('The font size 99 is out of range. Use 8 to 32');
  expect(form.draft?.fontSize).toBe(99);
  expect(fake.settings.fontSize).toBe(13);
  draft.fontSize = 13;
  await form.save('fontSize');
  expect(form.errors.fontSize).toBeUndefined();
});

test('two saves at once do not undo each other', async () => {
  const { fake, form, draft } = await open();
  draft.everyTab = true;
  draft.workDir = '/home/ada';
  await Promise.all([form.save('everyTab'), form.save('workDir')]);
  expect(fake.settings).toMatchObject({ everyTab: true, workDir: '/home/ada' });
});

test('what is unchanged is not sent', async () => {
  const { fake, form } = await open();
  await form.save('startUrl');
  expect(fake.calls.some(([method]) => method === 'SaveSettings')).toBe(false);
});

test('a setting of the session’s start waits until the session has restarted', async () => {
  const { fake, form, draft } = await open();
  const session = fake.state.sessions[0];
  if (!session) throw new Error('no session');
  draft.startUrl = 'https://example.com/';
  await form.save('startUrl', session.startedAt);
  expect(form.waits('startUrl', session)).toBe(true);
  expect(form.waits('startUrl', { ...session, startedAt: '2030-01-01T00:00:00Z' })).toBe(false);
  draft.fontSize = 14;
  await form.save('fontSize', session.startedAt);
  expect(form.waits('fontSize', session)).toBe(false);
});

test('loading again keeps what is being edited', async () => {
  const { fake, form, draft } = await open();
  draft.agentArgs = '--model big';
  fake.settings = { ...fake.settings, fontSize: 20 };
  await form.load();
  expect(form.draft).toMatchObject({ agentArgs: '--model big', fontSize: 20 });
});

test('what is typed while a field is saved stays, and is saved next', async () => {
  const { fake, form } = await open();
  form.put('fontSize', 14);
  const first = form.save('fontSize');
  await Promise.resolve();
  form.put('fontSize', 15);
  const second = form.save('fontSize');
  await Promise.all([first, second]);
  expect([fake.settings.fontSize, form.draft?.fontSize]).toEqual([15, 15]);
  form.put('agentArgs', '--model');
  const saved = form.save('agentArgs');
  await Promise.resolve();
  form.put('agentArgs', '--model big');
  await saved;
  expect(form.draft?.agentArgs).toBe('--model big');
});

test('settings that are read during a save are not older than it', async () => {
  const target = {} as Window;
  install(target);
  const backend = connect(target);
  let release: () => void = () => undefined;
  let held = Promise.resolve();
  const form = new SettingsForm({
    ...backend,
    async settings() {
      const now = await backend.settings();
      await held;
      return now;
    },
  });
  await form.load();
  held = new Promise((go) => (release = go));
  const load = form.load();
  form.put('fontSize', 14);
  const save = form.save('fontSize');
  await new Promise((done) => setTimeout(done));
  release();
  await Promise.all([load, save]);
  expect([form.kept?.fontSize, form.draft?.fontSize]).toEqual([14, 14]);
});
