import { isRule, type Signer } from '@countersign/protocol';
import { z } from 'zod';
import { maskSecrets } from '../masking/index.js';
import type { StoreTransaction } from '../ports/index.js';
import type { WorldChange } from '../step/runtime.js';

/** Part of a definition. Null takes away what may be absent. */
export type PartOf<T> = { [K in keyof T]?: T[K] | (undefined extends T[K] ? null : never) };

/** A definition with a part of it changed. Null where something must be is left for the schema to refuse. */
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

/** What else decides what a call may do: an agent's tools, where a world works. Rules and modes have records of their own. */
export function recordChanges(
  change: WorldChange,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  signer: Signer,
  agent: { agentId?: string } = {},
): void {
  const told = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value));
  const changes = Object.keys({ ...before, ...after })
    .filter((field) => field !== 'policy' && field !== 'mode' && told(before[field]) !== told(after[field]))
    // Pages of prompt would fill the log; that it changed is what counts.
    .map((field) =>
      field === 'systemPrompt' ? field : `${field} from ${told(before[field])} to ${told(after[field])}`,
    );
  if (changes.length === 0) return;
  const decision = agent.agentId === undefined ? 'world changed' : 'agent changed';
  change.tx.record({ kind: 'policy', decision, why: maskSecrets(changes.join('; ')), ...agent, ...signer });
}

/** Every rule that came or went, the world's or one agent's (A16). */
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
