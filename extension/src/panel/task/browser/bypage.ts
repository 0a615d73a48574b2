import type { CommandReply, TargetFacts } from '$ui/protocol/protocol';
import { MessageError } from '../../../messages/envelope';
import type { About, Done, Frame } from '../../../messages/methods';
import { does, frameOf, number, word } from './bypageacts';
import { arrived, waited, wayOf } from './bypageways';
import type { Call } from './calls';
import { enveloped, originOf, refused, told } from './pagewords';
import type { Link, Place } from './pagelink';

/** What ByPage needs to run a task's commands by the page's own events. */
export interface ByPageConfig {
  readonly link: Link;
  /** The actor. The content script remembers under this name what it has shown. */
  readonly caller: string;
  /** Chrome's id of a tab; undefined if the tab is not open. */
  readonly chromeTab: (tab: string) => number | undefined;
  /**
   * Asks the backend whether a command is allowed: by the site rules and, if they
   * say so, by the user.
   */
  readonly allow: (
    tab: string,
    call: Call,
    facts: TargetFacts | undefined,
    signal: AbortSignal,
  ) => Promise<CommandReply>;
}

/** How many frames of a page are shown, and how many characters of each except the top one. */
const mostFrames = 8;
const frameLetters = 2_000;

/** What to do instead of a command that is not possible. */
const instead: Readonly<Partial<Record<string, string>>> = {
  upload: 'Ask the person to choose the file by hand.',
  dialog: 'Ask the person to answer it by hand.',
  screenshot: 'The page is told to you as text in each turn.',
  tables: 'Read the page instead.',
};

/** The first line of each snapshot. */
const notice =
  'The app can give this tab no trusted input: it is read and acted on by a script in the page, by the page’s own events, and the page can tell.';

/**
 * Runs commands in tabs that the browser refuses the app. The extension's content
 * script takes the snapshots, and acts by the page's own events. The backend allows
 * each command first, as if it ran the command itself, and the reply says how it
 * was done.
 */
export class ByPage {
  readonly #config: ByPageConfig;
  /** The first number that no ref of any frame has used yet. */
  #next = 1;

  constructor(config: ByPageConfig) {
    this.#config = config;
  }

  /**
   * Runs a command that the app answered with `no_input`, which means that the app
   * did nothing of it.
   */
  async run(tab: string, call: Call, signal: AbortSignal): Promise<CommandReply> {
    const chrome = this.#config.chromeTab(tab);
    try {
      if (chrome === undefined) throw new MessageError('no_tab', `There is no tab ${tab}.`);
      return await this.#run(tab, chrome, call, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof MessageError) return refused(tab, error, this.#origin);
      throw error;
    }
  }

  /** The origin of the last queried page, for the envelope around its text in an error. */
  #origin = 'unknown';

  async #run(
    tab: string,
    chrome: number,
    { command, args = {} }: Call,
    signal: AbortSignal,
  ): Promise<CommandReply> {
    const { link, allow } = this.#config;
    const call = { command, args };
    const scope = word(args, 'scope');
    const target = word(args, 'target') ?? word(args, 'element');
    const what = does[command];
    const looks = command === 'snapshot' || command === 'find' || command === 'markdown';
    if (wayOf(command, '') !== undefined) return this.#go(tab, chrome, call, signal);
    if (command === 'wait') return this.#wait(tab, chrome, call, signal);
    if (what === undefined && !looks)
      throw new MessageError(
        'restricted',
        `${command} needs the app's own way into the tab, which the browser refuses.`,
        instead[command] ?? 'Do it otherwise, or ask the person.',
      );
    const only = ['hold', 'via', 'speed'].find((name) => args[name] !== undefined);
    if (only !== undefined)
      throw new MessageError(
        'restricted',
        `${command} with ${only} needs the app's own way into the tab, which the browser refuses.`,
        `Do it without ${only}, or ask the person.`,
      );
    if (looks) {
      const loading = await link.loading(chrome, signal);
      const may = await allow(tab, call, undefined, signal);
      if (!may.ok) return may;
      const reply = await (command === 'markdown'
        ? this.#read(tab, chrome, target, may, signal)
        : this.#observe(tab, chrome, args, scope, may, signal));
      return loading ? { ...reply, text: `The page is still loading.\n${reply.text}` } : reply;
    }
    if (what === undefined) throw new Error('nothing is done'); // was refused above
    // First get the facts about the element: the backend needs them to decide whether
    // the command is allowed. So this query is sent without the backend's permission,
    // and only the backend receives the answer.
    const frame = frameOf(target);
    const frames = await link.frames(chrome, signal);
    const about = this.#about(frames, frame);
    const place: Place = { tab: chrome, frame };
    const at = target === undefined ? {} : { ref: target };
    const known = await link.tab('cs:query', 'facts', { ...about, ...at }, place, signal);
    this.#next = Math.max(this.#next, known.next);
    const may = await allow(tab, call, known.facts ?? undefined, signal);
    if (!may.ok) return may;
    if (frame === 0 && originOf(allowedUrl(may)) !== about.origin)
      throw new MessageError('moved', 'The page has navigated to another site.', 'Look again.');
    const ref = known.ref === undefined ? {} : { ref: known.ref };
    const done = await what.send(link, { ...about, ...ref }, args, place, signal);
    this.#next = Math.max(this.#next, done.next);
    const left = done.left === true || (await link.leaving(chrome));
    return this.#done(tab, what.done, done, left, about);
  }

  async #observe(
    tab: string,
    chrome: number,
    args: Readonly<Record<string, unknown>>,
    scope: string | undefined,
    may: CommandReply,
    signal: AbortSignal,
  ): Promise<CommandReply> {
    const { link } = this.#config;
    const url = allowedUrl(may);
    const all = await link.frames(chrome, signal);
    const only = scope === undefined ? undefined : frameOf(scope);
    const find = word(args, 'find') ?? word(args, 'what');
    const parts: string[] = [];
    let first = { url, title: '' };
    for (const { frame } of all
      .filter((one) => only === undefined || one.frame === only)
      .sort((a, b) => a.frame - b.frame)
      .slice(0, mostFrames)) {
      const about = this.#about(all, frame, url);
      const max = frame === 0 ? number(args, 'max') : frameLetters;
      const params = {
        ...about,
        near: args.near === true,
        ...(max !== undefined && { max }),
        ...(find !== undefined && { find }),
        ...(scope !== undefined && { scope }),
      };
      const seen = await link
        .tab('cs:query', 'snapshot', params, { tab: chrome, frame }, signal)
        .catch((error: unknown) => {
          // Skip a frame that has gone or that no content script may enter.
          if (frame === 0 || !(error instanceof MessageError)) throw error;
          return undefined;
        });
      if (seen === undefined) continue;
      this.#next = Math.max(this.#next, seen.next);
      if (frame === 0) first = { url: seen.url, title: seen.title };
      // A handle belongs to its own frame: one of a subframe would be taken for one
      // of the top frame.
      const text = frame === 0 ? seen.text : seen.text.replace(/ h\d+$/gm, '');
      if (text !== '') parts.push(enveloped(about.origin, text));
    }
    const text =
      parts.length > 0
        ? parts.join('\n')
        : find === undefined
          ? 'the page shows nothing'
          : 'nothing matches';
    return ok(tab, `${notice}\n${text}`, first);
  }

  async #read(
    tab: string,
    chrome: number,
    target: string | undefined,
    may: CommandReply,
    signal: AbortSignal,
  ): Promise<CommandReply> {
    const { link } = this.#config;
    const frame = frameOf(target);
    const frames = await link.frames(chrome, signal);
    const about = this.#about(frames, frame, allowedUrl(may));
    const params = { ...about, ...(target !== undefined && { ref: target }) };
    const read = await link.tab('cs:query', 'read', params, { tab: chrome, frame }, signal);
    this.#next = Math.max(this.#next, read.next);
    return ok(tab, enveloped(about.origin, read.text), { url: read.url, title: read.title });
  }

  /** Navigates the tab. The snapshot that follows checks the new page against the rules. */
  async #go(tab: string, chrome: number, call: Call, signal: AbortSignal): Promise<CommandReply> {
    const { link, allow } = this.#config;
    const may = await allow(tab, call, undefined, signal);
    if (!may.ok) return may;
    const way = wayOf(call.command, textIn(may, 'to'));
    if (way === undefined) throw new Error('there is no way'); // was checked above
    // A failure of the page that is still loading would be taken for the result of
    // this navigation.
    await link.loading(chrome, signal);
    const { head, moved } = arrived(way, await link.go(chrome, way, signal));
    const loading = moved && (await link.loading(chrome, signal));
    const text = loading ? `${head}; it is loading still` : head;
    return { ok: true, tab, text, data: { navigated: moved }, durationMs: 0 };
  }

  async #wait(tab: string, chrome: number, call: Call, signal: AbortSignal): Promise<CommandReply> {
    const { link, allow } = this.#config;
    const may = await allow(tab, call, undefined, signal);
    if (!may.ok) return may;
    const all = await link.frames(chrome, signal);
    const frames = [...all].sort((a, b) => a.frame - b.frame).slice(0, mostFrames);
    const about = (frame: number): About => this.#about(all, frame, allowedUrl(may));
    const { args = {} } = call;
    await waited(link, chrome, frames, about, args, signal);
    return { ok: true, tab, text: `${word(args, 'for') ?? ''}: done`, data: {}, durationMs: 0 };
  }

  /**
   * The parameters that every request to a frame has. `url` is the URL of the page
   * that was allowed.
   */
  #about(frames: readonly Frame[], frame: number, url?: string): About {
    const own = frames.find((one) => one.frame === frame);
    if (own === undefined) throw new MessageError('gone', 'That frame is gone.', 'Look again.');
    // An about: frame has the origin of the frame that created it.
    let at: Frame | undefined = own;
    while (at?.url.startsWith('about:') === true && at.parent >= 0) {
      const { parent }: Frame = at;
      at = frames.find((one) => one.frame === parent);
    }
    this.#origin = originOf(frame === 0 && url !== undefined ? url : (at ?? own).url);
    return {
      caller: this.#config.caller,
      origin: this.#origin,
      prefix: `f0${frame === 0 ? '' : String(frame)}e`,
      base: this.#next,
    };
  }

  #done(tab: string, what: string, done: Done, left: boolean, about: About): CommandReply {
    const { head, page } = told(what, done, left);
    const data = {
      url: done.url,
      title: done.title,
      navigated: left,
      within: !left && done.change?.url !== undefined,
      tabs: [],
      ...(done.value !== undefined && { value: done.value }),
    };
    return ok(tab, `${head}\n${enveloped(about.origin, page)}`, data);
  }
}

/** The URL of the page that the backend checked. */
function allowedUrl(may: CommandReply): string {
  return textIn(may, 'url');
}

function textIn({ data }: CommandReply, name: 'url' | 'to'): string {
  const { [name]: text } = { url: '', to: '', ...(typeof data === 'object' ? data : {}) };
  return typeof text === 'string' ? text : '';
}

function ok(tab: string, text: string, data: object): CommandReply {
  return { ok: true, tab, text, data: { ...data, byPage: true }, durationMs: 0 };
}
