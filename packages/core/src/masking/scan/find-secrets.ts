import { createSecretScanner, type ScannerOptions } from './create-secret-scanner.js';
import type { ScanMode } from './scan-mode.js';
import type { Span } from './spans.js';

export interface FoundSecrets {
  /** Sorted and disjoint. */
  spans: Span[];
  /** The scanner's state at the end of the text. */
  ended: ScanMode;
  command: string | undefined;
}

/** Finds the secrets in a text. All lines of a private key form one secret. */
export function findSecrets(text: string, options: ScannerOptions): FoundSecrets {
  const spans: Span[] = [];
  let at = 0;
  let joined = false;
  const scanner = createSecretScanner((kind, piece) => {
    const last = spans.at(-1);
    if (kind === 'secret') {
      if (last !== undefined && (joined || last[1] === at)) spans[spans.length - 1] = [last[0], at + piece.length];
      else spans.push([at, at + piece.length]);
    }
    joined = kind === 'joint' && last !== undefined && (joined || last[1] === at);
    at += piece.length;
  }, options);
  scanner.push(text);
  const ended = scanner.end();
  return { spans, ended, command: scanner.command() };
}
