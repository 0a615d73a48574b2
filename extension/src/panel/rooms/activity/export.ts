import type { ActivityEntry } from '$ui/protocol/protocol';
import { activityFoundSchema } from '$ui/protocol/schemas/activity';
import * as v from 'valibot';
import type { RoomDesk } from '../desk';
import { asked, type Query } from './match';

export type Format = 'json' | 'md';

/** The most entries of one request. */
const page = 1000;

/** Everything that a query selects, oldest first, as text. */
export async function exported(
  desk: RoomDesk,
  query: Query,
  format: Format,
): Promise<{ text: string; count: number }> {
  const markdown = format === 'md';
  const parts: string[] = [];
  const entries: ActivityEntry[][] = [];
  let count = 0;
  for (let before = 0; ;) {
    const body = { ...asked(query), limit: page, before, ...(markdown && { markdown }) };
    const found = v.parse(activityFoundSchema, await desk.request('/activity/search', body));
    count += found.entries.length;
    if (markdown) parts.push(found.markdown ?? '');
    else entries.push(found.entries);
    before = found.before;
    if (before === 0) break;
  }
  const text = markdown
    ? `# Activity\n\n${parts.filter(Boolean).reverse().join('\n')}`
    : `${JSON.stringify(entries.reverse().flat(), undefined, 2)}\n`;
  return { text, count };
}

/** Offers a text as a download of the panel's page. */
export function save(text: string, format: Format): void {
  const type = format === 'md' ? 'text/markdown' : 'application/json';
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `activity.${format}`;
  link.click();
  URL.revokeObjectURL(url);
}
