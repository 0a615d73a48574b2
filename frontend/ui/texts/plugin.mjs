// @ts-check
// The plugin of both bundlers that puts a translation into the sources before they are compiled.
// Without PILOTFISH_LANGUAGE there is no plugin, and a build is as if this file did not exist.
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { covers, root, textsOf } from './catalogue.mjs';

/** @typedef {import('./extract.mjs').Message} Message */

/** How a text is written in each kind of place. */
const escapes = {
  markup: (/** @type {string} */ text) => entities(text, /[&<>{}]/g),
  attribute: (/** @type {string} */ text) => entities(text, /[&<>{}"']/g),
  string: (/** @type {string} */ text) =>
    text.replace(/[\\'"]/g, '\\$&').replaceAll('\n', String.raw`\n`),
  template: (/** @type {string} */ text) => text.replace(/[\\`]|\$(?=\{)/g, '\\$&'),
  // Go reads all that JSON.stringify writes.
  chain: (/** @type {string} */ text) => JSON.stringify(text),
  format: (/** @type {string} */ text) => JSON.stringify(text.replaceAll('%', '%%')).slice(1, -1),
};

/**
 * @param {string} text
 * @param {RegExp} special
 */
const entities = (text, special) => text.replace(special, (one) => `&#${one.charCodeAt(0)};`);

/**
 * A source with its texts in another language.
 * @param {string} source
 * @param {readonly Message[]} messages Its texts, as `messagesOf` finds them.
 * @param {(message: Message) => string | undefined} translate The text in the other language, with
 *   the same slots in any order; undefined leaves it as it is.
 */
export function rewrite(source, messages, translate) {
  /**
   * @param {number} from
   * @param {number} to
   */
  function part(from, to) {
    let out = '';
    let at = from;
    for (const message of messages) {
      const { start, end } = message;
      // A text within a slot comes with its slot.
      if (start < at || end > to) continue;
      out += source.slice(at, start) + said(message);
      at = end;
    }
    return out + source.slice(at, to);
  }

  /** @param {Message} message */
  function said(message) {
    const { start, end, slots, kind } = message;
    const slot = (/** @type {{start: number, end: number}} */ one) => part(one.start, one.end);
    const text = translate(message);
    if (text === undefined) {
      const ends = [start, ...slots.map((one) => one.end)];
      const own = slots.map((one, at) => source.slice(ends[at], one.start) + slot(one));
      return own.join('') + source.slice(ends.at(-1), end);
    }
    const pieces = text.split(/\{(\d+)\}/);
    const same =
      pieces
        .filter((_, at) => at % 2 === 1)
        .sort()
        .join() ===
      slots
        .map((_, at) => String(at))
        .sort()
        .join();
    if (!same)
      throw new Error(
        `The translation of “${message.text}” needs its ${slots.length} slots, each once: “${text}”`,
      );
    return pieces
      .map((piece, at) => {
        const one = at % 2 === 1 ? slots[Number(piece)] : undefined;
        if (one === undefined) return escapes[kind](piece);
        // The verbs of a format may have changed places: "%d" is "%[1]d".
        return kind === 'format' ? slot(one).replace(/.$/, `[${Number(piece) + 1}]$&`) : slot(one);
      })
      .join(kind === 'chain' ? ' + ' : '');
  }

  return part(0, source.length);
}

/**
 * The translation that a build is made with, or undefined.
 * @param {string | undefined} language A language such as `de`, whose file is beside this one, or
 *   the path of such a file.
 */
export function translation(language = process.env.PILOTFISH_LANGUAGE) {
  if (language === undefined || language === '' || language === 'en') return undefined;
  const file = language.endsWith('.json')
    ? language
    : fileURLToPath(new URL(`${language}.json`, import.meta.url));
  /** @type {Record<string, string>} */
  let texts;
  try {
    texts = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(
      `The translation ${file} cannot be read. "node frontend/ui/texts/catalogue.mjs ${language}" makes one; PILOTFISH_LANGUAGE names it.`,
      { cause },
    );
  }
  /** @type {Set<string>} */
  const missing = new Set();
  const name = basename(file, '.json');
  return {
    /**
     * @param {string} source
     * @param {string} path The file's absolute path.
     */
    apply(source, path) {
      const short = relative(root, path);
      if (!covers(short)) return undefined;
      const translated = this.replace(source, short, textsOf(source, short));
      return short.endsWith('.html')
        ? translated.replace('<html lang="en">', `<html lang="${name}">`)
        : translated;
    },
    /**
     * @param {string} source
     * @param {string} short The file's path in the repository.
     * @param {Message[]} messages Its texts.
     */
    replace: (source, short, messages) =>
      rewrite(source, messages, ({ text }) => {
        const other = texts[`${text} @${short}`] || texts[text];
        if (!other) missing.add(text);
        return other || undefined;
      }),
    /** What to say about texts that have no translation; undefined when all have one. */
    warning() {
      const list = [...missing];
      const first = list.slice(0, 20).join(' | ');
      return list.length === 0
        ? undefined
        : `${list.length} texts stay English: ${first}${list.length > 20 ? ' …' : ''}`;
    },
  };
}

/**
 * The plugins of a build, to be put before those that compile.
 * @returns {import('vite').Plugin[]}
 */
export function texts() {
  const other = translation();
  if (other === undefined) return [];
  return [
    {
      name: 'texts',
      enforce: 'pre',
      transform: (code, id) => {
        const to = other.apply(code, id);
        return to === undefined ? undefined : { code: to, map: null };
      },
      transformIndexHtml: {
        order: 'pre',
        handler: (html, { filename }) => other.apply(html, filename),
      },
      buildEnd() {
        const said = other.warning();
        if (said !== undefined) this.warn(said);
      },
    },
  ];
}
