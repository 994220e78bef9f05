import { scanEnd, scanLimit } from './scan/characters.js';
import { createSecretScanner } from './scan/create-secret-scanner.js';
import { type TextForm, createDisplayWriter, notShown } from './display-form.js';
import type { MaskOptions } from './masked.js';
import { createForgetfulRegistry, createSecretRegistry } from './secret-registry.js';

export interface ChunkMaskerOptions extends MaskOptions {
  /** `display` adds up to what `maskText` shows, `chat` to what `maskSecrets` gives. */
  form?: TextForm;
}

export interface ChunkMasker {
  push(chunk: string): string;
  /** What was held back. Nothing may be pushed after it. */
  end(): string;
}

/**
 * Masks a stream. However it is cut into chunks, all that comes out adds up to `maskText` (or `maskSecrets`) of the whole (past 1,000 different secrets only
 * their numbers differ), unless one chunk exceeds the scan limit: the rest of that chunk is withheld. Held back are: the unfinished word, at most 16 KiB of it; a secret that may go on, likewise; blanks, as a count.
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
