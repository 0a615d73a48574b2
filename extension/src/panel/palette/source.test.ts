import { beforeEach, describe, expect, it } from 'vitest';
import type { Conversation, Task, TaskRoutine, TerminalInfo } from '$ui/protocol/protocol';
import { PanelSource, type SourceParts } from './source';

let happened: unknown[][];
let tab: { id: string } | undefined;
let source: PanelSource;
let wanted: { conversations?: unknown; tasks?: unknown };

beforeEach(() => {
  happened = [];
  wanted = {};
  tab = { id: 't1' };
  const note =
    (what: string) =>
    (...args: unknown[]): void => {
      happened.push([what, ...args]);
    };
  const keep = (name: keyof typeof wanted) => ({
    all: [{ id: name }],
    set wanted(value: unknown) {
      wanted[name] = value;
    },
  });
  source = new PanelSource({
    desk: {
      get tab() {
        return tab;
      },
      drawer: { fill: note('fill') },
      showTab: note('showTab'),
    },
    connection: { send: note('send') },
    session: { terminals: [{ id: 'k1' }], settings: { theme: 'dark' } },
    conversations: keep('conversations'),
    tasks: keep('tasks'),
    terminals: { focus: note('focus'), choose: note('choose terminal'), start: note('start') },
    faces: { choose: note('choose') },
    help: note('help'),
  } as unknown as SourceParts);
});

it('what the palette searches is what the panel has', () => {
  expect([
    source.conversations[0]?.id,
    source.tasks[0]?.id,
    source.terminals[0]?.id,
    source.theme,
  ]).toEqual(['conversations', 'tasks', 'k1', 'dark']);
});

describe('a choice', () => {
  it('of a face makes room for it, and gives the terminal the keyboard', () => {
    source.choose('terminal');
    expect(happened).toEqual([['fill', false], ['choose', 't1', 'terminal'], ['focus']]);
    happened = [];
    source.choose('chat');
    expect(happened).toEqual([
      ['fill', false],
      ['choose', 't1', 'chat'],
    ]);
  });

  it('of a conversation, a task or a routine is left for its face', () => {
    source.showConversation({ id: 'c1' } as Conversation);
    expect(wanted.conversations).toEqual({ tab: 't1', id: 'c1' });
    source.showTask({ id: 'a' } as Task);
    expect(wanted.tasks).toEqual({ task: 'a' });
    source.runRoutine({ name: 'report' } as TaskRoutine);
    expect(wanted.tasks).toEqual({ routine: 'report' });
    expect(happened.filter(([what]) => what === 'choose').map(([, , face]) => face)).toEqual([
      'chat',
      'task',
      'task',
    ]);
  });

  it('of a terminal shows it here, or brings its tab to the front', () => {
    source.showTerminal({ id: 'k1', tab: 't1' } as TerminalInfo);
    expect(happened).toContainEqual(['focus']);
    happened = [];
    source.showTerminal({ id: 'k2', tab: 't2' } as TerminalInfo);
    expect(happened).toEqual([
      ['choose terminal', 't2', 'k2'],
      ['choose', 't2', 'terminal'],
      ['showTab', 't2'],
    ]);
  });

  it('of a new terminal starts one beside the tab', () => {
    source.newTerminal();
    expect(happened.at(-1)).toEqual(['start', 't1']);
  });

  it('without a tab does nothing', () => {
    tab = undefined;
    source.newTerminal();
    source.showConversation({ id: 'c1' } as Conversation);
    expect([happened, wanted]).toEqual([[], {}]);
  });

  it('of a theme and of the window goes to the app, help to the panel', () => {
    source.setTheme('light');
    source.openWindow({ page: 'settings' });
    source.help('keys');
    expect(happened).toEqual([
      ['send', { type: 'theme', theme: 'light' }],
      ['send', { type: 'window', window: { page: 'settings' } }],
      ['help', 'keys'],
    ]);
  });
});
