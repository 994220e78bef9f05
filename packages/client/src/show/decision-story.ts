import type { Decision } from '../state.js';
import { agoWords } from './time-words.js';

/** How far a signature goes, in words. */
export const SCOPE_WORDS: Readonly<Record<Decision['scope'], string>> = {
  once: 'once',
  session: 'for this chat',
  always: 'always',
};

/** `Approved once by you, 3 s ago`, `Denied by … in the terminal: not this one`. */
export function decisionStory(decision: Decision, now: number, me?: string): string {
  const who = decision.by === 'system' || decision.by === '' ? '' : ` by ${decision.by === me ? 'you' : decision.by}`;
  const where = whereWords(decision);
  const when = `, ${agoWords(decision.at, now)}`;
  const why = decision.reason === undefined || decision.reason === '' ? '' : `: ${decision.reason}`;
  switch (decision.outcome) {
    case 'approved':
      return `Approved ${SCOPE_WORDS[decision.scope]}${who}${where}${when}`;
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
  if (client === undefined || by === 'system' || by === '') return '';
  // A browser that did not say what it is called is known from its session.
  if (client === 'http') return by.startsWith('browser session') ? ' in the web' : '';
  return /^(?:web|terminal|editor)$/i.test(client) ? ` in the ${client.toLowerCase()}` : ` in ${client}`;
}
