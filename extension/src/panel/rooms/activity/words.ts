// How the room Activity writes an entry.
import { CodeDenied, type ActivityEntry, type ActivityKind } from '$ui/protocol/protocol';
import type { IconName } from '$ui/icons';
import { oneLine } from '$ui/foreign';
import { commandInWords } from './commands';
import { kindOf } from './match';

export const kinds: readonly { readonly kind: ActivityKind; readonly name: string }[] = [
  { kind: 'command', name: 'Commands' },
  { kind: 'navigation', name: 'Navigations' },
  { kind: 'step', name: 'Steps' },
  { kind: 'question', name: 'Questions' },
  { kind: 'error', name: 'Errors' },
  { kind: 'download', name: 'Downloads' },
];

const icons: Record<string, IconName> = {
  command: 'bolt',
  navigation: 'browser',
  step: 'thought',
  question: 'at',
  error: 'alert',
  download: 'download',
};

export function iconOf(entry: ActivityEntry): IconName {
  return icons[kindOf(entry)] ?? 'info';
}

/** The kind of an entry, in a word. */
export function kindWord(entry: ActivityEntry): string {
  return kindOf(entry);
}

/** The arguments whose names say nothing that their values do not. */
const plain = new Set(['target', 'url', 'text', 'key', 'keys', 'answer', 'state', 'step']);

/** What an entry says, in one line: the command in words, or what happened. */
export function lineOf(entry: ActivityEntry): string {
  const kind = kindOf(entry);
  if (kind === 'navigation' || kind === 'error') return oneLine(entry.summary ?? entry.command);
  if (kind === 'question') return oneLine(entry.summary ?? `${entry.command} asks`);
  if (kind === 'step') {
    const { step, state } = entry.args ?? {};
    const head = step === undefined ? `Task ${oneLine(state ?? '')}` : `Step ${oneLine(step)}`;
    return `${head}: ${oneLine(entry.summary ?? '')}`;
  }
  if (kind === 'download')
    return `${oneLine(entry.summary ?? '')} ${oneLine(entry.args?.state ?? '')}`.trim();
  const said = commandInWords(entry);
  if (said !== undefined) return said;
  const args = Object.entries(entry.args ?? {})
    .sort(([a], [b]) => Number(plain.has(b)) - Number(plain.has(a)) || a.localeCompare(b))
    .map(([name, value]) => (plain.has(name) ? oneLine(value) : `${name}=${oneLine(value)}`));
  return [oneLine(entry.command), ...args].join(' ');
}

/** How long something took; empty when it took no time that is known. */
export function tookOf(entry: ActivityEntry): string {
  const ms = entry.durationMs;
  if (ms <= 0 || (entry.phase !== undefined && entry.phase !== 'answered')) return '';
  if (ms < 1000) return `${String(Math.max(1, Math.round(ms)))} ms`;
  if (ms < 100_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${String(Math.round(ms / 60_000))} min`;
}

/** How an entry ended, where that is not plainly well. */
export function endOf(entry: ActivityEntry): string {
  if (entry.phase === 'waiting') return 'waits';
  if (entry.phase === 'begun') return 'begun';
  // The line of an answer says it.
  if (entry.phase === 'answered') return '';
  if (entry.code === CodeDenied) return 'denied by you';
  if (!entry.ok) return oneLine(entry.code ?? 'failed').replaceAll('_', ' ');
  return '';
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});
const days = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});

/** The time of day of an entry. */
export function timeOf(entry: ActivityEntry): string {
  return clock.format(new Date(entry.time));
}

/** The local day of an entry, as YYYY-MM-DD. */
export function dayOf(entry: ActivityEntry): string {
  const at = new Date(entry.time);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${String(at.getFullYear())}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** A day in words. */
export function dayWord(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return days.format(new Date(year, month - 1, date));
}

/** An entry in the lines that go to an agent. */
export function factsOf(entry: ActivityEntry): string {
  const lines = [
    `${new Date(entry.time).toISOString()} ${oneLine(entry.actor.name)}${entry.tab === undefined ? '' : ` in ${oneLine(entry.tab)}`}`,
    `${kindOf(entry)}: ${oneLine(entry.command)}`,
    ...Object.entries(entry.args ?? {}).map(
      ([name, value]) => `  ${oneLine(name)}: ${oneLine(value)}`,
    ),
    `result: ${endOf(entry) || 'ok'}${tookOf(entry) === '' ? '' : `, ${tookOf(entry)}`}`,
  ];
  if (entry.summary !== undefined && entry.summary !== '')
    lines.push(`said: ${oneLine(entry.summary)}`);
  return lines.join('\n');
}

/** The refs among the arguments of an entry. */
export function refsOf(entry: ActivityEntry): string[] {
  return Object.values(entry.args ?? {}).filter((value) =>
    /^@?(?:f[1-9]\d*)?e[1-9]\d*$/.test(value),
  );
}
