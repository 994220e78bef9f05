import type { Attachment } from '@countersign/protocol';
import { createCleaner, type Cleaner } from './create-cleaner.js';
import { type Plain, toPlain } from './to-plain.js';
import { utf8Length } from './utf8-length.js';

export type ToolOutcome = (
  | { ok: true; result: unknown; outcome?: 'not-reported' }
  | { ok: false; error: string; reason?: string; outcome?: string; result?: unknown }
) & { attachments?: readonly Attachment[] };

export interface FrameOptions {
  limitBytes: number;
  /** Our own tokens. They must never reach a model. */
  ownSecrets: readonly string[];
}

/** The maximum number of values to read from a result: more than fit into 64 KiB, and few enough not to block the process. */
const mostValues = 20_000;

/**
 * The result for the model (TURN13, TURN14): `{"result":…}` or `{"error":…,"reason":…,"outcome":…}` as JSON text, so that tool output can't pose as a message.
 * Descriptions of attachments follow at the end.
 * Always valid JSON within the limit (at least 64 bytes; a smaller limit gives `{}`). Never throws.
 */
export function frameResult(outcome: ToolOutcome, options: FrameOptions): string {
  const { attachments = [] } = outcome;
  if (attachments.length === 0) return frameText(outcome, options);
  // Never truncated, because the ids must stay valid. Their number is limited.
  const files = `,"attachments":${JSON.stringify(attachments)}}`;
  const limitBytes = options.limitBytes - utf8Length(files);
  if (limitBytes < LEAST_BYTES) return frameText(outcome, options);
  return frameText(outcome, { ...options, limitBytes }).slice(0, -1) + files;
}

/** Enough for a frame with a short text. */
const LEAST_BYTES = 256;

function frameText(outcome: ToolOutcome, options: FrameOptions): string {
  const limit = options.limitBytes;
  const { clean, cap } = createCleaner(options.ownSecrets, limit);
  const frame = new Map<string, Plain>();
  if (!outcome.ok) {
    frame.set('error', clean(outcome.error));
    if (outcome.reason !== undefined) frame.set('reason', clean(outcome.reason));
  }
  if (outcome.outcome !== undefined) frame.set('outcome', outcome.outcome);
  if (outcome.ok || outcome.result !== undefined) {
    const result = outcome.result === undefined ? null : toPlain(outcome.result, clean, mostValues);
    frame.set('result', result);
  }
  const whole = JSON.stringify(Object.fromEntries(frame));
  if (utf8Length(whole) <= limit) return whole;
  // If each text would be cut to a few bytes, use one long text for the whole result instead.
  return fitting(frame, cap, limit, 32) ?? fitting(asTexts(frame), cap, limit, 0) ?? '{}';
}

/** Truncates all texts to the same length, the longest that fits. Undefined if that length is below `least`. */
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
