import { describe, expect, it } from 'vitest';
import type { ChatTool } from '$ui/protocol/protocol';
import { question } from './question';

const tool = (part: Partial<ChatTool>): ChatTool => ({
  call: 'c',
  title: '',
  kind: 'execute',
  status: 'pending',
  content: [],
  ...part,
});

describe('what a permission is asked for', () => {
  it('says a command once, whatever else repeats it', () => {
    // As Claude's adapter asks.
    expect(
      question(
        tool({
          title: '`npm test && echo done`',
          input: JSON.stringify({ command: 'npm test && echo done', description: 'Run it' }),
          content: [{ kind: 'text', text: 'Run it' }],
        }),
      ),
    ).toEqual({
      what: 'npm test && echo done',
      fields: [{ name: 'description', value: 'Run it' }],
      content: [],
    });
  });

  it('shows the whole command where the title is cut', () => {
    const command = `echo ${'long '.repeat(200)}`.trim();
    const asked = question(
      tool({ title: `${command.slice(0, 40)}…`, input: JSON.stringify({ command }) }),
    );
    expect(asked.what).toBe(command);
  });

  it('keeps arguments that say more', () => {
    expect(
      question(
        tool({
          title: 'Fetch',
          kind: 'fetch',
          input: JSON.stringify({ url: 'https://example.com', headers: { a: 1 }, empty: '' }),
        }),
      ).fields,
    ).toEqual([
      { name: 'url', value: 'https://example.com' },
      { name: 'headers', value: '{\n  "a": 1\n}' },
    ]);
  });

  it('joins a command that is a list, and takes an input that is no object', () => {
    expect(question(tool({ title: 'run', input: '{"command":["ls","-l"]}' })).what).toBe('ls -l');
    expect(question(tool({ title: 'ls -l', input: 'ls -l' })).fields).toEqual([]);
    expect(question(tool({ title: 'Run', input: 'ls {' })).fields).toEqual([
      { name: '', value: 'ls {' },
    ]);
  });

  it('lets a change of a file speak for itself', () => {
    const content = [{ kind: 'diff' as const, path: 'a', old: '1', new: '2' }];
    expect(
      question(tool({ title: 'Edit a', kind: 'edit', input: '{"path":"a"}', content })),
    ).toEqual({ what: 'Edit a', fields: [], content });
  });
});
