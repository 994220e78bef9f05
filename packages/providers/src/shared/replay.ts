import type { ModelToolCall } from '@countersign/core/ports';
import { isRecord } from './records.js';

/**
 * One part of an answer, in order, as stored in `providerState`. `sealed` comes from the vendor: a thinking block or a signature. Texts are
 * stored to detect later changes to the message.
 */
export type Slot =
  | { kind: 'text'; text: string; sealed?: unknown }
  | { kind: 'call'; name: string; sealed?: unknown }
  | { kind: 'sealed'; sealed: unknown };

export type Piece =
  | { kind: 'text'; text: string; sealed?: unknown }
  | { kind: 'call'; call: ModelToolCall; sealed?: unknown }
  | { kind: 'sealed'; sealed: unknown };

/** The state to store, if the vendor signed any part. */
export function stateOf(slots: readonly Slot[]): { providerState?: unknown } {
  return slots.some(({ sealed }) => sealed !== undefined) ? { providerState: { version: 1, slots } } : {};
}

/** The text of all thinking parts, for people. */
export function thinkingOf(parts: readonly string[]): { thinking?: string } {
  const thinking = parts.filter((part) => part.trim() !== '').join('\n\n');
  return thinking === '' ? {} : { thinking };
}

/**
 * Rebuilds a past answer with its signed parts unchanged and in place. Calls may have been removed (WORLD14). Plain text that was changed (WORLD5) is sent
 * without them, because the thinking no longer matches it.
 */
export function replay(state: unknown, content: string, calls: readonly ModelToolCall[]): Piece[] {
  const slots = readSlots(state);
  const texts = slots.map((slot) => (slot.kind === 'text' ? slot.text : '')).join('');
  const rest = [...calls];
  if (texts === content) {
    const pieces = slots.flatMap((slot): Piece[] => (slot.kind === 'call' ? takeCall(rest, slot) : [slot]));
    return [...pieces, ...rest.map((call): Piece => ({ kind: 'call', call }))];
  }
  const text: Piece = { kind: 'text', text: content };
  if (calls.length === 0) return [text];
  const sealed = slots.filter((slot) => slot.kind === 'sealed');
  const sealedCalls = slots.flatMap((slot): Piece[] => (slot.kind === 'call' ? takeCall(rest, slot) : []));
  return [...sealed, text, ...sealedCalls, ...rest.map((call): Piece => ({ kind: 'call', call }))];
}

/** Calls keep their order: either the first remaining one matches, or the slot's call was removed. */
function takeCall(rest: ModelToolCall[], slot: Extract<Slot, { kind: 'call' }>): Piece[] {
  if (rest[0]?.function.name !== slot.name) return [];
  const call = rest.shift();
  if (call === undefined) return [];
  return [{ kind: 'call', call, ...(slot.sealed === undefined ? {} : { sealed: slot.sealed }) }];
}

/** Ignores state from another version or source. */
function readSlots(state: unknown): Slot[] {
  if (!isRecord(state) || state['version'] !== 1 || !Array.isArray(state['slots'])) return [];
  return state['slots'].filter(isSlot);
}

function isSlot(value: unknown): value is Slot {
  if (!isRecord(value)) return false;
  switch (value['kind']) {
    case 'text':
      return typeof value['text'] === 'string';
    case 'call':
      return typeof value['name'] === 'string';
    default:
      return value['kind'] === 'sealed' && value['sealed'] !== undefined;
  }
}
