import { CountersignError, type LocalAgent } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import { gate as texts } from '../words/gate.js';
import { readConfig, writeChanges } from './config-change.js';
import { countChanges } from './count-changes.js';
import { findAgent, versionOf } from './drill/find-agent.js';
import { findGap, versionGap } from './find-gap.js';
import { GATED_AGENTS, PROGRAM_NAMES, type Places } from './gated-agents.js';
import type { GatedAgent } from './hook-agents.js';
import { execCommand, hookCommand } from './hook-command.js';
import { placesWith, readHookFile, writeHookFile, type HookFile } from './hook-file.js';
import { filesInForce, filesToWrite } from './managed/files-to-write.js';
import { hookConfigPath } from './manifest.js';
import { planInstallation } from './plan-installation.js';

/** The agents of the user that runs the server. `url`: where their hooks reach it. */
export interface LocalPlaces extends Places {
  readonly home: string;
  readonly url: () => Promise<string | undefined>;
}

/** What the web app gets of a gate, and what it writes: see the route. */
interface NewGate {
  readonly tokenId: string;
  readonly token?: string;
  readonly person: string;
  readonly usedBy?: string;
  readonly place: { readonly folder: string; readonly world: string; readonly agent: string };
  readonly elsewhere?: { readonly world: string; readonly agent: string };
}

const RUN_ONLY = [
  { id: 'codex', name: 'Codex' },
  { id: 'opencode', name: 'opencode' },
] as const;

export async function listLocalAgents(places: LocalPlaces): Promise<LocalAgent[]> {
  const gated = GATED_AGENTS.map(async (agent) => await gatedState(agent, places));
  const others = RUN_ONLY.map(async ({ id, name }): Promise<LocalAgent> => {
    const version = await installedVersion(id, places);
    return { id, name, folders: [], ...version, state: version === undefined ? 'absent' : 'run-only' };
  });
  return await Promise.all([...gated, ...others]);
}

async function gatedState(agent: GatedAgent, places: LocalPlaces): Promise<LocalAgent> {
  const { home, env } = places;
  const about = { id: agent, name: PROGRAM_NAMES[agent], folders: [] };
  const version = await installedVersion(agent, places);
  const text = await readConfig(hookConfigPath(home, agent));
  if (text === undefined && version === undefined) return { ...about, state: 'absent' };
  if (text !== undefined) {
    const force = filesInForce(agent, places, home);
    const problem = (await findGap(agent, force.files, force)) ?? (await versionGap(agent, env));
    return {
      ...about,
      ...version,
      ...shownPlaces(text),
      state: problem === undefined ? 'gated' : 'changed',
      ...(problem && { problem }),
    };
  }
  try {
    const { changes } = await planFor(agent, places, '');
    const counted = changes.map(({ path, before, after }) => ({ path, ...countChanges(before, after) }));
    const problem = await versionGap(agent, env);
    return { ...about, ...version, state: 'open', changes: counted, ...(problem && { problem }) };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { ...about, ...version, state: 'open', problem: error.message };
  }
}

/** Writes what `gate install` or `gate here` would write. Returns the token that a new one replaces. */
export async function gateLocally(
  name: string,
  { token, place, elsewhere, usedBy, ...owner }: NewGate,
  places: LocalPlaces,
): Promise<{ person: string; tokenId: string } | undefined> {
  const agent = GATED_AGENTS.find((known) => known === name);
  const url = await places.url();
  if (agent === undefined || url === undefined) throw new CountersignError('not-found', texts.notGateable(name));
  try {
    const tooOld = await versionGap(agent, places.env);
    if (tooOld !== undefined) throw new CommandError(tooOld);
    const path = hookConfigPath(places.home, agent);
    const earlier = await readConfig(path);
    if (token === undefined) {
      const known = earlier === undefined ? undefined : readHookFile(earlier, agent, url);
      if (known?.tokenId !== owner.tokenId) throw new CommandError(texts.installAgain(PROGRAM_NAMES[agent], agent));
      await writeChanges([writeHookFile(path, earlier, placesWith(known, [place]))]);
      return undefined;
    }
    const plan = await planFor(agent, places, url);
    const about = { name: PROGRAM_NAMES[agent], program: agent, ...(usedBy === undefined ? {} : { usedBy }) };
    const { world, agent: id } = place;
    const first: HookFile = { url, token, ...owner, world, agent: id, pass: plan.values.pass, about, folders: [place] };
    const config = elsewhere === undefined ? first : { ...first, elsewhere };
    await writeChanges([writeHookFile(path, earlier, config), ...plan.records, ...plan.changes]);
    return earlier === undefined ? undefined : tokenIn(earlier);
  } catch (error) {
    if (error instanceof CommandError) throw new CountersignError('conflict', error.message);
    throw error;
  }
}

async function planFor(agent: GatedAgent, places: LocalPlaces, url: string): ReturnType<typeof planInstallation> {
  const { home } = places;
  const page = `${url.replace(/\/$/, '')}/inbox`;
  const files = await filesToWrite(agent, places, home);
  const words = { command: hookCommand(agent, home), exec: execCommand(home) };
  return await planInstallation(agent, files, { home, ...words, page });
}

async function installedVersion(program: string, { env, userHome }: Places): Promise<{ version?: string } | undefined> {
  const { PATH = '' } = env;
  const bin = await findAgent(program, undefined, PATH);
  if (bin === undefined) return undefined;
  const version = await versionOf(bin, { PATH, HOME: userHome });
  return version === undefined ? {} : { version };
}

function shownPlaces(text: string): Pick<LocalAgent, 'folders' | 'elsewhere' | 'tokenId'> {
  try {
    const { folders = [], elsewhere, tokenId } = JSON.parse(text) as Partial<HookFile>;
    const known = folders.map(({ folder, world }) => ({ folder, world }));
    return {
      folders: known,
      ...(elsewhere && { elsewhere: elsewhere.world }),
      ...(tokenId !== undefined && { tokenId }),
    };
  } catch {
    return { folders: [] };
  }
}

function tokenIn(text: string): { person: string; tokenId: string } | undefined {
  try {
    const { person, tokenId } = JSON.parse(text) as Partial<HookFile>;
    return person === undefined || tokenId === undefined ? undefined : { person, tokenId };
  } catch {
    return undefined;
  }
}
