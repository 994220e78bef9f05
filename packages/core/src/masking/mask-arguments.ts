import { createMemo } from './create-memo.js';
import { type MaskedCall, maskCall } from './mask-call.js';
import { textAsJson } from './text-as-json.js';

/** In characters of arguments. */
const MOST_REMEMBERED = 4 * 1024 * 1024;

const recent = createMemo(MOST_REMEMBERED, (text) => maskCall(textAsJson(text)));

/**
 * Arguments as people, logs and the audit see them (A15). Each step of a call's life shows them, so they are masked once and remembered;
 * nobody may change what comes back.
 */
export function maskArguments(argumentsText: string): MaskedCall {
  return recent(argumentsText);
}
