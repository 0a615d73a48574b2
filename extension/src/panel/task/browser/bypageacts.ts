import { MessageError } from '../../../messages/envelope';
import type { About, Done } from '../../../messages/methods';
import type { Link, Place } from './pagelink';

/** How far `scroll` goes without a number, in pixels; the same as in the app's own command. */
const scrollStep = 600;

/** Sends a command to a content script. */
type Sends = (
  link: Link,
  about: About & { readonly ref?: string },
  args: Readonly<Record<string, unknown>>,
  place: Place,
  signal: AbortSignal,
) => Promise<Done>;

/** Wraps an action that needs an element. */
const on =
  (send: (...of: [...Parameters<Sends>, ref: string]) => Promise<Done>): Sends =>
  (link, about, args, place, signal) => {
    if (about.ref === undefined) throw new MessageError('bad_argument', 'No element is named.');
    return send(link, about, args, place, signal, about.ref);
  };

/** The commands that act: how each is sent, and the word that reports it done. */
export const does: Readonly<Partial<Record<string, { done: string; send: Sends }>>> = {
  click: {
    done: 'clicked',
    send: on((link, about, args, place, signal, ref) => {
      const named = word(args, 'button');
      const button = named === 'right' || named === 'middle' ? named : 'left';
      const count = number(args, 'count') ?? 1;
      const keys = word(args, 'modifiers') ?? '';
      return link.tab('cs:rpc', 'click', { ...about, ref, button, count, keys }, place, signal);
    }),
  },
  hover: {
    done: 'pointed at',
    send: on((link, about, _, place, signal, ref) =>
      link.tab('cs:rpc', 'hover', { ...about, ref }, place, signal),
    ),
  },
  fill: {
    done: 'filled',
    send: on((link, about, args, place, signal, ref) => {
      const text = word(args, 'value') ?? '';
      return link.tab('cs:rpc', 'fill', { ...about, ref, text }, place, signal);
    }),
  },
  type: {
    done: 'typed',
    send: on((link, about, args, place, signal, ref) => {
      const text = word(args, 'value') ?? '';
      const clear = args.clear === true;
      return link.tab('cs:rpc', 'type', { ...about, ref, text, clear }, place, signal);
    }),
  },
  select: {
    done: 'selected',
    send: on((link, about, args, place, signal, ref) => {
      const option = word(args, 'value') ?? '';
      return link.tab('cs:rpc', 'select', { ...about, ref, option }, place, signal);
    }),
  },
  check: {
    done: 'checked',
    send: on((link, about, _, place, signal, ref) =>
      link.tab('cs:rpc', 'check', { ...about, ref, on: true }, place, signal),
    ),
  },
  uncheck: {
    done: 'unchecked',
    send: on((link, about, _, place, signal, ref) =>
      link.tab('cs:rpc', 'check', { ...about, ref, on: false }, place, signal),
    ),
  },
  scroll: {
    done: 'scrolled',
    send: (link, about, args, place, signal) => {
      const right = number(args, 'x') ?? 0;
      const down = number(args, 'y') ?? (right === 0 && about.ref === undefined ? scrollStep : 0);
      return link.tab('cs:rpc', 'scroll', { ...about, down, right }, place, signal);
    },
  },
  drag: {
    done: 'dragged',
    send: on((link, about, args, place, signal, ref) => {
      const to = word(args, 'to') ?? '';
      if (frameOf(to) !== place.frame)
        throw new MessageError(
          'not_actable',
          'By the page’s own events something can be dragged within its frame only.',
        );
      return link.tab('cs:rpc', 'drag', { ...about, ref, to }, place, signal);
    }),
  },
  press: {
    done: 'pressed',
    send: (link, about, args, place, signal) =>
      link.tab('cs:rpc', 'press', { ...about, keys: word(args, 'key') ?? '' }, place, signal),
  },
};

/**
 * The frame of a ref. The app's own refs are numbered separately, so the same
 * number may be another element here.
 */
export function frameOf(target: string | undefined): number {
  if (target === undefined) return 0;
  const own = /^@?f0(\d*)e\d+$/.exec(target);
  if (own !== null) return Number(own[1]);
  if (/^@?(f\d+)?e\d+$/.test(target))
    throw new MessageError(
      'no_element',
      `${target} was shown while the app had its own way into the tab.`,
      'Take a new snapshot.',
    );
  return 0;
}

/** A string argument; undefined if it is empty or missing. */
export function word(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A number argument. */
export function number(args: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = args[name];
  return typeof value === 'number' ? value : undefined;
}
