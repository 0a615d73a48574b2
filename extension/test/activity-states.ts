import type { Page } from 'playwright-core';
import type { FakeBackend } from './fakes/backend';
import { FakeActivity, you } from './fakes/activity';
import type { State } from './states';

const chat = { kind: 'chat', id: 'c1', name: 'claude beside t1', agent: 'Claude Code' } as const;

/** A day of a session, with every kind of entry. */
export function fillActivity(made: FakeBackend): FakeActivity {
  const did = new FakeActivity(made);
  const yesterday = '2026-03-03T16:20:00Z';
  did.add(
    {
      command: 'goto',
      tab: 't1',
      args: { url: 'https://shop.example/pens' },
      time: yesterday,
      summary: 'Pens',
      durationMs: 812,
    },
    {
      command: 'click',
      tab: 't1',
      args: { target: 'e5' },
      durationMs: 41,
      summary: 'clicked button “Add to basket”',
    },
    { command: 'fill', tab: 't1', args: { target: 'e9', value: '•••' }, durationMs: 36 },
    {
      command: 'click',
      tab: 't1',
      args: { target: 'e5' },
      ok: false,
      code: 'covered',
      summary: 'e5 is covered by a dialog',
      durationMs: 1204,
    },
    {
      command: 'navigation',
      kind: 'navigation',
      tab: 't2',
      actor: you,
      summary: 'https://news.example/today?ref=start',
      durationMs: 0,
    },
    {
      command: 'eval',
      kind: 'question',
      phase: 'waiting',
      tab: 't1',
      actor: chat,
      args: { code: 'document.title' },
      summary: 'Claude Code wants to run code on https://shop.example',
      durationMs: 0,
    },
    {
      command: 'eval',
      kind: 'question',
      phase: 'answered',
      parent: 6,
      tab: 't1',
      actor: you,
      args: { answer: 'deny', in: 'panel' },
      ok: false,
      code: 'denied',
      summary: 'Denied by you',
      durationMs: 5300,
    },
    {
      command: 'eval',
      tab: 't1',
      actor: chat,
      parent: 6,
      args: { code: 'document.title' },
      ok: false,
      code: 'denied',
      summary: 'the user denied it',
      durationMs: 5310,
    },
    {
      command: 'step',
      kind: 'step',
      tab: 't1',
      actor: { kind: 'task', id: '5d', name: 'task “Order pens”' },
      args: { step: '3' },
      summary: 'Open the basket and check the price',
      durationMs: 0,
    },
    {
      command: 'download',
      kind: 'download',
      tab: 't1',
      actor: you,
      args: { state: 'done', bytes: '48210', path: '/home/ada/invoice.pdf' },
      summary: 'invoice.pdf',
      durationMs: 900,
    },
    {
      command: 'error',
      kind: 'error',
      tab: 't2',
      actor: you,
      ok: false,
      code: 'crashed',
      summary: 'The page crashed: https://news.example/',
      durationMs: 0,
    },
    {
      command: 'click',
      tab: 't1',
      args: { target: 'e12' },
      durationMs: 58,
      summary: 'clicked link “Checkout”',
    },
  );
  for (const index of [1, 2, 3, 12]) did.shots.add(index);
  return did;
}

/** Opens the room in a panel. */
export async function openActivity(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Activity' }).click();
  await page
    .getByRole('log', { name: 'Activity' })
    .or(page.getByText('Nothing was done yet'))
    .waitFor();
}

export const activityStates: State[] = [
  {
    name: 'activity-empty',
    prepare: (made) => {
      new FakeActivity(made);
    },
    act: openActivity,
  },
  {
    name: 'activity',
    prepare: (made) => {
      fillActivity(made).lost = 1;
    },
    act: async (page) => {
      await openActivity(page);
      // The list may draw no row above what is in view.
      await page.getByRole('log', { name: 'Activity' }).press('Home');
      await page.getByText('Entry 1 is no longer stored').waitFor();
    },
  },
  {
    name: 'activity-entry',
    prepare: fillActivity,
    act: async (page) => {
      await openActivity(page);
      await page.getByRole('button', { name: 'Use the full panel' }).click();
      await page.locator('[data-row="12"]').click();
      await page.getByRole('img', { name: 'The page after this command' }).waitFor();
    },
  },
  {
    name: 'activity-nothing-found',
    prepare: fillActivity,
    act: async (page) => {
      await openActivity(page);
      await page.getByRole('searchbox', { name: 'Search the activity' }).fill('nowhere');
      await page.getByText('Nothing found').waitFor();
    },
  },
  {
    name: 'activity-failed',
    prepare: (made) => {
      fillActivity(made).refuse = 'The record cannot be read';
    },
    act: async (page) => {
      await page.getByRole('tab', { name: 'Activity' }).click();
      await page.getByText('The record cannot be read').waitFor();
    },
  },
  {
    name: 'activity-replay',
    prepare: fillActivity,
    act: async (page) => {
      await openActivity(page);
      await page.getByRole('button', { name: 'Use the full panel' }).click();
      await page.getByRole('button', { name: 'More', exact: true }).last().click();
      await page.getByRole('menuitem', { name: 'Replay screenshots' }).click();
      await page.getByRole('img', { name: 'The page after entry 1' }).waitFor();
    },
  },
];
