import type { CommandReply, PickedElement, Tab } from '$ui/protocol/protocol';
import type { SendItem, Told } from '../../rooms/desk';
import type { QuickDesk } from '../desk';

/** What happened at a desk: the calls in their order, without their functions. */
export type Happened = readonly [string, ...unknown[]];

/** What a desk of a test answers. */
export interface Answers {
  /** The reply of each command; a command without one is refused. */
  readonly commands?: Readonly<Record<string, Partial<CommandReply>>>;
  /** The answer of each route; a route without one is refused. */
  readonly routes?: Readonly<Record<string, unknown>>;
  readonly picked?: PickedElement;
  readonly face?: QuickDesk['face'];
  readonly live?: boolean;
  readonly tab?: Partial<Tab> | null;
  readonly cannot?: QuickDesk['cannot'];
}

/** A desk without a panel: it answers what a test gives it, and keeps what it is asked. */
export function fakeDesk(answers: Answers = {}): {
  readonly desk: QuickDesk;
  readonly happened: Happened[];
  /** What was sent to the agent. */
  readonly sent: SendItem[];
  /** Tells those that follow a feed something. */
  readonly tell: (report: Told) => void;
} {
  const happened: Happened[] = [];
  const sent: SendItem[] = [];
  const parts = new Map<string, object>();
  const followers = new Set<(report: Told) => void>();
  const note =
    (what: string) =>
    (...args: unknown[]): void => {
      happened.push([what, ...args.filter((one) => typeof one !== 'function')]);
    };
  const desk = {
    live: answers.live ?? true,
    face: answers.face ?? 'terminal',
    cannot: answers.cannot ?? [],
    tab:
      answers.tab === null
        ? undefined
        : { id: 't1', url: 'https://shop.example/cart', chromeTabId: 7, ...answers.tab },
    drawer: { room: undefined, toggle: note('toggle') },
    run: (command: string, args: unknown = {}): Promise<CommandReply> => {
      happened.push(['run', command, args]);
      const error = { code: 'bad_argument', message: `no ${command}`, hint: 'try help' };
      const reply = answers.commands?.[command] ?? { ok: false, error };
      return Promise.resolve({ ok: true, text: '', ...reply } as CommandReply);
    },
    request: (path: string, body: unknown): Promise<unknown> => {
      happened.push(['request', path, body]);
      const answer = answers.routes?.[path];
      return answer === undefined
        ? Promise.reject(new Error(`no ${path}`))
        : Promise.resolve(answer);
    },
    follow: (feed: string, _tab: unknown, _after: unknown, on: (report: Told) => void) => {
      happened.push(['follow', feed]);
      followers.add(on);
      return () => {
        happened.push(['leave', feed]);
        followers.delete(on);
      };
    },
    send: (item: SendItem) => void sent.push(item),
    pick: () => Promise.resolve(answers.picked),
    part: (key: string, make: () => object): object => {
      const made = parts.get(key) ?? make();
      parts.set(key, made);
      return made;
    },
    open: note('open'),
    say: note('say'),
    show: note('show'),
    palette: note('palette'),
    focusFace: note('focusFace'),
    showTab: note('showTab'),
    openLink: note('openLink'),
  };
  return {
    desk: desk as unknown as QuickDesk,
    happened,
    sent,
    tell: (report) => {
      for (const on of followers) on(report);
    },
  };
}
