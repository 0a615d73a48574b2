import type { FlatTree } from './flat.js';
import { isBlock, isCell, visit } from './drawn.js';
import { embeddedBy, fileOf, imageName, isEmbedding } from './embedded.js';
import { ariaGrid, columns, gridOf, headRows, isLayout, type Row } from './grid.js';
import { printed } from './normal.js';
import { apart, type FrameMark, plainText } from './text.js';
import { Lines } from './textlines.js';

/** The visible content of the page or a part of it as Markdown. */
export function markdown(
  tree: FlatTree,
  root: Element | null = document.body,
  frame?: FrameMark,
): string {
  if (!root) return '';
  const lines = new Lines();
  const lists: { ordered: boolean; next: number }[] = [];
  const links: string[] = [];
  const indents: { el: Element; end: () => void }[] = [];
  const indent = (el: Element, lead: string): void => {
    indents.push({ el, end: lines.indent(lead) });
  };
  visit(tree, root, {
    text: (data, parent, pre) => {
      lines.add(pre || inCode(parent) ? data : escaped(data, lines.atStart), pre);
    },
    enter: (el, display) => {
      const tag = el.localName;
      if (isBlock(display)) lines.break(tag !== 'li' && lists.length === 0);
      else if (apart.test(tag) || (el !== root && isCell(el, display))) lines.add(' ', false);
      if (isEmbedding(el) && embeddedBy(el) === 'image') {
        lines.raw(image(imageName(el), fileOf(el)));
        return false;
      }
      if (tag !== 'table' && /^(table|grid|treegrid)$/.test(el.getAttribute('role') ?? '')) {
        const rows = ariaGrid(tree, el);
        if (!isWhole(tree, el, rows)) return true;
        lines.raw(table(tree, rows));
        lines.break(true);
        return false;
      }
      switch (tag) {
        case 'h1':
        case 'h2':
        case 'h3':
        case 'h4':
        case 'h5':
        case 'h6':
          lines.begin(`${'#'.repeat(Number(tag[1]))} `);
          return true;
        case 'br':
          lines.newLine();
          return true;
        case 'hr':
          lines.raw('---');
          lines.break(true);
          return false;
        case 'ul':
        case 'ol':
          if (/^[uo]l$/.test(el.parentElement?.localName ?? '')) indent(el, '  ');
          lists.push({ ordered: tag === 'ol', next: (el as HTMLOListElement).start || 1 });
          return true;
        case 'li': {
          const list = lists.at(-1);
          if (list && el.hasAttribute('value')) list.next = (el as HTMLLIElement).value;
          const mark = list?.ordered === true ? `${list.next++}. ` : '- ';
          lines.begin(mark);
          indent(el, ' '.repeat(mark.length));
          return true;
        }
        case 'a': {
          const { href } = el as HTMLAnchorElement;
          const target = typeof href === 'string' && /^(https?|mailto|tel):/.test(href) ? href : '';
          links.push(target);
          if (target !== '') lines.raw('[');
          return true;
        }
        case 'img': {
          const { alt, currentSrc, src } = el as HTMLImageElement;
          const from = currentSrc || src;
          if (alt !== '') lines.raw(image(alt, from));
          return false;
        }
        case 'pre':
          lines.raw(fenced(el as HTMLElement));
          lines.break(lists.length === 0);
          return false;
        case 'code':
          if ((el as HTMLElement).innerText.includes('\n')) {
            lines.break(true);
            lines.raw(fenced(el as HTMLElement));
            lines.break(true);
          } else lines.raw(code(el as HTMLElement));
          return false;
        case 'strong':
        case 'b':
          lines.open('**');
          return true;
        case 'em':
        case 'i':
          lines.open('*');
          return true;
        case 'blockquote':
          indent(el, '> ');
          return true;
        case 'table':
          if (isLayout(el as HTMLTableElement) || el.querySelector('table')) return true;
          if ((el as HTMLTableElement).caption) {
            lines.raw(plainText(tree, (el as HTMLTableElement).caption));
            lines.break(true);
          }
          lines.raw(table(tree, gridOf(el as HTMLTableElement)));
          lines.break(true);
          return false;
        case 'input':
        case 'select':
        case 'textarea':
        case 'button':
          return tag === 'button';
        default:
          return true;
      }
    },
    leave: (el, display) => {
      const tag = el.localName;
      if (tag === 'ul' || tag === 'ol') lists.pop();
      if (tag === 'a') {
        const target = links.pop() ?? '';
        if (target !== '') lines.raw(`](${target.replace(/[()\s]/g, encodeURIComponent)})`);
      }
      if (tag === 'strong' || tag === 'b') lines.close('**');
      if (tag === 'em' || tag === 'i') lines.close('*');
      if (/^(li|h[1-6])$/.test(tag)) lines.end();
      if (isBlock(display)) lines.break(tag !== 'li' && lists.length === 0);
      else if (apart.test(tag)) lines.add(' ', false);
      if (indents.at(-1)?.el === el) indents.pop()?.end();
    },
    ...(frame && {
      frame: (el) => {
        lines.break(true);
        lines.raw(frame(el));
        lines.break(true);
      },
    }),
  });
  return lines.toString();
}

function image(alt: string, url: string): string {
  return `![${alt.replace(/[[\]\n]/g, ' ')}](${url.startsWith('data:') ? '' : url})`;
}

/** The longest run of backticks in a text. */
function ticks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** Code in lines, between two fences that are longer than any in it. */
function fenced(el: HTMLElement): string {
  const text = printed(el.innerText).replace(/\n$/, '');
  const fence = '`'.repeat(Math.max(3, ticks(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

/** Code in a line of text. */
function code(el: HTMLElement): string {
  const text = printed(el.innerText);
  if (text === '') return '';
  const fence = '`'.repeat(ticks(text) + 1);
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return fence + space + text + space + fence;
}

/**
 * A text of the page without what Markdown would take for its own. At the start of a line these
 * are also the marks of headings, quotes and lists.
 */
function escaped(text: string, atStart: boolean): string {
  const inLine = text.replace(/[\\`*_[\]]|<(?=[a-z/!?])/gi, '\\$&');
  return atStart
    ? inLine
        .replace(/^(\s*)(?=(?:#{1,6}|[-+])(?:\s|$)|>)/, '$1\\')
        .replace(/^(\s*\d+)(?=[.)](?:\s|$))/, '$1\\')
    : inLine;
}

function inCode(el: Element): boolean {
  return el.closest('code,pre') !== null;
}

/** Whether the cells of an element that ARIA makes a table contain all that it shows. */
function isWhole(tree: FlatTree, el: Element, rows: readonly Row[]): boolean {
  if (rows.length === 0 || el.querySelector('table,[role=table],[role=grid],[role=treegrid]'))
    return false;
  const letters = (text: string): string => text.replace(/\s+/g, '');
  const said = rows.flatMap(({ cells }) => cells.map((cell) => plainText(tree, cell.el)));
  return letters(said.join('')) === letters(plainText(tree, el));
}

function table(tree: FlatTree, rows: readonly Row[]): string {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  if (width === 0) return '';
  const text = (cell: Element): string =>
    markdown(tree, cell)
      .replace(/\s*\n\s*/g, ' ')
      .replace(/\|/g, '\\|');
  const line = (cells: string[]): string =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`;
  // Markdown has no table without a header row: the first row serves as one.
  const heads = Math.max(1, headRows(rows));
  const head = columns(rows.slice(0, heads), text);
  const body = rows
    .slice(heads)
    .map(({ cells }) =>
      cells.map(({ el: cell, again }) => (again || cell === null ? '' : text(cell))),
    );
  return [line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n');
}
