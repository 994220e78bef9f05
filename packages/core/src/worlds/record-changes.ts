import { isRule, type Signer } from '@countersign/protocol';
import { z } from 'zod';
import { maskSecrets } from '../masking/index.js';
import type { StoreTransaction } from '../ports/index.js';
import type { WorldChange } from '../step/runtime.js';

/** A partial definition. Null removes an optional field. */
export type PartOf<T> = { [K in keyof T]?: T[K] | (undefined extends T[K] ? null : never) };

/** Applies a partial change. A null for a required field is left for the schema to reject. */
export function changed(
  shape: Readonly<Record<string, unknown>>,
  before: object,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...before, ...change };
  for (const [field, value] of Object.entries(change)) {
    if (value === null && shape[field] instanceof z.ZodExactOptional) delete merged[field];
  }
  return merged;
}

/** Records other changes that affect what calls may do, such as an agent's tools. Rules and modes have their own records. */
export function recordChanges(
  change: WorldChange,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  signer: Signer,
  agent: { agentId?: string } = {},
): void {
  const shown = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value));
  const changes = Object.keys({ ...before, ...after })
    .filter((field) => field !== 'policy' && field !== 'mode' && shown(before[field]) !== shown(after[field]))
    // Prompts are long, so only the fact that one changed is recorded.
    .map((field) =>
      field === 'systemPrompt' ? field : `${field} from ${shown(before[field])} to ${shown(after[field])}`,
    );
  if (changes.length === 0) return;
  const decision = agent.agentId === undefined ? 'world changed' : 'agent changed';
  change.tx.record({ kind: 'policy', decision, why: maskSecrets(changes.join('; ')), ...agent, ...signer });
}

/** Records every rule that was added or removed, for the world or one agent (A16). */
export function recordRules(
  tx: Pick<StoreTransaction, 'record'>,
  before: readonly string[],
  after: readonly string[],
  signer: Signer,
  agent: { agentId?: string } = {},
): void {
  const record = (rule: string, decision: string): void =>
    tx.record({ kind: 'policy', rule: maskSecrets(rule), decision, ...agent, ...signer });
  for (const rule of new Set(after.filter(isRule))) if (!before.includes(rule)) record(rule, 'added');
  for (const rule of new Set(before.filter(isRule))) if (!after.includes(rule)) record(rule, 'removed');
}
