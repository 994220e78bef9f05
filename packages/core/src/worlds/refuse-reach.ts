import { askFor, CountersignError, whoToAsk, type WorldSettings } from '@countersign/protocol';
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
  weakenedPasskeyRule,
} from '../policy/index.js';
import type { StoreReader } from '../ports/index.js';
import { folderOf, isNamedInRoot } from '../step/in-roots.js';
import type { Runtime } from '../step/runtime.js';
import { MAY_NOTHING, refuseUnconfirmed, type May } from './refuse-unconfirmed.js';

/** The world that changes. A new one has no snapshot yet. */
interface ChangedWorld {
  runtime: Pick<Runtime, 'findPlace' | 'caches' | 'options'>;
  reader: StoreReader;
  snapshot?: WorldSnapshot;
}

/**
 * Refuses a change that lets a world reach beyond itself (SAFE2), unless the sender is an admin of the whole server, or it only reaches folders
 * inside the roots that one gave to this world. What could sign calls needs a sender who may sign them (SAFE2.2).
 */
export async function refuseReach(world: ChangedWorld, change: WorldChangeOf, safeguards: Sender): Promise<void> {
  const { may = MAY_NOTHING, isConfirmed = false } = safeguards;
  for (const reach of reachesBeyond(change)) {
    const problem = may('admin') ? undefined : await problemOf(world, reach, may);
    if (problem !== undefined) {
      const admins = whoToAsk(await world.reader.people(), 'admin', undefined);
      throw new CountersignError('forbidden', `${problem}${askFor(admins)}`, { field: reach.field });
    }
    if (!(await couldSign(world, reach))) continue;
    if (!may('sign')) {
      const detail = `${reach.what} could read credentials and sign calls. Only admins of the whole server who may sign calls can add it, with a token that has the scope sign.`;
      throw new CountersignError('forbidden', detail, { field: reach.field });
    }
    for (const other of await snapshotsOf(world)) refuseUnconfirmed(other, { kind: 'lets-sign' }, isConfirmed);
  }
}

interface Sender {
  may?: May | undefined;
  isConfirmed?: boolean | undefined;
}

/** Like `refuseReach`, for the rules of a world. */
export async function refuseRulesReach(
  world: ChangedWorld,
  { policy, field }: { policy: Policy; field: string },
  safeguards: Sender,
): Promise<void> {
  const { runtime, snapshot } = world;
  // In a world whose folder can't be used, rules can still be changed. Its `~` is a folder that doesn't exist.
  const place = { workingDirectory: '/', home: '/~', ...tryPlace(runtime, snapshot) };
  const grantsOf = (rules: Policy, admin: Policy): SandboxGrants =>
    sandboxGrants({ admin, world: rules, agent: NO_RULES }, place);
  const known = snapshot?.policy ?? NO_RULES;
  const admin = snapshot?.adminPolicy ?? NO_RULES;
  // Then without the rules that close something: they may be gone later, or not apply in another folder.
  const opening = ({ allow }: Policy): Policy => ({ ...NO_RULES, allow });
  for (const [before, after] of [
    [grantsOf(known, admin), grantsOf(policy, admin)],
    [grantsOf(opening(known), opening(admin)), grantsOf(opening(policy), opening(admin))],
  ] as const)
    await refuseReach(world, { kind: 'rules', before, after, field }, safeguards);
}

/**
 * Whether something could read credentials: a program outside the sandbox, or a folder that no world may work in, such as one with keys. So is the
 * folder of a world with a rule `with passkey`, which SIGN2.7 protects.
 */
async function couldSign(world: ChangedWorld, { kind, what, field, outside }: Reach): Promise<boolean> {
  const { runtime, snapshot } = world;
  if (kind !== 'folder' || field === 'workingDirectory') return outside !== undefined && !isListed(runtime, outside);
  if (snapshot === undefined) return true;
  const { home } = { home: '/', ...tryPlace(runtime, snapshot) };
  const folder = folderOf(runtime.findPlace, snapshot, what.replace(/^~(?=\/)/, home));
  if (folder === undefined) return true;
  return (await snapshotsOf(world)).some((other) => {
    const taken = folderOf(runtime.findPlace, other) ?? '';
    const isOther = other.world.id !== snapshot.world.id && overlap(folder, taken);
    return isOther && weakenedPasskeyRule({ kind: 'lets-sign' }, other.world.policy) !== undefined;
  });
}

/** Whether the administrator's file lists exactly this command (SAFE2.3). */
function isListed({ options: { listedPrograms } }: Pick<Runtime, 'options'>, words: readonly string[]): boolean {
  return listedPrograms.some((listed) => JSON.stringify(listed) === JSON.stringify(words));
}

async function snapshotsOf({ runtime: { caches }, reader }: ChangedWorld): Promise<WorldSnapshot[]> {
  const all = [];
  for (const { id } of await reader.worlds()) all.push(await caches.snapshots.read(reader, id));
  return all.filter((each) => each !== undefined);
}

function tryPlace({ findPlace }: Pick<Runtime, 'findPlace'>, snapshot: WorldSnapshot | undefined): { home?: string } {
  try {
    return snapshot === undefined ? {} : findPlace(snapshot);
  } catch {
    return {};
  }
}

/**
 * Refuses to take away a root in which this world has a folder that its admins may have chosen. Without the root, nothing would notice a link that
 * replaces the folder later.
 */
export function refuseUnchecked(
  runtime: Pick<Runtime, 'findPlace'>,
  snapshot: WorldSnapshot,
  after: WorldSettings,
): void {
  const { world, policy } = snapshot;
  const without = { ...snapshot, world: { ...world, settings: after } };
  const loses = (folder: string): boolean => isNamedInRoot(snapshot, folder) && !isNamedInRoot(without, folder);
  const { workingDirectory: folder } = after;
  const isKept = folder !== undefined && folder === world.settings.workingDirectory;
  const place = { workingDirectory: '/', home: '/~', ...tryPlace(runtime, snapshot) };
  const rules = { admin: NO_RULES, world: { ...NO_RULES, allow: policy.allow }, agent: NO_RULES };
  const lost = isKept && loses(folder) ? folder : sandboxGrants(rules, place).folders.find(loses);
  if (lost === undefined) return;
  const what = lost === folder ? 'works in' : 'has a rule that opens';
  const detail = `This world ${what} the folder ${lost}, which is in the root that you take away. Change that first.`;
  throw new CountersignError('conflict', detail, { field: 'roots' });
}

async function problemOf(
  { runtime: { findPlace, caches }, reader, snapshot }: ChangedWorld,
  { kind, what }: Reach,
  may: May,
): Promise<string | undefined> {
  if (kind !== 'folder') return `Only admins of the whole server can ${CAN[kind](what)}.`;
  const { id, settings } = snapshot?.world ?? {};
  const folder =
    snapshot !== undefined && isNamedInRoot(snapshot, what) ? folderOf(findPlace, snapshot, what) : undefined;
  if (folder === undefined) {
    const roots = settings?.roots?.join(', ') ?? '';
    const instead =
      roots !== ''
        ? ` Admins of this world can choose folders in ${roots}.`
        : id === undefined
          ? ''
          : ` They can also give it a root, in which you choose folders: countersign worlds edit ${id} --root FOLDER.`;
    return `Only admins of the whole server can let this world use the folder ${what}.${instead}`;
  }
  for (const world of await reader.worlds()) {
    const other = world.id === id || may('admin', world.id) ? undefined : await caches.snapshots.read(reader, world.id);
    const taken = other === undefined ? undefined : (folderOf(findPlace, other) ?? world.settings.workingDirectory);
    if (taken !== undefined && overlap(folder, taken))
      return `Another world works in the folder ${what}, or above or below it. Only an admin of both worlds can let this world use it.`;
  }
  return undefined;
}

const CAN: Readonly<Record<Exclude<Reach['kind'], 'folder'>, (what: string) => string>> = {
  roots: (what) => `give this world the root ${what}, or take it away`,
  address: (what) => `let this world reach the private address ${what}`,
  program: () => 'add, change or turn on an agent or MCP server that runs a program',
};
