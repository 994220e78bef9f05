import { maskedCount, SCOPE_WORDS, type ApprovalView, type Decision, type Invocation } from '@countersign/client';
import type { Colour } from './spans.js';

/** `14:05`; with the day when it was not today. */
export function clockWords(at: string, now: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (new Date(now).toDateString() === date.toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

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
  const isUnnamed = decision === undefined || decision.by === '' || decision.by === 'system';
  const by = isUnnamed ? '' : ` by ${decision.by === me ? 'you' : decision.by}`;
  const signed = decision?.outcome === 'approved' ? `signed ${SCOPE_WORDS[decision.scope]}${by}` : undefined;
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
      return { icon: '✗', words: 'failed', colour: 'bad' };
    case 'denied':
      return { icon: '✗', words: `denied${by}`, colour: 'bad' };
    case 'expired':
      return { icon: '✗', words: 'expired, nothing ran', colour: 'bad' };
  }
}

/** `2 secrets are masked…`, from the numbered stand-ins in what is shown (A15). */
export function maskedWords({ arguments: args, preview, message }: ApprovalView): string | undefined {
  const count = maskedCount(JSON.stringify([args, preview ?? '', message]));
  if (count === 0) return undefined;
  return count === 1
    ? '1 secret is masked; the tool gets the real value.'
    : `${count} secrets are masked; the tool gets the real values.`;
}
