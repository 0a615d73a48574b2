// A user at the control page, in Chromium: it opens the address of its arguments, and does what
// control_linux_test.go writes to its input, one word a line. It answers with one JSON a line.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [modules, address] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)('playwright-core');
const browser = await chromium.launch({
  executablePath: process.env.PILOTFISH_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--disable-gpu', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])],
});
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
page.setDefaultTimeout(120_000); // only a fault takes that long
const pictures = process.env.PILOTFISH_PICTURES;
const shot = (name) => pictures && page.screenshot({ path: `${pictures}/control-${name}.png` });

/** Waits until the middle of the live view has a colour: red, green or blue. */
const shows = (colour) =>
  page.waitForFunction((at) => {
    const canvas = document.querySelector('canvas:not(.off)');
    const data = canvas
      ?.getContext('2d')
      .getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data;
    return data?.slice(0, 3).every((part, i) => (i === at ? part > 240 : part < 15));
  }, ['red', 'green', 'blue'].indexOf(colour));

const steps = {
  async open() {
    await page.goto(address);
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    return { address: page.url(), history: await page.evaluate(() => history.length) };
  },
  async again() {
    const other = await context.newPage();
    await other.goto(address);
    const text = await other.getByText('This address opens nothing').textContent();
    await other.close();
    return { text };
  },
  async view() {
    await page.getByRole('button', { name: /Colours/ }).click();
    await shows('red');
    await shot('view');
    // What waits is on another page: nothing lies over the view.
    return { allows: await page.getByRole('button', { name: /Allow/ }).count() };
  },
  async click() {
    const box = await page.locator('canvas').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.up();
    await shows('green');
    return {};
  },
  async type() {
    await page.keyboard.type('Ada');
    await shows('blue');
    return {};
  },
  async go() {
    await page.getByRole('button', { name: 'Sessions', exact: true }).click();
    await page.getByTitle(/^View t/).filter({ hasText: 'Order' }).click();
    const address = page.getByRole('textbox', { name: 'Address' });
    await address.fill((await address.inputValue()).replace('order', 'asks'));
    await address.press('Enter');
    await page.getByRole('heading', { name: 'Asks' }).waitFor();
    await page.locator('canvas:not(.off)').click();
    await page.getByRole('textbox', { name: 'Your answer' }).fill('Ada');
    await page.getByRole('button', { name: 'OK' }).click();
    await page.getByRole('heading', { name: 'Order' }).waitFor();
    const arrived = await address.inputValue();
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await page.getByRole('heading', { name: 'Asks' }).waitFor();
    await page.getByRole('button', { name: 'Forward', exact: true }).click();
    await page.getByRole('heading', { name: 'Order' }).waitFor();
    return { arrived };
  },
  async take() {
    await page.getByRole('button', { name: 'Take over' }).click();
    return {};
  },
  async hand() {
    const back = page.getByRole('button', { name: 'Hand back' });
    await back.waitFor();
    await page.locator('canvas:not(.off)').waitFor();
    const box = await page.locator('canvas').boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height * 0.7);
    await page.keyboard.press('End');
    await page.keyboard.type('Bob');
    await shot('taken');
    await back.click();
    return {};
  },
  async allow() {
    await page.getByRole('button', { name: 'Approvals 1' }).click();
    const allow = page.getByRole('button', { name: 'Allow once' });
    await allow.click(); // too early: it counts only after a rest
    const early = await page.locator('.approval').count();
    await shot('approval');
    const seen = await page.evaluate(() => performance.now());
    await page.waitForFunction((then) => performance.now() - then > 900, seen);
    await allow.click();
    await page.getByText('No pending approvals').waitFor();
    const history = await page.getByText(/on the control page/).first().textContent();
    await shot('history');
    return { early, history };
  },
  async revoked() {
    const title = page.getByText(/The user revoked the access of/);
    await title.waitFor();
    await shot('revoked');
    return { text: await title.textContent() };
  },
};

for await (const step of createInterface({ input: process.stdin })) {
  const answer = await steps[step]().catch((error) => ({ error: String(error) }));
  if (answer.error) await shot('failed');
  console.log(JSON.stringify(answer));
}
await browser.close();
