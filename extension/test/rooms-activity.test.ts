import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { fillActivity, openActivity } from './activity-states';
import { FakeActivity, you } from './fakes/activity';
import type { FakeBackend } from './fakes/backend';
import { backend, openPanel } from './fakes/face';

let made: FakeBackend;
let did: FakeActivity;
let page: Page;

/** Opens the room in a panel of 320 px, over the whole panel. */
async function open(fill = fillActivity): Promise<void> {
  made = await backend();
  did = fill(made);
  page = await openPanel(made, { width: 320 });
  await openActivity(page);
  await page.getByText('Live', { exact: true }).waitFor();
  await button('Use the full panel').click();
  await button('Show the face again').waitFor();
}

const button = (name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const row = (index: number): Locator => page.locator(`[data-row="${String(index)}"]`);
const log = (): Locator => page.getByRole('log', { name: 'Activity' });
const shown = (): Promise<number[]> =>
  page
    .locator('[data-row]')
    .evaluateAll((rows) => rows.map((one) => Number((one as HTMLElement).dataset.row)));
const menu = async (item: string): Promise<void> => {
  await button('More').last().click();
  await page.getByRole('menuitem', { name: item }).click();
};

/** Many commands, so that the list scrolls. */
function many(count: number): (made: FakeBackend) => FakeActivity {
  return (made) => {
    const filled = new FakeActivity(made);
    filled.add(...Array.from({ length: count }, (_, at) => ({ command: `c${String(at + 1)}` })));
    return filled;
  };
}

describe('the list', () => {
  it('shows what was done and follows what is done', async () => {
    await open();
    await expect.poll(shown).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    await page.getByText('Tue, Mar 3, 2026').waitFor();
    expect(await row(4).innerText()).toMatch(/12:00:03\s+Click e5\s+covered\s+1\.2 s/);
    did.add(...Array.from({ length: 60 }, () => ({ command: 'press', args: { key: 'Tab' } })));
    await row(72).waitFor();
    // A screenshot comes later than its entry.
    did.shot(72);
    await row(72).getByLabel('with a screenshot').waitFor();
  });

  it('pauses, scrolls away, and comes back with what is new', async () => {
    await open(many(80));
    await row(80).waitFor();
    await button('Pause').click();
    did.add({ command: 'one' }, { command: 'two' });
    await button('2 new').waitFor();
    expect(await row(81).count()).toBe(0);
    await button('2 new').click();
    await row(82).waitFor();
    await button('Pause').waitFor(); // it follows again
    await log().focus();
    await page.keyboard.press('Home');
    await button('Newest').waitFor();
    did.add({ command: 'three' });
    await button('1 new').click();
    await row(83).waitFor();
    await button('Pause').click();
    await button('Continue').click();
    await button('Pause').waitFor();
  });

  it('stays away from the end when a scroll from before the key is reported after it', async () => {
    await open(many(80));
    await row(80).waitFor();
    await log().evaluate(async (list) => {
      list.scrollTop -= 2;
      list.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }));
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    });
    expect(await button('Newest').count()).toBe(1);
  });

  it('reads earlier pages, and says what is no longer stored', async () => {
    await open((backend) => {
      const filled = many(1200)(backend);
      filled.lost = 40;
      return filled;
    });
    await row(1200).waitFor();
    // The wheel is what a user has; each turn may read another page.
    const first = row(41);
    await log().hover();
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, -8000);
        return first.count();
      })
      .toBe(1);
    await page.getByText('Entries 1 to 40 are no longer stored').waitFor();
    expect(did.asked.map(({ before }) => before)).toEqual([0, 701, 201]);
  });

  it('goes to its first row with Home, also while rows are measured', async () => {
    made = await backend();
    fillActivity(made).lost = 1; // its first row is higher than most
    page = await openPanel(made, { width: 320 });
    await openActivity(page);
    await log().press('Home');
    const first = page.getByText('Entry 1 is no longer stored');
    await first.waitFor();
    const above = async (): Promise<boolean> => {
      const [list, row] = [await log().boundingBox(), await first.boundingBox()];
      return list !== null && row !== null && row.y < list.y;
    };
    await expect.poll(above).toBe(false);
  });

  it('is moved through with the keyboard', async () => {
    await open();
    await row(12).waitFor();
    await log().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'Entry 11' }).waitFor();
    expect(await row(11).getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'Entry 11' }).waitFor({ state: 'detached' });
  });

  it('says that nothing was done, and why it cannot be read', async () => {
    await open((backend) => new FakeActivity(backend));
    await page.getByText('Nothing was done yet').waitFor();
    did.refuse = 'the record cannot be read';
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Errors');
    await page.getByText('The record cannot be read.').waitFor();
    did.add({ command: 'goto', ok: false });
    await button('Try again').click();
    await row(1).waitFor();
  });
});

describe('the filter', () => {
  it('selects by text, kind, actor, tab and day, also what is new', async () => {
    await open();
    const only = async (...indexes: number[]): Promise<void> => {
      await expect.poll(shown).toEqual(indexes);
    };
    const search = page.getByRole('searchbox', { name: 'Search the activity' });
    await search.fill('e5');
    await only(2, 4);
    did.add(
      { command: 'hover', args: { target: 'e5' } },
      { command: 'hover', args: { target: 'e6' } },
    );
    await only(2, 4, 13);
    await search.press('Escape');
    await only(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Errors');
    await only(4, 7, 8, 11);
    await page.getByRole('combobox', { name: 'Actor' }).selectOption('you');
    await only(7, 11);
    await page.getByRole('combobox', { name: 'Tab' }).selectOption('t2');
    await only(11);
    await button('Clear the filter').click();
    await only(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
    await page.getByLabel('Until the end of a day').fill('2026-03-03');
    await only(1);
    did.add({ command: 'later' });
    expect(await button('Pause').isDisabled()).toBe(true);
    await search.fill('nothing like it');
    await page.getByText('Nothing found').waitFor();
    await page.locator('.empty').getByRole('button', { name: 'Clear the filter' }).click();
    await row(15).waitFor();
  });
});

describe('an entry', () => {
  it('has its arguments, its reply and the screenshot of its moment', async () => {
    await open();
    await row(2).click();
    const entry = page.getByRole('group', { name: 'Entry 2' });
    expect(await entry.innerText()).toMatch(
      /target\s+e5[\s\S]*Result\s+ok, 41 ms\s+Reply\s+clicked button “Add to basket”/,
    );
    const picture = entry.getByRole('img', { name: 'The page after this command' });
    await picture.waitFor();
    const small = (await picture.boundingBox())?.width ?? 0;
    await entry.getByRole('button', { name: 'Show the screenshot large' }).click();
    await entry.getByRole('button', { name: 'Show the screenshot small' }).waitFor();
    expect((await picture.boundingBox())?.width).toBeGreaterThan(small);
    await entry.getByRole('button', { name: 'Copy as JSON' }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(copied)).toMatchObject({
      index: 2,
      command: 'click',
      args: { target: 'e5' },
    });
    await row(2).click();
    await entry.waitFor({ state: 'detached' });
  });

  it('leads to what it belongs to, to its tab and to its element', async () => {
    await open();
    await row(8).click();
    await page.getByRole('group', { name: 'Entry 8' }).getByRole('button', { name: '6' }).click();
    await page.getByRole('group', { name: 'Entry 6' }).waitFor();
    await row(5).click();
    await button('Show t2').click();
    await button('Show t2').waitFor({ state: 'detached' }); // it is the tab beside the panel now
    await row(12).click();
    await button('Show e12 in Elements').click();
    await page.getByRole('tab', { name: 'Elements', selected: true }).waitFor();
  });

  it('is sent to the agent, and not submitted', async () => {
    await open((backend) => {
      backend.greeting = '\x1b[?2004h> '; // an agent that takes a paste as one
      return fillActivity(backend);
    });
    await row(4).click();
    const entry = page.getByRole('group', { name: 'Entry 4' });
    await entry.getByRole('button', { name: 'Send to agent' }).click();
    await made.first?.until(() => made.first?.input.toString().includes('Activity 4') === true);
    const input = made.first?.input.toString() ?? '';
    expect(input).toContain('e5 is covered by a dialog');
    expect(input).toMatch(/<page-[0-9a-f]+ origin=/); // what a page may have written is marked
    expect(input).not.toMatch(/\r$/);
  });
});

describe('the replay', () => {
  it('plays the screenshots of what is shown, with the commands beside them', async () => {
    await open();
    await menu('Replay screenshots');
    const at = (index: number): Promise<void> =>
      page.getByRole('img', { name: `The page after entry ${String(index)}` }).waitFor();
    await at(1);
    await page.getByText('1 of 4').waitFor();
    await button('Next screenshot').click();
    await at(2);
    await button('Previous screenshot').click();
    await at(1);
    await page.getByRole('group', { name: 'Replay' }).focus();
    await page.keyboard.press('End');
    await at(12);
    expect(await page.locator('[aria-current=step]').getAttribute('data-entry')).toBe('12');
    expect(await button('Next screenshot').isDisabled()).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await at(3);
    await page.keyboard.press('ArrowRight');
    await at(12);
    await page.keyboard.press('Home');
    await at(1);
    await page.getByRole('slider', { name: 'Screenshot' }).fill('2');
    await at(3);
    await page.locator('[data-entry="9"]').click(); // without a screenshot: the one before it
    await at(3);
    await page.getByRole('group', { name: 'Replay' }).focus();
    await page.keyboard.press('Home');
    // Looked for from before the press: it plays for a few seconds only.
    const plays = button('Pause').waitFor();
    await page.keyboard.press(' ');
    await plays;
    await at(12); // it plays to the end and stops
    await button('Play').waitFor();
    await page.locator('[data-entry="9"]').dblclick();
    await page.getByRole('group', { name: 'Entry 9' }).waitFor();
    await menu('Replay screenshots');
    await page.locator('[role=group][aria-label=Replay]:focus').waitFor();
    await page.keyboard.press('Escape');
    await log().waitFor();
  });

  it('begins at an entry, and says when there is nothing to see', async () => {
    await open();
    await row(3).click();
    await button('Replay this run').click();
    await page.getByRole('img', { name: 'The page after entry 3' }).waitFor();
    did.shots.clear(); // removed, because newer ones needed the room
    await button('Previous screenshot').click();
    await page.getByText('There is no screenshot.').waitFor();
    await button('Back to the list').click();
    await menu('Replay screenshots');
    await page.getByText('There are no screenshots here to replay').waitFor();
  });
});

it('is exported as JSON and as Markdown, with the filter', async () => {
  await open(many(1500));
  did.add({ command: 'navigation', kind: 'navigation', actor: you, summary: 'https://a.example/' });
  const saved = async (item: string): Promise<[string, string]> => {
    const download = page.waitForEvent('download');
    await menu(item);
    const file = await download;
    return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')];
  };
  const [name, json] = await saved('Export as JSON');
  expect(name).toBe('activity.json');
  const entries = JSON.parse(json) as { index: number }[];
  expect(entries.map(({ index }) => index)).toEqual(
    Array.from({ length: 1501 }, (_, at) => at + 1),
  );
  await page.getByText('1,501 entries exported').waitFor();
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('Navigations');
  await row(1501).waitFor();
  const [other, text] = await saved('Export as Markdown');
  expect(other).toBe('activity.md');
  expect(text).toBe('# Activity\n\n- navigation\n');
  await page.getByText('1 entry exported').waitFor();
});
