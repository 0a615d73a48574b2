import { afterEach, expect, it, vi } from 'vitest';
import { Looking } from './looking';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('counts a visible panel in the window that the user uses', () => {
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const moved = new Set<(window: number) => void>();
  const onFocusChanged = {
    addListener: (listener: (window: number) => void) => moved.add(listener),
    removeListener: (listener: (window: number) => void) => moved.delete(listener),
  };
  vi.stubGlobal('document', document);
  vi.stubGlobal('chrome', { windows: { onFocusChanged } });
  const turn = (to: number): void => {
    for (const listener of moved) listener(to);
  };
  const looking = new Looking();
  const heard: boolean[] = [];
  looking.onchange = () => heard.push(looking.now);
  const abort = new AbortController();
  looking.run(7, true, abort.signal);
  turn(-1); // another program
  turn(8); // another window of the browser
  turn(7);
  document.visibilityState = 'hidden';
  document.dispatchEvent(new Event('visibilitychange'));
  expect(heard).toEqual([true, false, true, false]);
  abort.abort();
  expect(moved.size).toBe(0);
  document.visibilityState = 'visible';
  document.dispatchEvent(new Event('visibilitychange'));
  expect(looking.now).toBe(false);
});
