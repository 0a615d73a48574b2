/** Every method of every kind of message, with its parameters and its result. */
import type { Cleaned } from '../clean/types';
import type { Facts } from '../page/facts';
import type { Shown } from '../page/maskface';
import type { Change } from '../page/watch';

/** One method. */
interface Call<P, R> {
  readonly params: P;
  readonly result: R;
}

/** The events in a tab that are pushed. */
export type TabEventName =
  /** The welcome page was loaded. */
  | 'welcome-loaded'
  /** The user pressed “First steps” on the welcome page. */
  | 'first-steps'
  /** The content script that reads and acts is ready in the frame that sends this event. */
  | 'executor-ready';

/** A question that the worker forwards to a tab. */
export interface ToTab {
  /** Chrome's ids. Frame 0 is the main frame. */
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

/** The parameters that every question about a page has. */
export interface About {
  /** The caller, by which the page remembers what it was shown. */
  readonly caller: string;
  /** The allowed origin. A page of another origin neither answers nor acts. */
  readonly origin: string;
  /** The prefix of the frame's refs, and the first number that was never assigned. */
  readonly prefix: string;
  readonly base: number;
}

/** The fields that every answer about a page has. */
export interface Told {
  /** The next number that was never assigned. */
  readonly next: number;
  readonly url: string;
  readonly title: string;
}

/** The result of an action on a page. */
export interface Done extends Told {
  /** The description of what was acted on. */
  readonly hit: string;
  readonly change?: Change | undefined;
  /** The current value of a field, masked when secret. */
  readonly value?: string | undefined;
  /** How far it scrolled by x and by y, and how much is above and below. */
  readonly scrolled?: readonly [number, number, number, number] | undefined;
  /** The action unloaded the page. */
  readonly left?: boolean;
}

/** An action on an element. */
interface On extends About {
  readonly ref: string;
}

/**
 * The name of the port over which a panel sends what the overlay of a page shows. The overlay is
 * shown as long as the port is open.
 */
export const COVER_PORT = 'cover';

/** The port's messages: what the overlay shows, or null to hide it. */
export type CoverSays = Shown | null;

/** The message back over the port: the user wants to pause. */
export const COVER_PAUSE = 'pause';

/** Every method. */
export interface Methods {
  'rpc:call': {
    /** A panel has connected; the worker notifies the welcome page. */
    connected: Call<null, null>;
    /** Queries a tab, or makes it act. */
    tab: Call<ToTab, unknown>;
    /** The documents of a tab. */
    frames: Call<{ readonly tab: number }, readonly Frame[]>;
    /** Hides ads, notices and walls on a tab's page, restores it, or says what is hidden. */
    clean: Call<{ readonly tab: number; readonly do: 'clean' | 'undo' | 'state' }, Cleaned>;
  };
  'cs:query': {
    snapshot: Call<
      About & {
        readonly near?: boolean;
        readonly max?: number;
        readonly find?: string;
        /** A handle of an earlier snapshot, or a ref. */
        readonly scope?: string;
      },
      Told & { readonly text: string }
    >;
    /**
     * The facts about a target and its ref, for the code that judges an action on it; without a
     * target, the facts about the focused element.
     */
    facts: Call<
      About & { readonly ref?: string },
      Told & { readonly ref?: string; readonly facts: Facts | null }
    >;
    /** The page, or an element, as Markdown. */
    read: Call<About & { readonly ref?: string }, Told & { readonly text: string }>;
    /** Waits until something is there or gone, or until the question's deadline is close. */
    wait: Call<
      About & { readonly for: 'text' | 'element' | 'gone'; readonly value: string },
      Told & { readonly met: boolean }
    >;
  };
  'cs:rpc': {
    /** A panel has connected or was closed. The welcome page on this port may show it. */
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
    /** Replaces the text of a field. */
    fill: Call<On & { readonly text: string }, Done>;
    /** Types key by key, after a field's text or in place of it. */
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
    /** Only makes sure that the acting script is in the frame; does nothing else. */
    ready: Call<null, null>;
  };
}
