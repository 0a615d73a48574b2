import { describe, expect, it } from 'vitest';
import type { RecordingState } from '$ui/protocol/protocol';
import { fakeDesk } from './fakes/desk';
import { lengthText, recordAction, recorder, Recorder } from './recorder.svelte';

const state = (tab: string): RecordingState => ({ tab, began: '2026-11-21T09:30:00Z' });
const stopped = { running: false, steps: [] };

describe('the recordings of a session', () => {
  it('are followed once, until nobody looks', () => {
    const { desk, happened, tell } = fakeDesk();
    const all = new Recorder();
    const leave = all.follow(desk);
    all.follow(desk);
    tell({ batch: { items: [state('t1'), state('t2')], last: 1 } });
    expect([all.of('t2')?.tab, all.of('t3'), all.of(undefined)]).toEqual([
      't2',
      undefined,
      undefined,
    ]);
    leave();
    expect(happened.map(([what]) => what)).toEqual(['follow', 'leave']);
  });

  it('are none when the browser has ended, and followed again', () => {
    const { desk, happened, tell } = fakeDesk();
    const all = new Recorder();
    all.follow(desk);
    tell({ batch: { items: [state('t1')], last: 1 } });
    tell({ batch: { items: [], last: 1 }, error: { message: 'the browser ended' } });
    expect(all.states).toEqual([]);
    all.follow(desk);
    expect(happened.filter(([what]) => what === 'follow')).toHaveLength(2);
  });
});

describe('Record', () => {
  it('begins, and says so', async () => {
    const { desk, happened } = fakeDesk({ commands: { record: {} } });
    await recordAction.run(desk);
    expect(happened).toEqual([
      ['run', 'record', { do: 'start', video: 'webm' }],
      ['say', 'Recording. What you or an agent does in this tab is kept.'],
    ]);
  });

  it('ends the recording of the tab, and asks what to keep', async () => {
    const { desk, happened, tell } = fakeDesk({ commands: { record: { data: stopped } } });
    const all = recorder(desk);
    all.follow(desk);
    expect(recordAction.state?.(desk)).toBeUndefined();
    tell({ batch: { items: [state('t1')], last: 1 } });
    expect(recordAction.state?.(desk)).toBe('on');
    await recordAction.run(desk);
    expect(all.ended).toEqual({ tab: 't1', recording: stopped });
    expect(happened.slice(1)).toEqual([['run', 'record', { do: 'end' }], ['show']]);
    expect(all.busy).toBe(false);
  });

  it('is not busy after an end that failed', async () => {
    const { desk } = fakeDesk();
    const all = recorder(desk);
    await expect(all.end(desk)).rejects.toThrow('no record try help');
    expect([all.busy, all.ended]).toEqual([false, undefined]);
  });

  it('saves in the form that was chosen, and returns the files', async () => {
    const file = (path: string) => ({ path, bytes: 3 });
    const data = { ...stopped, routine: file('/r.json'), playwright: file('/t.spec.ts') };
    const { desk, happened } = fakeDesk({ commands: { record: { data } } });
    const saved = await new Recorder().save(desk, 'steps', 'order');
    expect(saved.map(({ path }) => path)).toEqual(['/r.json', '/t.spec.ts']);
    await new Recorder().save(desk, 'gif', 'order');
    expect(happened).toEqual([
      ['run', 'record', { do: 'save', name: 'order' }],
      ['run', 'record', { do: 'save', video: 'gif' }],
    ]);
  });

  it('is forgotten when it is discarded', async () => {
    const { desk } = fakeDesk({ commands: { record: { data: stopped } } });
    const all = recorder(desk);
    await all.end(desk);
    await all.discard(desk);
    expect(all.ended).toBeUndefined();
  });
});

it.each([
  [0, '0:00'],
  [-5, '0:00'],
  [65_900, '1:05'],
  [3_600_000, '60:00'],
])('%d ms are %s', (ms, want) => {
  expect(lengthText(ms)).toBe(want);
});
