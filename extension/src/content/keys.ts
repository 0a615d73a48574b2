import { MessageError } from '../messages/envelope';

/** A key and the modifier keys that are held with it. */
interface Chord {
  readonly key: string;
  readonly held: string;
}

/** Other names for keys. */
const names: Readonly<Record<string, string>> = {
  return: 'Enter',
  enter: 'Enter',
  numpadenter: 'Enter',
  esc: 'Escape',
  escape: 'Escape',
  space: ' ',
  tab: 'Tab',
  backspace: 'Backspace',
  delete: 'Delete',
  del: 'Delete',
  insert: 'Insert',
  home: 'Home',
  end: 'End',
  pageup: 'PageUp',
  pagedown: 'PageDown',
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  arrowup: 'ArrowUp',
  arrowdown: 'ArrowDown',
  arrowleft: 'ArrowLeft',
  arrowright: 'ArrowRight',
};

/** The legacy key codes that old pages use. */
const numbers: Readonly<Record<string, number>> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Escape: 27,
  ' ': 32,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Insert: 45,
  Delete: 46,
};

/** Parses keys such as "Enter" or "Control+A Delete". */
export function readChords(keys: string): Chord[] {
  const chords = keys
    .split(/\s+/)
    .filter((chord) => chord !== '')
    .map((chord) => {
      // A trailing + is the key itself.
      const [, before = '', last = ''] = /^(?:(.*)\+)?(\+|[^+]+)$/su.exec(chord) ?? [];
      const key = names[last.toLowerCase()] ?? last;
      if (!isLetter(key) && !/^(F\d{1,2}|[A-Z][A-Za-z]+)$/.test(key))
        throw new MessageError(
          'bad_argument',
          'There is no such key.',
          'For example Enter, or Control+A.',
        );
      modifiersOf(before); // throws for an unknown modifier
      return { key, held: before };
    });
  if (chords.length === 0)
    throw new MessageError('bad_argument', 'No key is named.', 'For example Enter, or Control+A.');
  return chords;
}

/** The held modifiers as event properties. */
export function modifiersOf(held: string): EventModifierInit {
  const init: EventModifierInit = {};
  for (const one of held.split(/[+,\s]+/)) {
    switch (one.toLowerCase()) {
      case '':
        break;
      case 'control':
      case 'ctrl':
        init.ctrlKey = true;
        break;
      case 'shift':
        init.shiftKey = true;
        break;
      case 'alt':
      case 'option':
        init.altKey = true;
        break;
      case 'meta':
      case 'cmd':
      case 'command':
        init.metaKey = true;
        break;
      default:
        throw new MessageError(
          'bad_argument',
          'There is no such key to hold.',
          'Control, Shift, Alt or Meta.',
        );
    }
  }
  return init;
}

/** A text field of either kind. */
type Field = HTMLInputElement | HTMLTextAreaElement;

/** Whether a key types a character. */
function isLetter(key: string): boolean {
  return /^.$/su.test(key);
}

function isField(el: Element): el is Field {
  return (
    el instanceof HTMLTextAreaElement ||
    (el instanceof HTMLInputElement &&
      !/^(button|submit|image|reset|checkbox|radio|file|range|color|hidden)$/.test(el.type))
  );
}

/**
 * Dispatches keydown and keyup. The key's default action, which the browser does not run for
 * synthetic events, is done between them.
 */
export function pressKey(el: Element, chord: Chord | string): void {
  const { key, held } = typeof chord === 'string' ? { key: chord, held: '' } : chord;
  const init: KeyboardEventInit = {
    key,
    code: codeOf(key),
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- old pages ask for nothing else
    keyCode: numbers[key] ?? key.toUpperCase().charCodeAt(0),
    bubbles: true,
    cancelable: true,
    composed: true,
    view: window,
    ...modifiersOf(held),
  };
  if (el.dispatchEvent(new KeyboardEvent('keydown', init))) effect(el, key, held);
  el.dispatchEvent(new KeyboardEvent('keyup', init));
}

/** Clears a field. */
export function clearText(el: Element): void {
  if (!isField(el)) edit('delete', '');
  else if (el.value !== '') change(el, 0, el.value.length, '', 'deleteContentBackward');
}

/**
 * Types a text key by key, or sets it as a whole where a partial text would be an invalid value.
 */
export function typeText(el: Element, text: string, signal: AbortSignal): void {
  if (el instanceof HTMLInputElement && isField(el) && el.selectionStart === null) {
    replaceText(el, el.value + text);
    return;
  }
  for (const letter of text.replaceAll('\r\n', '\n')) {
    signal.throwIfAborted();
    pressKey(el, letter === '\n' ? 'Enter' : letter);
  }
}

/** Elements that the space bar clicks. */
const pressed = 'button,summary,input,[role=button]';

/** The default action of a key, which a synthetic event does not trigger. */
function effect(el: Element, key: string, held: string): void {
  const shortcut = /control|ctrl|meta|cmd|command|alt/i.test(held);
  if (shortcut) {
    if (key.toLowerCase() === 'a' && isField(el)) el.select();
    return;
  }
  if (key === 'Enter') enter(el);
  else if (key === ' ' && el instanceof HTMLElement && el.matches(pressed) && !isField(el)) {
    el.click();
  } else if (key === 'Backspace' || key === 'Delete') takeAway(el, key === 'Backspace');
  else if (isLetter(key)) put(el, key, 'insertText');
}

function enter(el: Element): void {
  if (el instanceof HTMLTextAreaElement) put(el, '\n', 'insertLineBreak');
  else if (el instanceof HTMLInputElement && isField(el)) {
    changed(el);
    const { form } = el;
    if (form === null) return;
    const button = [...form.elements].find(
      (one) =>
        (one instanceof HTMLButtonElement && one.type === 'submit') ||
        (one instanceof HTMLInputElement && /^(submit|image)$/.test(one.type)),
    );
    // As the browser does: submit with the first button, or, without a button, only when the form
    // has a single field.
    if (button instanceof HTMLElement) button.click();
    else if ([...form.elements].filter(isField).length === 1) form.requestSubmit();
  } else if (el instanceof HTMLElement && el.isContentEditable) edit('insertParagraph', '');
  else if (el instanceof HTMLElement && el.matches('a[href],button,summary,input')) el.click();
}

function takeAway(el: Element, before: boolean): void {
  if (!isField(el)) {
    if (el instanceof HTMLElement && el.isContentEditable)
      edit(before ? 'delete' : 'forwardDelete', '');
    return;
  }
  const { start, end } = selection(el);
  const { value } = el;
  const from = start === end && before ? start - lastOf(value.slice(0, start)).length : start;
  const to = start === end && !before ? end + firstOf(value.slice(end)).length : end;
  change(el, from, to, '', before ? 'deleteContentBackward' : 'deleteContentForward');
}

/** The last and first character of a text. A character may be two UTF-16 units long. */
const lastOf = (text: string): string => /.$/su.exec(text)?.[0] ?? '';
const firstOf = (text: string): string => /^./su.exec(text)?.[0] ?? '';

/** Inserts a text at the caret. */
function put(el: Element, text: string, kind: string): void {
  if (isField(el)) {
    const { start, end } = selection(el);
    change(el, start, end, text, kind);
  } else if (el instanceof HTMLElement && el.isContentEditable) edit('insertText', text);
}

/** Replaces all text of a field. */
export function replaceText(el: Element, text: string): void {
  if (isField(el)) {
    change(el, 0, el.value.length, text, 'insertReplacementText');
    changed(el);
  } else if (text === '') edit('delete', '');
  else edit('insertText', text);
}

/** Fields of some types do not expose the caret. It is taken to be at the end. */
function selection(el: Field): { start: number; end: number } {
  const { length } = el.value;
  return { start: el.selectionStart ?? length, end: el.selectionEnd ?? length };
}

function change(el: Field, from: number, to: number, text: string, inputType: string): void {
  if (el.readOnly || el.disabled) return;
  const init = { bubbles: true, composed: true, inputType, data: text === '' ? null : text };
  if (!el.dispatchEvent(new InputEvent('beforeinput', { ...init, cancelable: true }))) return;
  let value = el.value.slice(0, from) + text + el.value.slice(to);
  if (el.maxLength >= 0) value = value.slice(0, Math.max(el.maxLength, el.value.length));
  // The prototype's setter bypasses the observation that frameworks put on the element.
  Reflect.set(Object.getPrototypeOf(el) as object, 'value', value, el);
  if (el.selectionStart !== null) el.setSelectionRange(from + text.length, from + text.length);
  el.dispatchEvent(new InputEvent('input', init));
}

function changed(el: Field): void {
  el.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Makes the browser edit the focused element: editors accept no other synthetic input. */
function edit(command: string, text: string): void {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one way to an editor's own input
  document.execCommand(command, false, text);
}

function codeOf(key: string): string {
  if (/^[a-z]$/i.test(key)) return `Key${key.toUpperCase()}`;
  if (/^\d$/.test(key)) return `Digit${key}`;
  return key === ' ' ? 'Space' : key.length > 1 ? key : '';
}
