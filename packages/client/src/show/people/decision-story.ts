import { forText, listNames, type Signature, type Who } from '@countersign/protocol';
import type { Decision } from '../../state/state.js';
import { agoText, secondsText } from '../time-text.js';
import { fromText, nameOf } from './who-text.js';

/** How long an approval applies, as displayed. */
const SCOPE_WORDS: Readonly<Record<Decision['scope'], string>> = {
  once: 'once',
  session: 'for this chat',
  always: 'always',
};

/** `Approved once by you, 3 s ago`, `Denied by …, from the terminal, 3 s ago: not this one`. `me`: the reader's id. */
export function decisionStory(decision: Decision, now: number, me?: string): string {
  const isShared = decision.signers !== undefined;
  const under = decision.by?.kind === 'agent' ? underText(decision.rule) : '';
  const who = isShared ? ` by ${signersText(decision.signers, me)}${under}` : byText(decision, me);
  const where = isShared ? '' : whereText(decision);
  const when = `, ${agoText(decision.at, now)}`;
  const why = decision.reason === undefined || decision.reason === '' ? '' : `: ${decision.reason}`;
  switch (decision.outcome) {
    case 'approved':
      if (decision.released !== undefined)
        return `A${releasedText(decision, me).slice(1)}${where}${when}${ruleText(decision.released)}`;
      return `Approved ${SCOPE_WORDS[decision.scope]}${who}${where}${when}`;
    case 'denied':
      return `Denied${who}${where}${when}${why}`;
    case 'expired':
      return `E${expiredText(decision).slice(1)}`;
    case 'superseded':
      return decision.editedArguments === undefined
        ? `Needs approval again${when}: the call changed after it was shown`
        : `Edited${who}${where}${when}. The edited call needs approval`;
    case 'answered':
      return `Answered${who}${where}${when}`;
  }
}

/** `approved once by you`, or `allowed by a rule written by ada` if a rule or grant released the call. */
export function approvedText(decision: Decision, me?: string): string {
  if (decision.released !== undefined) return releasedText(decision, me);
  return `approved ${SCOPE_WORDS[decision.scope]}${byText(decision, me)}`;
}

/** Like `approvedText`, without the name. */
export function scopeText({ scope, released }: Pick<Decision, 'scope' | 'released'>): string {
  if (released === undefined) return `approved ${SCOPE_WORDS[scope]}`;
  return scope === 'session' ? 'allowed for this chat' : 'allowed by a rule';
}

function releasedText(decision: Decision, me: string | undefined): string {
  const by = byText(decision, me);
  return `${scopeText(decision)}${by === '' || decision.scope === 'session' ? by : ` written${by}`}`;
}

function ruleText({ rule }: NonNullable<Decision['released']>): string {
  return rule === undefined ? '' : `: ${rule}`;
}

/** `expired after 30 s, nothing ran` (CALL11). */
export function expiredText(decision: Decision | undefined): string {
  const waited = decision?.waitedMs === undefined ? '' : ` after ${secondsText(decision.waitedMs)}`;
  return `expired${waited}, nothing ran`;
}

interface Deciders {
  readonly by?: Who | undefined;
  readonly signers?: readonly (Who & Pick<Signature, 'for'>)[] | undefined;
  /** The rule that lets an agent decide. */
  readonly rule?: string | undefined;
}

/** ` by Ada Lovelace`, or ` by you and Bob` if several people signed. Empty if no person decided, or if it isn't known yet who did. */
export function byText({ by, signers, rule }: Deciders, me?: string): string {
  if (by === undefined || by.kind === 'system') return '';
  const names = listNames((signers ?? [by]).map((who) => youOr(who, me)));
  return ` by ${names}${by.kind === 'agent' ? underText(rule) : ''}`;
}

/** `Stopped by Ada Lovelace`: an answer that was stopped before it was complete, or a chat. */
export function stoppedText(by: Who, me?: string): string {
  return `Stopped${byText({ by }, me)}`;
}

function underText(rule: string | undefined): string {
  return rule === undefined ? '' : ` under the rule ${rule}`;
}

/** `you, from Chrome on Linux, and Ada Lovelace, from the terminal`. */
function signersText(signers: readonly Signature[], me: string | undefined): string {
  const each = signers.map((who) => `${youOr(who, me)}${who.kind === 'agent' ? '' : fromText(who.via)}`);
  return each.length < 2 ? each.join('') : `${each.slice(0, -1).join(', ')}, and ${each.at(-1)}`;
}

function youOr(who: Who & Pick<Signature, 'for'>, me: string | undefined): string {
  // An agent can have the id of a person.
  return who.kind !== 'agent' && who.id !== '' && who.id === me ? `you${forText(who)}` : nameOf(who);
}

function whereText({ by, via }: Decision): string {
  return by === undefined || by.kind === 'system' || by.kind === 'agent' ? '' : fromText(via);
}
