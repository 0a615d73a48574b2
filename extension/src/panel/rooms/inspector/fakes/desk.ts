import type { CommandReply, Edits } from '$ui/protocol/protocol';
import { furnishInspector } from '../../../../../test/inspector-states';
import type { RoomDesk } from '../../desk';

/** What the fake backend knows of an element. */
export const { details } = furnishInspector({
  rooms: { answers: new Map() },
} as unknown as Parameters<typeof furnishInspector>[0]);

/** Two edits of it, the second undone. */
export const edits: Edits = {
  url: details.url,
  edits: [
    { number: 1, what: 'style', element: 'div', ref: 'e5', before: 'a', after: 'b' },
    { number: 2, what: 'text', element: 'div', ref: 'e5', before: 'a', after: 'b', undone: true },
  ],
  diff: '',
};

/** The reply to a command, or why there is none. */
export type Reply = Partial<CommandReply> | Error;

/** A desk that answers each command with its replies in turn; the last one stays. */
export function desk(replies: Record<string, Reply | Reply[]>, picked?: Partial<CommandReply>) {
  const asked: [string, unknown][] = [];
  const next = (name: string): Reply => {
    const all = replies[name];
    const reply = Array.isArray(all) ? (all.length > 1 ? all.shift() : all[0]) : all;
    return (
      reply ?? { ok: false, error: { code: 'bad_argument', message: `no ${name}`, hint: 'why' } }
    );
  };
  const made = {
    live: true,
    tab: { id: 't1' },
    run: (command: string, args: unknown) => {
      asked.push([command, args]);
      const reply = next(command);
      return reply instanceof Error
        ? Promise.reject(reply)
        : Promise.resolve({ ok: true, text: '', ...reply });
    },
    request: (path: string, body: unknown, bounds: { signal: AbortSignal }) => {
      asked.push([path, body]);
      if (picked !== undefined)
        return Promise.resolve({ ok: true, text: '', durationMs: 1, ...picked });
      return new Promise((_done, fail) => {
        bounds.signal.addEventListener('abort', () => {
          fail(new Error('aborted'));
        });
      });
    },
  };
  return { desk: made as unknown as RoomDesk, asked };
}
