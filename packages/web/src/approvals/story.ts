import type { ApprovalView, Decision, Invocation } from '@countersign/client';
import { agoWords } from '../ui/time-words.js';
import type { IconName } from '../ui/icon-paths.js';
import type { Tone } from '../ui/tone.js';

const SCOPES: Readonly<Record<Decision['scope'], string>> = {
  once: 'once',
  session: 'for this chat',
  always: 'always',
};

/** `Approved once by you, 3 s ago`, `Denied by … in the terminal: not this one`. */
export function decisionStory(decision: Decision, now: number, me?: string): string {
  const who = decision.by === 'system' ? '' : ` by ${decision.by === me ? 'you' : decision.by}`;
  const where = whereWords(decision);
  const when = `, ${agoWords(decision.at, now)}`;
  const why = decision.reason === undefined || decision.reason === '' ? '' : `: ${decision.reason}`;
  switch (decision.outcome) {
    case 'approved':
      return `Approved ${SCOPES[decision.scope]}${who}${where}${when}`;
    case 'denied':
      return `Denied${who}${where}${when}${why}`;
    case 'expired':
      return `Expired${when}, nothing ran`;
    case 'superseded':
      return `Asked anew${when}${why}`;
    case 'answered':
      return `Answered${who}${where}${when}`;
  }
}

function whereWords({ by, client }: Decision): string {
  if (client === undefined || by === 'system') return '';
  // A browser that did not say what it is called is known from its session.
  if (client === 'http') return by.startsWith('browser session') ? ' in the web' : '';
  return /^(?:web|terminal|editor)$/i.test(client) ? ` in the ${client.toLowerCase()}` : ` in ${client}`;
}

export interface CallState {
  words: string;
  tone: Tone;
  icon: IconName;
}

/** Where a call stands, in words a person reads at a glance. */
export function callState({ status }: Pick<Invocation, 'status'>, decision: Decision | undefined): CallState {
  const signed = decision?.outcome === 'approved' ? `signed ${SCOPES[decision.scope]}` : undefined;
  switch (status.kind) {
    case 'proposed':
      return { words: 'about to run', tone: 'neutral', icon: 'clock' };
    case 'asked':
      return { words: 'waiting for you', tone: 'amber', icon: 'hourglass' };
    case 'approved':
      return { words: signed ?? 'signed', tone: 'green', icon: 'check' };
    case 'running':
      return { words: 'running', tone: 'blue', icon: 'play' };
    case 'succeeded':
      return { words: signed ?? 'done', tone: 'green', icon: 'check' };
    case 'failed':
      return { words: 'failed', tone: 'red', icon: 'alert' };
    case 'denied':
      return { words: `denied${shortReason(status.reason)}`, tone: 'red', icon: 'ban' };
    case 'expired':
      return { words: 'expired, nothing ran', tone: 'red', icon: 'clock' };
  }
}

const LONGEST_REASON = 48;

function shortReason(reason: string): string {
  if (reason === '' || reason === 'denied') return '';
  return `: ${reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason}`;
}

/** The question about a call that counts: the last one. */
export function lastApproval(
  invocation: Pick<Invocation, 'approvalIds'>,
  find: (id: string) => ApprovalView | undefined,
): ApprovalView | undefined {
  const id = invocation.approvalIds.at(-1);
  return id === undefined ? undefined : find(id);
}
