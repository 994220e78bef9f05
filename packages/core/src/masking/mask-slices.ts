import { scanLimit } from './scan/characters.js';
import { createChunkMasker } from './create-chunk-masker.js';
import { createMemo } from './create-memo.js';

/** Characters scanned per step: a few milliseconds in the worst case. */
const SLICE = 16 * 1024;
/** Cache size, in characters of recently masked texts. */
const MAX_REMEMBERED = 8 * 1024 * 1024;

const remembered = createMemo<{ masked: string | undefined }>(MAX_REMEMBERED, () => ({ masked: undefined }));

/** Whether `maskSecrets` would withhold part of this text because it hasn't been masked in slices yet. */
export function needsSlices(text: string): boolean {
  return text.length > scanLimit && remembered(text).masked === undefined;
}

/** The cached result of `maskSlices`, if any. */
export function maskedInSlices(text: string): string | undefined {
  return remembered(text).masked;
}

/** Masks a long text as chat text, one slice per step, and caches it for `maskSecrets`. */
export function* maskSlices(text: string): Generator<undefined, void> {
  const masker = createChunkMasker({ form: 'chat' });
  let shown = '';
  for (let at = 0; at < text.length; at += SLICE) {
    shown += masker.push(text.slice(at, at + SLICE));
    yield;
  }
  remembered(text).masked = shown + masker.end();
}
