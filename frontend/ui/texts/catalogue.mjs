// @ts-check
// Which files have texts of the interface, and the file that lists them: en.json. Run by itself it
// writes that file; with the name of a language it brings <language>.json up to date:
//   node frontend/ui/texts/catalogue.mjs [LANGUAGE]
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { messagesOf } from './extract.mjs';

/** The repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The folders and files that have texts. */
const folders =
  /^(?:frontend\/(?:src|ui)\/|frontend\/index\.html$|extension\/(?:(?:newtab|panel|welcome\/index)\.html$|src\/(?:panel|clean|menu)\/|src\/worker\/(?:contextmenu|clean)\.ts$|src\/page\/(?:marks|mask)face\.ts$))/;
/** Files in them that have none. */
const without =
  // Tests; what is generated; this tool; what a model reads, not the user; command lines.
  /\.test\.ts$|\/fakes\/|\/ui\/(?:protocol|texts)\/|\/task\/browser\/|\/task\/core\/(?:answer|element|executor|extract|memory|prompt|recipe|step)\.ts$|\/network\/copy\.ts$/;

/** Pages that Go embeds. */
export const embedded = ['extension/welcome/index.html'];

/** Whether a file, by its path in the repository, may have texts. */
export const covers = (/** @type {string} */ file) =>
  /\.(?:svelte|ts|html)$/.test(file) && folders.test(file) && !without.test(file);

/**
 * The functions of Go whose texts only users see: tray, notifications, questions and settings. What
 * commands, agents and logs read, too, is not here.
 * @type {Record<string, string>}
 */
const go = {
  'app/assembly/assembly.go': 'welcome',
  'app/assembly/schedules.go': 'notify',
  'app/tray/menu.go': 'newMenu,draw,drawApprovals',
  'app/traystate.go': 'trayState,claimAgents,problemWords,tabLabel,trayApproval,agentWords',
  'app/window.go': 'windowTitle',
  'backend/approval/waiting.go': 'mark,note',
  'backend/attention/attention.go': 'title,body',
  'backend/config/registry.go': 'groups,list',
  'backend/question/credentials.go': 'keeps,signIns,secret,stored',
  'backend/question/question.go': 'Who,Effect,Where,Sentence,on,element,unnamed,what,app',
  'backend/question/terminal.go': 'terminal',
  'extension/embed.go': 'WelcomePage',
};

/** Literals that look like texts and must stay as they are, by the file that has them. */
const kept = {
  // Methods of the app.
  'frontend/src/backend.ts': [
    'State',
    'Secrets',
    'Schedules',
    'Settings',
    'Models',
    'Logs',
    'Quit',
  ],
  // Instructions that Pilot reads, in English only.
  'extension/src/panel/chat/EmptyChat.svelte': [
    'Read this page',
    'List the links',
    'Take a screenshot',
    'Scroll down',
    'go to wikipedia.org',
    'click Save',
    'type hello into Search',
  ],
  'extension/src/panel/task/parts/TaskBeginning.svelte': [
    'List the links',
    'Read this page',
    'Scroll down then list the buttons',
  ],
};

/**
 * The texts of a file, without those that are kept.
 * @param {string} source
 * @param {string} file Its path in the repository.
 */
export function textsOf(source, file) {
  const not = new Set(/** @type {Record<string, string[]>} */ (kept)[file]);
  return messagesOf(source, file).filter(({ text }) => !not.has(text));
}

/**
 * The texts of Go sources by file.
 * @returns {Record<string, import('./extract.mjs').Message[]>}
 */
export function goTexts(files = go) {
  const args = Object.entries(files).map(([file, functions]) => `${file}:${functions}`);
  const options = { cwd: root, encoding: /** @type {const} */ ('utf8') };
  return JSON.parse(execFileSync('go', ['run', './build/texts', ...args], options));
}

/**
 * Every text of the interface and the files that have it, both sorted.
 * @returns {Promise<Record<string, string[]>>}
 */
export async function collect() {
  /** @type {Map<string, Set<string>>} */
  const all = new Map();
  const add = (/** @type {string} */ text, /** @type {string} */ file) =>
    all.set(text, (all.get(text) ?? new Set()).add(file));
  for (const folder of 'extension/src extension/welcome extension frontend frontend/src frontend/ui'.split(
    ' ',
  )) {
    const recursive = folder.includes('/');
    for (const name of await readdir(root + folder, { recursive })) {
      const file = `${folder}/${name}`;
      if (!covers(file)) continue;
      for (const { text } of textsOf(await readFile(root + file, 'utf8'), file)) add(text, file);
    }
  }
  for (const [file, texts] of Object.entries(goTexts()))
    for (const { text } of texts) add(text, file);
  const byText = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(byText.map(([text, files]) => [text, [...files].sort()]));
}

/** The content of a file of texts: one text in a line, so that a difference shows what changed. */
export function written(/** @type {object} */ texts) {
  const lines = Object.entries(texts).map(
    ([text, value]) => `  ${JSON.stringify(text)}: ${JSON.stringify(value)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

/**
 * A translation with an entry for each text, empty where it is missing, and none for texts that are
 * gone.
 * @param {Record<string, string[]>} english
 * @param {Record<string, string>} translation
 */
export function updated(english, translation) {
  const texts = Object.keys(english).map((text) => [text, translation[text] ?? '']);
  const special = Object.entries(translation).filter(([key]) => {
    const [text = '', file = ''] = key.split(' @');
    return english[text]?.includes(file);
  });
  return Object.fromEntries([...texts, ...special]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const english = await collect();
  const language = process.argv[2];
  const file = fileURLToPath(new URL(`${language ?? 'en'}.json`, import.meta.url));
  if (language === undefined) writeFileSync(file, written(english));
  else {
    const old = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    const texts = updated(english, old);
    writeFileSync(file, written(texts));
    const missing = Object.values(texts).filter((text) => text === '').length;
    console.log(`${file}: ${missing} of ${Object.keys(texts).length} texts are missing`);
  }
}
