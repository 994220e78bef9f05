import { createMemo } from '../create-memo.js';
import { type MaskedCall, maskCall } from './mask-call.js';
import { maskValue } from '../mask-value.js';
import { textAsJson } from '../text-as-json.js';

/** In characters of arguments. */
const MOST_REMEMBERED = 4 * 1024 * 1024;

const recent = createMemo(MOST_REMEMBERED, (text): MaskedCall => {
  const value = textAsJson(text);
  // What is not JSON is refused and never runs, so it is text like any other.
  return typeof value === 'string' ? { ...maskValue(value), isWhole: true } : maskCall(value);
});

/**
 * Arguments as people, logs and the audit see them (A15). Each step of a call's life shows them, so they are masked once and remembered;
 * nobody may change what comes back.
 */
export function maskArguments(argumentsText: string): MaskedCall {
  return recent(argumentsText);
}
