import { afterEach, expect, it, vi } from 'vitest';
import { breathe } from './breathe';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('dims all elements at once and back, not with reduced motion, and leaves them in full', () => {
  vi.useFakeTimers({ now: 100 });
  const motion = { matches: false };
  vi.stubGlobal('matchMedia', () => motion);
  const [first, second] = [{ style: { opacity: '' } }, { style: { opacity: '' } }];
  const seen = (): string => `${first.style.opacity}|${second.style.opacity}`;
  const end = breathe(0.5)(first as HTMLElement);
  vi.advanceTimersByTime(300);
  const ends = breathe(0.5)(second as HTMLElement);
  expect(seen()).toBe('|');
  vi.advanceTimersToNextTimer();
  expect(seen()).toBe('0.5|0.5');
  vi.advanceTimersToNextTimer();
  expect(seen()).toBe('|');
  motion.matches = true;
  vi.advanceTimersToNextTimer();
  expect(seen()).toBe('|');
  motion.matches = false;
  vi.advanceTimersByTime(1600);
  expect(seen()).toBe('0.5|0.5');
  end();
  ends();
  expect([seen(), vi.getTimerCount()]).toEqual(['|', 0]);
});
