import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds in a page, in the dark and then in the light scheme. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const all: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    all.push(
      ...(await page.evaluate(async () => {
        // Colours are compared at rest.
        await Promise.all(document.getAnimations().map(({ finished }) => finished));
        const found = await (globalThis as unknown as { axe: typeof axe }).axe.run();
        return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
      })),
    );
  }
  return all;
}
