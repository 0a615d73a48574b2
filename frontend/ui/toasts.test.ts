import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Toasts, toastLife } from './toasts.svelte';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('good news goes by itself, a failure stays', () => {
  const toasts = new Toasts();
  toasts.show({ tone: 'ok', title: 'Log copied' });
  toasts.show({ tone: 'danger', title: 'It did not stop' });
  vi.advanceTimersByTime(toastLife);
  expect(toasts.items.map((toast) => toast.title)).toEqual(['It did not stop']);
  toasts.dismiss(toasts.items[0]?.id ?? 0);
  expect(toasts.items).toEqual([]);
});

test('the same failure twice is one message', () => {
  const toasts = new Toasts();
  for (let n = 0; n < 9; n++) toasts.show({ tone: 'danger', title: 'No', text: 'again' });
  expect(toasts.items).toHaveLength(1);
  for (let n = 0; n < 9; n++) toasts.show({ tone: 'danger', title: `No ${String(n)}` });
  expect(toasts.items).toHaveLength(4);
});
