import { CountersignError, type Action } from '@countersign/protocol';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { Expected } from './versions.js';
import { weakenedPasskeyRule, type PossibleWeakening } from '../policy/reach/weakened-passkey-rule.js';

/** Whether the sender may do something in a world, or on the whole server. */
export type May = (action: Action, worldId?: string) => boolean;

/** What protects a change to a world. */
export interface Safeguards {
  /** The version that the sender has seen (HTTP15). */
  expected?: Expected;
  /** Whether a trusted passkey confirmed exactly this change. A program that uses the library needs no confirmation (SIGN2.8). */
  isConfirmed?: boolean;
  /** What the sender may do here and elsewhere (SAFE2). If absent, nothing. */
  may?: May;
}

/** For callers that don't say what they may do. */
export const MAY_NOTHING: May = () => false;

/**
 * Refuses a change that would weaken a rule `with passkey`, unless a trusted passkey confirmed it (SIGN2.5, SIGN2.6). Otherwise, someone with a
 * stolen token would change the world instead of signing.
 */
export function refuseUnconfirmed(snapshot: WorldSnapshot, change: PossibleWeakening, isConfirmed: boolean): void {
  const rule = isConfirmed ? undefined : weakenedPasskeyRule(change, rulesInForce(snapshot, change));
  if (rule === undefined) return;
  const detail = `${describe(change, rule, snapshot.world.name)} Confirm it with a passkey in the web app. Nothing was saved.`;
  throw new CountersignError('conflict', detail, { field: 'confirmation' });
}

/** The administrator's rules apply in every world, so neither deleting one nor creating another weakens them. */
function rulesInForce({ world, agents, adminPolicy }: WorldSnapshot, { kind }: PossibleWeakening): readonly string[] {
  const own = [...world.policy, ...agents.flatMap(({ definition }) => definition.policy)];
  return kind === 'world-deleted' || kind === 'folder-shared'
    ? own
    : [...own, ...adminPolicy.signing.map(({ rule }) => rule)];
}

function describe(change: PossibleWeakening, rule: string, name: string): string {
  switch (change.kind) {
    case 'rules':
      return `Removing or changing the rule "${rule}" needs a passkey.`;
    case 'world-deleted':
      return `This world has the rule "${rule}", so deleting it needs a passkey.`;
    case 'lets-sign':
      return `The world "${name}" has the rule "${rule}". This could read credentials and sign calls, so it needs a passkey.`;
    case 'settings':
      return `The rule "${rule}" applies in this world, so changing its working folder or raising its mode needs a passkey.`;
    case 'folder-shared':
      return `The world "${name}" works in this folder and has the rule "${rule}", so using the folder in another world needs a passkey.`;
    case 'mcp-server':
      return `The rule "${rule}" applies in this world, so adding, changing or turning on an MCP server needs a passkey.`;
    case 'agent-program':
      return `The rule "${rule}" applies in this world, so adding, changing or turning on an agent that runs a program needs a passkey.`;
  }
}
