import { describe, expect, it } from 'vitest';
import { endOfDay, endText, readEnd, settleEnd, withEnd } from './rule-ends.js';

const NOW = Date.parse('2026-11-19T10:20:30.456Z');

describe('the end of a rule', () => {
  it.each([
    ['2027-01-31', '2027-01-31T00:00Z'],
    ['2027-01-31T18:00Z', '2027-01-31T18:00Z'],
    ['2027-01-31T18:00:05Z', '2027-01-31T18:00:05Z'],
    ['2028-02-29', '2028-02-29T00:00Z'],
  ])('[RULE11.1] reads %s, in UTC', (word, shown) => {
    const at = readEnd(word) ?? Number.NaN;
    expect(endText(at)).toBe(shown);
    expect(readEnd(endText(at))).toBe(at);
  });

  it.each([
    '2027-02-29',
    '2027-13-01',
    '2027-1-31',
    '2027-01-31T24:00Z',
    '2027-01-31T18:60Z',
    '2027-01-31T18:00',
    'soon',
    '',
  ])('[RULE11.1] %j is no end', (word) => expect(readEnd(word)).toBeUndefined());

  it.each([
    ['allow x for 1h', 'allow x until 2026-11-19T11:20:30Z'],
    ['allow x(npm test)   for 30m ', 'allow x(npm test) until 2026-11-19T10:50:30Z'],
    ['allow x writing dist/** for 2d', 'allow x writing dist/** until 2026-11-21T10:20:30Z'],
    ['allow x today', `allow x until ${endText(endOfDay(NOW))}`],
    ['allow x until today', `allow x until ${endText(endOfDay(NOW))}`],
  ])('[RULE11.2] stores %j as a time', (line, stored) => expect(settleEnd(line, NOW)).toBe(stored));

  it.each([
    'allow x for 0h',
    'allow x for 1w',
    'allow x(what is due today)',
    'allow x(wait for 1h)',
    'allow x writing my\\ today',
    'allow x until 2027-01-31',
    '# allow x for 1h',
    '',
  ])('[RULE11.2] leaves %j as it is', (line) => expect(settleEnd(line, NOW)).toBe(line));

  it('[RULE11.2] ends today at midnight, where the program runs', () => {
    const end = new Date(endOfDay(NOW));
    expect([end.getHours(), end.getMinutes(), end.getTime() > NOW]).toEqual([0, 0, true]);
    expect(endOfDay(end.getTime() - 1)).toBe(end.getTime());
  });

  it('[RULE11.2] gives each rule of a proposal the chosen end, and takes it away again', () => {
    const rules = 'allow x(a)\nallow x(b) for 1h';
    const ended = withEnd(rules, 'until 2027-01-31');
    expect(ended).toBe('allow x(a) until 2027-01-31\nallow x(b) until 2027-01-31');
    expect(withEnd(ended, '')).toBe('allow x(a)\nallow x(b)');
    for (const rule of ['allow x(wait until noon)', 'allow x writing "wait until noon"', 'allow x writing due\\ today'])
      expect(withEnd(rule, 'until 2027-01-31')).toBe(`${rule} until 2027-01-31`);
  });
});
