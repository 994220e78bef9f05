import { scanLimit } from './scan/characters.js';
import { createChunkMasker } from './create-chunk-masker.js';
import { createMemo } from './create-memo.js';

/** Characters that are scanned in one go: some milliseconds for the worst of texts. */
const SLICE = 16 * 1024;
/** In characters, of the texts that were masked last. */
const MOST_REMEMBERED = 8 * 1024 * 1024;

const remembered = createMemo<{ masked: string | undefined }>(MOST_REMEMBERED, () => ({ masked: undefined }));

/** Whether `maskSecrets` would withhold a part of this text, because nobody has masked it in slices yet. */
export function needsSlices(text: string): boolean {
  return text.length > scanLimit && remembered(text).masked === undefined;
}

/** What `maskSlices` made of a long text, if it is remembered. */
export function maskedInSlices(text: string): string | undefined {
  return remembered(text).masked;
}

/** Masks a long text as chat text, one slice a step, and remembers it for `maskSecrets`. */
export function* maskSlices(text: string): Generator<undefined, void> {
  const masker = createChunkMasker({ form: 'chat' });
  let shown = '';
  for (let at = 0; at < text.length; at += SLICE) {
    shown += masker.push(text.slice(at, at + SLICE));
    yield;
  }
  remembered(text).masked = shown + masker.end();
}
