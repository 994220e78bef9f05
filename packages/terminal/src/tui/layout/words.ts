import { byWords, expiredWords, signedWords, type Decision, type Invocation } from '@countersign/client';
import type { Colour } from './spans.js';

export interface CallLook {
  readonly icon: string;
  readonly words: string;
  readonly colour?: Colour;
}

/** Where a call stands, at a glance. */
export function callLook(
  { status }: Pick<Invocation, 'status'>,
  decision: Decision | undefined,
  me: string | undefined,
): CallLook {
  const by = decision === undefined ? '' : byWords(decision, me);
  const signed = decision?.outcome === 'approved' ? signedWords(decision, me) : undefined;
  switch (status.kind) {
    case 'proposed':
      return { icon: '○', words: 'about to run' };
    case 'asked':
      return { icon: '⏳', words: 'waiting for you', colour: 'waiting' };
    case 'approved':
      return { icon: '✓', words: signed ?? 'signed', colour: 'good' };
    case 'running':
      return { icon: '●', words: 'running', colour: 'do' };
    case 'succeeded':
      return {
        icon: '✓',
        words: signed ?? (decision?.outcome === 'answered' ? `answered${by}` : 'done'),
        colour: 'good',
      };
    case 'failed':
      if (status.outcome === 'stopped') return { icon: '■', words: 'stopped' };
      return { icon: '✗', words: 'failed', colour: 'bad' };
    case 'denied':
      return { icon: '✗', words: `denied${by}`, colour: 'bad' };
    case 'expired':
      return { icon: '✗', words: expiredWords(decision), colour: 'bad' };
  }
}
