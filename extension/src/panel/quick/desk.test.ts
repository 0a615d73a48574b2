import { expect, it, vi } from 'vitest';
import type { Sheet } from './desk';
import { PanelDesk, type QuickParts } from './desk.svelte';

it('what an action shows is made anew, also while the same is shown', async () => {
  const desk = new PanelDesk({ panel: () => '' } as unknown as QuickParts);
  const component = (() => ({})) as unknown as Sheet;
  const show = async (): Promise<unknown> => {
    const before = desk.sheet;
    desk.show(() => Promise.resolve({ default: component }));
    await vi.waitFor(() => {
      expect(desk.sheet).not.toBe(before);
    });
    return desk.sheet;
  };
  const first = await show();
  expect(await show()).toEqual(first);
});
