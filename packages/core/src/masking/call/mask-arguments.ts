import { createMemo } from '../create-memo.js';
import { type MaskedCall, maskCall } from './mask-call.js';
import { maskValue } from '../mask-value.js';
import { textAsJson } from '../text-as-json.js';

/** In characters of arguments. */
const MOST_REMEMBERED = 4 * 1024 * 1024;

interface ShownArguments extends MaskedCall {
  /** Nothing is masked, escaped or counted, so they are the original (A40). */
  isOriginal: boolean;
}

const recent = createMemo(MOST_REMEMBERED, (text): ShownArguments => {
  const value = textAsJson(text);
  // What is not JSON is refused and never runs, so it is text like any other.
  if (typeof value === 'string') return { ...maskValue(value), isWhole: true, isOriginal: false };
  const masked = maskCall(value);
  return { ...masked, isOriginal: showsOriginal(masked.value) && JSON.stringify(masked.value) === text };
});

/** True if recorded arguments have no mask in them, so they are exactly what was called. */
export function showsOriginal(shown: unknown): boolean {
  return shown !== undefined && !JSON.stringify(shown).includes('‹');
}

/**
 * Arguments as people, logs and the audit see them (A15). Each step of a call's life shows them, so they are masked once and remembered;
 * nobody may change what comes back.
 */
export function maskArguments(argumentsText: string): ShownArguments {
  return recent(argumentsText);
}
