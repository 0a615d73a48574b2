/**
 * The entries of a page's context menu. A choice is left for the panel of the window, which is
 * opened if it is closed.
 */
import { selectedHere } from '../menu/selection';
import { markPointed } from '../menu/pointed';
import { MENU_KEY, MENU_WAIT, type MenuChoice, type MenuWish } from '../messages/menu';

/** The pages that the panel can serve. */
const pages = ['http://*/*', 'https://*/*', 'file:///*'];

/** What a menu can be opened on. */
type Context = `${chrome.contextMenus.ContextType}`;

const anything: [Context, ...Context[]] = [
  'page',
  'frame',
  'selection',
  'link',
  'editable',
  'image',
  'video',
  'audio',
];

/** The entries, in their order. */
export const menuEntries: readonly {
  readonly id: MenuChoice;
  readonly title: string;
  readonly contexts: [Context, ...Context[]];
}[] = [
  { id: 'selection', title: 'Send the selected text to the agent', contexts: ['selection'] },
  { id: 'link', title: 'Send this link to the agent', contexts: ['link'] },
  { id: 'image', title: 'Send this image to the agent', contexts: ['image'] },
  { id: 'element', title: 'Send this element to the agent', contexts: anything },
  { id: 'inspect', title: 'Inspect in Pilotfish', contexts: anything },
  { id: 'shot', title: 'Screenshot of this element', contexts: anything },
  { id: 'clean', title: 'Clean up this page', contexts: anything },
];

/** Shows the entries. It must be called in the worker's first turn of the event loop. */
export function offerMenu(): void {
  chrome.contextMenus.onClicked.addListener((info, tab) => {
    void chosen(info, tab);
  });
  // The browser keeps the entries; those of an earlier version are replaced.
  chrome.runtime.onInstalled.addListener(() => void make());
  chrome.runtime.onStartup.addListener(() => void make());
}

async function make(): Promise<void> {
  await chrome.contextMenus.removeAll();
  for (const { id, title, contexts } of menuEntries)
    chrome.contextMenus.create(
      { id, title, contexts, documentUrlPatterns: pages },
      // Both events may come at a start: the entry is there then, and the error is read.
      () => chrome.runtime.lastError,
    );
}

async function chosen(
  info: chrome.contextMenus.OnClickData,
  tab: chrome.tabs.Tab | undefined,
): Promise<void> {
  if (tab?.id === undefined) return;
  // At once, because the browser opens a panel only while it handles the user's click.
  const opened = chrome.sidePanel.open({ windowId: tab.windowId });
  const wish = await wishOf(info, tab.id, tab.windowId);
  await chrome.storage.session.set({ [MENU_KEY]: wish });
  await opened;
}

/** What was chosen, with what is known about it. */
async function wishOf(
  info: chrome.contextMenus.OnClickData,
  tab: number,
  window: number,
): Promise<MenuWish> {
  const choice = info.menuItemId as MenuChoice;
  const frame = { tabId: tab, frameIds: [info.frameId ?? 0] };
  const said = { url: info.frameUrl ?? info.pageUrl ?? '', text: '', target: '' };
  if (choice === 'link') said.text = info.linkUrl ?? '';
  else if (choice === 'image') said.text = info.srcUrl ?? '';
  else if (choice === 'selection') {
    // The browser puts the selection on one line; the page has its lines.
    said.text = info.selectionText ?? '';
    const [found] = await chrome.scripting
      .executeScript({ target: frame, func: selectedHere })
      .catch(() => []);
    if (found?.result?.text) said.text = found.result.text;
  } else if (choice !== 'clean') {
    const mark = `data-pilotfish-${crypto.randomUUID().slice(0, 8)}`;
    const [found] = await chrome.scripting
      .executeScript({ target: frame, func: markPointed, args: [mark, MENU_WAIT] })
      .catch(() => []);
    said.target = found?.result?.target ?? '';
  }
  return { id: crypto.randomUUID(), choice, window, tab, at: Date.now(), ...said };
}
