import { describe, expect, it } from 'vitest';
import { nextDue, readTimes } from './next-due.js';

const at = (text: string): number => Date.parse(text);

function series(cron: string, timeZone: string, after: string, count: number): string[] {
  let time = at(after);
  return Array.from({ length: count }, () => {
    time = nextDue({ cron, timeZone }, time) ?? Number.NaN;
    return new Date(time).toISOString().slice(5, 16);
  });
}

describe('daylight saving', () => {
  it('[SCHED3.1] a time that is skipped is due right after the gap', () => {
    expect(series('30 2 * * *', 'Europe/Berlin', '2027-03-27T00:00Z', 3)).toEqual([
      '03-27T01:30',
      '03-28T01:00',
      '03-29T00:30',
    ]);
  });

  it('[SCHED3.1] a time that occurs twice is due once, and an hourly one in both hours', () => {
    expect(series('30 2 * * *', 'Europe/Berlin', '2027-10-30T12:00Z', 2)).toEqual(['10-31T00:30', '11-01T01:30']);
    expect(series('0 * * * *', 'Europe/Berlin', '2027-10-30T23:30Z', 3)).toEqual([
      '10-31T00:00',
      '10-31T01:00',
      '10-31T02:00',
    ]);
  });

  it('[SCHED3] keeps the time of day in its time zone', () => {
    expect(series('0 8 * * 1-5', 'America/New_York', '2027-03-12T20:00Z', 2)).toEqual(['03-15T12:00', '03-16T12:00']);
  });
});

it.each([
  ['neither', {}, 'cron'],
  ['both', { cron: '0 8 * * *', at: '2027-01-02T00:00:00Z' }, 'cron'],
  ['an hour that does not exist', { cron: '0 25 * * *' }, 'cron'],
  ['an endless step', { cron: '*/0 8 * * *' }, 'cron'],
  ['a day that never comes', { cron: '0 8 30 2 *' }, 'cron'],
  ['the past', { at: '2026-12-31T00:00:00Z' }, 'at'],
  ['more than a year', { at: '2028-02-01T00:00:00Z' }, 'at'],
  ['an unknown zone', { cron: '0 8 * * *', timeZone: 'Mars/Olympus' }, 'timeZone'],
])('[SCHED3] refuses %s', (_, given, field) => {
  const read = (): unknown => readTimes({ timeZone: 'UTC', ...given }, at('2027-01-01T00:00Z'));
  expect(read).toThrow(expect.objectContaining({ code: 'invalid', field }));
});
