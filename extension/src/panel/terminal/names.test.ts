import type { TerminalInfo } from '$ui/protocol/protocol';
import { describe, expect, it } from 'vitest';
import { Bells } from './bells';
import { MAX_NAME, Names, namesKey } from './names.svelte';

function area(kept: unknown): chrome.storage.StorageArea {
  const store: Record<string, unknown> = { [namesKey]: kept };
  return {
    get: () => Promise.resolve(store),
    set: (items: Record<string, unknown>) => {
      Object.assign(store, items);
      return Promise.resolve();
    },
  } as unknown as chrome.storage.StorageArea;
}

describe('Names', () => {
  it('keeps what the user typed, and forgets an empty name', async () => {
    const stored = area({ a: 'build', b: 7 });
    const names = new Names(stored);
    await names.load();
    expect([names.of('a'), names.of('b')]).toEqual(['build', undefined]);
    names.rename('b', `  ${'x'.repeat(MAX_NAME + 1)}`);
    names.rename('a', ' ');
    const again = new Names(stored);
    await again.load();
    expect([again.of('a'), again.of('b')]).toEqual([undefined, 'x'.repeat(MAX_NAME)]);
  });
  it('reads nothing from a value of another kind', async () => {
    const names = new Names(area('strange'));
    await names.load();
    expect(names.of('a')).toBeUndefined();
  });
});

describe('Bells', () => {
  const at = (id: string, bells: number, epoch = 1): TerminalInfo =>
    ({ id, epoch, bells }) as TerminalInfo;
  it('rings for what is new and not in view', () => {
    const rang: string[] = [];
    const bells = new Bells();
    const hear = (...all: TerminalInfo[]): void => {
      bells.hear(all, ['b'], (id) => rang.push(id));
    };
    hear(at('a', 3), at('b', 0));
    hear(at('a', 3), at('b', 1));
    expect(rang).toEqual([]);
    hear(at('a', 4), at('b', 1));
    hear(at('a', 0, 2), at('b', 1));
    hear(at('a', 1, 2), at('b', 1));
    expect(rang).toEqual(['a', 'a']);
  });
});
