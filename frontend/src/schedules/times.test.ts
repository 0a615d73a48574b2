import { describe, expect, it } from 'vitest';
import { shortOf, timesOf, type Times } from './times';

describe('a time of a schedule', () => {
  it.each<[string, Partial<Times>]>([
    ['daily 09:30', { repeat: 'daily', clock: '09:30' }],
    ['mon-fri 23:05', { repeat: 'weekly', days: ['mon', 'tue', 'wed', 'thu', 'fri'] }],
    ['mon,thu 08:00', { repeat: 'weekly', days: ['mon', 'thu'] }],
    ['monthly last 18:00', { repeat: 'monthly', day: 'last', clock: '18:00' }],
    ['monthly 31 18:00', { repeat: 'monthly', day: '31' }],
    ['every 30m', { repeat: 'interval', count: '30', unit: 'm' }],
    ['every 2h', { repeat: 'interval', count: '2', unit: 'h' }],
    ['2026-12-24 18:00', { repeat: 'once', date: '2026-12-24', clock: '18:00' }],
  ])('“%s” has fields, and is written like this again', (short, fields) => {
    const times = timesOf(short);
    expect(times).toMatchObject(fields);
    expect(shortOf(times, '')).toBe(short);
  });

  it.each(['mon-fri 09:00,13:00', 'every 1h30m', 'monthly 32 18:00', 'soon', '', 'daily 25:00'])(
    '“%s” stays as it was written',
    (short) => {
      const times = timesOf(short);
      expect(times.repeat).toBe('other');
      expect(shortOf(times, short)).toBe(short);
    },
  );

  it('reads other words for days', () => {
    expect(timesOf('Weekends 10:00').days).toEqual(['sat', 'sun']);
    expect(timesOf('sat-mon 10:00').days).toEqual(['mon', 'sat', 'sun']);
  });
});
