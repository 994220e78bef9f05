import { createCleaner, type Cleaner } from './create-cleaner.js';
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

/** As many values of a result are looked at: more than fit into the limit of 64 KiB, and few enough not to block the process. */
const mostValues = 20_000;

/**
 * What the model gets of a call (T13, T14): JSON text, `{"result":…}` or `{"error":…,"reason":…,"outcome":…}`, so that nothing a tool says can pose
 * as a message. Always valid JSON within the limit (of at least 64 bytes; a smaller one gets `{}`), never throws.
 */
export function frameResult(outcome: ToolOutcome, options: FrameOptions): string {
  const limit = options.limitBytes;
  const { clean, cap } = createCleaner(options.ownSecrets, limit);
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
  const whole = JSON.stringify(Object.fromEntries(frame));
  if (utf8Length(whole) <= limit) return whole;
  // Texts of a few bytes each tell nothing: then better one long text of the whole.
  return fitting(frame, cap, limit, 32) ?? fitting(asTexts(frame), cap, limit, 0) ?? '{}';
}

/** The frame with every text in it cut to the same length, the greatest with which it fits, if that is not below `least`. */
function fitting(
  frame: ReadonlyMap<string, Plain>,
  cap: Cleaner['cap'],
  limit: number,
  least: number,
): string | undefined {
  const at = (length: number): string | undefined => {
    const text = write(frame, cap, length);
    return utf8Length(text) <= limit ? text : undefined;
  };
  let fits = at(least);
  if (fits === undefined) return undefined;
  let low = least + 1;
  let high = limit;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const text = at(middle);
    if (text === undefined) high = middle - 1;
    else {
      fits = text;
      low = middle + 1;
    }
  }
  return fits;
}

function write(frame: ReadonlyMap<string, Plain>, cap: Cleaner['cap'], textLimit: number): string {
  return JSON.stringify(Object.fromEntries(frame), (_key, value: unknown) =>
    typeof value === 'string' ? cap(value, textLimit) : value,
  );
}

function asTexts(frame: ReadonlyMap<string, Plain>): ReadonlyMap<string, Plain> {
  return new Map([...frame].map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]));
}
