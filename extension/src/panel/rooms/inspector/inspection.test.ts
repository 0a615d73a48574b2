import { describe, expect, it } from 'vitest';
import type { CommandReply, Details, InspectorEvent } from '$ui/protocol/protocol';
import type { Told } from '../desk';
import { desk, details, edits, type Reply } from './fakes/desk';
import { Inspection } from './inspection.svelte';

const shown: Reply = { data: details };
const report = (kind: InspectorEvent['kind']): Told => ({
  batch: { items: [{ index: 1, kind, tab: 't1' }], last: 1 },
});
/** Lets everything happen that waits only for promises. */
const settle = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('an inspected element', () => {
  it('is read, and read again by its ref', async () => {
    const { desk: one, asked } = desk({ details: shown });
    const seen = new Inspection(one);
    await seen.read('e5');
    await seen.read(undefined, 'parent');
    expect(asked).toEqual([
      ['details', { element: 'e5' }],
      ['details', { element: details.ref, step: 'parent' }],
    ]);
    expect(seen.details?.ref).toBe(details.ref);
  });

  it('is not read before there is one', async () => {
    const { desk: one, asked } = desk({});
    await new Inspection(one).read();
    expect(asked).toEqual([]);
  });

  it('is read once more when that is asked for meanwhile', async () => {
    const { desk: one, asked } = desk({ details: shown });
    const seen = new Inspection(one);
    await Promise.all([seen.read('e5'), seen.read('e5'), seen.read('e5')]);
    expect(asked).toHaveLength(2);
    expect(seen.busy).toBe(false);
  });

  it('goes where the user sent it during a read, in spite of a refresh', async () => {
    const { desk: one, asked } = desk({ details: shown });
    const seen = new Inspection(one);
    await Promise.all([seen.read('e5'), seen.read(), seen.read(undefined, 'parent'), seen.read()]);
    expect(asked).toEqual([
      ['details', { element: 'e5' }],
      ['details', { element: details.ref, step: 'parent' }],
    ]);
  });

  it.each<[InspectorEvent['kind'], string | undefined, boolean]>([
    ['changed', 'The page changed', false],
    ['gone', undefined, true],
  ])('that the page %s is marked', async (kind, stale, gone) => {
    const seen = new Inspection(desk({ details: shown }).desk);
    seen.told(report(kind)); // before anything is inspected
    expect([seen.stale, seen.gone]).toEqual([undefined, false]);
    await seen.read('e5');
    seen.told(report(kind));
    expect([seen.stale, seen.gone]).toEqual([stale, gone]);
    await seen.read();
    expect([seen.stale, seen.gone]).toEqual([undefined, false]);
  });

  it('is read again with its history when somebody else edits it', async () => {
    const { desk: one, asked } = desk({ details: shown, edit: { data: edits } });
    const seen = new Inspection(one);
    await seen.read('e5');
    seen.told(report('edited'));
    await settle();
    expect(asked.slice(1).map(([command]) => command)).toEqual(['details', 'edit']);
    expect(seen.edits?.edits).toHaveLength(2);
  });

  it('says when changes are no longer reported', () => {
    const seen = new Inspection(desk({}).desk);
    seen.told({ batch: { items: [], last: 0 }, error: { message: 'the tab was closed' } });
    expect(seen.stale).toBe('Changes of the page are not reported: the tab was closed');
  });

  it('that has gone stays in view, marked', async () => {
    const gone: Reply = { ok: false, error: { code: 'gone', message: 'e5 is gone', hint: '' } };
    const seen = new Inspection(desk({ details: [shown, gone] }).desk);
    await seen.read('e5');
    await seen.read();
    expect([seen.gone, seen.problem, seen.details?.ref]).toEqual([true, 'e5 is gone', details.ref]);
  });

  it.each<[string, Reply, string]>([
    [
      'refused',
      { ok: false, error: { code: 'x', message: 'no', hint: 'try' } as never },
      'no: try',
    ],
    ['failed', new Error('not connected'), 'not connected'],
    [
      'unreadable',
      { data: { ref: 5 } },
      'The reply cannot be read: the app may be older than the panel.',
    ],
  ])('says why a read was %s', async (_why, reply, want) => {
    const seen = new Inspection(desk({ details: reply }).desk);
    await seen.read('e5');
    expect([seen.problem, seen.details, seen.busy]).toEqual([want, undefined, false]);
  });
});

describe('the picker', () => {
  it('reads what was picked', async () => {
    const { desk: one, asked } = desk(
      { details: shown },
      { data: { url: '', element: { ref: 'e5', role: 'button' } } },
    );
    const seen = new Inspection(one);
    await seen.pick();
    expect(asked).toEqual([
      ['/command', { command: 'pick', tab: 't1', timeoutMs: 120_000 }],
      ['details', { element: 'e5' }],
    ]);
    expect([seen.picking, seen.details?.ref]).toEqual([false, details.ref]);
  });

  it.each<[Partial<CommandReply>, string | undefined]>([
    [{ data: { url: '' } }, undefined],
    [{ ok: false, error: { code: 'timeout', message: 'late' } }, 'Nothing was picked in time.'],
    [{ ok: false, error: { code: 'refused', message: 'Not here.' } }, 'Not here.'],
  ])('says how it ended: %j', async (picked, want) => {
    const seen = new Inspection(desk({}, picked).desk);
    await seen.pick();
    expect([seen.picking, seen.problem]).toEqual([false, want]);
  });

  it('ends without an error at a second press', async () => {
    const seen = new Inspection(desk({}).desk);
    const picking = seen.pick();
    expect(seen.picking).toBe(true);
    await seen.pick();
    await picking;
    expect([seen.picking, seen.problem]).toEqual([false, undefined]);
  });
});

describe('changes', () => {
  it('are made to the inspected element, and shown', async () => {
    const { desk: one, asked } = desk({ details: shown, edit: { data: edits } });
    const seen = new Inspection(one);
    await seen.read('e5');
    expect(await seen.edit('class', { name: 'on' })).toBe(true);
    expect(asked.slice(1)).toEqual([
      ['edit', { element: details.ref, what: 'class', name: 'on' }],
      ['details', { element: details.ref }],
    ]);
  });

  it('that are refused say why', async () => {
    const seen = new Inspection(desk({}).desk);
    expect(await seen.change({ undo: true })).toBe(false);
    expect(seen.problem).toBe('no edit: why');
  });

  it('of states that are pressed at once are all made', async () => {
    const { desk: one, asked } = desk({
      details: [shown, { data: { ...details, states: ['hover'] } }],
      force: {},
    });
    const seen = new Inspection(one);
    await seen.read('e5');
    await Promise.all([seen.force('hover'), seen.force('focus')]);
    expect(asked.filter(([command]) => command === 'force').map(([, args]) => args)).toEqual([
      { element: 'e5', states: 'hover' },
      { element: 'e5', states: 'hover,focus' },
    ]);
  });

  it('of a state are added to those that are forced, or taken away', async () => {
    const hovered: Details = { ...details, states: ['hover'] };
    const { desk: one, asked } = desk({ details: [shown, { data: hovered }], force: {} });
    const seen = new Inspection(one);
    await seen.force('hover');
    expect(asked).toEqual([]);
    await seen.read('e5');
    const before = details.states;
    await seen.force('hover');
    await seen.force('hover');
    expect(asked.filter(([command]) => command === 'force').map(([, args]) => args)).toEqual([
      { element: details.ref, states: [...before, 'hover'].join(',') },
      { element: details.ref, states: 'none' },
    ]);
  });

  it('of what the tab believes are read back', async () => {
    const { desk: one, asked } = desk({ details: shown, emulate: { data: { scheme: 'dark' } } });
    const seen = new Inspection(one);
    await seen.read('e5');
    await seen.emulate();
    await seen.emulate('emulate', { scheme: 'dark' });
    expect(seen.emulation).toEqual({ scheme: 'dark' });
    expect(asked.map(([command]) => command)).toEqual(['details', 'emulate', 'emulate', 'details']);
  });
});
