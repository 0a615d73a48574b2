import * as v from 'valibot';
import type { TabID } from '$ui/protocol/protocol';
import { list } from '$ui/protocol/border';
import { commandReplySchema } from '$ui/protocol/schemas/command';
import { downloadSchema } from '$ui/protocol/schemas/watching';
import { saveFile } from '../chat/files';
import type { Connection } from '../connection/connection';
import type { Form } from './export';

/** What the user reads after a terminal was saved. */
export interface Saved {
  readonly tone: 'info' | 'warn';
  readonly text: string;
  readonly hint: string;
}

/** How long the browser may take to write a file, in ms. */
const writing = 15_000;

/** Saves a text as a file of the browser, and says where it is once it is there. */
export async function save(
  connection: Pick<Connection, 'request'>,
  tab: TabID,
  text: string,
  form: Form,
): Promise<Saved> {
  const time = new Date().toISOString().slice(0, 23).replaceAll(/[:.]/g, '-');
  const name = `terminal-${time}.${form.ending}`;
  saveFile(name, text, form.type);
  const run = async (command: string, args: Record<string, unknown>): Promise<unknown> => {
    const body = { command, args, tab, timeoutMs: writing };
    return (
      await connection.request('/command', body, commandReplySchema, { timeout: 2 * writing })
    ).data;
  };
  try {
    await run('watch', { kind: 'download', value: name });
    const all = v.parse(list(downloadSchema), await run('downloads', {}));
    const path = all.findLast((one) => one.name === name && one.state === 'done')?.path;
    if (path !== undefined) return { tone: 'info', text: `Saved as ${path}`, hint: '' };
  } catch {
    // What the browser did with it is not known; the message says where to look.
  }
  return {
    tone: 'warn',
    text: `The browser was given ${name} to save.`,
    hint: 'It did not report that the file is written. Look into the session’s downloads folder.',
  };
}
