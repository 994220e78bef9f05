import { CountersignError, type Action } from '@countersign/protocol';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import {
  NO_RULES,
  overlap,
  reachesBeyond,
  sandboxGrants,
  type Policy,
  type Reach,
  type SandboxGrants,
  type WorldChangeOf,
} from '../policy/index.js';
import type { StoreReader } from '../ports/index.js';
import { folderOf, isNamedInRoot } from '../step/in-roots.js';
import type { Runtime } from '../step/runtime.js';

/** Whether the sender may do something in a world, or on the whole server. */
export type May = (action: Action, worldId?: string) => boolean;

/** The world that changes. A new one has no snapshot yet. */
interface ChangedWorld {
  runtime: Pick<Runtime, 'findPlace' | 'snapshots'>;
  reader: StoreReader;
  snapshot?: WorldSnapshot;
}

/**
 * Refuses a change that lets a world reach beyond itself (A21.7), unless the sender is an admin of the whole server, or it only reaches folders
 * inside the roots that one gave to this world.
 */
export async function refuseReach(world: ChangedWorld, change: WorldChangeOf, may: May): Promise<void> {
  if (may('admin')) return;
  for (const reach of reachesBeyond(change)) {
    const problem = await problemOf(world, reach, may);
    if (problem !== undefined) throw new CountersignError('forbidden', problem, { field: reach.field });
  }
}

/** Like `refuseReach`, for the rules of a world. */
export async function refuseRulesReach(
  world: ChangedWorld,
  { policy, field }: { policy: Policy; field: string },
  may: May,
): Promise<void> {
  if (may('admin')) return;
  const { runtime, snapshot } = world;
  const grantsOf = (rules: Policy): SandboxGrants =>
    sandboxGrants({ admin: snapshot?.adminPolicy ?? NO_RULES, world: rules, agent: NO_RULES }, place);
  // In a world whose folder can't be used, rules can still be changed. Nobody reads its `~`.
  const place = { workingDirectory: '/', home: '/', ...(snapshot === undefined ? {} : tryPlace(runtime, snapshot)) };
  const before = grantsOf(snapshot?.policy ?? NO_RULES);
  await refuseReach(world, { kind: 'rules', before, after: grantsOf(policy), field }, may);
}

function tryPlace({ findPlace }: Pick<Runtime, 'findPlace'>, snapshot: WorldSnapshot): { home?: string } {
  try {
    return findPlace(snapshot);
  } catch {
    return {};
  }
}

async function problemOf(
  { runtime: { findPlace, snapshots }, reader, snapshot }: ChangedWorld,
  { kind, what }: Reach,
  may: May,
): Promise<string | undefined> {
  if (kind !== 'folder') return `Only admins of the whole server can ${CAN[kind](what)}.`;
  const { id, settings } = snapshot?.world ?? {};
  const folder =
    snapshot !== undefined && isNamedInRoot(snapshot, what) ? folderOf(findPlace, snapshot, what) : undefined;
  if (folder === undefined) {
    const roots = settings?.roots?.join(', ');
    const instead = roots === undefined ? '' : ` Admins of this world can choose folders in ${roots}.`;
    return `Only admins of the whole server can let this world use the folder ${what}.${instead}`;
  }
  for (const world of await reader.worlds()) {
    const other = world.id === id || may('admin', world.id) ? undefined : await snapshots.read(reader, world.id);
    const taken = other === undefined ? undefined : (folderOf(findPlace, other) ?? world.settings.workingDirectory);
    if (taken !== undefined && overlap(folder, taken))
      return `Another world works in the folder ${what}, or above or below it. Only an admin of both worlds can let this world use it.`;
  }
  return undefined;
}

const CAN: Readonly<Record<Exclude<Reach['kind'], 'folder'>, (what: string) => string>> = {
  roots: (what) => `give this world the root ${what}`,
  address: (what) => `let this world reach the private address ${what}`,
  program: () => 'add, change or turn on an agent or MCP server that runs a program',
};
