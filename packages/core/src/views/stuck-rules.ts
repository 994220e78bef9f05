import type { StuckRule } from '@countersign/protocol';
import { findUnsatisfiable, readAllPeople, signersIn } from '../requirements/needed-signatures.js';
import { maskSecrets } from '../masking/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { SigningRule } from '../policy/index.js';
import type { Runtime } from '../step/runtime.js';

/**
 * Rules about who must sign that nobody can satisfy (SIGN1.9). With `without`, the rules that nobody could satisfy anymore if this person left.
 */
export async function findStuckRules(
  { store, caches }: Pick<Runtime, 'store' | 'caches'>,
  without?: string,
): Promise<StuckRule[]> {
  return await store.read(async (reader) => {
    const everyone = await readAllPeople(reader);
    const others = { ...everyone, people: everyone.people.filter(({ id }) => id !== without) };
    const stuck: StuckRule[] = [];
    for (const { id: worldId, name } of await reader.worlds()) {
      const snapshot = await caches.snapshots.read(reader, worldId);
      if (snapshot === undefined) continue;
      const now = signersIn(worldId, everyone, reader.now());
      const later = signersIn(worldId, others, reader.now());
      for (const { rule, agentName } of signingRulesIn(snapshot)) {
        if (without !== undefined && findUnsatisfiable(rule, now) !== undefined) continue;
        const why = findUnsatisfiable(rule, later);
        if (why === undefined) continue;
        const agent = agentName === undefined ? {} : { agent: agentName };
        stuck.push({ world: worldId, worldName: name, ...agent, rule: maskSecrets(rule.rule), why });
      }
    }
    return stuck;
  });
}

function signingRulesIn(snapshot: WorldSnapshot): { rule: SigningRule; agentName?: string }[] {
  const { policy, adminPolicy, agents } = snapshot;
  return [
    ...[...adminPolicy.signing, ...policy.signing].map((rule) => ({ rule })),
    ...agents.flatMap(({ id, definition }) =>
      snapshot.agentPolicy(id).signing.map((rule) => ({ rule, agentName: definition.name })),
    ),
  ];
}
