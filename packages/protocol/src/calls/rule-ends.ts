import { isRule } from './rule-lines.js';

const TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d))?Z)?$/;

/** The milliseconds of `2027-01-31` (as that day starts) or `2027-01-31T18:00Z`, in UTC. Undefined for anything else, such as 31 February. */
export function readEnd(word: string): number | undefined {
  const [, date, time = '00:00', seconds = '00'] = TIME.exec(word) ?? [];
  if (date === undefined) return undefined;
  const text = `${date}T${time}:${seconds}.000Z`;
  const at = Date.parse(text);
  return Number.isNaN(at) || new Date(at).toISOString() !== text ? undefined : at;
}

/** The time as a rule states it, rounded down to a second. `readEnd` reads it back. */
export function endText(at: number): string {
  return new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/:00Z$/, 'Z');
}

const RELATIVE = /(?<!\\)[ \t]+(?:for[ \t]+(\d{1,4})([mhd])|(?:until[ \t]+)?(today))[ \t]*$/;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Replaces `for 1h` (or `30m`, `2d`) and `today` at the end of a rule by the time that they stand for, because a stored rule must not depend on when it is
 * read. `today` is the day where this program runs. Other lines stay as they are.
 */
export function settleEnd(line: string, now: number): string {
  const found = isRule(line) ? RELATIVE.exec(line) : null;
  if (found === null) return line;
  const [, count, unit = ''] = found;
  const at = count === undefined ? endOfDay(now) : now + Number(count) * (UNITS[unit] ?? 0);
  return at < now + 1000 ? line : `${line.slice(0, found.index)} until ${endText(at)}`;
}

/** The end of the day, where this program runs. */
export function endOfDay(now: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
}

/** Not the end of a pattern, as in `(wait until noon)`. */
const END = /(?<!\\)[ \t]+(?:until[ \t]+[^\s()"'\\]+|for[ \t]+\d+[mhd]|today)[ \t]*$/;

/** Rules, one per line, with this end instead of their own, such as `until 2027-01-31`; an empty one stands for none. */
export function withEnd(rules: string, end: string): string {
  return rules
    .split('\n')
    .map((line) => (isRule(line) ? `${line.replace(END, '')} ${end}`.trimEnd() : line))
    .join('\n');
}
