// A time of a schedule as fields, and its short form, such as "mon-fri 09:30".

/** The days of a week in the order of the form, as the short form names them. */
export const weekdays = [
  { id: 'mon', text: 'Monday' },
  { id: 'tue', text: 'Tuesday' },
  { id: 'wed', text: 'Wednesday' },
  { id: 'thu', text: 'Thursday' },
  { id: 'fri', text: 'Friday' },
  { id: 'sat', text: 'Saturday' },
  { id: 'sun', text: 'Sunday' },
] as const;

export type Weekday = (typeof weekdays)[number]['id'];

/** How often a schedule runs. `other`: only the short form says it. */
export type Repeat = 'daily' | 'weekly' | 'monthly' | 'interval' | 'once' | 'other';

export interface Times {
  repeat: Repeat;
  /** The time of day, as 09:30. */
  clock: string;
  days: readonly Weekday[];
  /** The day of the month, or "last". */
  day: string;
  /** A date, as 2026-12-24. */
  date: string;
  /** The length of an interval. */
  count: string;
  unit: 'm' | 'h';
}

/** What the fields have that the short form says nothing about. */
const usual: Times = {
  repeat: 'other',
  clock: '09:00',
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  day: '1',
  date: '',
  count: '30',
  unit: 'm',
};

const ids = weekdays.map(({ id }) => id);

/** The days of "mon-fri,sun"; undefined if these are no days. */
function daysOf(text: string): Weekday[] | undefined {
  const named = { weekdays: 'mon-fri', weekends: 'sat,sun' }[text] ?? text;
  const days = new Set<Weekday>();
  for (const part of named.split(',')) {
    const [from = '', to = from] = part.split('-');
    const first = ids.findIndex((id) => id === from);
    const last = ids.findIndex((id) => id === to);
    if (first < 0 || last < 0) return undefined;
    for (let at = first; ; at = (at + 1) % ids.length) {
      days.add(ids[at] ?? 'mon');
      if (at === last) break;
    }
  }
  return ids.filter((id) => days.has(id));
}

/** The fields of a short form. What they cannot show stays a short form. */
export function timesOf(short: string, before: Times = usual): Times {
  const other: Times = { ...before, repeat: 'other' };
  const words = short.trim().toLowerCase().split(/\s+/);
  const [first = '', second = '', third] = words;
  const interval = /^every ?([1-9]\d*)([mh])$/.exec(words.join(' '));
  if (interval)
    return {
      ...before,
      repeat: 'interval',
      count: interval[1] ?? '',
      unit: interval[2] === 'h' ? 'h' : 'm',
    };
  const clock = words.at(-1) ?? '';
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(clock)) return other;
  if (first === 'monthly' && third !== undefined && words.length === 3)
    return /^(last|[1-9]|[12]\d|3[01])$/.test(second)
      ? { ...before, repeat: 'monthly', day: second, clock }
      : other;
  if (words.length !== 2) return other;
  if (first === 'daily') return { ...before, repeat: 'daily', clock };
  if (/^\d{4}-\d{2}-\d{2}$/.test(first)) return { ...before, repeat: 'once', date: first, clock };
  const days = daysOf(first);
  return days === undefined ? other : { ...before, repeat: 'weekly', days, clock };
}

/** The short form of days: "mon-fri" for days in a row. */
function daysText(days: readonly Weekday[]): string {
  const at = days.map((day) => ids.indexOf(day)).sort((a, b) => a - b);
  const [first, last] = [at[0], at.at(-1)];
  const inRow = first !== undefined && last !== undefined && last - first === at.length - 1;
  if (inRow && at.length > 2) return `${ids[first] ?? ''}-${ids[last] ?? ''}`;
  return at.map((one) => ids[one]).join(',');
}

/** The short form of fields; of `other` it is what was written. */
export function shortOf(times: Times, written: string): string {
  const { clock, day, date, count, unit } = times;
  switch (times.repeat) {
    case 'daily':
      return `daily ${clock}`;
    case 'weekly':
      return `${daysText(times.days)} ${clock}`;
    case 'monthly':
      return `monthly ${day} ${clock}`;
    case 'interval':
      return `every ${count}${unit}`;
    case 'once':
      return `${date} ${clock}`;
    case 'other':
      return written;
  }
}
