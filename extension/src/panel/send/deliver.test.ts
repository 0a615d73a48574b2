import { describe, expect, it } from 'vitest';
import type { ChatAttachment } from '$ui/protocol/protocol';
import type { Face } from '../state/faces.svelte';
import { deliver, type Pasted, type Receivers } from './deliver';

/** A panel that records what it received. */
function panel(face: Face, pasted: Pasted = 'pasted', live = true, shell = false) {
  const got: string[] = [];
  const attached: ChatAttachment[] = [];
  const to: Receivers = {
    face,
    live,
    shell,
    paste: (text) => {
      got.push(text);
      return Promise.resolve(pasted);
    },
    write: (text, attachments) => {
      got.push(text);
      attached.push(...attachments);
    },
    goal: (text) => got.push(text),
    reveal: () => {
      got.push('reveal');
      return Promise.resolve();
    },
    say: (text, tone) => got.push(`${tone}: ${text}`),
  };
  return { to, got, attached };
}

describe('sending to the agent in view', () => {
  it('pastes into the terminal and never presses Enter', async () => {
    const { to, got } = panel('terminal');
    await deliver({ title: 'Note', text: 'one\ntwo\n' }, to);
    expect(got).toEqual([
      'reveal',
      '[Note]\none\ntwo',
      'ok: Pasted into the terminal. Press Enter there to send it.',
    ]);
  });
  it('says that nothing runs, and says nothing when the user declined', async () => {
    const empty = panel('terminal', 'nothing');
    await deliver({ title: 'Note', text: 'x' }, empty.to);
    expect(empty.got.at(-1)).toMatch(/^danger: No agent runs/);
    const asked = panel('terminal', 'declined');
    await deliver({ title: 'Note', text: 'x' }, asked.to);
    expect(asked.got).toEqual(['reveal', '[Note]\nx']);
  });
  it('says that the panel is not connected, and does nothing', async () => {
    const { to, got } = panel('chat', 'pasted', false);
    await deliver({ title: 'Note', text: 'x' }, to);
    expect(got).toEqual([expect.stringMatching(/^danger: Pilotfish is not connected/)]);
  });
  it('adds to the goal of a task, cut with a note', async () => {
    const { to, got } = panel('task');
    await deliver({ title: 'Page', text: 'a'.repeat(16_010) }, to);
    expect(got[2]).toBe('ok: Added to the task, without its last 10 characters.');
  });
  it('puts a long text beside a message as a file, with its mark', async () => {
    const image: ChatAttachment = { kind: 'image', name: 'Screenshot', data: 'AA==' };
    const { to, got, attached } = panel('chat');
    const item = { title: 'Page as Markdown', origin: 'https://a.example', attachments: [image] };
    await deliver({ ...item, text: 'ä'.repeat(30_000) }, to);
    expect(got).toEqual([
      'reveal',
      '[Page as Markdown, from https://a.example]',
      'ok: Added to your message.',
    ]);
    expect(attached[0]).toBe(image);
    const file = Buffer.from(attached[1]?.data ?? '', 'base64').toString();
    expect(attached[1]?.name).toBe('Page as Markdown.txt');
    expect(file).toMatch(
      /^\[Page.*\]\n<page-\w+ origin="https:\/\/a.example">\nä{30000}\n<\/page-\w+>$/,
    );
    await deliver({ ...item, text: 'short' }, to);
    expect(got.at(-2)).toBe('');
    expect(attached.at(-1)).toEqual({
      kind: 'text',
      name: 'Page as Markdown',
      text: 'short',
      origin: 'https://a.example',
    });
  });
  it('pastes the text alone into a plain shell', async () => {
    const { to, got } = panel('terminal', 'pasted', true, true);
    await deliver({ title: 'Selected text', origin: 'https://a.example', text: 'ls -la\n' }, to);
    expect(got[1]).toBe('ls -la');
    await deliver({ title: 'Screenshot of t1: a.png', origin: 'https://a.example', text: '' }, to);
    expect(got[4]).toBe('Screenshot of t1: a.png');
  });
});
