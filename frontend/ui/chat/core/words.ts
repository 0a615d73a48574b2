import type {
  ChatEnd,
  ChatRoute,
  ChatTool,
  ChatUsage,
  RouteKind,
  TaskPlainChoice,
} from '$ui/protocol/protocol';
import { MaxRouteWord } from '$ui/protocol/protocol';

/** Who carries a message out, in a word. */
export const routeWords: Record<RouteKind, string> = {
  instant: 'Instant',
  fast: 'Fast model',
  strong: 'Strong model',
};

/** What stands on a message's route. */
export function routeWord(route: ChatRoute): string {
  const model = route.kind === 'instant' ? undefined : route.model;
  return model === undefined || model === '' ? routeWords[route.kind] : model;
}

/** A change of the table of routes that a message suggests. */
export interface RouteRule {
  readonly word: string;
  readonly strong: boolean;
  readonly text: string;
  /** What holds once it is made. */
  readonly done: string;
}

/**
 * What a person may want for good after a message: the word that chose the strong
 * model does so no longer, or the word that the message begins with does so too.
 */
export function routeRule(route: ChatRoute, text: string): RouteRule | undefined {
  if (route.kind === 'strong') {
    const { word } = route;
    if (word === undefined || word === '') return undefined;
    return {
      word,
      strong: false,
      text: `Never use the strong model because of “${word}”`,
      done: `“${word}” no longer selects the strong model. You can change this in Settings.`,
    };
  }
  const first = /^\s*(?:please\s+)?(\p{L}[\p{L}\p{N}’'-]*)/iu.exec(text)?.[1]?.toLowerCase();
  if (first === undefined || first.length > MaxRouteWord) return undefined;
  return {
    word: first,
    strong: true,
    text: `Always use the strong model for “${first}”`,
    done: `Messages with “${first}” now go to the strong model. You can change this in Settings.`,
  };
}

/** A duration as a person says it. */
export function duration(ms: number): string {
  const whole = Math.max(1, Math.round(ms));
  if (whole < 1_000) return `${String(whole)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${String(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`;
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** What was used: tokens and cost, as far as the agent says. */
export function usageWords(usage: ChatUsage | undefined): string {
  if (usage === undefined) return '';
  const words: string[] = [];
  const tokens = (usage.input ?? 0) + (usage.output ?? 0);
  if (tokens > 0) words.push(`${compact.format(tokens)} tokens`);
  if (usage.cost !== undefined && usage.cost > 0) words.push(cost(usage.cost, usage.currency));
  return words.join(' · ');
}

/** How full the agent's memory of the conversation is; empty when it does not say. */
export function contextWords(usage: ChatUsage | undefined): string {
  const share = contextShare(usage);
  return share === '' ? '' : `${share} of ${compact.format(usage?.contextSize ?? 0)}`;
}

/** How full the agent's memory is, as a figure alone; empty when that is not known. */
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

/** How a turn ended, in a line. */
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

/** Whether a turn ended as it should. */
export const endedWell = (end: ChatEnd): boolean =>
  end.reason === 'done' || end.reason === 'cancelled';

/** One honest line about a tool call. */
export function toolLine(tool: ChatTool): string {
  const line = tool.line ?? '';
  if (line !== '') return line;
  return tool.title === '' ? tool.kind : tool.title;
}

/** What a tool asks to do, to go behind "wants to". */
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

/** An element that was chosen of several, in a few words. */
export function choiceWords(element: TaskPlainChoice): string {
  const name = element.name === '' ? `@${element.ref}` : `“${element.name}”`;
  const where = element.where ? ` in ${element.where}` : '';
  return `${name}${element.kind ? ` (${element.kind})` : ''}${where}`;
}

/** A time as it is near to now: the clock today, else the day. */
export function moment(at: string, now: Date): string {
  const date = new Date(at);
  const today = date.toDateString() === now.toDateString();
  return today
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString([], { day: 'numeric', month: 'short' });
}
