import { RUN_TOOL, type Signer, type Who } from '@countersign/protocol';
import { policiesOf } from '../memory/world-snapshot.js';
import { closedHosts, protectPaths } from '../policy/index.js';
import type { ProtectedPaths } from '../ports/index.js';
import { changeWorld, noWorld, readSnapshot } from '../step/commit.js';
import type { CallPlace, Runtime } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';
import { proposeExternal } from './propose-external.js';
import { callOfKey, chatOfSession } from './session.js';
import type { RunFact } from '../facts/world-fact.js';

/** A call by which the server applies what a run changed. */
export interface SealedProposal {
  agentId: string;
  /** Names the run. Each has its own chat. */
  session: string;
  /** Names the call of the run. */
  key: string;
  arguments: Readonly<Record<string, unknown>>;
  /** Those who requested the change besides the person who started the run. */
  alsoBy: readonly Who[];
  /** The title of the chat. */
  title: string;
}

/** The ids that a proposal gets. Known before it is made, so that its effect can be sealed for this call alone. */
export function sealedCallOf(
  runtime: Pick<Runtime, 'store'>,
  worldId: string,
  { agentId, session, key }: Pick<SealedProposal, 'agentId' | 'session' | 'key'>,
  by: Signer,
): { callId: string; chatId: string } {
  const chatId = chatOfSession(runtime, { worldId, agentId, session }, by);
  return { callId: callOfKey(runtime, chatId, key), chatId };
}

/** Proposes a call of the tool `run` on behalf of the person who started the run. Idempotent. */
export async function proposeSealed(
  runtime: Runtime,
  worldId: string,
  proposal: SealedProposal,
  by: Signer,
): Promise<void> {
  const signal = new AbortController().signal;
  const sealed = { ...proposal, program: RUN_TOOL, toolName: RUN_TOOL, signal };
  const caller = { by, credential: RUN_TOOL, claim: '' };
  await proposeExternal(runtime, worldId, { ...sealed, runs: { where: 'here', sealed: true } }, caller);
}

/** Records that a program starts in a draft, or what a person does about its draft (LOG1). */
export async function recordRun(
  runtime: Runtime,
  { kind, worldId, id: run, agentId, program, words }: RunChange,
  by: Signer,
): Promise<void> {
  const said = words === undefined ? {} : { words };
  await changeWorld(runtime, kind, worldId, ({ tx }) => writeFact(tx, { kind, run, agentId, program, ...said, by }));
}

interface RunChange extends Omit<RunFact, 'run' | 'by'> {
  worldId: string;
  id: string;
}

/** What the rules of a world mean for a program that runs in a draft of its folder. */
export interface RunSetting {
  readonly place: CallPlace;
  /** Whether the world is read-only, so that nothing could be applied. */
  readonly isReadOnly: boolean;
  /** Paths that deny and ask rules about running programs or reading files cover. */
  readonly protectedPaths: ProtectedPaths;
  /** Patterns of hosts that rules close, even if the person names them. */
  readonly closedHosts: readonly string[];
}

/** The tools whose path rules hide paths from a run: it may start any program, and read any file. */
const HIDING = [RUN_TOOL, 'shell_cmd', 'read_file'];

export async function readRunSetting(runtime: Runtime, worldId: string, agentId: string): Promise<RunSetting> {
  const snapshot = await readSnapshot(runtime, worldId);
  if (snapshot === undefined) throw noWorld(worldId);
  const place = runtime.findPlace(snapshot);
  const policies = policiesOf(snapshot, agentId);
  const found = HIDING.flatMap((tool) => protectPaths(policies, { tool, subjects: [], place }) ?? []);
  return {
    place,
    isReadOnly: snapshot.world.settings.mode === 'read',
    closedHosts: closedHosts(policies),
    protectedPaths: {
      isProtected: (path) => found.some((one) => one.isProtected(path)),
      mayHold(folder, where) {
        const all = found.map((one) => one.mayHold(folder, where));
        return all.find((one) => one === 'anything') ?? all.find((one) => one === 'fixed') ?? 'nothing';
      },
    },
  };
}
