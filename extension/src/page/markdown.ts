import type { FlatTree } from './flat.js';
import { columns, gridOf, headRows, isLayout } from './grid.js';
import { apart, type FrameMark, isBlock, Lines, plainText, visit } from './text.js';

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
  visit(tree, root, {
    text: (data, parent, pre) => {
      lines.add(pre || inCode(parent) ? data : data.replace(/([\\`*_[\]])/g, '\\$1'), pre);
    },
    enter: (el, display) => {
      const tag = el.localName;
      if (isBlock(display)) lines.break(tag !== 'li' && lists.length === 0);
      else if (apart.test(tag)) lines.add(' ', false);
      switch (tag) {
        case 'h1':
        case 'h2':
        case 'h3':
        case 'h4':
        case 'h5':
        case 'h6':
          lines.raw(`${'#'.repeat(Number(tag[1]))} `);
          return true;
        case 'br':
          lines.raw('\n');
          return true;
        case 'hr':
          lines.raw('---');
          lines.break(true);
          return false;
        case 'ul':
        case 'ol':
          lists.push({ ordered: tag === 'ol', next: (el as HTMLOListElement).start || 1 });
          return true;
        case 'li': {
          const list = lists.at(-1);
          const mark = list?.ordered === true ? `${list.next++}. ` : '- ';
          lines.raw('  '.repeat(Math.max(0, lists.length - 1)) + mark);
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
          if (alt !== '')
            lines.raw(
              `![${alt.replace(/[[\]\n]/g, ' ')}](${from.startsWith('data:') ? '' : from})`,
            );
          return false;
        }
        case 'pre':
          lines.raw(`\`\`\`\n${(el as HTMLElement).innerText.replace(/\n$/, '')}\n\`\`\``);
          lines.break(true);
          return false;
        case 'code':
          lines.raw(`\`${(el as HTMLElement).innerText}\``);
          return false;
        case 'strong':
        case 'b':
          lines.raw(mark(el, '**'));
          return true;
        case 'em':
        case 'i':
          lines.raw(mark(el, '*'));
          return true;
        case 'blockquote':
          lines.raw(
            markdownInside(tree, el, frame)
              .split('\n')
              .map((line) => `> ${line}`.trimEnd())
              .join('\n'),
          );
          lines.break(true);
          return false;
        case 'table':
          if (isLayout(el as HTMLTableElement) || el.querySelector('table')) return true;
          lines.raw(table(tree, el as HTMLTableElement));
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
      if (tag === 'strong' || tag === 'b') lines.raw(mark(el, '**'));
      if (tag === 'em' || tag === 'i') lines.raw(mark(el, '*'));
      if (isBlock(display)) lines.break(tag !== 'li' && lists.length === 0);
      else if (apart.test(tag)) lines.add(' ', false);
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

function markdownInside(tree: FlatTree, el: Element, frame?: FrameMark): string {
  const inside = [...el.children].map((child) => markdown(tree, child, frame)).join('\n\n');
  return inside || plainText(tree, el);
}

function mark(el: Element, sign: string): string {
  return el.textContent.trim() === '' ? '' : sign;
}

function inCode(el: Element): boolean {
  return el.closest('code,pre') !== null;
}

function table(tree: FlatTree, el: HTMLTableElement): string {
  const rows = gridOf(el);
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
  const caption = el.caption ? `${plainText(tree, el.caption)}\n\n` : '';
  const rule = `|${' --- |'.repeat(width)}`;
  return caption + [line(head), rule, ...body.map(line)].join('\n');
}
