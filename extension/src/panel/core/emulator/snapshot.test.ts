import headless from '@xterm/headless';
import unicode from '@xterm/addon-unicode11';
import { describe, expect, it } from 'vitest';
import { stateOf } from '../../../../test/terminal/state';
import { probe, random, streams } from '../../../../test/terminal/streams';
import { SCROLLBACK } from '../timing';
import { isSnapshot, resize, restore, take } from './snapshot';

type Terminal = InstanceType<typeof headless.Terminal>;

function emulator(cols = 80, rows = 24): Terminal {
  const made = new headless.Terminal({
    cols,
    rows,
    scrollback: SCROLLBACK,
    allowProposedApi: true,
  });
  made.loadAddon(new unicode.Unicode11Addon());
  made.unicode.activeVersion = '11';
  return made;
}

const write = (to: Terminal, data: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    to.write(data, resolve);
  });

/** Another emulator with the state of the first one. */
function again(terminal: Terminal): Terminal {
  const snapshot = take(terminal);
  if (snapshot === undefined) throw new Error('a sequence is open');
  expect(isSnapshot(snapshot.data)).toBe(true);
  const made = emulator(snapshot.cols, snapshot.rows);
  restore(made, snapshot.data);
  return made;
}

describe.each(streams)('$name', { timeout: 60_000 }, ({ name, bytes }) => {
  it('comes back whole, and goes on as one that never left', async () => {
    const stayed = emulator();
    await write(stayed, bytes);
    if (take(stayed) === undefined) await write(stayed, new TextEncoder().encode('\x18'));
    const back = again(stayed);
    expect(stateOf(back)).toEqual(stateOf(stayed));
    for (const next of [
      () => undefined,
      (it: Terminal) => {
        resize(it, 61, 19);
      },
    ]) {
      for (const it of [stayed, back]) {
        next(it);
        await write(it, probe);
      }
      expect(stateOf(back)).toEqual(stateOf(stayed));
    }
  });

  it('comes back in the middle of it', async () => {
    if (bytes.length > 100_000) return; // a long recording, which is the same in every part
    const next = random(name.length + bytes.length);
    const stayed = emulator();
    let back = emulator();
    for (let at = 0; at < bytes.length;) {
      const end = Math.min(bytes.length, at + 1 + next(Math.max(40, bytes.length / 5)));
      await write(stayed, bytes.subarray(at, end));
      await write(back, bytes.subarray(at, end));
      if (take(back) !== undefined) back = again(back);
      if (next(4) === 0) {
        const [cols, rows] = [20 + next(100), 5 + next(40)];
        resize(stayed, cols, rows);
        resize(back, cols, rows);
      }
      at = end;
    }
    expect(stateOf(back)).toEqual(stateOf(stayed));
  });
});

it('leaves the alternate screen no more rows than the size has', async () => {
  const stayed = emulator(80, 30);
  resize(stayed, 80, 26);
  await write(stayed, new TextEncoder().encode('\x1b[?1049h\x1b[26;1Hone\r\ntwo\r\nthree'));
  expect(stayed.buffer.alternate.length).toBe(26);
  expect(stateOf(again(stayed))).toEqual(stateOf(stayed));
});
