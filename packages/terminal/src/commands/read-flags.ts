import { CommandError } from '../command-error.js';
import { suggestion } from '../text/suggest.js';
import { errors } from '../words/errors.js';

export function readNumber(text: string, flag: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new CommandError(errors.notANumber(flag, text));
  return number;
}

/** An integer of at least 1. */
export function readCount(text: string, flag: string): number {
  const number = readNumber(text, flag);
  if (!Number.isSafeInteger(number) || number < 1) throw new CommandError(errors.notACount(flag, text));
  return number;
}

/** One of a list of choices. */
export function readChoice<const T extends string>(text: string, flag: string, choices: readonly T[]): T {
  const chosen = choices.find((choice) => choice === text);
  if (chosen === undefined) throw new CommandError(errors.notAChoice(flag, text, suggestion(text, choices)));
  return chosen;
}

/** A duration in seconds, or with a unit: `90`, `90s`, `5m`, `2h`, `300ms`. Returns milliseconds. */
export function readDuration(text: string, flag: string): number {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  if (found === null) throw new CommandError(errors.notADuration(flag, text));
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[found[2] ?? 's'] ?? 1000;
  return Math.min(Number(found[1]) * unit, 2_147_483_647);
}

export function readRecord(text: string, flag: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The error is reported below.
  }
  throw new CommandError(errors.notAnObject(flag));
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new CommandError(errors.notAPort(text));
}

/** Collects the values of a flag that may be repeated. */
export function again(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
