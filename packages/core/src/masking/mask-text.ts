import { scanEnd, scanLimit } from './scan/characters.js';
import { commandAfter } from './scan/command-options.js';
import { createSecretScanner } from './scan/create-secret-scanner.js';
import { createDisplayWriter, displayText, notShown } from './display-form.js';
import type { Masked, MaskOptions } from './masked.js';
import { mayHoldSecret } from './scan/may-hold-secret.js';
import { type ScanMode, plainMode } from './scan/scan-mode.js';
import { type SecretRegistry, createSecretRegistry } from './secret-registry.js';

/**
 * Text as people, logs, the audit log and events may see it (SAFE6). A mask never covers shell operators or expansions, so a secret is shown from
 * its first operator on. Text past the scan limit is withheld, because it wasn't scanned.
 */
export function maskText(text: string, options: MaskOptions = {}): Masked<string> {
  const registry = createSecretRegistry(options.alreadyKnown);
  const { value } = maskTextInto(registry, text, options);
  return { value, secrets: registry.secrets() };
}

/** `ended` is the scanner's state at the end of the text: in a list of arguments, `--password` means that the next one is a secret. */
export function maskTextInto(
  registry: SecretRegistry,
  whole: string,
  options: MaskOptions & { start?: ScanMode; command?: string | undefined; limit?: number },
): { value: string; ended: ScanMode; command: string | undefined } {
  const cut = scanEnd(whole, options.limit ?? scanLimit);
  if (cut < whole.length) {
    const scanned = maskTextInto(registry, whole.slice(0, cut), options);
    return { ...scanned, value: scanned.value + notShown(whole.length - cut) };
  }
  const text = whole;
  const unknown = options.alreadyKnown === undefined || options.alreadyKnown.length === 0;
  if (unknown && options.start === undefined && !mayHoldSecret(text))
    return { value: displayText(text), ended: plainMode, command: commandIn(text) };
  const writer = createDisplayWriter((secret) => registry.numberOf(secret));
  const scanner = createSecretScanner((kind, stretch) => writer.write(kind, stretch), {
    ...(options.alreadyKnown === undefined ? {} : { known: options.alreadyKnown }),
    ...(options.start === undefined ? {} : { start: options.start }),
    command: options.command,
  });
  scanner.push(text);
  const ended = scanner.end();
  return { value: writer.end(), ended, command: scanner.command() };
}

/** The command that a short text names, such as the first element of an argument list. */
export function commandIn(text: string): string | undefined {
  if (text.length > 200) return undefined;
  return text.split(/\s+/).reduce(commandAfter, undefined as string | undefined);
}
