import { beforeEach, describe, expect, it } from 'vitest';
import { asked, button, eachWithBackend, made, message, open, page, say } from './chat-kit';
import { fill, page as pickable } from './chat-states';

eachWithBackend();

it('a picture of the page goes with a message by one press', async () => {
  await open();
  made.chat.picture = { kind: 'image', name: 'The page', mime: 'image/png', data: 'iVA=' };
  await button('Attach a screenshot').click();
  await button('Remove The page').waitFor();
  expect(asked('/chat/screenshot')).toEqual([{ tab: 't1' }]);
});

describe('typing', () => {
  it('sends on Enter, and breaks the line on Shift+Enter', async () => {
    await open();
    await message().focus();
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([{ text: 'one\ntwo' }]);
  });

  it('does not send what an input method still composes', async () => {
    await open();
    await message().focus();
    const session = await page.context().newCDPSession(page);
    await session.send('Input.imeSetComposition', {
      text: 'に',
      selectionStart: 1,
      selectionEnd: 1,
    });
    await page.keyboard.press('Enter');
    await session.send('Input.insertText', { text: '日本' });
    await page.keyboard.press('Enter');
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([{ text: '日本' }]);
  });

  it('keeps a draft, which is there when the panel is opened again', async () => {
    await open();
    await message().fill('not finished');
    await made.until(() => made.chat.heads()[0]?.draft === 'not finished');
    await page.reload();
    await message().waitFor();
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('form textarea')?.value === 'not finished',
    );
    await message().press('Enter');
    await made.until(() => made.chat.heads()[0]?.draft === '');
  });

  it.each([
    ['the same message, when nothing was changed', 'hello', 1],
    ['another message, when it was changed', 'hello, world', 2],
  ])('is sent again after a lost reply as %s', async (_, again, messages) => {
    await open();
    made.chat.loseReply = true;
    await say('hello');
    await page.getByRole('alert').waitFor();
    expect(await message().inputValue()).toBe('hello');
    const sent = () => (asked('/chat/send') as { message: string }[]).map((one) => one.message);
    await expect
      .poll(() => asked('/chat/set').at(-1))
      .toMatchObject({ draft: 'hello', draftOf: sent()[0] });
    await say(again);
    await made.until(() => sent().length === 2);
    expect(new Set(sent()).size).toBe(messages);
  });

  it('completes commands of the agent and titles of tabs', async () => {
    fill(made);
    await open();
    await message().focus();
    await page.keyboard.type('/rev');
    await page.getByRole('option', { name: /review/ }).waitFor();
    await page.keyboard.press('Tab');
    expect(await message().inputValue()).toBe('/review ');
    await page.keyboard.type('against @mdn');
    await page.getByRole('listbox').getByRole('option').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([
      { attachments: [{ kind: 'tab', tab: 't2', text: made.tabs[1]?.url }] },
    ]);
  });

  it('takes a picture that is pasted', async () => {
    await open();
    await message().focus();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array([137, 80])], 'shot.png', { type: 'image/png' }));
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );
    });
    await button('Remove shot.png').waitFor();
    await message().press('Enter');
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([
      { text: '', attachments: [{ kind: 'image', name: 'shot.png', data: 'iVA=' }] },
    ]);
  });
});

it('a picture that is dropped goes with a message, and a file as a file', async () => {
  await open();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([137, 80])], 'shot.png', { type: 'image/png' }));
    data.items.add(new File(['a,b'], 'prices.csv', { type: 'text/csv' }));
    for (const type of ['dragover', 'drop'])
      document
        .querySelector('form textarea')
        ?.dispatchEvent(
          new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
        );
  });
  await button('Remove prices.csv').waitFor();
  await message().press('Enter');
  await made.until(() => asked('/chat/send').length === 1);
  expect(asked('/chat/send')).toMatchObject([
    {
      attachments: [
        { kind: 'image', name: 'shot.png' },
        { kind: 'file', name: 'prices.csv' },
      ],
    },
  ]);
});

describe('a mention of an element', () => {
  const field = () => page.getByRole('combobox', { name: 'Find an element' });
  const sent = () => asked('/inspector/pick');
  const start = { panel: 'p1', action: 'start', tab: 't1' };

  beforeEach(async () => {
    fill(made);
    pickable(made);
    await open();
    await message().focus();
    await page.keyboard.type('press @ele');
    await page.getByRole('option', { name: /Pick an element/ }).waitFor();
    await page.keyboard.press('Enter');
    await field().waitFor();
  });

  it('is what was clicked on the page', async () => {
    expect(sent()).toEqual([start]);
    const element = { ref: 'e3', role: 'button', name: 'Save' };
    made.push({ type: 'picked', panel: 'another', tab: 't1', element: { ...element, ref: 'e7' } });
    made.push({ type: 'picked', panel: 'p1', tab: 't1', element });
    await button('Remove button "Save"').waitFor();
    expect(await message().inputValue()).toBe('press @e3 button "Save" ');
    await page.keyboard.type('now');
    await page.keyboard.press('Enter');
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([
      {
        text: 'press @e3 button "Save" now',
        attachments: [{ kind: 'element', name: 'button "Save"', tab: 't1', ref: 'e3' }],
      },
    ]);
    expect(sent()).toEqual([start]);
  });

  it('can be chosen with the keyboard, and is shown on the page', async () => {
    await page.keyboard.type('save');
    await made.until(() => sent().some((one) => (one as { ref?: string }).ref === 'e3'));
    await page.keyboard.press('ArrowDown');
    await made.until(() => sent().some((one) => (one as { ref?: string }).ref === 'f2e1'));
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      () => document.querySelector('form textarea') === document.activeElement,
    );
    expect(await message().inputValue()).toBe('press @f2e1 button "Save in the frame" ');
    await expect.poll(() => sent().at(-1)).toEqual({ panel: 'p1', action: 'stop' });
  });

  it('is given up with Escape, which stops nothing else', async () => {
    await page.keyboard.press('Escape');
    await field().waitFor({ state: 'detached' });
    expect(await message().inputValue()).toBe('press @ele');
    await expect.poll(() => sent().at(-1)).toEqual({ panel: 'p1', action: 'stop' });
    expect(asked('/chat/cancel')).toEqual([]);
  });

  it('ends with the socket, and with what the page says', async () => {
    const watched = () => made.messages.filter(({ type }) => type === 'chat_watch').length;
    const before = watched();
    made.dropPanels();
    await field().waitFor({ state: 'detached' });
    await made.until(() => watched() > before);
    made.chat.refusePick = {
      code: 'dialog',
      message: 'The tab shows a dialog.',
      hint: 'Answer it.',
    };
    await button('Add').click();
    await page.getByRole('menuitem', { name: 'Pick an element' }).click();
    const said = page.getByText('The tab shows a dialog. Answer it.');
    await said.waitFor();
    // Saving a draft does not replace text that was typed meanwhile.
    const saved = asked('/chat/set').length;
    await message().press('End');
    await message().pressSequentially(' and look');
    await made.until(() => asked('/chat/set').length > saved);
    expect(await said.isVisible()).toBe(true);
  });
});

it('a mention of a file is completed, a folder step by step', async () => {
  fill(made);
  made.chat.paths = ['src/', 'src/my notes.txt'];
  await open();
  await message().focus();
  await page.keyboard.type('read @sr');
  await page.getByRole('option', { name: /my notes/ }).waitFor();
  await page.keyboard.press('Enter');
  expect(await message().inputValue()).toBe('read @src/');
  await page.keyboard.type('my');
  await page.getByRole('option', { name: /my notes/ }).waitFor();
  await page.getByRole('option', { name: 'src/ folder' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Tab');
  expect(await message().inputValue()).toBe('read @"src/my notes.txt" ');
});
