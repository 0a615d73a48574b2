import type { Page } from 'playwright-core';
import type { ChatTool } from '$ui/protocol/protocol';
import type { FakeBackend } from './fakes/backend';
import type { State } from './states';

/** The id of a conversation with every kind of entry. */
export const conversation = '0b6f1c9e-0000-4000-8000-000000000001';

const markdown = [
  'The page has **one heading** and one link to [IANA](https://www.iana.org/domains/example).',
  '',
  '1. It is reserved for examples.',
  '2. It may be used *without* asking.',
  '',
  '```ts',
  "const links = [...document.querySelectorAll('a')]; // all of them",
  'export const hosts = links.map((link) => new URL(link.href).host).filter(Boolean);',
  '```',
  '',
  '| name | bytes |',
  '|---|--:|',
  '| index.html | 1,256 |',
  '',
  '> Examples are for documents.',
].join('\n');

const edit: ChatTool = {
  call: 'c3',
  title: 'Edit src/app/settings/options.ts',
  kind: 'edit',
  status: 'pending',
  content: [
    {
      kind: 'diff',
      path: 'src/app/settings/options.ts',
      line: 12,
      old: 'export const retries = 3;\nexport const pause = 100;\n',
      new: 'export const retries = 5;\nexport const pause = 100;\nexport const longest = 5_000;\n',
    },
  ],
};

/** A page with elements to pick. */
export function page(made: FakeBackend): void {
  made.chat.pickable = [
    { ref: 'e1', role: 'link', name: 'Home' },
    { ref: 'e2', role: 'textbox', name: 'Search all the documents of this site, old ones too' },
    { ref: 'e3', role: 'button', name: 'Save' },
    { ref: 'f2e1', role: 'button', name: 'Save in the frame' },
    { ref: 'e9', role: 'div#main' },
  ];
}

/** Opens Chat, with a tab's conversation. */
export async function toChat(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Chat' }).click();
  await page.getByRole('textbox', { name: /^Message to/ }).waitFor();
}

/** Fills a conversation with every kind of entry. */
export function fill(made: FakeBackend): void {
  const { chat } = made;
  chat.add(conversation, {
    tab: 't1',
    agent: 'claude',
    agentName: 'Claude Code',
    title: 'What this page says',
    options: [
      {
        id: 'mode',
        name: 'Mode',
        category: 'mode',
        value: 'ask',
        choices: [
          { value: 'ask', name: 'Ask first' },
          { value: 'edit', name: 'Accept edits' },
        ],
      },
      {
        id: 'model',
        name: 'Model',
        category: 'model',
        value: 'm',
        choices: [{ value: 'm', name: 'Opus 4.8 (1M context)' }],
      },
    ],
    commands: [
      { name: 'review', about: 'review the changes of this branch' },
      { name: 'compact', about: 'make the conversation shorter' },
    ],
    usage: { input: 12_000, output: 900, cost: 0.12, context: 44_000, contextSize: 200_000 },
    can: { images: true, resume: true, steer: false, terminal: true },
  });
  chat.put(conversation, {
    kind: 'user',
    text: 'What does this page say, and where does its link lead?',
    message: 'm1',
    attachments: [{ kind: 'tab', name: 'Example Domain', tab: 't1', text: 'https://example.com/' }],
    route: { kind: 'strong', reason: 'you asked what', word: 'what', model: 'opus' },
  });
  chat.put(conversation, { kind: 'thought', text: 'The person asks about the page.\nI read it.' });
  chat.put(conversation, {
    kind: 'tool',
    tool: {
      call: 'c1',
      title: 'text',
      line: 'Read the page',
      kind: 'browser',
      status: 'done',
      input: '{\n  "tab": "t1"\n}',
      content: [{ kind: 'text', text: 'Example Domain\nThis domain is for use in documents.' }],
    },
  });
  chat.put(conversation, {
    kind: 'tool',
    tool: {
      call: 'c2',
      title: 'curl -sI https://www.iana.org/domains/example | head -n 1',
      kind: 'execute',
      status: 'failed',
      input: 'curl -sI https://www.iana.org/domains/example | head -n 1',
      content: [{ kind: 'text', text: 'curl: (6) Could not resolve host' }],
    },
  });
  chat.put(conversation, {
    kind: 'plan',
    plan: [
      { text: 'Read the page', status: 'completed' },
      { text: 'Follow its link', status: 'in_progress' },
      { text: 'Say what both have in common', status: 'pending' },
    ],
  });
  chat.put(conversation, { kind: 'text', text: markdown });
  chat.put(conversation, {
    kind: 'end',
    end: { reason: 'done', durationMs: 8_200, usage: { input: 12_000, output: 900, cost: 0.12 } },
  });
}

/** Adds a permission request at the end of the conversation. */
export function ask(made: FakeBackend, approval = 'n7'): void {
  made.chat.put(conversation, {
    id: 'ask',
    kind: 'permission',
    permission: {
      approval,
      subject: edit,
      origin: 'https://example.com',
      tab: 't1',
      options: [
        { id: 'once', name: 'Allow once', kind: 'once' },
        {
          id: 'always',
          name: 'Always allow edits',
          kind: 'always',
          scope: 'all edits of files in this conversation',
        },
        { id: 'deny', name: 'Deny', kind: 'deny' },
      ],
    },
  });
  made.chat.change(conversation, { state: 'needs_you' });
}

/** Adds a request to run a command as Claude's adapter does, with the command in three places. */
export function shell(made: FakeBackend): void {
  made.chat.put(conversation, {
    id: 'ask',
    kind: 'permission',
    permission: {
      approval: 'n8',
      subject: {
        call: 'c5',
        title: '`npm test && echo "it is done"`',
        kind: 'execute',
        status: 'pending',
        input: JSON.stringify(
          { command: 'npm test && echo "it is done"', description: 'Runs the tests' },
          undefined,
          2,
        ),
        content: [{ kind: 'text', text: 'Runs the tests' }],
      },
      options: [
        {
          id: 'always',
          name: 'Yes, and don’t ask again for npm',
          kind: 'always',
          scope: 'Yes, and don’t ask again for npm',
        },
        { id: 'once', name: 'Yes', kind: 'once' },
        { id: 'deny', name: 'No', kind: 'deny' },
      ],
    },
  });
  made.chat.change(conversation, { state: 'needs_you' });
}

/** Adds a question which of several elements was meant. */
export function which(made: FakeBackend): void {
  made.chat.put(conversation, { kind: 'user', text: 'click Add to basket', message: 'm8' });
  made.chat.put(conversation, {
    kind: 'text',
    message: 'm8',
    text: '3 elements on this page match “Add to basket”. Which one do you mean?\n\nSkipped: take a screenshot.',
    which: {
      tab: 't1',
      text: 'click Add to basket\ntake a screenshot',
      chosen: ['e3'],
      elements: [
        { ref: 'e8', name: 'Add to basket', kind: 'button', where: 'Black tea' },
        { ref: 'e9', name: 'Add to basket', kind: 'button', where: 'Green tea' },
        { ref: 'e10', name: 'Add to basket', kind: 'link', where: 'the footer' },
      ],
      more: 4,
    },
  });
  made.chat.put(conversation, {
    kind: 'end',
    message: 'm8',
    end: { reason: 'done', durationMs: 120 },
  });
}

/** The agent's process has been killed. */
export function crash(made: FakeBackend): void {
  const error = {
    code: 'crashed' as const,
    message: 'Claude Code was killed (SIGKILL)',
    hint: 'restart it to continue; nothing is lost',
    detail: Array.from(
      { length: 20 },
      (_, at) => `at node:internal/process/task_queues:${String(at)}`,
    ).join('\n'),
  };
  made.chat.put(conversation, { kind: 'user', text: 'Go on.', message: 'm7' });
  made.chat.put(conversation, {
    kind: 'end',
    message: 'm7',
    end: { reason: 'crashed', durationMs: 900, error },
  });
  made.chat.change(conversation, { state: 'failed', error });
}

/** A small red image. */
export const picture = {
  kind: 'image' as const,
  name: 'a.png',
  mime: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
};

const seen = (page: Page, text: string): Promise<void> =>
  page.locator('article', { hasText: text }).first().waitFor();

export const chatStates: State[] = [
  { name: 'chat-empty', act: toChat },
  {
    name: 'chat-empty-again',
    prepare(made) {
      const url = made.tabs[0]?.url ?? '';
      const title = 'Prices of last week, compared with those of the week before';
      made.chat.add('c3', { title, url, entries: 9 });
      made.chat.add('c4', { title: 'Links', url: `${url}#top`, entries: 2 });
    },
    async act(page) {
      await toChat(page);
      await page.getByText('Earlier conversations on this page').waitFor();
    },
  },
  {
    name: 'chat-empty-pilot',
    async act(page) {
      await toChat(page);
      await page.getByRole('button', { name: 'Agent: Claude Code' }).click();
      await page.getByRole('menuitemradio', { name: /Pilot/ }).click();
      await page.getByText('follows plain instructions').waitFor();
    },
  },
  {
    name: 'chat-talk',
    prepare: fill,
    async act(page) {
      await toChat(page);
      await seen(page, 'Examples are for documents');
    },
  },
  {
    name: 'chat-talk-top',
    prepare: fill,
    async act(page) {
      await toChat(page);
      await seen(page, 'Examples are for documents');
      await page.getByRole('log', { name: 'Conversation' }).press('Home');
      await seen(page, 'What does this page say');
      await page.getByText('Read the page').first().click();
      await page.getByText('This domain is for use').waitFor();
    },
  },
  {
    name: 'chat-permission',
    prepare: fill,
    async act(page, made) {
      await toChat(page);
      ask(made);
      await page.getByRole('button', { name: 'Allow once' }).waitFor();
    },
  },
  {
    name: 'chat-running',
    prepare: fill,
    async act(page, made) {
      await toChat(page);
      const { chat } = made;
      chat.change(conversation, {
        state: 'running',
        quiet: true,
        queue: [
          { id: 'q1', text: 'Then compare it with the page of example.org', attachments: [] },
          { id: 'q2', text: 'And write both into a table', attachments: [], route: 'fast' },
        ],
      });
      chat.put(conversation, { kind: 'user', text: 'Follow the link.', message: 'm2' });
      chat.put(conversation, {
        kind: 'tool',
        tool: {
          call: 'c9',
          title: 'goto',
          line: 'Opening iana.org',
          kind: 'browser',
          status: 'running',
          content: [],
        },
      });
      chat.put(conversation, { kind: 'text', text: 'I am on my way to', open: true });
      await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
      await seen(page, 'on my way');
    },
  },
  {
    name: 'chat-failed',
    prepare: fill,
    async act(page, made) {
      await toChat(page);
      crash(made);
      await page.getByRole('button', { name: 'Restart' }).waitFor();
    },
  },
  {
    name: 'chat-failed-details',
    prepare: fill,
    async act(page, made) {
      await toChat(page);
      crash(made);
      await page.getByText('Details').click();
      await page.getByText('at node:internal').waitFor();
    },
  },
  {
    name: 'chat-failed-before',
    prepare: fill,
    async act(page, made) {
      await toChat(page);
      crash(made);
      made.chat.change(conversation, { state: 'idle' });
      made.chat.put(conversation, { kind: 'user', text: 'Once more.', message: 'm8' });
      await seen(page, 'Once more.');
    },
  },
  {
    name: 'chat-which',
    prepare: fill,
    async act(page, made) {
      await toChat(page);
      which(made);
      await seen(page, 'Which one do you mean?');
    },
  },
  {
    name: 'chat-answer',
    prepare(made) {
      fill(made);
      made.chat.picture = picture;
    },
    async act(page, made) {
      await toChat(page);
      const { chat } = made;
      chat.put(conversation, {
        kind: 'user',
        message: 'm6',
        text: 'read this page, list the links, then take a screenshot',
      });
      chat.put(conversation, {
        kind: 'text',
        text: 'Read [https://example.com/](<https://example.com/>) “Example Domain”.\n\n> # Example Domain\n>\n> This domain is for use in documents.\n>\n> - one\n> - two',
      });
      chat.put(conversation, {
        kind: 'text',
        text: `There are 40 links.\n\n${Array.from({ length: 40 }, (_, at) => `- [Link number ${String(at)} of the page](<https://example.com/${String(at)}>)`).join('\n')}`,
      });
      chat.put(conversation, {
        kind: 'text',
        text: 'Took a screenshot of what is in view, 1280 × 720.',
        images: [{ kind: 'image', name: 'Screenshot', mime: 'image/png', path: 'shots/a.png' }],
      });
      chat.put(conversation, { kind: 'end', end: { reason: 'done', durationMs: 420 } });
      await page.getByRole('button', { name: /^You: read this page/ }).waitFor();
      await page.getByRole('button', { name: 'Copy the image' }).waitFor();
    },
  },
  {
    name: 'chat-permission-command',
    prepare: fill,
    async act(page, made) {
      await toChat(page);
      shell(made);
      await page.getByRole('button', { name: 'Yes', exact: true }).waitFor();
    },
  },
  {
    name: 'chat-sign-in',
    prepare: fill,
    async act(page, made) {
      await toChat(page);
      made.chat.change(conversation, {
        state: 'sign_in',
        error: {
          code: 'unauthorized',
          message: 'Claude Code needs you to sign in: no API key was found',
          hint: 'start claude in a terminal and type /login',
        },
        signIn: [
          { id: 'a', name: 'Sign in with a browser', about: 'opens a page beside this one' },
          { id: 'b', name: 'Use an API key' },
        ],
      });
      await page.getByRole('button', { name: 'Use an API key' }).waitFor();
    },
  },
  {
    name: 'chat-terminal',
    prepare: fill,
    async act(page, made) {
      await toChat(page);
      made.chat.change(conversation, { state: 'terminal' });
      await page.getByRole('button', { name: 'Continue in chat' }).waitFor();
    },
  },
  {
    name: 'chat-list',
    prepare(made) {
      fill(made);
      made.chat.add('c2', {
        tab: 't2',
        title: 'Sockets that close by themselves',
        state: 'running',
        entries: 4,
      });
      made.chat.add('c3', {
        title: 'Prices of last week, compared with those of the week before',
        entries: 9,
      });
    },
    async act(page) {
      await toChat(page);
      await page.getByRole('button', { name: 'What this page says' }).click();
      await page.getByRole('searchbox').fill('link');
      await page.locator('mark').first().waitFor();
      await page.getByRole('searchbox').fill('');
      await page.getByText('Closed tabs').waitFor();
    },
  },
  {
    name: 'chat-commands',
    prepare: fill,
    async act(page) {
      await toChat(page);
      await page.getByRole('textbox', { name: /^Message/ }).fill('/');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'chat-writing',
    prepare: fill,
    async act(page) {
      await toChat(page);
      await page.getByRole('textbox', { name: /^Message/ }).fill('Compare this page with @Web');
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await page.keyboard.type('\nand say in a sentence what is different, and what is the same.');
    },
  },
  {
    name: 'chat-mention',
    prepare(made) {
      fill(made);
      made.chat.paths = ['src/', 'README.md', 'src/panel/a-rather-long-name-of-a-component.svelte'];
    },
    async act(page) {
      await toChat(page);
      await page.getByRole('textbox', { name: /^Message/ }).fill('Compare this with @');
      await page.getByRole('option', { name: /README/ }).waitFor();
    },
  },
  {
    name: 'chat-pick',
    prepare(made) {
      fill(made);
      page(made);
    },
    async act(page) {
      await toChat(page);
      await page.getByRole('textbox', { name: /^Message/ }).fill('Press @element');
      await page.getByRole('option', { name: /Pick an element/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('combobox', { name: 'Find an element' }).press('ArrowDown');
    },
  },
];
