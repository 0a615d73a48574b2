// @ts-check
// Finds the texts of the interface in a component or a module, without marks in the source: by
// where a literal stands and, where that says nothing, by its shape. docs/adr/259 has the reasons.
import { parse } from 'svelte/compiler';

/**
 * One text of the interface. What is no text in it (an expression, an inline element) is a slot:
 * "Filled {0} with {1}".
 * @typedef {object} Message
 * @property {string} text The English text, with its slots, without white space around it.
 * @property {number} start Where it begins in the source, without quotes and white space.
 * @property {number} end Where it ends.
 * @property {{start: number, end: number}[]} slots The source of {0}, {1} and so on.
 * @property {'markup' | 'attribute' | 'string' | 'template' | 'chain' | 'format'} kind How the source
 *   writes it. The last two are of Go: what "+" joins, and a text with verbs of package fmt.
 */

/**
 * Whether a literal is shown, from where it stands: `yes`, `no`, `maybe` (a word with a capital,
 * or several words), `hardly` (a capital is needed).
 * @typedef {'yes' | 'no' | 'maybe' | 'hardly'} Place
 */

const set = (/** @type {string} */ names) => new Set(names.split(' '));
/** Attributes of elements that users see or hear. */
const seen = set(
  'title placeholder alt label aria-label aria-description aria-valuetext aria-roledescription',
);
/** Properties, variables and attributes of components that hold a text. */
const named = set(
  'text label title hint about words word explanation description message problem notice question ' +
    'heading caption tooltip empty placeholder summary note said',
);
/** Those that hold a code, and functions that return one. */
const coded =
  /^(?:class|style|type|role|href|src|for|\w*(?:[Ii]d|[Kk]ind|[Ii]con|[Tt]one|[Ss]tate|[Ss]tyle)(?:s|Of)?|variant|size|do|[Aa]uthorization|mode|autocomplete|inputmode|data-.*|year|month|weekday|day|hour|minute|second|notation)$/;
/** Functions that compare what they get, or send it on. */
const comparing = set(
  'run ask includes has indexOf startsWith endsWith get set delete split querySelector querySelectorAll ' +
    'closest matches addEventListener removeEventListener dispatchEvent getAttribute setAttribute',
);
/** Elements that stand inside of a sentence, and those whose content is typed by the user. */
const inline = set('a abbr b br code em i kbd mark q small strong');
const typed = set('code kbd samp pre');
/** Parts of the tree that hold types, or where something stands. */
const skipped = set(
  'typeAnnotation returnType typeParameters typeArguments superTypeParameters implements loc ' +
    'name_loc leadingComments trailingComments comments',
);

/** Characters that code has and sentences do not. */
const code = /[<>=;[\]|\\_#$*@]|::|\/\/|\w\(|^\S*[a-z][A-Z]\S*$|^--/;

/**
 * @param {string} text
 * @param {Place} place
 */
function isText(text, place) {
  const bare = text.replace(/\{\d+\}/g, '').trim();
  // Braces would be read as slots.
  if (place === 'no' || !/\p{L}/u.test(bare) || /[{}]/.test(bare)) return false;
  if (/^[a-z]+-\{\d+\}$/.test(text)) return false; // an id
  if (place === 'yes') return true;
  if (code.test(bare)) return false;
  const several = /[\p{Ll}\d}’,:”] [\p{L}“{]/u.test(text);
  if (/^[“‘(]?\p{Lu}\p{Ll}/u.test(bare))
    return several || /^\p{Lu}\p{Ll}+(?:-\p{Ll}+)?[….:?!]?$/u.test(bare);
  return place === 'maybe' && several && /\p{Ll}{2}/u.test(bare);
}

/**
 * The texts of one file in the order of the source; one within a slot comes after the one around it.
 * @param {string} source
 * @param {string} file Its name: a module of TypeScript ends in .ts, all else is markup.
 * @returns {Message[]}
 */
export function messagesOf(source, file) {
  // Svelte's parser reads modules, too, so that one walk serves both.
  const before = file.endsWith('.ts') ? '<script lang="ts">' : '';
  const whole = before === '' ? source : `${before}${source}</script>`;
  const tree = parse(whole, { modern: true });
  /** In a file of words everything that a function returns or a table holds is a text. */
  const words = /words?\.ts$/i.test(file);
  /** @type {Place} */
  let usual = words ? 'yes' : 'maybe';
  /** @type {Message[]} */
  const found = [];

  /**
   * @param {Message['kind']} kind
   * @param {number} start
   * @param {number} end
   * @param {string} text
   * @param {{start: number, end: number}[]} slots
   */
  function add(kind, start, end, text, slots = []) {
    const raw = whole.slice(start, end);
    found.push({
      kind,
      text: text.trim(),
      start: start + raw.length - raw.trimStart().length,
      end: end - raw.length + raw.trimEnd().length,
      slots,
    });
  }

  /**
   * @param {any} node A node of Svelte's tree or of ESTree, a list of them, or what else a tree has.
   * @param {Place} [place]
   * @returns {void}
   */
  function visit(node, place = 'maybe') {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one, place);
      return;
    }
    switch (node.type) {
      case 'Literal':
        if (typeof node.value === 'string' && isText(node.value, place))
          add('string', node.start + 1, node.end - 1, node.value);
        return;
      case 'TemplateLiteral':
        return template(node, place);
      case 'ConditionalExpression':
        visit(node.test);
        return visit([node.consequent, node.alternate], place);
      case 'LogicalExpression':
        visit(node.left, node.operator === '&&' ? 'maybe' : place);
        return visit(node.right, place);
      case 'BinaryExpression':
        return visit([node.left, node.right], node.operator === '+' ? place : 'no');
      case 'ArrayExpression':
        return visit(node.elements, place);
      case 'NewExpression':
      case 'CallExpression': {
        const name = node.callee.property?.name ?? node.callee.name;
        visit(node.callee, comparing.has(name) ? 'no' : name === 'join' ? place : 'maybe');
        const rune = /^\$(?:state|derived|bindable)$/.test(node.callee.object?.name ?? name);
        return visit(
          node.arguments,
          rune ? place : comparing.has(name) ? 'no' : place === 'yes' ? 'maybe' : 'hardly',
        );
      }
      case 'MemberExpression':
        visit(node.object, place);
        return visit(node.computed && node.property, 'no');
      case 'ObjectExpression':
        return visit(node.properties, place === 'yes' ? 'yes' : usual);
      case 'Property':
        visit(node.computed && node.key, 'no');
        return visit(node.value, placeOf(node.key.name ?? node.key.value, place));
      case 'PropertyDefinition':
        return visit(node.value, placeOf(node.key.name, usual));
      case 'VariableDeclarator':
        visit(node.id);
        return visit(node.init, placeOf(node.id.name, usual));
      case 'AssignmentExpression':
      case 'AssignmentPattern':
        visit(node.left);
        return visit(node.right, placeOf(node.left.property?.name ?? node.left.name, 'maybe'));
      case 'ArrowFunctionExpression':
        visit(node.params);
        return visit(node.body, place === 'yes' ? 'yes' : usual);
      case 'FunctionDeclaration': {
        const before = usual;
        usual = placeOf(node.id.name, usual);
        visit([node.params, node.body]);
        usual = before;
        return;
      }
      case 'ReturnStatement':
        return visit(node.argument, usual);
      case 'SwitchCase':
        visit(node.test, 'no');
        return visit(node.consequent);
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
        return visit(node.expression, place);
      case 'ExportNamedDeclaration':
        return visit(node.declaration);
      case 'ImportDeclaration':
      case 'ImportExpression':
      case 'ExportAllDeclaration':
      case 'TaggedTemplateExpression':
      case 'StyleSheet':
      case 'StyleDirective':
      case 'ClassDirective':
        return;
      case 'Script':
        return visit(node.content);
      case 'Fragment':
        return fragment(node.nodes);
      case 'ExpressionTag':
        return visit(node.expression, 'yes');
      case 'Attribute':
        return attribute(node);
      case 'RegularElement':
        visit(node.attributes);
        if (node.name === 'script') return script(node.fragment.nodes[0]);
        return typed.has(node.name) ? codeIn(node.fragment.nodes) : fragment(node.fragment.nodes);
      default:
        if (node.type?.startsWith('TS')) return;
        for (const [key, child] of Object.entries(node)) if (!skipped.has(key)) visit(child);
    }
  }

  /**
   * @param {any} node
   * @param {Place} place
   */
  function template(node, place) {
    const quasis = /** @type {{start: number, end: number, value: {cooked: string}}[]} */ (
      node.quasis
    );
    const text = quasis.map(({ value }, at) => (at === 0 ? '' : `{${at - 1}}`) + value.cooked);
    const is = isText(text.join(''), place);
    const slots = quasis
      .slice(1)
      .map(({ start }, at) => ({ start: quasis[at]?.end ?? 0, end: start }));
    if (is) add('template', node.start + 1, node.end - 1, text.join(''), slots);
    visit(node.expressions, is ? 'yes' : place);
  }

  /** @param {any} node */
  function attribute({ name, value }) {
    if (value === true) return;
    const shown = seen.has(name) || named.has(name);
    const place = shown ? 'yes' : coded.test(name) ? 'no' : 'maybe';
    if (!Array.isArray(value)) return visit(value.expression, place);
    const text = textOf(value);
    if (hasLetters(value) && isText(text, place === 'maybe' ? 'hardly' : place))
      add('attribute', value[0].start, value.at(-1).end, text, slotsOf(value));
    for (const part of value) visit(part.expression, place);
  }

  /**
   * A script of a page of HTML.
   * @param {any} node Its text.
   */
  function script(node) {
    for (const { slots, ...one } of node === undefined ? [] : messagesOf(node.data, 'script.ts')) {
      const moved = (/** @type {{start: number, end: number}} */ { start, end }) => ({
        start: start + node.start,
        end: end + node.start,
      });
      found.push({ ...one, ...moved(one), slots: slots.map(moved) });
    }
  }

  /**
   * Neighbouring texts, expressions and inline elements are one message.
   * @param {any[]} nodes
   */
  function fragment(nodes) {
    /** @type {any[]} */
    let run = [];
    for (const node of [...nodes, undefined]) {
      if (
        node &&
        (node.type === 'Text' || node.type === 'ExpressionTag' || inline.has(node.name))
      ) {
        run.push(node);
        continue;
      }
      const holds = (/** @type {any} */ one) => one.type !== 'Text' || one.data.trim() !== '';
      const part = run.slice(run.findIndex(holds), run.findLastIndex(holds) + 1);
      const text = textOf(part).replace(/\s+/g, ' ');
      if (hasLetters(part) && isText(text, 'yes'))
        add('markup', part[0].start, part.at(-1).end, text, slotsOf(part));
      for (const one of run) if (one.type !== 'Text') visit(one);
      run = [];
      visit(node);
    }
  }

  /**
   * What the user is to type is no text, but something in it may be.
   * @param {any[]} nodes
   */
  function codeIn(nodes) {
    for (const node of nodes) if (node.type !== 'Text') visit(node.expression ?? node, 'maybe');
  }

  visit([tree.module, tree.instance, tree.fragment]);
  const shift = before.length;
  const back = (/** @type {{start: number, end: number}} */ { start, end }) => ({
    start: start - shift,
    end: end - shift,
  });
  return found
    .map((one) => ({ ...one, ...back(one), slots: one.slots.map(back) }))
    .sort((a, b) => a.start - b.start || b.end - a.end);
}

/**
 * @param {string | undefined} name
 * @param {Place} otherwise
 * @returns {Place}
 */
function placeOf(name = '', otherwise) {
  if (named.has(name)) return 'yes';
  return coded.test(name) ? 'no' : otherwise;
}

/** @param {any[]} nodes */
const hasLetters = (nodes) =>
  nodes.some(({ type, data }) => type === 'Text' && /\p{L}/u.test(data));

/** @param {any[]} nodes */
function textOf(nodes) {
  let slot = 0;
  return nodes.map(({ type, data }) => (type === 'Text' ? data : `{${slot++}}`)).join('');
}

/** @param {any[]} nodes */
const slotsOf = (nodes) =>
  nodes.filter(({ type }) => type !== 'Text').map(({ start, end }) => ({ start, end }));
