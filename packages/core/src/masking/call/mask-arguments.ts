import { createMemo } from '../create-memo.js';
import { type MaskedCall, maskCall } from './mask-call.js';
import { maskValue } from '../mask-value.js';
import { textAsJson } from '../text-as-json.js';

/** Cache size, in characters of arguments. */
const MAX_REMEMBERED = 4 * 1024 * 1024;

interface ShownArguments extends MaskedCall {
  /** Set if nothing is masked, escaped or abbreviated, so the value is the original (LOG2). */
  isOriginal: boolean;
}

const recent = createMemo(MAX_REMEMBERED, (text): ShownArguments => {
  const value = textAsJson(text);
  // Arguments that aren't JSON are rejected and never run, so mask them as ordinary text.
  if (typeof value === 'string') return { ...maskValue(value), isWhole: true, isOriginal: false };
  const masked = maskCall(value);
  return { ...masked, isOriginal: showsOriginal(masked.value) && JSON.stringify(masked.value) === text };
});

/** Whether recorded arguments contain no mask and are therefore the original. */
export function showsOriginal(shown: unknown): boolean {
  return shown !== undefined && !JSON.stringify(shown).includes('‹');
}

/**
 * Arguments as people, logs and the audit log see them (SAFE6). Cached, because every step of a call shows them. Don't mutate the returned value.
 */
export function maskArguments(argumentsText: string): ShownArguments {
  return recent(argumentsText);
}
