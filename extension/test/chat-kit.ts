/** What the tests of Chat share: a backend, and a panel that shows Chat. */
import type { Locator, Page } from 'playwright-core';
import { beforeEach } from 'vitest';
import { toChat } from './chat-states';
import type { FakeBackend } from './fakes/backend';
import { backend, openPanel } from './fakes/face';

/** The fake backend of the panel; each test has its own. */
export let made: FakeBackend;
/** The panel's page; open() creates it. */
export let page: Page;

/** Gives each test of a file a new backend. */
export function eachWithBackend(): void {
  beforeEach(async () => {
    made = await backend();
  });
}

/** Opens the panel and shows Chat. */
export async function open(): Promise<void> {
  page = await openPanel(made);
  await toChat(page);
}

/** The input. */
export const message = (): Locator => page.getByRole('textbox', { name: /^Message to/ });
/** The first entry of the conversation that has this text. */
export const entry = (text: string): Locator => page.locator('article', { hasText: text }).first();
/** A button by its whole name. */
export const button = (name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: true });
/** The bodies of the panel's requests to a route, the earliest first. */
export const asked = (path: string): unknown[] =>
  made.chat.asked.filter((one) => one.path === path).map(({ body }) => body);

/** Writes a message and sends it. */
export async function say(text: string): Promise<void> {
  await message().fill(text);
  await message().press('Enter');
}
