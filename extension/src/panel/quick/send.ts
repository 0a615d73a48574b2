import * as v from 'valibot';
import type { MenuItem } from '$ui/menu-item';
import { chatAttachmentSchema } from '$ui/protocol/schemas/chat';
import { pageTextSchema, screenshotSchema } from '$ui/protocol/schemas/page';
import type { CommandReply } from '$ui/protocol/protocol';
import { selectedHere } from '../../menu/selection';
import { MAX_SENT } from '../send/text';
import type { QuickDesk } from './desk';
import { perform } from './perform';

/** How long a command on a page may take here, in milliseconds: a page may be large. */
const patience = 60_000;
/** The longest Markdown that is asked for, in characters; in Chat it becomes a file. */
const longestPage = 200_000;

/** What of the page the user can send to the agent. */
export function sendChoices(desk: QuickDesk): readonly MenuItem[] {
  const disabled = !desk.live || desk.tab === undefined;
  const choice = (
    text: string,
    icon: MenuItem['icon'],
    act: (desk: QuickDesk) => Promise<void>,
  ): MenuItem => ({ text, icon, disabled, run: () => void perform(desk, () => act(desk)) });
  return [
    choice('Selected text', 'edit', sendSelection),
    choice('An element…', 'pick', sendElement),
    choice('Page as Markdown', 'file', sendPage),
    choice('Screenshot', 'camera', sendScreenshot),
  ];
}

/** Sends what is selected in the page, in whichever of its frames. */
async function sendSelection(desk: QuickDesk): Promise<void> {
  const tabId = desk.tab?.chromeTabId;
  if (tabId === undefined) return;
  const found = await chrome.scripting
    .executeScript({ target: { tabId, allFrames: true }, func: selectedHere })
    .catch(() => {
      throw new Error('The browser does not let Pilotfish read this page.');
    });
  const selected = found.map(({ result }) => result).find((one) => one && one.text.trim() !== '');
  if (selected === undefined)
    throw new Error('Nothing is selected in the page. Select some text first.');
  desk.send({ title: 'Selected text', text: selected.text, origin: selected.url });
}

/** Lets the user pick an element, and sends what it is. */
async function sendElement(desk: QuickDesk): Promise<void> {
  const picked = await desk.pick();
  if (picked === undefined) return;
  await sendRef(desk, picked.ref);
}

/** Sends the facts about an element that an agent's `inspect` would give, with its ref. */
export async function sendRef(desk: QuickDesk, ref: string): Promise<void> {
  const { text } = good(
    await desk.run('inspect', { element: ref, max: 4_000 }, { timeout: patience }),
  );
  desk.send({ title: `Element ${ref}`, text, origin: desk.tab?.url });
}

/** Sends the page as Markdown. */
async function sendPage(desk: QuickDesk): Promise<void> {
  const max = desk.face === 'chat' ? longestPage : MAX_SENT;
  const reply = good(await desk.run('markdown', { max }, { timeout: patience }));
  const { url, text } = v.parse(pageTextSchema, reply.data);
  desk.send({ title: 'Page as Markdown', text, origin: url });
}

/** Sends a screenshot: the picture itself in Chat, elsewhere the path of its file. */
async function sendScreenshot(desk: QuickDesk): Promise<void> {
  const { tab } = desk;
  if (tab === undefined) return;
  if (desk.face === 'chat') {
    const shot = await desk.request('/chat/screenshot', { tab: tab.id }, { timeout: patience });
    const attachments = [v.parse(chatAttachmentSchema, shot)];
    desk.send({ title: 'Screenshot', text: '', origin: tab.url, attachments });
    return;
  }
  const reply = good(await desk.run('screenshot', {}, { timeout: patience }));
  const { path } = v.parse(screenshotSchema, reply.data);
  desk.send({ title: `Screenshot of ${tab.id}: ${path}`, text: '', origin: tab.url });
}

/** The reply of a command that succeeded; throws why it did not. */
export function good(reply: CommandReply): CommandReply {
  if (reply.ok) return reply;
  throw new Error(`${reply.error?.message ?? reply.text} ${reply.error?.hint ?? ''}`.trim());
}
