import type { Client } from '@countersign/client';

/** Adds the rules that a world doesn't have yet. */
export async function addRules(client: Client, worldId: string, rules: readonly string[]): Promise<void> {
  const { value, etag } = await client.policy(worldId);
  const added = rules.filter((rule) => !value.rules.includes(rule));
  if (added.length > 0) await client.setPolicy(worldId, { rules: [...value.rules, ...added] }, { ifMatch: etag ?? '' });
}
