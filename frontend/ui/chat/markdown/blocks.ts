import MarkdownIt, { type Token } from 'markdown-it';

/** A top-level piece of a Markdown text. */
export interface Block {
  /** Its position: the same block has the same key while the text grows. */
  readonly key: number;
  /** Its Markdown source: as long as it is the same, the shown block is the same. */
  readonly source: string;
  /** Set for a block of code, which has a component of its own. */
  readonly code?: { readonly text: string; readonly language: string };
  /** The HTML of other blocks, not sanitized yet. */
  readonly html: string;
}

const web = /^https?:\/\//i;

/** The host that a link's text claims to lead to; undefined when the text names none. */
function claimed(text: string): string | undefined {
  const host = /^(?:https?:\/\/)?([\w-]+(?:\.[\w-]+)*\.[a-z]{2,})(?:[/:?#]|$)/i.exec(
    text.trim(),
  )?.[1];
  return host?.toLowerCase().replace(/^www\./, '');
}

function hostOf(url: string): string {
  try {
    return new URL(url).host.replace(/^www\./, '');
  } catch {
    return '';
  }
}

/** A Markdown parser for agents' texts: no HTML, no remote images, only web links. */
function reader(): ReturnType<typeof MarkdownIt> {
  const md = new MarkdownIt({ html: false, linkify: true, breaks: false });
  // "main.go" and "README.md" are not links.
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  md.validateLink = (url) => web.test(url);
  // Fetching a remote image would send everything in its URL to its server.
  md.renderer.rules.image = (tokens, at) => {
    const token = tokens[at];
    const url = String(token?.attrGet('src') ?? '');
    const words = token?.content === '' ? url : (token?.content ?? url);
    const text = md.utils.escapeHtml(words);
    return `<a href="${md.utils.escapeHtml(url)}" title="${md.utils.escapeHtml(url)}">${text}</a>`;
  };
  md.renderer.rules.link_open = (tokens, at, options, _env, self) => {
    const token = tokens[at];
    const url = String(token?.attrGet('href') ?? '');
    token?.attrSet('title', url);
    const close = tokens.findIndex((other, index) => index > at && other.type === 'link_close');
    const text = tokens
      .slice(at + 1, close)
      .map(({ content }) => content)
      .join('');
    const says = claimed(text);
    const closing = tokens[close];
    if (closing !== undefined && says !== undefined && says !== hostOf(url))
      closing.meta = { host: hostOf(url) };
    return self.renderToken(tokens, at, options);
  };
  md.renderer.rules.link_close = (tokens, at) => {
    const meta = tokens[at]?.meta as { host: string } | null | undefined;
    return meta ? `</a> (${md.utils.escapeHtml(meta.host)})` : '</a>';
  };
  // Alignment as a class: no style from an agent's text is allowed.
  for (const rule of ['th_open', 'td_open'])
    md.renderer.rules[rule] = (tokens, at, options, _env, self) => {
      const token = tokens[at];
      const side = /text-align:(\w+)/.exec(String(token?.attrGet('style') ?? ''))?.[1];
      if (token !== undefined) {
        token.attrs = null;
        if (side !== undefined) token.attrSet('class', side);
      }
      return self.renderToken(tokens, at, options);
    };
  return md;
}

const md = reader();

/** The language of a code fence: the first word of its info string. */
const language = (info: string): string => /^\S*/.exec(info.trim())?.[0].toLowerCase() ?? '';

/**
 * A Markdown text that grows at its end, as blocks. Added text can change only the last block, so
 * only that one is parsed again.
 */
export class Blocks {
  #text = '';
  /** Blocks that later text cannot change. */
  #settled: Block[] = [];
  /** Where the first unsettled block begins. */
  #from = 0;
  #env = {};

  /** The blocks of a text; `open` means that more text follows. */
  read(text: string, open: boolean): Block[] {
    // The definition of a link reference may come last.
    const whole = !open && /^ {0,3}\[[^\]]+\]:/m.test(text);
    if (whole || !text.startsWith(this.#text)) {
      this.#settled = [];
      this.#from = 0;
      this.#env = {};
    }
    this.#text = text;
    const tail = text.slice(this.#from);
    const lines = starts(tail);
    const groups = topLevel(md.parse(tail, this.#env));
    const blocks = groups.map((tokens, at) => {
      const begin = lines[tokens[0]?.map?.[0] ?? 0] ?? 0;
      const next = groups[at + 1]?.[0]?.map?.[0];
      const end = next === undefined ? tail.length : (lines[next] ?? tail.length);
      return this.#block(tokens, this.#settled.length + at, tail.slice(begin, end));
    });
    const last = groups.at(-1)?.[0]?.map?.[0];
    const all = [...this.#settled, ...blocks];
    if (last !== undefined && blocks.length > 1) {
      this.#settled = all.slice(0, -1);
      this.#from += lines[last] ?? 0;
    }
    return all;
  }

  #block(tokens: Token[], key: number, source: string): Block {
    const [first] = tokens;
    if (tokens.length === 1 && (first?.type === 'fence' || first?.type === 'code_block'))
      return {
        key,
        source,
        html: '',
        code: { text: first.content.replace(/\n$/, ''), language: language(first.info) },
      };
    return { key, source, html: md.renderer.render(tokens, md.options, this.#env) };
  }
}

/** The offset of each line. */
function starts(text: string): number[] {
  const found = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) found.push(at + 1);
  return found;
}

/** The tokens of each top-level block. */
function topLevel(tokens: Token[]): Token[][] {
  const groups: Token[][] = [];
  let group: Token[] = [];
  for (const token of tokens) {
    group.push(token);
    if (token.level === 0 && token.nesting !== 1) {
      // A paragraph's inline token is at level 1, so only its closing token ends the group.
      groups.push(group);
      group = [];
    }
  }
  return groups;
}
