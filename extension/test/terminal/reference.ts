// An emulator that stays connected, for tests in other languages. It reads one JSON request per
// line on standard input, and writes one line of answer for each.
import unicode from '@xterm/addon-unicode11';
import headless from '@xterm/headless';
import { createInterface } from 'node:readline';
import { resize } from '../../src/panel/core/emulator/snapshot';
import { stateOf } from './state';
import { random, streams } from './streams';

interface Request {
  /** The columns and rows of a new emulator, or the new size. */
  open?: [number, number];
  resize?: [number, number];
  /** Bytes, in base64. */
  write?: string;
  /** Whether to answer with its state. */
  state?: boolean;
  /** The source of the function that returns the state, to run in a page. */
  source?: boolean;
  /** All streams, shuffled by a seed. */
  streams?: number;
}

let terminal = new headless.Terminal();

function open(cols: number, rows: number): void {
  terminal = new headless.Terminal({
    cols,
    rows,
    scrollback: 10_000,
    allowProposedApi: true,
    logLevel: 'off',
  });
  terminal.loadAddon(new unicode.Unicode11Addon());
  terminal.unicode.activeVersion = '11';
}

async function answer(request: Request): Promise<unknown> {
  if (request.open !== undefined) open(...request.open);
  if (request.resize !== undefined) resize(terminal, ...request.resize);
  const { write } = request;
  if (write !== undefined)
    await new Promise<void>((resolve) => {
      terminal.write(Buffer.from(write, 'base64'), resolve);
    });
  if (request.source === true) return stateOf.toString();
  if (request.streams !== undefined) {
    const next = random(request.streams);
    return streams
      .map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes).toString('base64') }))
      .map((one) => ({ one, at: next(1_000_000) }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  }
  return request.state === true ? stateOf(terminal) : null;
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line) as Request))}\n`);
