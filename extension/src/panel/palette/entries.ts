import { oneLine, withoutEnvelopes } from '$ui/foreign';
import type { IconName } from '$ui/icons';
import type {
  Conversation,
  Tab,
  Task,
  TaskRoutine,
  TerminalInfo,
  Theme,
  WindowShow,
} from '$ui/protocol/protocol';
import { rooms } from '../drawer/rooms';
import { allActions, offered } from '../quick/actions';
import type { QuickDesk } from '../quick/desk';
import { perform } from '../quick/perform';
import { keysOf } from '../quick/shortcuts';
import { faces, type Face } from '../state/faces.svelte';
import { windowPages } from '../state/windowpages';
import { fuzzy, wordsOf } from './fuzzy';

/** Something that the palette finds and does. */
export interface Entry {
  /** The same for the same thing whenever the palette is opened. */
  readonly id: string;
  /** What kind of thing it is, in one or two words. */
  readonly group: string;
  readonly text: string;
  /** More about it, which is searched, too: an address, a state. */
  readonly about?: string | undefined;
  readonly icon: IconName;
  readonly keys?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly run: () => void;
}

/** An entry with the letters that match. */
export interface Match {
  readonly entry: Entry;
  readonly at: readonly number[];
}

/** What the palette can show of the panel, and how. */
export interface Source {
  readonly conversations: readonly Conversation[];
  readonly tasks: readonly Task[];
  readonly terminals: readonly TerminalInfo[];
  readonly theme: Theme;
  choose(face: Face): void;
  showConversation(one: Conversation): void;
  showTask(one: Task): void;
  runRoutine(one: TaskRoutine): void;
  showTerminal(one: TerminalInfo): void;
  newTerminal(): void;
  setTheme(theme: Theme): void;
  /** Brings the app's window to the front, at a page. */
  openWindow(show: WindowShow): void;
  help(what: 'help' | 'keys'): void;
}

/** At most this many of a kind are searched, the newest of them. */
const most = 500;
/** The longest text of an entry, in characters. */
const longest = 160;

/** Everything that the palette finds, in the order in which it is shown without a query. */
export function entries(
  desk: QuickDesk,
  source: Source,
  routines: readonly TaskRoutine[],
  mac: boolean,
): Entry[] {
  const { tabs, live } = desk;
  return [
    ...offered(allActions, desk).flatMap((action) => ofAction(action.id, desk, mac)),
    ...rooms.map(({ id, name, icon, about }) => ({
      id: `room/${id}`,
      group: 'Room',
      text: name,
      about,
      icon,
      run: () => {
        desk.open(id);
      },
    })),
    ...faces.map(({ id, name, icon, about }) => ({
      id: `face/${id}`,
      group: 'Face',
      text: name,
      about,
      icon,
      run: () => {
        source.choose(id);
      },
    })),
    {
      id: 'new/terminal',
      group: 'Terminal',
      text: 'New terminal',
      icon: 'plus',
      disabled: !live || desk.tab === undefined,
      run: () => {
        source.newTerminal();
      },
    },
    ...tabs.slice(0, most).map((tab): Entry => ({
      id: `tab/${tab.id}`,
      group: tab.id === desk.tab?.id ? 'This tab' : 'Tab',
      text: titleOf(tab),
      about: line(tab.url),
      icon: 'browser',
      run: () => {
        desk.showTab(tab.id);
      },
    })),
    ...source.terminals.slice(-most).map((one): Entry => ({
      id: `terminal/${one.id}`,
      group: 'Terminal',
      text: line(one.title === '' ? one.name : `${one.name}: ${one.title}`),
      about: beside(tabs, one.tab),
      icon: 'terminal',
      run: () => {
        source.showTerminal(one);
      },
    })),
    ...source.conversations.slice(0, most).map((one): Entry => ({
      id: `conversation/${one.id}`,
      group: 'Conversation',
      text: one.title === '' ? 'Untitled conversation' : line(one.title),
      about: line(one.agentName),
      icon: 'chat',
      run: () => {
        source.showConversation(one);
      },
    })),
    ...source.tasks.slice(0, most).map((one): Entry => ({
      id: `task/${one.id}`,
      group: 'Task',
      text: line(withoutEnvelopes(one.title === '' ? one.goal : one.title)),
      about: one.state,
      icon: 'bolt',
      run: () => {
        source.showTask(one);
      },
    })),
    ...routines.slice(0, most).map((one): Entry => ({
      id: `routine/${one.name}`,
      group: 'Routine',
      text: `Run ${line(one.title ?? one.name)}`,
      about: line(withoutEnvelopes(one.goal)),
      icon: 'play',
      disabled: !live || desk.tab === undefined,
      run: () => {
        source.runRoutine(one);
      },
    })),
    ...ofWindow(desk, source),
    ...settings(desk, source),
  ];
}

/** What one action offers: itself and each of its ways; `alone` leaves out its own name. */
export function ofAction(id: string, desk: QuickDesk, mac: boolean, alone = false): Entry[] {
  const action = allActions.find((one) => one.id === id);
  if (action === undefined || id === 'palette') return [];
  const { name, about, icon, shortcut, run, menu } = action;
  const itself = {
    id: `action/${id}`,
    group: 'Action',
    text: menu === undefined ? name : `${name}…`,
    about,
    icon,
    keys: shortcut && keysOf(shortcut, mac),
    run: () => void perform(desk, () => run(desk)),
  };
  if (menu === undefined) return [itself];
  const ways = menu(desk).map((item) => ({
    id: `action/${id}/${item.text}`,
    group: 'Action',
    text: alone ? item.text : `${name}: ${item.text}`,
    about,
    icon: item.icon,
    disabled: item.disabled,
    run: item.run,
  }));
  return alone ? ways : [itself, ...ways];
}

function ofWindow({ live }: QuickDesk, source: Source): Entry[] {
  return windowPages.map(({ show, text, icon, about }) => ({
    id: `window/${show.page ?? ''}`,
    group: 'Window',
    text,
    about,
    icon,
    disabled: !live,
    run: () => {
      source.openWindow(show);
    },
  }));
}

function settings({ live }: QuickDesk, source: Source): Entry[] {
  const themes = [
    ['system', 'Theme: same as the desktop'],
    ['light', 'Theme: light'],
    ['dark', 'Theme: dark'],
  ] as const;
  return [
    ...themes.map(([theme, text]): Entry => ({
      id: `theme/${theme}`,
      group: 'Setting',
      text: theme === source.theme ? `${text} (now)` : text,
      icon: theme === source.theme ? 'check' : 'settings',
      disabled: !live || theme === source.theme,
      run: () => {
        source.setTheme(theme);
      },
    })),
    {
      id: 'help/keys',
      group: 'Help',
      text: 'Keyboard shortcuts',
      icon: 'logs',
      run: () => {
        source.help('keys');
      },
    },
    {
      id: 'help/help',
      group: 'Help',
      text: 'Help',
      icon: 'info',
      run: () => {
        source.help('help');
      },
    },
  ];
}

/** The entries that match a query, the best first. Without one: what was chosen last, then all. */
export function search(all: readonly Entry[], query: string, recent: readonly string[]): Match[] {
  const words = wordsOf(query);
  const rank = ({ id }: Entry): number => {
    const at = recent.indexOf(id);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  };
  if (words.length === 0) {
    const known = all.filter((one) => rank(one) < Infinity).sort((a, b) => rank(a) - rank(b));
    const others = all.filter((one) => rank(one) === Infinity);
    return [...known, ...others].map((entry) => ({ entry, at: [] }));
  }
  return all
    .flatMap((entry, index) => {
      const found = match(entry, words);
      if (found === undefined) return [];
      // What was chosen lately comes first among what matches about as well, a short text before
      // a long one, and what cannot be chosen last.
      const lately = rank(entry) < Infinity ? 25 : 0;
      const idle = entry.disabled === true ? 1_000 : 0;
      // A name that was typed in full comes before everything that only contains it.
      const whole = idle === 0 && nameOf(entry) === words.join(' ') ? 10_000 : 0;
      const score = found.score + whole + lately - idle - entry.text.length / 20;
      return [{ entry, at: found.at, score, index }];
    })
    .sort((a, b) => b.score - a.score || a.index - b.index);
}

/** The name of an entry as it is typed: without the ellipsis of a menu. */
function nameOf({ text }: Entry): string {
  return text.toLowerCase().replace(/…$/u, '');
}

/** Each word is in the text, or else in what is said about it. */
function match({ text, group, about = '' }: Entry, words: readonly string[]) {
  const at = new Set<number>();
  let score = 0;
  for (const word of words) {
    const found = fuzzy(word, text);
    if (found !== undefined) {
      score += found.score;
      for (const one of found.at) at.add(one);
      continue;
    }
    const more = `${group} ${about}`;
    // Single letters of an address are in nearly all of them.
    if (!more.toLowerCase().includes(word)) return undefined;
    score += 20;
  }
  return { score, at: [...at].sort((a, b) => a - b) };
}

function titleOf(tab: Tab): string {
  return line(tab.title === '' ? tab.url : tab.title);
}

function beside(tabs: readonly Tab[], id: string): string {
  const tab = tabs.find((one) => one.id === id);
  return tab === undefined ? '' : `beside ${titleOf(tab)}`;
}

function line(text: string): string {
  return oneLine(text).slice(0, longest);
}
