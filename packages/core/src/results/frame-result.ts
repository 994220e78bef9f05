import { capText } from './cap-text.js';
import { cleanText } from './clean-text.js';
import { type Plain, toPlain } from './to-plain.js';
import { utf8Length } from './utf8-length.js';

export type ToolOutcome =
  | { ok: true; result: unknown }
  | { ok: false; error: string; reason?: string; outcome?: string; result?: unknown };

export interface FrameOptions {
  limitBytes: number;
  /** Our own tokens: what a tool finds of them never reaches a model. */
  ownSecrets: readonly string[];
}

/** As many values of a result are looked at: enough to keep the end of any list, and an end for a result that has none. */
const mostValues = 100_000;

/**
 * What the model gets of a call (T13, T14): JSON text, `{"result":…}` or `{"error":…,"reason":…,"outcome":…}`, so that nothing a tool says can pose
 * as a message. Always valid JSON within the limit (of at least 64 bytes; a smaller one gets `{}`), never throws.
 */
export function frameResult(outcome: ToolOutcome, options: FrameOptions): string {
  const clean = cleaner(options.ownSecrets);
  const limit = options.limitBytes;
  const frame = new Map<string, Plain>();
  if (!outcome.ok) {
    frame.set('error', clean(outcome.error));
    if (outcome.reason !== undefined) frame.set('reason', clean(outcome.reason));
    if (outcome.outcome !== undefined) frame.set('outcome', outcome.outcome);
  }
  if (outcome.ok || outcome.result !== undefined) {
    const result = outcome.result === undefined ? null : toPlain(outcome.result, clean, mostValues);
    frame.set('result', result);
  }
  const whole = write(frame, Infinity);
  if (utf8Length(whole) <= limit) return whole;
  // Texts of a few bytes each tell nothing: then better one long text of the whole.
  const texts = new Map([...frame].map(([key, value]) => [key, asText(value)]));
  return fitting(frame, limit, 32) ?? fitting(texts, limit, 0) ?? '{}';
}

function cleaner(ownSecrets: readonly string[]): (text: string) => string {
  // The longest first: one that begins with another would otherwise leave its end behind.
  const secrets = [...ownSecrets, ...ownSecrets.map(cleanText)]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length);
  // Cleaned before it is searched: a colour in the middle of a token would hide it from the search and then go.
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, () => '‹masked›'), cleanText(text));
}

/** The frame with every text in it cut to the same length, the greatest with which it fits, if that is not below `least`. */
function fitting(frame: ReadonlyMap<string, Plain>, limit: number, least: number): string | undefined {
  let fits: string | undefined;
  let low = least;
  let high = limit;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const text = write(frame, middle);
    if (utf8Length(text) <= limit) {
      fits = text;
      low = middle + 1;
    } else high = middle - 1;
  }
  return fits;
}

function write(frame: ReadonlyMap<string, Plain>, textLimit: number): string {
  return JSON.stringify(Object.fromEntries(frame), (_key, value: unknown) =>
    typeof value === 'string' ? capText(value, textLimit) : value,
  );
}

function asText(value: Plain): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
