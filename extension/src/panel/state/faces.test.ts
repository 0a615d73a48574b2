import { expect, it } from 'vitest';
import { Faces, facesKey } from './faces.svelte';

/** Storage in memory that has a choice of an earlier panel. */
function stored(kept: unknown) {
  const all: Record<string, unknown> = { [facesKey]: kept };
  const area = {
    get: () => Promise.resolve({ ...all }),
    set: (values: object) => Promise.resolve(void Object.assign(all, values)),
  } as unknown as chrome.storage.StorageArea;
  return { area, all };
}

it('shows what was chosen for a tab, else what was chosen last', async () => {
  const faces = new Faces(stored({ last: 'chat', tabs: { t1: 'task', t2: 'nonsense' } }).area);
  expect(faces.of('t1')).toBe('terminal');
  await faces.load();
  expect([faces.of('t1'), faces.of('t2'), faces.of(undefined)]).toEqual(['task', 'chat', 'chat']);
});

it('keeps what is chosen before the first tab is known, for that tab', async () => {
  const { area, all } = stored({ last: 'chat', tabs: { t1: 'chat', t2: 'chat' } });
  const faces = new Faces(area);
  const loaded = faces.load();
  faces.choose(undefined, 'task');
  await loaded;
  faces.arrived('t1');
  expect(faces.of('t1')).toBe('task');
  expect(all[facesKey]).toEqual({ last: 'task', tabs: { t1: 'task', t2: 'chat' } });
  faces.choose(undefined, 'terminal');
  faces.arrived('t2');
  expect(faces.of('t2')).toBe('chat');
});
