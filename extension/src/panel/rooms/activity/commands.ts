// What a command does, in words. The registry's own names are for programs.
import type { ActivityEntry } from '$ui/protocol/protocol';
import { oneLine } from '$ui/foreign';

/** For each command: the words for what was done, and for what was not. `{}` stands for its object. */
const words: Readonly<Record<string, readonly [done: string, not: string]>> = {
  back: ['Went back', 'Go back'],
  check: ['Switched on {}', 'Switch on {}'],
  click: ['Clicked {}', 'Click {}'],
  clipboard: ['Used the clipboard', 'Use the clipboard'],
  closetab: ['Closed a tab', 'Close a tab'],
  console: ['Read the console', 'Read the console'],
  dblclick: ['Double-clicked {}', 'Double-click {}'],
  details: ['Inspected {}', 'Inspect {}'],
  dialog: ['Answered the dialog', 'Answer the dialog'],
  downloads: ['Listed the downloads', 'List the downloads'],
  drag: ['Dragged {}', 'Drag {}'],
  eval: ['Ran JavaScript', 'Run JavaScript'],
  fill: ['Filled in {}', 'Fill in {}'],
  find: ['Searched the page', 'Search the page'],
  focus: ['Focused {}', 'Focus {}'],
  forward: ['Went forward', 'Go forward'],
  goto: ['Opened {}', 'Open {}'],
  hover: ['Pointed at {}', 'Point at {}'],
  html: ['Read the page’s source', 'Read the page’s source'],
  inspect: ['Inspected {}', 'Inspect {}'],
  links: ['Listed the links', 'List the links'],
  markdown: ['Read the page', 'Read the page'],
  network: ['Read the network requests', 'Read the network requests'],
  newtab: ['Opened a tab {}', 'Open a tab {}'],
  press: ['Pressed {}', 'Press {}'],
  reload: ['Loaded the page again', 'Load the page again'],
  screenshot: ['Took a screenshot', 'Take a screenshot'],
  scroll: ['Scrolled {}', 'Scroll {}'],
  select: ['Chose in {}', 'Choose in {}'],
  snapshot: ['Looked at the page', 'Look at the page'],
  tables: ['Read the tables', 'Read the tables'],
  tabs: ['Listed the tabs', 'List the tabs'],
  text: ['Read the page', 'Read the page'],
  type: ['Typed into {}', 'Type into {}'],
  uncheck: ['Switched off {}', 'Switch off {}'],
  upload: ['Uploaded a file to {}', 'Upload a file to {}'],
  url: ['Read the address', 'Read the address'],
  wait: ['Waited for the page', 'Wait for the page'],
};

/** A command in words; undefined for one that has only its name. */
export function commandInWords({ command, args = {}, ok }: ActivityEntry): string | undefined {
  const [done, not] = words[command] ?? [];
  const said = ok ? done : not;
  if (said === undefined) return undefined;
  const { target, url, key } = args;
  const on = command === 'press' ? key : command === 'newtab' ? url : (target ?? url);
  return oneLine(said.replace('{}', () => named(on ?? '')));
}

/** An element as it is aimed at: by a text, by a role with a name, or by a ref. */
function named(target: string): string {
  const name = /\bname="([^"]+)"/.exec(target)?.[1] ?? /^text=(.+)$/.exec(target)?.[1];
  return name === undefined ? target : `“${name}”`;
}
