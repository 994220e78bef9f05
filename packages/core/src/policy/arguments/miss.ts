import type { RuleMiss } from '@countersign/protocol';
import type { MatchableCall, MatchableSubject } from '../matchable-call.js';

/** Why a rule does not apply to a call. */
export type Miss = Pick<RuleMiss, 'code' | 'argument'>;

/** A folded value that an argument must have for all conditions to be met, unless it is compared as a path or host. */
export interface NamedKey {
  readonly name: string;
  readonly text: string;
}

/** Compiled conditions on named arguments. */
export interface NamedMatcher {
  readonly key?: NamedKey;
  /** The first condition that isn't met, or undefined if all are. */
  readonly misses: (call: MatchableCall) => Miss | undefined;
  /** Whether an allow rule whose conditions are met covers this subject. */
  readonly covers: (subject: MatchableSubject, call: MatchableCall) => boolean;
}
