// Measures the room Activity, for app/bench/activity. It prints one line of JSON.
import type { Page } from 'playwright-core';
import { openActivity } from './activity-states';
import { FakeActivity } from './fakes/activity';
import { backend, launch, openPanel } from './fakes/face';

/** Entries per second, in batches as the backend sends them, for so many seconds. */
const rate = 1000;
const batches = 25;
const seconds = 4;

const browser = await launch();

/** The time of a page's main thread so far, in ms; other load on the machine does not count. */
async function clock(page: Page): Promise<() => Promise<number>> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
}

/** Calls `add` at the pace of the backend. */
async function paced(add: () => void): Promise<void> {
  const begun = performance.now();
  for (let at = 1; at <= seconds * batches; at += 1) {
    add();
    const left = begun + (at * 1000) / batches - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, left)));
  }
}

const press = Array.from({ length: rate / batches }, () => ({
  command: 'press',
  args: { key: 'Tab' },
}));

/** The main thread's time for each second in which `rate` entries are shown. */
async function room(): Promise<number> {
  const made = await backend();
  const did = new FakeActivity(made);
  const { page, context } = await openPanel(browser, made);
  did.add(...press);
  await openActivity(page);
  const spent = await clock(page);
  const before = await spent();
  await paced(() => {
    did.add(...press);
  });
  await page.locator(`[data-row="${String((seconds * batches + 1) * press.length)}"]`).waitFor();
  const cost = (await spent()) - before;
  await context.close();
  await made.stop();
  return cost / seconds;
}

/** The same rows in a list that is not virtual and does nothing else. */
async function bare(): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 400, height: 640 } });
  await page.setContent(
    '<style>div{font:12px sans-serif;height:22px}#l{height:300px;overflow:auto}</style><section id=l></section>',
  );
  const spent = await clock(page);
  const before = await spent();
  const shown: Promise<void>[] = [];
  await paced(() => {
    shown.push(
      page.evaluate((count) => {
        const list = document.getElementById('l');
        for (let at = 0; at < count; at += 1) {
          const row = document.createElement('div');
          row.textContent = '12:00:00 press Tab 12 ms';
          list?.append(row);
        }
        if (list) list.scrollTop = list.scrollHeight;
      }, press.length),
    );
  });
  await Promise.all(shown);
  const cost = (await spent()) - before;
  await page.close();
  return cost / seconds;
}

/** The time of a frame while a list with so many entries is scrolled, in ms. */
async function scrolled(count: number): Promise<number> {
  const made = await backend();
  const did = new FakeActivity(made);
  const { page, context } = await openPanel(browser, made);
  await openActivity(page);
  for (let at = 0; at < count; at += 1000)
    did.add(...Array.from({ length: 1000 }, () => ({ command: 'press', args: { key: 'Tab' } })));
  await page.locator(`[data-row="${String(count)}"]`).waitFor();
  const spent = await clock(page);
  const before = await spent();
  const frames = 120;
  await page.getByRole('log', { name: 'Activity' }).evaluate(async (list, turns) => {
    const step = (list.scrollHeight - list.clientHeight) / turns;
    for (let at = 1; at < turns; at += 1) {
      list.scrollTop = list.scrollHeight - at * Math.min(step, 4000);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, frames);
  const cost = (await spent()) - before;
  await context.close();
  await made.stop();
  return cost / frames;
}

const paint = await room();
const list = await bare();
const load = await scrolled(100_000);
const few = await scrolled(1000);
console.log(JSON.stringify({ paint, list, load, few }));
await browser.close();
