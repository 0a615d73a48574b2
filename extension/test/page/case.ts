import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { zooDir } from './browser.js';

/**
 * An item that must be shown as actionable: `hit` is the data-hit of the element that a click on it
 * must hit.
 */
export interface Wanted {
  hit: string;
  role: string;
  name: string;
  states?: string[];
  value?: string;
}

/** The expectations of one page of the zoo. */
export interface Case {
  id: string;
  about: string;
  offered?: Wanted[];
  absent?: string[];
  covered?: string[];
  after?: { hit: string; state: string }[];
  /** Texts that the snapshot must contain. */
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
