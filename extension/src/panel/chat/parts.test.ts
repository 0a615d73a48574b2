// The small parts of Chat: its menu, its heads, the attachments.
import { describe, expect, it } from 'vitest';
import type { AgentsFile, Tab } from '$ui/protocol/protocol';
import { AskedConnection } from '../connection/fakes/asked';
import { MAX_ATTACHMENT } from '../core/timing';
import { modelName } from './agents';
import { readFiles, tabAttachment } from './attachments';
import { blank } from './blank';
import { whichAnswer } from './core/which';
import { head } from './fakes/head';
import { conversationMenu, type MenuActions } from './menu';
import { Pictures } from './pictures';

const agents: AgentsFile = {
  version: 1,
  default: 'claude',
  agents: [
    { kind: 'claude', name: 'Claude Code', installed: true, chat: 'acp' },
    { kind: 'shell', name: 'Shell', installed: true },
  ],
  models: [{ kind: 'model:m1', name: 'Work', installed: true, detail: 'sonnet' }],
};

describe('the menu of a conversation', () => {
  const done: string[] = [];
  const does = Object.fromEntries(
    ['rename', 'copy', 'export', 'changeModel', 'terminal', 'delete'].map((name) => [
      name,
      () => done.push(name),
    ]),
  ) as unknown as MenuActions;
  const menu = (part: Parameters<typeof head>[1], kept = true) =>
    conversationMenu(head('a', part), kept, does);
  const can = { images: true, resume: false, steer: false, terminal: true };

  it.each([
    ['an agent', {}, ['Rename…', 'Copy', 'Export', 'Delete…']],
    ['a model', { agent: 'model:m1' }, ['Rename…', 'Copy', 'Export', 'Change', 'Delete…']],
    [
      'one that a terminal can continue',
      { can },
      ['Rename…', 'Copy', 'Export', 'Continue', 'Delete…'],
    ],
    [
      'one in a terminal',
      { can, state: 'terminal' as const },
      ['Rename…', 'Copy', 'Export', 'Delete…'],
    ],
  ])('of %s', (_, part, texts) => {
    expect(menu(part).map(({ text }) => text.split(' ')[0])).toEqual(texts);
  });

  it('of one that is not kept changes nothing but its model', () => {
    const able = menu({ agent: 'model:m1', can }, false).filter(
      ({ disabled }) => disabled !== true,
    );
    expect(able.map(({ text }) => text)).toEqual(['Change the model…']);
  });

  it('does what it says', () => {
    for (const item of menu({ agent: 'model:m1', can })) item.run();
    expect(done).toEqual(['rename', 'copy', 'export', 'changeModel', 'terminal', 'delete']);
  });
});

it.each([
  ['', 'auto', 'claude', 'Claude Code'],
  ['', 'model:m1', 'model:m1', 'Work'],
  ['', 'model:removed', 'claude', 'Claude Code'],
  ['pilot', 'auto', 'pilot', 'Pilot'],
  ['shell', 'auto', 'shell', 'Shell'],
  ['my-own', 'auto', 'my-own', 'my-own'],
])(
  'a new conversation with %j, and %s in Settings, is answered by %s',
  (asked, chatAgent, kind, name) => {
    const made = blank('c1', 't1', asked, { agents, settings: { chatAgent } });
    expect(made).toMatchObject({ id: 'c1', tab: 't1', agent: kind, agentName: name, entries: 0 });
  },
);

it('the model of an agent is said only of a model', () => {
  const all = agents.models ?? [];
  expect(['model:m1', 'model:gone', 'claude'].map((kind) => modelName(all, kind))).toEqual([
    'sonnet',
    '',
    '',
  ]);
});

it('an answer to Pilot says the message again, with what was chosen before and now', () => {
  const which = { text: 'add both', tab: 't1', chosen: ['e1'] };
  const answer = whichAnswer(which as never, { ref: 'e9', name: 'Add', kind: 'button' });
  expect(answer.text).toBe('add both');
  expect(answer.attachments.map(({ ref, tab, kind }) => [kind, ref, tab])).toEqual([
    ['element', 'e1', 't1'],
    ['element', 'e9', 't1'],
  ]);
  expect(answer.attachments[1]?.name).toContain('Add');
});

describe('what goes with a message', () => {
  it('a tab is called by its title, else by its address', () => {
    const tab = { id: 't1', title: '', url: 'https://a.test/' } as Tab;
    expect(tabAttachment(tab).name).toBe('https://a.test/');
    expect(tabAttachment({ ...tab, title: 'A' })).toMatchObject({ name: 'A', tab: 't1' });
  });

  it('files are read side by side, in their order; one that is too large is named', async () => {
    const large = new File([''], 'large.bin');
    Object.defineProperty(large, 'size', { value: MAX_ATTACHMENT + 1 });
    const broken = new File([''], 'broken.bin');
    broken.arrayBuffer = () => Promise.reject(new Error('gone'));
    const read = await readFiles([
      new File([new Uint8Array([0, 255, 16])], 'a.bin'),
      large,
      new File(['x'], '', { type: 'image/png' }),
      broken,
    ]);
    expect(read).toEqual([
      { made: { kind: 'file', name: 'a.bin', data: 'AP8Q', mime: 'application/octet-stream' } },
      { problem: `large.bin is larger than ${String(MAX_ATTACHMENT / 1024 / 1024)} MB.` },
      { made: { kind: 'image', name: 'Image', data: 'eA==', mime: 'image/png' } },
      { problem: 'This file can’t be read.' },
    ]);
  });

  it('a large file is encoded whole', async () => {
    const bytes = new Uint8Array(100_000).map((_, at) => at);
    const [read] = await readFiles([new File([bytes], 'big.bin')]);
    expect(Buffer.from(read?.made?.data ?? '', 'base64').equals(bytes)).toBe(true);
  });
});

it('a picture is fetched once, but again when it could not be had', async () => {
  const connection = new AskedConnection();
  const pictures = new Pictures(connection.whole);
  expect(await pictures.get('shots/1.png')).toBeUndefined();
  connection.answers['/chat/file'] = () => ({
    kind: 'image',
    name: 'x',
    mime: 'image/png',
    data: 'eA==',
  });
  const [one, two] = await Promise.all([1, 2].map(() => pictures.get('shots/1.png')));
  expect([one, two]).toEqual(['data:image/png;base64,eA==', one]);
  expect(connection.asked).toHaveLength(2);
});
