import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { zooDir } from './browser.js';

/** A thing that must be offered: `hit` is the data-hit of what a click on it must meet. */
export interface Wanted {
  hit: string;
  role: string;
  name: string;
  states?: string[];
  value?: string;
}

/** What one page of the zoo declares. */
export interface Case {
  id: string;
  about: string;
  offered?: Wanted[];
  absent?: string[];
  covered?: string[];
  after?: { hit: string; state: string }[];
  /** What the text must have. */
  text?: string[];
}

/** All cases, in order. */
export async function cases(): Promise<Case[]> {
  const index = JSON.parse(await readFile(join(zooDir, 'index.json'), 'utf8')) as {
    file: string;
  }[];
  return Promise.all(
    index.map(async ({ file }) => {
      const html = await readFile(join(zooDir, file), 'utf8');
      const json = /<script type="application\/json" id="case">(.*?)<\/script>/s.exec(html)?.[1];
      return JSON.parse(json ?? '{}') as Case;
    }),
  );
}
