// The user's own browser, in which a session works after the user has allowed it.
import type { Option } from '$ui/option';
import {
  ByHand,
  SessionBackground,
  SessionStarting,
  type Attaching,
  type SessionInfo,
} from '$ui/protocol/protocol';
import { sessionWord, type Word } from '$ui/words';

/** The choice of a browser that is named by the folder of its profiles. */
const byFolder = 'folder';

/** The browsers to choose from. */
export const ownBrowsers: readonly Option[] = [
  { value: 'my-chrome', text: 'The first one that is found' },
  { value: 'chrome', text: 'Google Chrome' },
  { value: 'chromium', text: 'Chromium' },
  { value: 'edge', text: 'Microsoft Edge' },
  { value: 'brave', text: 'Brave' },
  { value: 'vivaldi', text: 'Vivaldi' },
  { value: byFolder, text: 'Another one' },
  { value: ByHand, text: 'Without remote debugging' },
];

/** What a form says of a session's browser. */
export interface BrowserChoice {
  /** One of ownBrowsers; empty for a browser of the session's own. */
  browser: string;
  /** The folder of the profiles of another one. */
  folder: string;
}

/** Whether the choice needs a folder. */
export const needsFolder = ({ browser }: BrowserChoice): boolean => browser === byFolder;

/** The choice of a session's setting. */
export function choiceOf(setting = ''): BrowserChoice {
  const known = setting === '' || ownBrowsers.some(({ value }) => value === setting);
  return known ? { browser: setting, folder: '' } : { browser: byFolder, folder: setting };
}

/** The setting of a choice; undefined when its folder is missing. */
export function settingOf(choice: BrowserChoice): string | undefined {
  if (!needsFolder(choice)) return choice.browser;
  return choice.folder.trim() === '' ? undefined : choice.folder.trim();
}

/** What is said when the folder is missing. */
export const noFolder = 'Enter the folder of its profiles.';

/** What the user calls a session's own browser: "Your Google Chrome"; undefined for one of Pilotfish. */
export function ownBrowser({ identity, browser, attaching }: SessionInfo): string | undefined {
  const { browser: setting, folder } = choiceOf(identity?.browser);
  if (setting === '') return undefined;
  if (setting === ByHand) return 'Your browser without remote debugging';
  if (setting === byFolder) return `Your browser in ${folder}`;
  const found = attaching?.browser ?? (browser?.attached === true ? browser.name : undefined);
  if (found !== undefined) return `Your ${found}`;
  if (setting === 'my-chrome') return 'Your own Chrome';
  return `Your ${ownBrowsers.find(({ value }) => value === setting)?.text ?? setting}`;
}

/** What a session waits for; undefined for nothing, also once it was cancelled. */
export function attachingOf({ state, attaching }: SessionInfo): Attaching | undefined {
  return state === SessionStarting ? attaching : undefined;
}

/** The state of a session, in a word. */
export function stateWord(session: SessionInfo): Word {
  if (attachingOf(session)) return { text: 'Waiting for you', tone: 'attention' };
  if (session.state === SessionBackground && ownBrowser(session) !== undefined)
    return { text: 'Not connected', tone: 'idle' };
  return sessionWord(session.state);
}
