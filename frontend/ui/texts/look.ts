// What tests need to look at an interface in the pseudo-language.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page, Response } from 'playwright-core';
import type { InlineConfig } from 'vite';
import { collect, written } from './catalogue.mjs';
import { either, pseudo } from './pseudo.mjs';

/**
 * Builds an interface in the pseudo-language.
 * @param build Vite's own, of the interface that is built.
 * @param root The folder with its configuration.
 * @param folder An empty folder. The page and its files come into `dist` in it.
 */
export async function buildPseudo(
  build: (config: InlineConfig) => Promise<unknown>,
  root: string,
  folder: string,
): Promise<string> {
  const language = join(folder, 'en-XA.json');
  const texts = Object.keys(await collect()).map((text) => [text, pseudo(text)] as const);
  await writeFile(language, written(Object.fromEntries(texts)));
  process.env.PILOTFISH_LANGUAGE = language;
  try {
    const outDir = join(folder, 'dist');
    await build({ root, logLevel: 'error', build: { outDir } });
    return outDir;
  } finally {
    delete process.env.PILOTFISH_LANGUAGE;
  }
}

const finders = new Set([
  'getByText',
  'getByRole',
  'getByLabel',
  'getByPlaceholder',
  'getByTitle',
  'locator',
  'filter',
]);

interface Options {
  name?: string | RegExp;
  hasText?: string | RegExp;
  exact?: boolean;
}

/** A page, or something in it, in which English texts find those of the pseudo-language. */
export function inPseudo<T extends Page | Locator>(real: T): T {
  return new Proxy(real, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown;
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        const name = String(key);
        const args = finders.has(name) ? translated(name, given) : given;
        const made: unknown = Reflect.apply(value, target, args);
        const isLocator = typeof made === 'object' && made !== null && 'getByRole' in made;
        return isLocator ? inPseudo(made as Locator) : made;
      };
    },
  });
}

function translated(finder: string, [first, second]: unknown[]): unknown[] {
  if (finder === 'filter') return [options(first as Options)];
  if (finder === 'getByRole' || finder === 'locator')
    return second === undefined ? [first] : [first, options(second as Options)];
  return [either(first as string | RegExp, (second as Options | undefined)?.exact)];
}

function options({ exact, ...rest }: Options): Options {
  return {
    ...rest,
    ...(rest.name !== undefined && { name: either(rest.name, exact) }),
    ...(rest.hasText !== undefined && { hasText: either(rest.hasText) }),
  };
}

/** Collects every string that a page gets from its backend: what is shown of it is data. */
export function dataOf(page: Page, strings: Set<string>): void {
  const keep = (text: string): void => {
    try {
      JSON.parse(text, (_, value: unknown) => {
        if (typeof value === 'string') strings.add(value);
        return value;
      });
    } catch {
      // It is no JSON, such as a script.
    }
  };
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (typeof payload === 'string') keep(payload);
    }),
  );
  page.on('response', (response: Response) => {
    if (response.headers()['content-type']?.includes('json') === true)
      void response.text().then(keep, () => undefined);
  });
}

/** What a page shows: how many texts of the pseudo-language, and each English one with its place. */
export function english(
  page: Page,
): Promise<{ translated: number; rest: { text: string; place: string }[] }> {
  return page.evaluate(() => {
    // What a program or the user wrote, what stands for keys, and times, which the browser words.
    const data =
      '.xterm, .md, pre, code, kbd, samp, textarea, time, .when, .day, .usage, .end, script, svg';
    const rest: { text: string; place: string }[] = [];
    let translated = 0;
    const add = (text: string, element: Element, attribute: string): void => {
      translated += text.split('⟦').length - 1;
      const place = `${element.tagName.toLowerCase()}.${element.className} ${attribute}`.trim();
      // Quotes, brackets and ends of sentences stand between data and what is around it.
      for (const part of text.split(/[⟦⟧~“”"()·,;!?…\n]|[.:](?=\s|$)/))
        for (const [run] of part.matchAll(/[A-Za-z](?:[^\p{L}]|[A-Za-z])+/gu))
          if (!/^(?:Ctrl|Shift|Alt|F\d)\b/.test(run)) rest.push({ text: run.trim(), place });
    };
    for (const element of document.querySelectorAll('body *')) {
      if (element.closest(data) !== null || !element.checkVisibility()) continue;
      for (const node of element.childNodes)
        if (node.nodeType === Node.TEXT_NODE) add(node.textContent ?? '', element, '');
      for (const name of ['title', 'aria-label', 'placeholder', 'alt'])
        add(element.getAttribute(name) ?? '', element, name);
    }
    return { translated, rest };
  });
}

/** The parts of a page that are wider than their place. */
export function cut(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'header, main, section, .notice, .bar, article, dialog[open]',
      ),
    ]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => element.className || element.tagName),
  );
}
