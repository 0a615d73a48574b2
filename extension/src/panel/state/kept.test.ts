// What the panel stores beyond its own run: the chosen faces, and a dismissed crash.
import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '$ui/protocol/protocol';
import { Crash } from './crash.svelte';
import { Faces, facesKey } from './faces.svelte';

/** Storage whose replies the test can delay. */
class Area {
  values: Record<string, unknown> = {};
  #go: () => void = () => undefined;
  #held = Promise.resolve();

  hold(): void {
    this.#held = new Promise((go) => {
      this.#go = go;
    });
  }
  release(): void {
    this.#go();
  }
  async get(key: string): Promise<Record<string, unknown>> {
    const { [key]: value } = this.values;
    await this.#held;
    return { [key]: value };
  }
  set(part: Record<string, unknown>): Promise<void> {
    Object.assign(this.values, part);
    return Promise.resolve();
  }
  get area(): chrome.storage.StorageArea {
    return this as unknown as chrome.storage.StorageArea;
  }
}

describe('faces', () => {
  it('a tab shows its own, others the one chosen last, also in the next panel', async () => {
    const kept = new Area();
    const before = new Faces(kept.area);
    before.choose('t1', 'chat');
    before.choose('t2', 'task');
    const after = new Faces(kept.area);
    expect(after.of('t1')).toBe('terminal');
    await after.load();
    expect(['t1', 't2', 't3', undefined].map((tab) => after.of(tab))).toEqual([
      'chat',
      'task',
      'task',
      'task',
    ]);
  });

  it('what is chosen while the old choice is read is newer', async () => {
    const kept = new Area();
    kept.values[facesKey] = { last: 'task', tabs: { t1: 'task', t2: 'task' } };
    kept.hold();
    const faces = new Faces(kept.area);
    const loaded = faces.load();
    faces.choose('t1', 'chat');
    kept.release();
    await loaded;
    expect(['t1', 't2', 't3'].map((tab) => faces.of(tab))).toEqual(['chat', 'task', 'chat']);
  });

  it.each([undefined, null, 7, { last: 'mirror', tabs: { t1: 3 } }, { tabs: null }])(
    'what is damaged (%j) is no choice',
    async (damaged) => {
      const kept = new Area();
      kept.values[facesKey] = damaged;
      const faces = new Faces(kept.area);
      await faces.load();
      expect(faces.of('t1')).toBe('terminal');
    },
  );
});

describe('a crash', () => {
  const info = (message: string) =>
    ({ warnings: [{ code: 'crashed', message }] }) as unknown as SessionInfo;

  it('is told until it is dismissed, also to the next panel; the next one is told again', async () => {
    const kept = new Area();
    const crash = new Crash(kept.area);
    expect(crash.said(undefined)).toBeUndefined();
    expect(crash.said(info('at 9:00'))).toBe('at 9:00');
    crash.dismiss('at 9:00');
    const after = new Crash(kept.area);
    await after.load();
    expect(after.said(info('at 9:00'))).toBeUndefined();
    expect(after.said(info('at 9:05'))).toBe('at 9:05');
  });

  it('what is dismissed while the old one is read stays so', async () => {
    const kept = new Area();
    kept.values['pilotfish.crash'] = 'at 9:00';
    kept.hold();
    const crash = new Crash(kept.area);
    const loaded = crash.load();
    crash.dismiss('at 9:05');
    kept.release();
    await loaded;
    expect(crash.said(info('at 9:05'))).toBeUndefined();
  });
});
