import {
  changeSchema,
  CountersignError,
  isRule,
  newWorldSchema,
  parseInput,
  policySchema,
  settleEnd,
  slug,
  worldSettingsSchema,
  type NewWorld,
  type ShownPolicy,
  type Signer,
  type World,
  type WorldSettings,
} from '@countersign/protocol';
import { z } from 'zod';
import { compileStored, policyAt } from '../policy/index.js';
import type { StoreTransaction, WorldRecord } from '../ports/index.js';
import { checkSigners } from './check-signers.js';
import { refuseSharedFolder } from './refuse-shared-folder.js';
import { refuseReach, refuseRulesReach, refuseUnchecked } from './refuse-reach.js';
import { refuseUnconfirmed, type Safeguards } from './refuse-unconfirmed.js';
import { checkRules, compileRules } from './compile-rules.js';
import { freeId } from './free-id.js';
import { applyPart, type PartOf } from './apply-part.js';
import { changeWorld, commit, noWorld, retry, retryStale } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';
import type { WorldFact } from '../facts/world-fact.js';
import { toPolicy, toWorld, type Versioned } from './show-world.js';
import { chatsAtWork, stopTurns } from '../chats/stop-chat.js';
import { releaseWaiting } from '../decisions/release-waiting.js';
import { policyVersion, refuseStale, worldVersion } from './versions.js';

export async function createWorld(
  runtime: Runtime,
  input: NewWorld,
  signer: Signer,
  { isConfirmed = false, may }: Safeguards = {},
): Promise<WorldRecord> {
  const { name, policy, ...settings } = parseInput(newWorldSchema, input, 'world');
  const source = { field: 'policy', of: 'policy' };
  const tools = runtime.tools('');
  await runtime.store.read(async (reader) => {
    checkRules({ rules: policy, source, tools, now: reader.now() });
    await checkSigners(reader, '', { rules: policy, source, tools, agents: [] });
    await refuseReach({ runtime, reader }, { kind: 'settings', after: settings }, { may, isConfirmed });
    await refuseRulesReach(
      { runtime, reader },
      { policy: compileRules(policy, source), field: 'policy' },
      { may, isConfirmed },
    );
    await refuseSharedFolder(runtime, reader, { settings, isConfirmed });
  });
  if (settings.mainAgent !== undefined) {
    throw new CountersignError(
      'invalid',
      'world: mainAgent: a new world has no agents yet. Add the agent first, then set it as the main agent',
      {
        field: 'mainAgent',
      },
    );
  }
  return await writeWorld(runtime, { world: { name, settings, policy, proposed: [] }, agents: undefined, by: signer });
}

type NewWorldFact = Extract<WorldFact, { kind: 'world-created' }>;

/** Creates a world with its agents and rules in one transaction. `more` is part of it. */
export async function writeWorld(
  runtime: Runtime,
  { world, ...created }: Omit<NewWorldFact, 'kind' | 'world'> & { world: Omit<NewWorldFact['world'], 'id'> },
  more: (tx: StoreTransaction, id: string) => Promise<void> = () => Promise.resolve(),
): Promise<WorldRecord> {
  // Two concurrent calls may pick the same free id; the second hits the existing row and retries with the next id.
  for (let tries = 0; ; tries += 1) {
    const id = await runtime.store.read((reader) =>
      freeId(slug(world.name, 'world'), (candidate) => reader.worldIdTaken(candidate)),
    );
    try {
      const { value } = await runtime.store.transact(id, async (tx) => {
        await writeFact(tx, { kind: 'world-created', world: { id, ...world }, ...created });
        await more(tx, id);
        return await tx.world(id);
      });
      if (value === undefined) throw noWorld(id);
      return value;
    } catch (error) {
      const taken = await runtime.store.read((reader) => reader.worldIdTaken(id));
      if (!taken || tries >= 5) throw error;
    }
  }
}

export async function updateWorld(
  runtime: Runtime,
  worldId: string,
  change: PartOf<WorldSettings> & { name?: string },
  signer: Signer,
  { expected, isConfirmed = false, may }: Safeguards = {},
): Promise<Versioned<World>> {
  const { name, ...settings } = parseInput(changeSchema, change, 'world');
  return await changeWorld(runtime, 'update-world', worldId, async (change) => {
    refuseStale(worldVersion(change.snapshot.world), expected, 'this world');
    const merged = parseInput(
      // An unchanged name that became reserved later stays valid.
      worldSettingsSchema.extend({
        name: name === undefined || name === change.snapshot.world.name ? z.string() : newWorldSchema.shape.name,
      }),
      {
        ...applyPart(worldSettingsSchema.shape, change.snapshot.world.settings, settings),
        name: name ?? change.snapshot.world.name,
      },
      'world',
    );
    if (merged.mainAgent !== undefined && change.snapshot.agent(merged.mainAgent) === undefined) {
      throw new CountersignError('invalid', `world: mainAgent: there is no agent "${merged.mainAgent}" in this world`, {
        field: 'mainAgent',
      });
    }
    const { name: newName, ...newSettings } = merged;
    const { settings: before } = change.snapshot.world;
    const asked = { kind: 'settings', before, after: newSettings } as const;
    await refuseReach({ runtime, reader: change.tx, snapshot: change.snapshot }, asked, { may, isConfirmed });
    refuseUnconfirmed(change.snapshot, asked, isConfirmed);
    refuseUnchecked(runtime, change.snapshot, newSettings);
    if (newSettings.workingDirectory !== before.workingDirectory)
      await refuseSharedFolder(runtime, change.tx, { worldId, settings: newSettings, isConfirmed });
    const world = { ...change.snapshot.world, name: newName, settings: newSettings };
    await writeFact(change.tx, { kind: 'world-changed', before: change.snapshot.world, after: world, by: signer });
    return { value: toWorld(world), version: worldVersion(world) };
  });
}

/** Replaces a world's rules and prunes an import's proposals. One invalid rule rejects all: a policy never fails open (RULE1). */
export async function setPolicy(
  runtime: Runtime,
  worldId: string,
  rules: readonly string[],
  signer: Signer,
  { expected, keep, isConfirmed = false, may }: Safeguards & { keep?: readonly string[] } = {},
): Promise<Versioned<ShownPolicy>> {
  const { rules: given } = parseInput(policySchema, { rules }, 'policy');
  const written = await changeWorld(runtime, 'set-policy', worldId, async (change) => {
    const before = change.snapshot.world;
    const now = change.tx.now();
    const policy = given.map((line) => settleEnd(line, now));
    refuseStale(policyVersion(before), expected, 'this policy');
    refuseUnconfirmed(change.snapshot, { kind: 'rules', before: before.policy, after: policy }, isConfirmed);
    const written = { rules: policy, source: { field: 'rules' }, tools: runtime.tools(worldId), stored: before.policy };
    checkRules({ ...written, now });
    await refuseRulesReach(
      { runtime, reader: change.tx, snapshot: change.snapshot },
      { policy: policyAt(compileStored(policy), now), field: 'rules' },
      { may, isConfirmed },
    );
    await checkSigners(change.tx, worldId, { ...written, agents: change.snapshot.agents });
    const invented = keep?.findIndex((rule) => !before.proposed.includes(rule)) ?? -1;
    if (invented >= 0) {
      const field = `proposed.${invented}`;
      throw new CountersignError('invalid', `policy: ${field}: not a proposed rule`, { field });
    }
    const after = {
      policy: withoutRepeats(policy),
      // Accepted rules are no longer proposals.
      proposed: before.proposed.filter((rule) => !policy.includes(rule) && (keep?.includes(rule) ?? true)),
    };
    await writeFact(change.tx, { kind: 'policy-set', before, after, by: signer });
    return { value: toPolicy(after, runtime.tools(worldId), now), version: policyVersion(after) };
  });
  // A short-lived command runs no chats: the next server releases the calls that the new rules cover.
  if (!runtime.process.endsSoon()) await releaseWaiting(runtime, worldId);
  return written;
}

/** Removes duplicate rules; blank lines and comments may repeat. */
function withoutRepeats(lines: readonly string[]): string[] {
  const seen = new Set<string>();
  return lines.filter((line) => {
    if (isRule(line) && seen.has(line)) return false;
    seen.add(line);
    return true;
  });
}

export async function deleteWorld(
  runtime: Runtime,
  worldId: string,
  signer: Signer,
  { expected, isConfirmed = false }: Safeguards = {},
): Promise<void> {
  const servers = await retryStale(async () => {
    const { servers, chats } = await runtime.store.read(async (reader) => ({
      servers: await reader.mcpServers(worldId),
      chats: await chatsAtWork(reader, (turn) => turn.worldId === worldId),
    }));
    await commit(runtime, 'delete-world', worldId, { chats }, (step) => {
      refuseStale(worldVersion(step.snapshot.world), expected, 'this world');
      refuseUnconfirmed(step.snapshot, { kind: 'world-deleted' }, isConfirmed);
      stopTurns(
        runtime,
        step,
        chats.flatMap((id) => step.tx.unfinishedTurns(id)),
        signer,
      );
      // A turn has started in another chat since the lookup.
      if (step.tx.countWorking() > 0) retry();
      step.tx.write({ kind: 'world-deleted', worldId, by: signer });
    });
    return servers;
  });
  for (const { name } of servers) await runtime.mcp?.reload(worldId, name);
  runtime.caches.repeats.clear();
}
