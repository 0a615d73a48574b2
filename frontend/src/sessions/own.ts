// Browsers that Pilotfish does not start: the user's own, and those of engines elsewhere.
import type { Option } from '$ui/option';
import {
  AttachAway,
  AttachFull,
  BrowserIn,
  ByHand,
  SessionBackground,
  SessionRestarting,
  SessionStarting,
  type Attaching,
  type SessionIdentity,
  type SessionInfo,
} from '$ui/protocol/protocol';
import { sessionWord, type Word } from '$ui/words';

/** The choice of a browser that is named by the folder of its profiles. */
const byFolder = 'folder';

/** The choice of a browser that an engine gives. */
export const elsewhere = 'elsewhere';

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
  /** One of ownBrowsers, or elsewhere; empty for a browser of the session's own. */
  browser: string;
  /** The folder of the profiles of another one. */
  folder: string;
  /** Of an engine elsewhere: its address, a header for it, and the name of a secret. */
  address: string;
  header: string;
  secret: string;
}

/** Whether the choice needs a folder. */
export const needsFolder = ({ browser }: BrowserChoice): boolean => browser === byFolder;

/** The choice that an identity has. */
export function choiceOf(id: SessionIdentity = {}): BrowserChoice {
  const none = { browser: '', folder: '', address: '', header: '', secret: '' };
  const { browser = '' } = id;
  if (browser === '' || ownBrowsers.some(({ value }) => value === browser))
    return { ...none, browser };
  if (!browser.includes('://')) return { ...none, browser: byFolder, folder: browser };
  return {
    browser: elsewhere,
    folder: '',
    address: browser,
    header: id.browserHeader ?? '',
    secret: id.browserSecret ?? '',
  };
}

/** What is missing of a choice; undefined for nothing. */
export function missing(choice: BrowserChoice): string | undefined {
  if (needsFolder(choice) && choice.folder.trim() === '')
    return 'Enter the folder of its profiles.';
  if (choice.browser === elsewhere && choice.address.trim() === '')
    return 'Enter the address of the engine.';
  return undefined;
}

/** The part of an identity that a choice is. */
export function identityOfChoice(choice: BrowserChoice): SessionIdentity {
  if (choice.browser === '') return {};
  if (choice.browser !== elsewhere)
    return { browser: needsFolder(choice) ? choice.folder.trim() : choice.browser };
  const [header, secret] = [choice.header.trim(), choice.secret.trim()];
  return {
    browser: choice.address.trim(),
    ...(header !== '' && { browserHeader: header }),
    ...(secret !== '' && { browserSecret: secret }),
  };
}

/** What the user calls a session's own browser: "Your Google Chrome"; undefined for one of Pilotfish. */
export function ownBrowser({ identity, browser, attaching }: SessionInfo): string | undefined {
  if (identity?.browser?.startsWith(BrowserIn) === true) return undefined;
  const { browser: setting, folder } = choiceOf(
    identity?.browser === undefined ? {} : { browser: identity.browser },
  );
  if (setting === '' || setting === elsewhere) return undefined;
  if (setting === ByHand) return 'Your browser without remote debugging';
  if (setting === byFolder) return `Your browser in ${folder}`;
  const found = attaching?.browser ?? (browser?.attached === true ? browser.name : undefined);
  if (found !== undefined) return `Your ${found}`;
  if (setting === 'my-chrome') return 'Your own Chrome';
  return `Your ${ownBrowsers.find(({ value }) => value === setting)?.text ?? setting}`;
}

/** What a session waits for; undefined for nothing, also once it was cancelled. */
export function attachingOf({ state, attaching }: SessionInfo): Attaching | undefined {
  const waits = attaching?.step === AttachAway ? SessionRestarting : SessionStarting;
  return state === waits ? attaching : undefined;
}

/** The state of a session, in a word. */
export function stateWord(session: SessionInfo): Word {
  const attaching = attachingOf(session);
  if (attaching?.step === AttachFull || attaching?.step === AttachAway)
    return { text: 'Waiting', tone: 'attention' };
  if (attaching) return { text: 'Waiting for you', tone: 'attention' };
  if (session.state === SessionBackground && ownBrowser(session) !== undefined)
    return { text: 'Not connected', tone: 'idle' };
  return sessionWord(session.state);
}
