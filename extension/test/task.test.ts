import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import type { FakeBackend } from './fakes/backend';
import { settleTime } from '$ui/settled';
import { backend, openPanel } from './fakes/face';
import { approval } from './states';
import { begin, firstTurn, recordAndReplay, replayed, toTask, wish } from './task-states';

let made: FakeBackend;
let page: Page;

beforeEach(async () => {
  made = await backend();
});

async function open(): Promise<void> {
  page = await openPanel(made);
  await toTask(page);
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const asked = (path: string) =>
  made.tasks.asked.filter((one) => one.path === path).map(({ body }) => body);
/** The focused element, as a user would name it. */
const focused = () =>
  page.evaluate(() => {
    const { activeElement: one } = document;
    if (one instanceof HTMLSelectElement || one instanceof HTMLInputElement)
      return one.labels?.[0]?.textContent.trim() ?? one.ariaLabel;
    return one?.ariaLabel ?? one?.textContent.trim();
  });

/** Presses Tab until an element has the focus. */
async function tabTo(name: string): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed += 1) {
    if ((await focused()) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${name}`);
}

it('a model is set up by keys alone, and its key stays nowhere in the panel', async () => {
  await open();
  await button('Set up a model').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.tagName === 'SELECT');
  await button('Use another address').focus();
  await page.keyboard.press('Enter');
  // The button is gone, and the focus is in the field that replaces it.
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('https://models.test/v1');
  await page.keyboard.press('Tab');
  await page.keyboard.type('not-a-key');
  await page.keyboard.press('Tab');
  await page.keyboard.type('large');
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Model' }).waitFor();
  expect(asked('/llm/save')).toMatchObject([
    {
      key: 'not-a-key',
      profile: { provider: 'anthropic', model: 'large', url: 'https://models.test/v1' },
    },
  ]);
  const kept = await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]));
  expect(kept).not.toContain('not-a-key');
  expect(await page.content()).not.toContain('not-a-key');
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
});

it('a model that was only tried goes with the form, and one that is there is removed there', async () => {
  await open();
  await button('Set up a model').click();
  await page.getByLabel('Model', { exact: true }).fill('large');
  await button('Test').click();
  await page.getByText('It answers and can call tools').waitFor();
  expect(made.tasks.llm.profiles).toHaveLength(1);
  await page.keyboard.press('Escape');
  await made.until(() => made.tasks.llm.profiles.length === 0);

  await button('Model for Task').click();
  await page.getByLabel('Model', { exact: true }).fill('large');
  await button('Save').click();
  await button('Change the model').click();
  await page.getByLabel('Model', { exact: true }).fill('small');
  await button('Test').click();
  await made.until(() => made.tasks.llm.profiles[0]?.model === 'small');
  await button('Cancel').click();
  await made.until(() => made.tasks.llm.profiles[0]?.model === 'large');
  await button('Change the model').click();
  await button('Remove model').click();
  await made.until(() => made.tasks.llm.profiles.length === 0);
  await page.getByText('Pilot: simple instructions, no model').waitFor();
});

it('a model whose test has just begun goes with the form, too', async () => {
  await open();
  let release: () => void = () => undefined;
  const held = new Promise<void>((go) => (release = go));
  await page.route('**/llm/save', async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  await button('Set up a model').click();
  await page.getByLabel('Model', { exact: true }).fill('large');
  await button('Test').click();
  await made.until(() => made.tasks.llm.profiles.length === 1);
  await page.keyboard.press('Escape');
  await page.getByLabel('Model', { exact: true }).waitFor({ state: 'detached' });
  release();
  await made.until(() => made.tasks.llm.profiles.length === 0);
  expect(asked('/llm/test')).toEqual([]);
});

it('Escape leaves the form and the list, and the focus is where one writes', async () => {
  made.tasks.profile();
  await open();
  for (const name of ['Change the model', 'Task history']) {
    await button(name).click();
    await page.waitForFunction(() => document.activeElement?.matches('select, input'));
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  }
  expect(await focused()).toBe('What should be done on this page?');
});

it('without a model it carries out plain instructions, step by step', async () => {
  await open();
  await wish(page, 'book me a table');
  await page.getByRole('alert').getByText('I do not understand “book me a table”.').waitFor();
  expect(made.tasks.kept.size).toBe(0);
  expect(await button('Set up a model').isVisible()).toBe(true);
  await begin(page, 'click Save then list the links');
  await page.locator('.end', { hasText: 'All 2 instructions are done.' }).waitFor();
  await page.locator('.end', { hasText: '@e5 More → /more' }).waitFor();
  const [kept] = made.tasks.kept.values();
  expect(kept?.head).toMatchObject({ state: 'done', steps: 2, tokens: 0, tab: 't1' });
  expect(kept?.head.profile).toBeUndefined();
  expect(asked('/llm/call')).toEqual([]);
  expect(asked('/task/command').at(1)).toMatchObject({
    command: { command: 'click', args: { target: 'e1' } },
  });
  // The next input is also parsed by rules, and an unknown instruction starts nothing.
  await page.getByRole('textbox', { name: 'What next?' }).fill('and now the rest');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  expect(made.tasks.kept.size).toBe(1);
});

it('Enter waits until it is known whether there is a model', async () => {
  made.tasks.profile();
  made.tasks.turns = [firstTurn];
  let finish = (): void => undefined;
  made.tasks.slow = new Promise((resolve) => {
    finish = resolve;
  });
  await open();
  await wish(page, 'Fill this form for Ada');
  await page.keyboard.press('Enter');
  expect(await button('Set up a model').count()).toBe(0);
  await page.keyboard.type(' and then the next');
  finish();
  await page.locator('.goal', { hasText: 'Fill this form for Ada' }).waitFor();
  expect(await button('Set up a model').count()).toBe(0);
  expect(made.tasks.kept.size).toBe(1);
  expect([...made.tasks.kept.values()][0]?.head.profile).toBe('m1');
  // What was typed meanwhile stays.
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Message the task' }).inputValue())
    .toBe('and then the next');
});

it('a search says where in a task the words are', async () => {
  made.tasks.profile();
  made.tasks.add('Order the tickets');
  made.tasks.found = [
    {
      task: 'Order the tickets',
      step: 3,
      in: 'result',
      before: 'the ',
      match: 'voucher',
      after: '.',
    },
  ];
  await open();
  await button('Task history').click();
  await page.getByRole('textbox', { name: 'Search tasks' }).fill('voucher');
  const hit = page.getByRole('button', { name: /^Order the tickets Step 3: …the voucher\./ });
  await hit.waitFor();
  await page.route(
    '**/task/delete',
    (route) =>
      route.fulfill({ status: 409, json: { error: { code: 'busy', message: 'it is in use' } } }),
    { times: 1 },
  );
  await button('Delete: Order the tickets').click();
  await page.getByRole('alert').getByText('it is in use').waitFor();
  await button('Delete: Order the tickets').click();
  await hit.waitFor({ state: 'detached' });
  // The focus stays in the list.
  await page.locator('li:focus', { hasText: 'No matching tasks.' }).waitFor();
});

it('a follow-up task is told of all that went before it, and so is its own', async () => {
  made.tasks.profile();
  const done = (text: string) => ({
    goal: 'End.',
    actions: [{ do: 'done', success: true, text }],
  });
  made.tasks.turns = [done('It was Lisbon.'), done('It was Porto.'), done('Neither.')];
  await open();
  await begin(page, 'Find the first city');
  for (const [goal, ended] of [
    ['Find the next one', 'It was Lisbon.'],
    ['Which was nicer?', 'It was Porto.'],
  ] as const) {
    await page.locator('.end', { hasText: ended }).waitFor();
    await page.getByRole('textbox', { name: 'What next?' }).fill(goal);
    await page.keyboard.press('Enter');
  }
  await page.locator('.end', { hasText: 'Neither.' }).waitFor();
  const prompt = JSON.stringify(asked('/llm/call').at(-1));
  for (const words of [
    'Find the first city',
    'It was Lisbon.',
    'Find the next one',
    'It was Porto.',
  ])
    expect(prompt).toContain(words);
});

it('a question is answered, and the task goes on with it', async () => {
  made.tasks.profile();
  made.tasks.turns = [
    { goal: 'Ask.', actions: [{ do: 'ask', question: 'Which city?' }] },
    { goal: 'End.', actions: [{ do: 'done', success: true, text: 'It is Lisbon.' }] },
  ];
  await open();
  await begin(page);
  const field = page.getByRole('textbox', { name: 'Answer' });
  await field.fill('Lisbon');
  await field.press('Enter');
  await page.locator('.end', { hasText: 'It is Lisbon.' }).waitFor();
  expect(JSON.stringify(asked('/llm/call').at(-1))).toContain('The person answers: Lisbon');
});

it('a task uses a tool of an MCP server, which it says it may', async () => {
  made.tasks.profile();
  made.tasks.servers = ['docs', 'files'];
  made.tasks.turns = [
    {
      goal: 'Look it up.',
      actions: [{ do: 'tool', server: 'docs', tool: 'search', arguments: { query: 'milk' } }],
    },
    { goal: 'End.', actions: [{ do: 'done', success: true, text: 'There are 3.' }] },
  ];
  await open();
  await page.getByText('Your MCP servers: docs, files').waitFor();
  await begin(page);
  await page.locator('.end', { hasText: 'There are 3.' }).waitFor();
  const calls = asked('/llm/call').map((call) => JSON.stringify(call));
  expect(calls[0]).toContain('- search(query?: string): finds pages');
  expect(calls[1]).toContain('3 pages about milk');
  await page.getByText('Use search of docs').click();
  await page.getByText('3 pages about milk', { exact: true }).waitFor();
  const task = { kind: 'task', id: made.tasks.heads()[0]?.id ?? 'a', name: 'task' } as const;
  const question = approval({
    actor: task,
    kind: 'sensitive',
    command: 'mcp-tool',
    origin: '',
    site: '',
    options: [{ id: 'always', name: 'Always', kind: 'always' }],
    words: { what: 'use the tool “search” of your MCP server “docs”', where: '' },
  });
  made.push({ type: 'session', session: { ...made.session(), approvals: [question] } });
  await button('Always').waitFor();
});

it('from the first word over a question to Stop by keys alone', async () => {
  made.tasks.profile();
  await open();
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  await page.keyboard.type('Send the form');
  await page.keyboard.press('Enter');
  await page.getByText('Thinking').waitFor();
  const task = { kind: 'task', id: made.tasks.heads()[0]?.id ?? '', name: 'task' } as const;
  const question = approval({ actor: task, kind: 'send' });
  made.push({ type: 'session', session: { ...made.session(), approvals: [question] } });
  await button('Allow for this task').waitFor();
  const head = page.locator('header', { has: page.getByLabel('Task history') });
  await head.getByText('Needs you').waitFor();
  await page.waitForFunction(([began, wait]) => performance.now() - began > wait, [
    await page.evaluate(() => performance.now()),
    settleTime,
  ] as const);
  await tabTo('Allow for this task');
  await page.keyboard.press('Enter');
  await made.until(() => made.messages.some(({ type }) => type === 'answer'));
  expect(made.messages.filter(({ type }) => type === 'answer')).toEqual([
    { type: 'answer', approval: question.id, answer: 'task' },
  ]);
  made.push({ type: 'session', session: { ...made.session(), approvals: [] } });
  await button('Allow for this task').waitFor({ state: 'detached' });
  await head.getByText('Working').waitFor();
  await tabTo('Stop');
  await page.keyboard.press('Enter');
  await page.locator('.end', { hasText: 'Stopped by you' }).waitFor();
});

it('what is not done says so, with what to do', async () => {
  made.tasks.profile();
  made.tasks.turns = [firstTurn, { message: 'The model is gone.', hint: 'Choose another model.' }];
  await open();
  await begin(page);
  await page.getByText('Choose another model.').waitFor();
  await page.getByText('Failed', { exact: true }).waitFor();
  expect([...made.tasks.kept.values()].map(({ head }) => head.state)).toEqual(['failed']);
  await button('Retry').waitFor();
  await button('Close').click();
  await page.getByText('Choose another model.').waitFor({ state: 'detached' });
  await expect
    .poll(() => [...made.tasks.kept.values()].map(({ head }) => head.closed))
    .toEqual([true]);
});

it('the newest step stays in view when a question takes the room, until the reader goes up', async () => {
  made.tasks.profile();
  const look = (n: number) => ({
    goal: `Look, for the ${String(n)}. time.`,
    actions: [{ do: 'scroll', down: 100 }],
  });
  made.tasks.turns = Array.from({ length: 12 }, (_, n) => look(n + 1));
  await open();
  await begin(page);
  const list = page.getByRole('group', { name: 'What the task does' });
  const atEnd = (wanted: boolean) =>
    expect
      .poll(() => list.evaluate((el) => el.scrollTop + el.clientHeight >= el.scrollHeight - 24))
      .toBe(wanted);
  await page.getByText('Look, for the 12. time.').waitFor();
  await atEnd(true);
  made.push({ type: 'session', session: { ...made.session(), approvals: [approval()] } });
  await page.getByRole('button', { name: 'Deny' }).waitFor();
  await atEnd(true);
  made.tasks.answers(look(13));
  await page.getByText('Look, for the 13. time.').waitFor();
  await atEnd(true);
  await list.hover();
  await page.mouse.wheel(0, -400);
  await atEnd(false);
  made.tasks.answers(look(14));
  await page.getByText('Look, for the 14. time.').waitFor();
  await page.getByText('Thinking').waitFor();
  await atEnd(false);
});

it('a task shows in the tab that it opened, also when it is over', async () => {
  made.tasks.profile();
  made.tasks.turns = [firstTurn];
  await open();
  await begin(page);
  await page.getByText('Thinking').waitFor();
  await made.until(() => made.tasks.heads()[0]?.steps === 1);
  const head = made.tasks.heads()[0];
  if (head === undefined) throw new Error('there is no task');
  made.tasks.change(head.id, { tabs: ['t1', 't2'] });
  await page.evaluate(() => {
    globalThis.fakeChrome.activate(12);
  });
  await button('Show it').waitFor();
  await button('Stop').click();
  await page.getByText('Stopped', { exact: true }).waitFor();
  expect(await page.locator('.goal').first().textContent()).toBe(head.goal);
});

it('a task is done again without a model, and asks where the page differs', async () => {
  made.tasks.profile();
  made.tasks.turns = [...replayed];
  await open();
  await recordAndReplay(page, made);
  const asks = asked('/llm/call').length;
  // With the keyboard only.
  await page.getByRole('button', { name: /^2\. .*Delivery/ }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.end', { hasText: 'All 2 recorded actions were replayed' }).waitFor();
  expect(asked('/llm/call')).toHaveLength(asks);
  const acts = made.tasks.asked
    .filter(({ path }) => path === '/task/command')
    .map(({ body }) => (body as { command: { command: string; args: object } }).command)
    .filter(({ command }) => command === 'click');
  expect(acts.map(({ args }) => args)).toMatchObject([{ target: 'e2' }, { target: 'e14' }]);
  await page.getByText('More', { exact: true }).last().click();
  await page.getByRole('img', { name: /The page after step/ }).waitFor();
  // What a step acted on is shown in Elements.
  await page.locator('[data-step] summary', { hasText: 'Save' }).last().click();
  await button('Show e14 in Elements').click();
  await page.getByRole('tabpanel', { name: 'Elements' }).waitFor();
});

it('a task becomes a routine with a parameter, which is asked for before it runs', async () => {
  made.tasks.profile();
  made.tasks.turns = [...replayed];
  made.tasks.page = { ...made.tasks.page, text: 'e1 edit Name\ne2 btn Save' };
  await open();
  await begin(page, 'Fill this form for Ada Lovelace');
  // A finished task and a routine are scheduled in the app's window.
  const scheduled = (): unknown[] =>
    made.messages.filter(({ type }) => type === 'window').map((one) => one.window);
  await button('Schedule…').click();
  await made.until(() => scheduled().length === 1);
  await button('Save as routine').click();
  await page.getByLabel('Name', { exact: true }).fill('Greet: Ünal');
  await page.getByRole('checkbox', { name: /name/ }).check();
  await button('Save').click();
  await made.until(() => made.tasks.routines.length === 1);
  await page.getByText('The routine “Greet: Ünal” is saved.').waitFor();
  expect(made.tasks.routines).toMatchObject([
    {
      name: 'greet-u-nal',
      title: 'Greet: Ünal',
      goal: 'Fill this form for ${name}',
      params: ['name'],
      defaults: { name: 'Ada Lovelace' },
      steps: [
        'goto "https://example.com/"',
        'type "role=edit name=\\"Name\\"" "${name}" --clear',
        'click "role=button name=\\"Save\\""',
      ],
    },
  ]);
  await button('Task history').click();
  await button('Routines').click();
  await button('Replay: Greet: Ünal').click();
  await page.getByLabel('name', { exact: true }).fill('Grace');
  await page.keyboard.press('Enter');
  await page.locator('.end', { hasText: 'recorded actions were replayed' }).waitFor();
  expect(JSON.stringify(made.tasks.asked.map(({ body }) => body))).toContain('"value":"Grace"');
  await button('Task history').click();
  await button('Routines').click();
  await button('Schedule: Greet: Ünal').click();
  await made.until(() => scheduled().length === 2);
  expect(scheduled()).toEqual([
    {
      page: 'schedules',
      schedule: { task: 'Fill this form for Ada Lovelace', start: 'https://example.com/' },
    },
    { page: 'schedules', schedule: { routine: 'greet-u-nal' } },
  ]);
  await button('Delete the routine: Greet: Ünal').click();
  await page.locator('li:focus', { hasText: 'No routines yet' }).waitFor();
});

it('a task that the disk does not take is not begun, and its goal is where it was written', async () => {
  made.tasks.profile();
  await open();
  made.tasks.full = true;
  await wish(page, 'Fill this form');
  await page.getByText('the disk is full').waitFor();
  const field = page.getByRole('textbox', { name: 'What should be done on this page?' });
  await field.waitFor();
  expect(await field.inputValue()).toBe('Fill this form');
  made.tasks.full = false;
  await field.press('Enter');
  await made.until(() => made.tasks.kept.size === 1);
});

it('a task that the disk takes nothing more of is interrupted, and goes on when it does', async () => {
  made.tasks.profile();
  await open();
  await begin(page);
  await made.until(() => made.tasks.kept.size === 1); // it is shown before
  made.tasks.full = true;
  made.tasks.answers(firstTurn);
  await page
    .locator('.end', { hasText: 'The task cannot be written: the disk is full.' })
    .waitFor();
  made.tasks.full = false;
  await button(/^Resume/).click();
  await made.until(() => [...made.tasks.kept.values()][0]?.head.state === 'running');
});

it('says that a question below the view needs you, and goes there', async () => {
  made.tasks.profile();
  made.tasks.turns = [
    ...Array.from({ length: 12 }, () => firstTurn),
    { goal: 'Ask.', actions: [{ do: 'ask', question: 'Which of the two addresses is yours?' }] },
  ];
  await open();
  await begin(page);
  const steps = page.getByRole('group', { name: 'What the task does' });
  await page.getByText('Which of the two addresses').waitFor();
  await steps.press('Home');
  // A click during the browser's animation of that would be undone by its next step.
  await expect.poll(() => steps.evaluate((one) => one.scrollTop)).toBe(0);
  await button('Needs you').click();
  await button('Needs you').waitFor({ state: 'detached' });
  await expect
    .poll(() => steps.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight))
    .toBeLessThan(24);
});

it('is taken over at once, also while an action waits for an approval', async () => {
  made.tasks.profile();
  made.tasks.turns = [{ goal: 'Send it.', actions: [{ do: 'click', ref: 'e1' }] }];
  await open();
  let waits: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => (waits = resolve));
  await page.route('**/task/command', (route) => {
    if (!(route.request().postData() ?? '').includes('"click"')) return route.continue();
    waits(); // no reply comes: the user is asked
    return undefined;
  });
  await begin(page);
  await waiting;
  const id = made.tasks.heads()[0]?.id ?? '';
  const asked = approval({ actor: { kind: 'task', id, name: 'task' }, command: 'click' });
  made.push({ type: 'session', session: { ...made.session(), approvals: [asked] } });
  await button('Allow for this task').waitFor();
  const withdrawn = page.waitForEvent('requestfailed');
  await button('Take over').click();
  expect((await withdrawn).url()).toContain('/task/command');
  await page.getByText('You control the page now, and what you do there is recorded.').waitFor();
});

it('runs plain instructions without a model, though there is one', async () => {
  made.tasks.profile();
  await open();
  await page.getByRole('combobox', { name: 'Model' }).selectOption('Without a model');
  await begin(page, 'list the links');
  await page.locator('.end', { hasText: 'There are 2 links.' }).waitFor();
  expect(asked('/llm/call')).toEqual([]);
  await page.reload();
  const model = page.getByRole('combobox', { name: 'Model' });
  await expect.poll(() => model.inputValue()).toBe('none');
});

it('shows a result as Markdown, and opens its links beside the page', async () => {
  made.tasks.profile();
  const text = '**Saved** for [Ada](https://ada.example/).';
  made.tasks.turns = [{ goal: 'End.', actions: [{ do: 'done', success: true, text }] }];
  await open();
  await begin(page);
  await page.locator('.end strong', { hasText: 'Saved' }).waitFor();
  await page.getByRole('link', { name: 'Ada' }).click();
  expect(await page.evaluate(() => globalThis.fakeChrome.opened)).toMatchObject([
    { url: 'https://ada.example/' },
  ]);
});
