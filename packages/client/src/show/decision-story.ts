import type { Decision } from '../state.js';
import { agoWords, secondsWords } from './time-words.js';

/** How far a signature goes, in words. */
export const SCOPE_WORDS: Readonly<Record<Decision['scope'], string>> = {
  once: 'once',
  session: 'for this chat',
  always: 'always',
};

/** `Approved once by you, 3 s ago`, `Denied by … in the terminal: not this one`. */
export function decisionStory(decision: Decision, now: number, me?: string): string {
  const who = byWords(decision, me);
  const where = whereWords(decision);
  const when = `, ${agoWords(decision.at, now)}`;
  const why = decision.reason === undefined || decision.reason === '' ? '' : `: ${decision.reason}`;
  switch (decision.outcome) {
    case 'approved':
      return `Approved ${SCOPE_WORDS[decision.scope]}${who}${where}${when}`;
    case 'denied':
      return `Denied${who}${where}${when}${why}`;
    case 'expired':
      return `E${expiredWords(decision).slice(1)}`;
    case 'superseded':
      return `Needs approval again${when}: the call changed after it was shown`;
    case 'answered':
      return `Answered${who}${where}${when}`;
  }
}

/** `signed once by you`: who signed, and how far that goes. */
export function signedWords(decision: Decision, me?: string): string {
  return `signed ${SCOPE_WORDS[decision.scope]}${byWords(decision, me)}`;
}

/** `expired after 30 s, nothing ran` (A11). */
export function expiredWords(decision: Decision | undefined): string {
  const waited = decision?.waitedMs === undefined ? '' : ` after ${secondsWords(decision.waitedMs)}`;
  return `expired${waited}, nothing ran`;
}

/** ` by ada`; nothing where no person decided. */
export function byWords({ by }: Pick<Decision, 'by'>, me?: string): string {
  return by === 'system' || by === '' ? '' : ` by ${by === me ? 'you' : by}`;
}

function whereWords({ by, client }: Decision): string {
  if (client === undefined || by === 'system' || by === '') return '';
  // A program that sent the token without registering as a client.
  if (client === 'http') return '';
  return /^(?:web|terminal|editor)$/i.test(client) ? ` in the ${client.toLowerCase()}` : ` in ${client}`;
}
