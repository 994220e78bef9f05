import type { RuleMiss } from '@countersign/protocol';
import type { PreparedCall, PreparedSubject } from '../prepare-call.js';

/** Why a rule does not apply to a call. */
export type Miss = Pick<RuleMiss, 'code' | 'argument'>;

/** A value that an argument must have for all conditions to hold, folded, unless it is compared as a path or host. */
export interface NamedKey {
  readonly name: string;
  readonly text: string;
}

/** Conditions on named arguments, ready to be tried. */
export interface NamedMatcher {
  readonly key?: NamedKey;
  /** The first condition that does not hold. Undefined: all hold. */
  readonly misses: (call: PreparedCall) => Miss | undefined;
  /** Whether an allow rule whose conditions hold covers this thing that the call touches. */
  readonly covers: (subject: PreparedSubject, call: PreparedCall) => boolean;
}
