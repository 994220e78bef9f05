import type { Redirect } from 'unbash';
import { literalValue } from './literal-value.js';
import type { Reason } from './node-kinds.js';

/** The effect of a redirection: undefined if harmless, otherwise why it needs approval and which path it names. */
export type RedirectReading = { readonly reason: Reason; readonly path?: string } | undefined;

/** Only merging stdout and stderr, or discarding them, is harmless. */
export function readRedirect({ operator, descriptor, target }: Redirect): RedirectReading {
  const value = target === undefined ? undefined : literalValue(target.text);
  const from = descriptor?.type === 'FileDescriptor' ? descriptor.value : undefined;
  const ordinary = descriptor === undefined || from === 0 || from === 1 || from === 2;
  if (ordinary && value === '/dev/null') return undefined;
  // Other descriptors belong to the process that started the shell.
  if (ordinary && operator === '>&' && (value === '1' || value === '2')) return undefined;
  const reads = operator === '<' || operator === '<&';
  const why = { code: reads ? 'input-from-file' : 'output-to-file' } as const;
  if (value === undefined) return { reason: { why, told: false }, path: target?.value ?? '' };
  return { reason: { why, told: true }, path: value };
}
