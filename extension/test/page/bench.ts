// Measures how long a snapshot takes in the page: `npm run bench:page`. Each figure is the median
// of 25 snapshots. CPU is the time of the renderer's main thread, so that load on the machine does
// not count.
import { launch, script, World } from './browser.js';

const rows = (n: number): string =>
  Array.from(
    { length: n / 4 },
    (_, i) =>
      `<div class=row><a href="/item/${i}">Item ${i}</a><button>Edit ${i}</button>` +
      `<label><input type=checkbox> Pick ${i}</label><input aria-label="Note ${i}" value=v></div>`,
  ).join('');
const buttons = (n: number): string =>
  Array.from({ length: n }, (_, i) => `<button>Button ${i}</button>`).join('');
const prose = (n: number): string =>
  Array.from(
    { length: n / 10 },
    (_, i) => `<section><p>Words <b>${i}</b> more</p><ul><li>one</li></ul></section>`,
  ).join('') + '<button>Last</button>';

const pages: [string, string][] = [
  ['1,000 buttons', buttons(1000)],
  ['1,000 elements', rows(1000)],
  ['5,000 elements', rows(5000)],
  ['20,000 nodes', prose(20000)],
];
const options: [string, object][] = [
  ['full', {}],
  ['near', { near: true }],
  ['max 10,000', { max: 10000 }],
];
const rounds = 25;

function median(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(1);
}

const [browser, code] = await Promise.all([launch(), script()]);
for (const [label, html] of pages) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.setContent(`<main>${html}</main>`);
  const world = await World.open(page, code);
  await world.cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async (): Promise<number> => {
    const { metrics } = await world.cdp.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
  for (const [kind, option] of options) {
    const cpu: number[] = [];
    const wall: number[] = [];
    let chars = 0;
    for (let i = 0; i < rounds; i++) {
      const before = await spent();
      const look = `(() => { const s = page.snapshot(${JSON.stringify(option)}); return { ms: s.ms, chars: s.text.length }; })()`;
      const shot = await world.run<{ ms: number; chars: number }>(look);
      cpu.push((await spent()) - before);
      wall.push(shot.ms);
      chars = shot.chars;
    }
    console.log(
      `${label}, ${kind}: cpu ${median(cpu)} ms, wall ${median(wall)} ms, ${chars} characters`,
    );
  }
  await page.close();
}
await browser.close();
