import type { Redirect } from 'unbash';
import { literalValue } from './literal-value.js';
import type { Reason } from './node-kinds.js';

/** What a redirection means for the call: nothing, or why it is asked and which path it names. */
export type RedirectReading = { readonly reason: Reason; readonly path?: string } | undefined;

/** Only what joins the two outputs, or throws them away, leaves no trace. */
export function readRedirect({ operator, descriptor, target }: Redirect): RedirectReading {
  const value = target === undefined ? undefined : literalValue(target.text);
  const from = descriptor?.type === 'FileDescriptor' ? descriptor.value : undefined;
  const ordinary = descriptor === undefined || from === 0 || from === 1 || from === 2;
  if (ordinary && value === '/dev/null') return undefined;
  // Further ones belong to whoever started the shell.
  if (ordinary && operator === '>&' && (value === '1' || value === '2')) return undefined;
  const reads = operator === '<' || operator === '<&';
  const why = { code: reads ? 'input-from-file' : 'output-to-file' } as const;
  if (value === undefined) return { reason: { why, told: false }, path: target?.value ?? '' };
  return { reason: { why, told: true }, path: value };
}
