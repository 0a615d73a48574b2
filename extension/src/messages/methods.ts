/** Every method of every kind of message, once: what it is told and what it answers. */
import type { Facts } from '../page/facts';
import type { Shown } from '../page/maskface';
import type { Change } from '../page/watch';

/** One method. */
interface Call<P, R> {
  readonly params: P;
  readonly result: R;
}

/** What happens in a tab and is pushed. */
export type TabEventName =
  /** The welcome page was loaded. */
  | 'welcome-loaded'
  /** The content script that looks and acts is there, in the frame that sends this. */
  | 'hands-ready';

/** A question that the worker passes on to a tab. */
export interface ToTab {
  /** Chrome's ids. The frame 0 is the page itself. */
  readonly tab: number;
  readonly frame: number;
  readonly kind: 'cs:rpc' | 'cs:query';
  readonly method: string;
  readonly params: unknown;
}

/** One document of a tab. */
export interface Frame {
  readonly frame: number;
  readonly parent: number;
  readonly url: string;
}

/** What every question about a page has. */
export interface About {
  /** Who looks: what they were shown is remembered under this. */
  readonly caller: string;
  /** The origin that was allowed; a page of another one neither tells nor does. */
  readonly origin: string;
  /** What the refs of the frame begin with, and the first number that was never given. */
  readonly prefix: string;
  readonly base: number;
}

/** What every answer about a page has. */
export interface Told {
  /** The next number that was never given. */
  readonly next: number;
  readonly url: string;
  readonly title: string;
}

/** What an action on a page led to. */
export interface Done extends Told {
  /** What was acted on, in the page's words. */
  readonly hit: string;
  readonly change?: Change | undefined;
  /** What a field holds now, masked when secret. */
  readonly value?: string | undefined;
  /** How far was scrolled: by x, by y, what is above and below. */
  readonly scrolled?: readonly [number, number, number, number] | undefined;
  /** The page went away over it. */
  readonly left?: boolean;
}

/** An action on an element. */
interface On extends About {
  readonly ref: string;
}

/**
 * The name of the port over which a panel says what the cover of a page shows; a
 * page is covered as long as the port is open.
 */
export const COVER_PORT = 'cover';

/** What comes over it: what the cover says, or that there is none. */
export type CoverSays = Shown | null;

/** What goes back: the person wants a pause. */
export const COVER_PAUSE = 'pause';

/** Every method. */
export interface Methods {
  'rpc:call': {
    /** A panel is connected: the welcome page is told. */
    connected: Call<null, null>;
    /** Asks a tab, or has it do something. */
    tab: Call<ToTab, unknown>;
    /** The documents of a tab. */
    frames: Call<{ readonly tab: number }, readonly Frame[]>;
  };
  'cs:query': {
    look: Call<
      About & {
        readonly near?: boolean;
        readonly max?: number;
        readonly find?: string;
        /** A handle of an earlier look, or a ref. */
        readonly scope?: string;
      },
      Told & { readonly text: string }
    >;
    /**
     * What a target is, for whoever judges an action on it, and its ref; what has
     * the focus without one.
     */
    facts: Call<
      About & { readonly ref?: string },
      Told & { readonly ref?: string; readonly facts: Facts | null }
    >;
    /** The page, or an element, as Markdown. */
    read: Call<About & { readonly ref?: string }, Told & { readonly text: string }>;
    /** Waits until something is there, or gone, or the question's time is nearly over. */
    wait: Call<
      About & { readonly for: 'text' | 'element' | 'gone'; readonly value: string },
      Told & { readonly met: boolean }
    >;
  };
  'cs:rpc': {
    /** A panel is connected, or was closed: the welcome page on this port may say so. */
    welcome: Call<{ readonly port: number; readonly panel: 'connected' | 'closed' }, null>;
    click: Call<
      On & {
        readonly button: 'left' | 'right' | 'middle';
        readonly count: number;
        readonly keys: string;
      },
      Done
    >;
    hover: Call<On, Done>;
    /** Puts a text into a field in place of what it holds. */
    fill: Call<On & { readonly text: string }, Done>;
    /** Types behind what a field holds, or in place of it, key by key. */
    type: Call<On & { readonly text: string; readonly clear: boolean }, Done>;
    select: Call<On & { readonly option: string }, Done>;
    check: Call<On & { readonly on: boolean }, Done>;
    scroll: Call<
      About & { readonly ref?: string; readonly down: number; readonly right: number },
      Done
    >;
    press: Call<About & { readonly ref?: string; readonly keys: string }, Done>;
    /** Drags one element to another of the same frame. */
    drag: Call<On & { readonly to: string }, Done>;
    /** Puts the script that acts into a frame, and does nothing. */
    ready: Call<null, null>;
  };
}
