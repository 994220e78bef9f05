import { scanEnd, scanLimit } from './scan/characters.js';
import { createSecretScanner } from './scan/create-secret-scanner.js';
import { type TextForm, createDisplayWriter, notShown } from './display-form.js';
import type { MaskOptions } from './masked.js';
import { createForgetfulRegistry, createSecretRegistry } from './secret-registry.js';

export interface ChunkMaskerOptions extends MaskOptions {
  /** The concatenated `display` chunks equal `maskText`, the `chat` chunks `maskSecrets`. */
  form?: TextForm;
}

export interface ChunkMasker {
  push(chunk: string): string;
  /** Returns the text that was held back. Don't call `push` afterwards. */
  end(): string;
}

/**
 * Masks a stream. The concatenated output equals `maskText` (or `maskSecrets`) of the whole text, however it is split into chunks, with two
 * exceptions: a chunk over the scan limit is truncated, and numbers differ after 1,000 secrets. Holds back at most 16 KiB of an unfinished word
 * or secret.
 */
export function createChunkMasker(options: ChunkMaskerOptions = {}): ChunkMasker {
  const registry =
    options.alreadyKnown === undefined ? createForgetfulRegistry() : createSecretRegistry(options.alreadyKnown);
  const writer = createDisplayWriter((secret) => registry.numberOf(secret), options.form);
  const scanner = createSecretScanner(
    (kind, text) => writer.write(kind, text),
    options.alreadyKnown === undefined ? {} : { known: options.alreadyKnown },
  );
  return {
    push(chunk) {
      const cut = scanEnd(chunk, scanLimit);
      scanner.push(chunk.slice(0, cut));
      const shown = writer.take();
      return cut === chunk.length ? shown : shown + notShown(chunk.length - cut);
    },
    end() {
      scanner.end();
      return writer.end();
    },
  };
}
