import type { CommandRequest } from '$ui/protocol/protocol';
import type { Action } from '../core/types';
import { verbArgs } from '../core/verbs';

/** One command of the registry: its name and its arguments. */
export type Call = Pick<CommandRequest, 'command' | 'args'>;

/** A text longer than this, in characters, is filled in at once instead of typed key by key. */
const longText = 400;

/** The longest wait that the model may ask for, in milliseconds. */
const longestWait = 10_000;

/**
 * The commands of the registry that carry out an action, in order. They are the
 * same commands that agents use, with trusted input, a hit test, and a report of
 * what happened.
 */
export function callsOf(action: Action): Call[] {
  const one = (command: string, args: Record<string, unknown> = {}): Call[] => [
    { command, args: args },
  ];
  const { ref } = { ref: undefined, ...action };
  switch (action.do) {
    case 'click':
      return one('click', {
        target: ref,
        ...(action.button !== undefined && { button: action.button }),
        ...(action.count !== undefined && { count: action.count }),
        ...(action.keys !== undefined && action.keys !== '' && { modifiers: action.keys }),
        ...(action.hold !== undefined && { hold: action.hold }),
      });
    case 'hover':
      return one('hover', { target: ref });
    case 'type': {
      const { text } = action;
      const calls =
        action.append === true && action.whole !== true
          ? one('type', { target: ref, value: text })
          : text.length > longText || text === '' || action.whole === true
            ? one('fill', { target: ref, value: text })
            : one('type', { target: ref, value: text, clear: true });
      return action.enter === true
        ? [...calls, ...one('press', { key: 'Enter', target: ref })]
        : calls;
    }
    case 'secret': {
      const calls = one('fill', { target: ref, secret: action.secret });
      return action.enter === true
        ? [...calls, ...one('press', { key: 'Enter', target: ref })]
        : calls;
    }
    case 'select':
      return one('select', { target: ref, value: action.option });
    case 'check':
      return one(action.on === false ? 'uncheck' : 'check', { target: ref });
    case 'drag':
      return one('drag', {
        target: ref,
        to: action.to,
        ...(action.via !== undefined && action.via !== '' && { via: action.via }),
        ...(action.speed !== undefined && { speed: action.speed }),
      });
    case 'keydown':
    case 'keyup':
    case 'mouse':
    case 'tap':
    case 'swipe':
    case 'pinch':
      return one(action.do, verbArgs(action));
    case 'scroll':
      return one('scroll', {
        ...(ref !== undefined && { target: ref }),
        ...(action.down !== undefined && { y: action.down }),
        ...(action.right !== undefined && { x: action.right }),
      });
    case 'press':
      return one('press', { key: action.keys, ...(ref !== undefined && { target: ref }) });
    case 'upload':
      return one('upload', { target: ref, files: action.file });
    case 'dialog':
      return one('dialog', {
        answer: action.answer,
        ...(action.text !== undefined && { text: action.text }),
      });
    case 'wait': {
      const value =
        action.for === 'time'
          ? String(Math.min(Math.max(Number(action.value ?? '1000') || 0, 0), longestWait))
          : action.value;
      return one('wait', { for: action.for, ...(value !== undefined && { value }) });
    }
    case 'goto':
      return one('goto', { url: action.url });
    case 'back':
    case 'forward':
    case 'reload':
      return one(action.do);
    case 'screenshot':
      return one('screenshot', { format: 'jpeg', quality: 70 });
    case 'read':
      return one('markdown', { ...(ref !== undefined && { element: ref }) });
    case 'table':
      return one('tables');
    case 'find':
      return one('find', { what: action.text });
    case 'more':
      return one('snapshot', { scope: action.handle });
    case 'eval':
      return one('eval', { expression: action.code });
    case 'open_tab':
      return one('newtab', {
        ...(action.url !== undefined && action.url !== '' && { url: action.url }),
      });
    case 'close_tab':
      return one('closetab', {
        ...(action.tab !== undefined && action.tab !== '' && { tab: action.tab }),
      });
    case 'tabs':
      return one('tabs');
    case 'switch_tab':
    case 'extract':
    case 'tool':
    case 'ask':
    case 'done':
      // The task loop carries these out itself.
      return [];
  }
}
