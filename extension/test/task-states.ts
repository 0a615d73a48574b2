import type { Page } from 'playwright-core';
import type { FakeBackend } from './fakes/backend';
import type { Turn } from './fakes/task';
import { approval, type State } from './states';

/** A successful step, with its own page. */
export const firstTurn: Turn = {
  goal: 'Fill in the name and the address, because the form needs both.',
  actions: [
    { do: 'type', ref: 'e1', text: 'Ada Lovelace' },
    { do: 'select', ref: 'e2', option: 'Berlin' },
    { do: 'goto', url: 'https://shop.example.com/checkout/address?step=2&session=0f3a9c7b' },
  ],
};

const longGoal =
  'Compare the prices on these three tabs, and tell me which offer is the cheapest with delivery to Berlin';

/** Opens Task beside the first tab. */
export async function toTask(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Task' }).click();
  await page.getByRole('textbox', { name: 'What should be done on this page?' }).waitFor();
}

/** Types a task and presses Enter. */
export async function wish(page: Page, goal: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'What should be done on this page?' });
  await field.fill(goal);
  await field.press('Enter');
}

/** Types a task, starts it and waits until it is shown. */
export async function begin(page: Page, goal = 'Fill this form for Ada'): Promise<void> {
  await wish(page, goal);
  await page.locator('.goal', { hasText: goal }).first().waitFor();
}

/** A task that types a name and presses Save; there is one such button. */
export const replayed: Turn[] = [
  {
    goal: 'Fill in the name.',
    actions: [
      { do: 'type', ref: 'e1', text: 'Ada Lovelace' },
      { do: 'click', ref: 'e2' },
    ],
  },
  { goal: 'End.', actions: [{ do: 'done', success: true, text: 'It is saved.' }] },
];

/** Runs a task, and replays it on a page with a second button of that name. */
export async function recordAndReplay(page: Page, made: FakeBackend): Promise<void> {
  made.tasks.page = { ...made.tasks.page, text: 'e1 edit Name\ne2 btn Save' };
  await begin(page);
  await page.locator('.end', { hasText: 'It is saved.' }).waitFor();
  made.tasks.page.text =
    'form "Billing address"\n e11 edit Name\n e12 btn Save\nform Delivery\n e14 btn Save';
  await page.getByRole('button', { name: 'Replay without a model' }).click();
  await page.getByText('There are two “Save” (button) on this page. Which one?').waitFor();
}

const withModel = (made: FakeBackend): void => {
  made.tasks.profile();
};

export const taskStates: State[] = [
  {
    name: 'task-set-up',
    async act(page) {
      await toTask(page);
      await page.getByRole('button', { name: 'Set up a model' }).waitFor();
    },
  },
  {
    name: 'task-plain',
    async act(page) {
      await toTask(page);
      await begin(page, 'click Save then list the links');
      await page.locator('.end', { hasText: 'There are 2 links.' }).waitFor();
    },
  },
  {
    name: 'task-plain-unknown',
    async act(page) {
      await toTask(page);
      await wish(page, 'book me a table for two tonight');
      await page.getByText('I do not understand').waitFor();
    },
  },
  {
    name: 'task-model',
    async act(page) {
      await toTask(page);
      await page.getByRole('button', { name: 'Set up a model' }).click();
      await page.getByLabel('Key', { exact: true }).fill('not-a-key');
      await page.getByRole('button', { name: 'Load models' }).click();
      await page.getByRole('option', { name: 'Large' }).waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('It answers and can call tools').waitFor();
    },
  },
  {
    name: 'task-keyless',
    prepare(made) {
      made.tasks.llm.keychain = false;
      made.tasks.profile({ name: 'Anthropic', provider: 'anthropic', model: 'claude-sonnet-4-5' });
    },
    async act(page) {
      await toTask(page);
      await page.getByText('needs its key').waitFor();
      await page.getByRole('button', { name: 'Save key' }).waitFor();
    },
  },
  {
    name: 'task-empty',
    prepare: withModel,
    async act(page) {
      await toTask(page);
      await page.getByRole('combobox', { name: 'Model' }).waitFor();
    },
  },
  {
    name: 'task-running',
    prepare(made) {
      withModel(made);
      made.tasks.turns = [
        firstTurn,
        { goal: 'Save the form.', actions: [{ do: 'click', ref: 'e1' }] },
      ];
      made.tasks.replies.select = {
        ok: false,
        text: '',
        error: {
          code: 'no_option',
          message: 'There is no option “Berlin”; there are Paris, Rome.',
        },
      };
    },
    async act(page) {
      await toTask(page);
      await begin(page, longGoal);
      await page.getByText('step 2 of 40').waitFor();
      await page.getByText('Thinking').waitFor();
      await page.getByText('More', { exact: true }).first().click();
    },
  },
  {
    name: 'task-waiting',
    prepare(made) {
      withModel(made);
      made.tasks.turns = [
        firstTurn,
        {
          goal: 'Ask.',
          actions: [{ do: 'ask', question: 'Which of the two addresses is yours?' }],
        },
      ];
    },
    async act(page) {
      await toTask(page);
      await begin(page);
      await page.getByRole('textbox', { name: 'Answer' }).waitFor();
    },
  },
  {
    name: 'task-approval',
    prepare: withModel,
    async act(page, made) {
      await toTask(page);
      await begin(page, 'Send the form for Ada');
      await page.getByText('Thinking').waitFor();
      const id = made.tasks.heads()[0]?.id ?? '';
      const question = approval({
        actor: {
          kind: 'task',
          id,
          name: 'task “Send the form for Ada”',
          title: 'Send the form for Ada',
        },
        command: 'click',
        kind: 'send',
        words: {
          who: 'Task “Send the form for Ada”',
          what: 'click “Send message”',
          effect: 'This may send or publish something.',
          may: 'send or publish things',
          details: [
            { name: 'form sent to', value: 'https://shop.example.com/contact/messages' },
            { name: 'form fields', value: 'Name: Ada Lovelace\nMessage: Where is my parcel?' },
          ],
        },
      });
      made.push({ type: 'session', session: { ...made.session(), approvals: [question] } });
      await page.getByRole('button', { name: 'Allow for this task' }).waitFor();
    },
  },
  {
    name: 'task-paused',
    prepare(made) {
      withModel(made);
      made.tasks.turns = [firstTurn];
    },
    async act(page, made) {
      await toTask(page);
      await begin(page, longGoal);
      await page.getByText('step 1 of 40').waitFor();
      await page.getByText('Thinking').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Pausing', { exact: true }).waitFor();
      made.tasks.answers({ goal: 'Save the form.', actions: [{ do: 'click', ref: 'e1' }] });
      await page.getByText('Paused', { exact: true }).waitFor();
    },
  },
  {
    name: 'task-stopped',
    prepare(made) {
      withModel(made);
      made.tasks.turns = [firstTurn];
    },
    async act(page) {
      await toTask(page);
      await begin(page);
      await page.getByText('step 1 of 40').waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.locator('.end', { hasText: 'Stopped by you' }).waitFor();
    },
  },
  {
    name: 'task-interrupted',
    prepare(made) {
      withModel(made);
      made.tasks.add(longGoal, { state: 'interrupted', steps: 7, tab: 't1' });
    },
    async act(page) {
      await page.getByRole('tab', { name: 'Task' }).click();
      await page.getByRole('button', { name: 'Resume at step 8' }).waitFor();
    },
  },
  {
    name: 'task-elsewhere',
    prepare(made) {
      withModel(made);
      made.tasks.turns = [firstTurn];
      made.tasks.add('Order the tickets', { state: 'waiting', tab: 't1' });
    },
    async act(page) {
      await page.evaluate(() => {
        globalThis.fakeChrome.activate(12);
      });
      await toTask(page);
      await page.getByRole('list', { name: 'Tasks in other tabs' }).waitFor();
    },
  },
  {
    name: 'task-tab-closed',
    prepare: withModel,
    async act(page, made) {
      await toTask(page);
      await begin(page, longGoal);
      await page.getByText('Thinking').waitFor();
      made.tabs = made.tabs.filter(({ id }) => id !== 't1');
      made.push({ type: 'tabs', tabs: made.tabs });
      await page.evaluate(() => {
        globalThis.fakeChrome.activate(12);
      });
      await page.getByText('has ended: All tabs of the task were closed.').waitFor();
    },
  },
  {
    name: 'task-read',
    prepare(made) {
      withModel(made);
      made.tasks.turns = [firstTurn, ...replayed.slice(1)];
      made.tasks.replies.snapshot = {
        text: 'e1 edit Name\nMeanwhile, by itself:\ndownload: price-list.csv',
        data: {
          url: 'https://example.com/',
          title: 'Example Domain',
          text: 'e1 edit Name',
          news: ['download: price-list.csv'],
        },
      };
    },
    async act(page) {
      await toTask(page);
      await begin(page, longGoal);
      await page.locator('.end', { hasText: 'It is saved.' }).waitFor();
      await page.getByRole('button', { name: 'New task' }).click();
      await page.getByRole('button', { name: 'Task history' }).click();
      await page.getByRole('listitem').getByText(longGoal.slice(0, 50)).click();
      await page.getByText('download: price-list.csv').first().waitFor();
      await page.getByText('More', { exact: true }).first().click();
    },
  },
  {
    name: 'task-done',
    prepare(made) {
      withModel(made);
      made.tasks.turns = [
        firstTurn,
        {
          goal: 'Say that it is done.',
          actions: [
            { do: 'done', success: true, text: 'The form is saved for Ada Lovelace, Berlin.' },
          ],
        },
      ];
    },
    async act(page) {
      await toTask(page);
      await begin(page);
      await page.locator('.end', { hasText: 'The form is saved' }).waitFor();
    },
  },
  {
    name: 'task-failed',
    prepare(made) {
      withModel(made);
      made.tasks.turns = [
        firstTurn,
        {
          message: 'The key of Ollama is not accepted.',
          hint: 'Enter it again in the settings of models.',
        },
      ];
    },
    async act(page) {
      await toTask(page);
      await begin(page);
      await page.getByText('Enter it again').waitFor();
    },
  },
  {
    name: 'task-history',
    prepare(made) {
      withModel(made);
      made.tasks.add('Fill this form with made-up data');
      made.tasks.add(longGoal, { state: 'failed', steps: 40 });
      made.tasks.add('Collect the headings', { state: 'stopped', steps: 1 });
      made.tasks.add('Order the tickets', { state: 'interrupted', steps: 7, tabs: ['t9'] });
    },
    async act(page) {
      await toTask(page);
      await page.getByRole('button', { name: 'Task history' }).click();
      await page.getByText('Collect the headings').waitFor();
    },
  },
  {
    name: 'task-history-found',
    prepare(made) {
      withModel(made);
      made.tasks.add('Order the tickets', { steps: 7 });
      made.tasks.add(longGoal, { state: 'failed', steps: 40 });
      for (const [task, step, before] of [
        ['Order the tickets', 3, 'type Row 7, seat 12 into edit '],
        [longGoal, 12, 'The page says that the '],
      ] as const)
        made.tasks.found.push({
          task,
          step,
          in: 'result',
          before,
          match: 'voucher',
          after: ' ABC-42 was accepted, and the price is now 17.40 € with delivery',
        });
    },
    async act(page) {
      await toTask(page);
      await page.getByRole('button', { name: 'Task history' }).click();
      await page.getByRole('textbox', { name: 'Search tasks' }).fill('voucher');
      await page.locator('mark', { hasText: 'voucher' }).last().waitFor();
    },
  },
  {
    name: 'task-replay-question',
    prepare(made) {
      withModel(made);
      made.tasks.turns = [...replayed];
    },
    async act(page, made) {
      await toTask(page);
      await recordAndReplay(page, made);
    },
  },
  {
    name: 'task-routine-form',
    prepare(made) {
      withModel(made);
      made.tasks.turns = [...replayed];
    },
    async act(page) {
      await toTask(page);
      await begin(page);
      await page.getByRole('button', { name: 'Save as routine' }).click();
      await page.getByText('Steps when replayed without a model').waitFor();
    },
  },
  {
    name: 'task-routines',
    prepare(made) {
      withModel(made);
      made.tasks.routines = [
        {
          name: 'order-the-weekly-vegetables',
          title: 'Order the weekly vegetables at the shop around the corner',
          goal: 'order ${what}',
          params: ['what', 'password'],
          secrets: ['password'],
          actions: {
            recipe: {
              url: 'https://example.com/',
              deeds: [{ action: { do: 'reload' } }],
              params: [{ name: 'password', value: '', secret: true }],
            },
          },
          created: '2026-11-21T10:00:00Z',
        },
        { name: 'login', goal: '', params: [], created: '2026-11-21T10:00:00Z' },
      ];
    },
    async act(page) {
      await toTask(page);
      await page.getByRole('button', { name: 'Task history' }).click();
      await page.getByRole('button', { name: 'Routines' }).click();
      await page.getByText('pilotfish run login').waitFor();
    },
  },
];
