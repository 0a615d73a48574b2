import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the checks need of a page; window and panel have a Playwright each. */
export interface Checked {
  emulateMedia(media: { colorScheme: 'light' | 'dark'; reducedMotion: 'reduce' }): Promise<void>;
  evaluate<T>(script: string): Promise<T>;
}

/** What a check may do besides. */
export interface Checks {
  /** The parts of the page to check; the whole without them. */
  readonly parts?: readonly string[];
  /** The tags of the rules to run; all rules without it. */
  readonly tags?: string[];
  /** Is called in each scheme, before axe runs. */
  readonly also?: (scheme: 'light' | 'dark') => Promise<void>;
}

/**
 * Expects that axe finds nothing. It runs all rules in the first scheme, and in the second
 * those that compare colours: nothing else may differ there, because a scheme changes
 * custom properties only.
 */
export async function accessible(page: Checked, checks: Checks = {}): Promise<void> {
  const { parts, tags, also } = checks;
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe);
  for (const [at, colorScheme] of (['light', 'dark'] as const).entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await also?.(colorScheme);
    const options: RunOptions = {
      resultTypes: ['violations'],
      // The page has no frames, and no media that play by themselves; the HTML says where.
      iframes: false,
      preload: false,
      selectors: false,
      ...(tags && { runOnly: tags }),
      ...(at > 0 && { runOnly: ['color-contrast', 'link-in-text-block'] }),
    };
    const run = `axe.run(${parts === undefined ? 'document' : JSON.stringify({ include: parts })}, ${JSON.stringify(options)})`;
    // Colours may still be in transition, and the terminal receives a change of the scheme
    // later than the page. So a violation counts only if it persists.
    await expect
      .poll(
        async () => {
          const { violations } = await page.evaluate<AxeResults>(run);
          return violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join(' | ')}`,
          );
        },
        { message: colorScheme },
      )
      .toEqual([]);
  }
}
