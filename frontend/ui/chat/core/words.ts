import type {
  ChatEnd,
  ChatRoute,
  ChatTool,
  ChatUsage,
  RouteKind,
  TaskPlainChoice,
} from '$ui/protocol/protocol';
import { MaxRouteWord } from '$ui/protocol/protocol';

/** The label of each route: who handles a message. */
export const routeWords: Record<RouteKind, string> = {
  instant: 'Instant',
  fast: 'Fast model',
  strong: 'Model for hard questions',
};

/** The label of a message's route. */
export function routeWord(route: ChatRoute): string {
  const model = route.kind === 'instant' ? undefined : route.model;
  return model === undefined || model === '' ? routeWords[route.kind] : model;
}

/** A change of the routing table that a message suggests. */
export interface RouteRule {
  readonly word: string;
  readonly strong: boolean;
  readonly text: string;
  /** The text shown after the change. */
  readonly done: string;
}

/**
 * The rule that a user may want after a message: the word that chose the strong model no longer
 * does so, or the first word of the message does so from now on.
 */
export function routeRule(route: ChatRoute, text: string): RouteRule | undefined {
  if (route.kind === 'strong') {
    const { word } = route;
    if (word === undefined || word === '') return undefined;
    return {
      word,
      strong: false,
      text: `Never use the model for hard questions because of “${word}”`,
      done: `“${word}” no longer selects the model for hard questions. You can change this in Settings.`,
    };
  }
  const first = /^\s*(?:please\s+)?(\p{L}[\p{L}\p{N}’'-]*)/iu.exec(text)?.[1]?.toLowerCase();
  if (first === undefined || first.length > MaxRouteWord) return undefined;
  return {
    word: first,
    strong: true,
    text: `Always use the model for hard questions for “${first}”`,
    done: `Messages with “${first}” now go to the model for hard questions. You can change this in Settings.`,
  };
}

/** A duration as text. */
export function duration(ms: number): string {
  const whole = Math.max(1, Math.round(ms));
  if (whole < 1_000) return `${String(whole)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${String(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`;
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** The usage as text: tokens and cost, as far as the agent reports them. */
export function usageWords(usage: ChatUsage | undefined): string {
  if (usage === undefined) return '';
  const words: string[] = [];
  const tokens = (usage.input ?? 0) + (usage.output ?? 0);
  if (tokens > 0) words.push(`${compact.format(tokens)} tokens`);
  if (usage.cost !== undefined && usage.cost > 0) words.push(cost(usage.cost, usage.currency));
  return words.join(' · ');
}

/** How full the agent's context window is; empty when it does not report that. */
export function contextWords(usage: ChatUsage | undefined): string {
  const share = contextShare(usage);
  return share === '' ? '' : `${share} of ${compact.format(usage?.contextSize ?? 0)}`;
}

/** How full the agent's context window is, as a percentage only; empty when unknown. */
export function contextShare(usage: ChatUsage | undefined): string {
  const { context = 0, contextSize = 0 } = usage ?? {};
  if (context === 0 || contextSize === 0) return '';
  return `${String(Math.round((100 * context) / contextSize))} %`;
}

function cost(amount: number, currency = 'USD'): string {
  const digits = amount < 0.1 ? 4 : 2;
  const sign = currency === 'USD' ? '$' : `${currency} `;
  return sign + amount.toFixed(digits);
}

/** The end of a turn, in a line. */
export function endWords(end: ChatEnd, agent: string): string {
  switch (end.reason) {
    case 'done':
      return ['Done', duration(end.durationMs)].join(' in ');
    case 'cancelled':
      return 'Stopped by you';
    case 'refused':
      return `${agent} declined to answer`;
    case 'max_tokens':
      return 'The answer was cut off: it reached the model’s length limit';
    case 'max_turns':
      return `${agent} reached its step limit`;
    case 'failed':
      return end.error?.message ?? `${agent} failed`;
    case 'crashed':
      return end.error?.message ?? `${agent} stopped unexpectedly`;
    case 'restarted':
      return 'Interrupted: Pilotfish was closed';
  }
}

/** Whether a turn ended normally. */
export const endedWell = (end: ChatEnd): boolean =>
  end.reason === 'done' || end.reason === 'cancelled';

/** One line about a tool call. */
export function toolLine(tool: ChatTool): string {
  const line = tool.line ?? '';
  if (line !== '') return line;
  return tool.title === '' ? tool.kind : tool.title;
}

/** What a tool asks to do, as the text after "wants to". */
export function wish(tool: ChatTool): string {
  switch (tool.kind) {
    case 'execute':
      return 'run a command';
    case 'edit':
      return 'change a file';
    case 'delete':
      return 'delete something';
    case 'move':
      return 'move something';
    case 'read':
      return 'read something';
    case 'search':
      return 'search';
    case 'fetch':
      return 'fetch something from the web';
    case 'switch_mode':
      return 'change how it works';
    case 'browser':
      return 'do something in the browser';
    default:
      return 'use a tool';
  }
}

/** The element that the user chose, as a short text. */
export function choiceWords(element: TaskPlainChoice): string {
  const name = element.name === '' ? `@${element.ref}` : `“${element.name}”`;
  const where = element.where ? ` in ${element.where}` : '';
  return `${name}${element.kind ? ` (${element.kind})` : ''}${where}`;
}

/** A time as text: the clock time today, else the day. */
export function moment(at: string, now: Date): string {
  const date = new Date(at);
  const today = date.toDateString() === now.toDateString();
  return today
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString([], { day: 'numeric', month: 'short' });
}
