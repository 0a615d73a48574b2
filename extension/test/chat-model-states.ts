import type { Page } from 'playwright-core';
import { conversation, toChat } from './chat-states';
import type { FakeBackend } from './fakes/backend';
import type { State } from './states';

/** Sets up two models; the first one answers in new conversations. */
function models(made: FakeBackend): void {
  made.agents = {
    ...made.agents,
    models: [
      {
        kind: 'model:a1',
        name: 'OpenAI',
        installed: true,
        chat: 'model',
        detail: 'gpt-5-mini-2026-06',
      },
      {
        kind: 'model:b2',
        name: 'The big one of our own server room',
        installed: true,
        chat: 'model',
        detail: 'OpenAI-compatible, qwen3-coder-480b',
      },
    ],
  };
  made.settings = { ...made.settings, chatAgent: 'model:a1' };
}

/** A conversation with answers of a model. */
function answered(made: FakeBackend): void {
  models(made);
  made.chat.add(conversation, {
    tab: 't1',
    title: 'What this page says',
    agent: 'model:a1',
    agentName: 'OpenAI',
    entries: 2,
  });
  made.chat.put(conversation, { kind: 'user', text: 'What does this page say?', message: 'm1' });
}

const menu = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Agent: OpenAI' }).click();

export const chatModelStates: State[] = [
  {
    name: 'chat-model-empty',
    prepare: models,
    async act(page) {
      await toChat(page);
      await page.getByText('Answered by OpenAI (gpt').waitFor();
    },
  },
  {
    name: 'chat-model-menu',
    prepare: models,
    async act(page) {
      await toChat(page);
      await menu(page);
      await page.getByRole('menuitem', { name: 'Set up a model' }).waitFor();
    },
  },
  {
    name: 'chat-model-setup',
    prepare: models,
    async act(page) {
      await toChat(page);
      await menu(page);
      await page.getByRole('menuitem', { name: 'Set up a model' }).click();
      await page.getByRole('heading', { name: 'Set up a model' }).waitFor();
    },
  },
  {
    name: 'chat-model-key',
    prepare: answered,
    async act(page, made) {
      await toChat(page);
      made.chat.change(conversation, {
        state: 'sign_in',
        signIn: [{ id: 'no_key', name: 'Try again', about: 'OpenAI has no key' }],
      });
      await page.getByRole('button', { name: 'Enter the key' }).waitFor();
    },
  },
  {
    name: 'chat-model-removed',
    prepare: answered,
    async act(page, made) {
      await toChat(page);
      const error = {
        code: 'unknown_model' as const,
        message: 'This model was removed',
        hint: 'choose another one, or set it up again',
      };
      made.chat.put(conversation, {
        kind: 'end',
        end: { reason: 'failed', error, durationMs: 5 },
      });
      made.chat.change(conversation, { state: 'failed', error });
      await page.getByRole('button', { name: 'Set up a model' }).waitFor();
    },
  },
];
