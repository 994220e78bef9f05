import { existsSync } from 'node:fs';
import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';
import { readConfig, resolvePath } from './config-change.js';
import type { ConfigFile } from './gated-agents.js';
import type { GatedAgent } from './hook-agents.js';
import { findAgent, versionOf } from './drill/find-agent.js';
import { wordsOf } from './hook-command.js';
import { readManifest, type Manifest } from './manifest.js';
import { isOlder, OLDEST_CLAUDE } from './sources/claude-words.js';

/** Why the agent isn't gated; undefined if its files are as we wrote them or gate every call all the same. */
export async function findGap(
  agent: GatedAgent,
  files: readonly ConfigFile[],
  { home }: { home: string },
): Promise<string | undefined> {
  const known = await readManifest(home, agent);
  if (known === undefined) return gate.notInstalled;
  const { command } = known;
  const gone = programsOf(command).find((path) => !existsSync(path));
  if (gone !== undefined) return gate.programGone(gone);
  try {
    for (const file of files) {
      const problem = file.gap(await readConfig(await resolvePath(file.path)), known);
      if (problem !== undefined) return problem;
    }
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
  return undefined;
}

/** Why the installed version of the agent can't be gated; undefined if it can, or isn't in PATH. The hook checks it again for each call. */
export async function versionGap(
  agent: GatedAgent,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (agent !== 'claude') return undefined;
  const { PATH = '', HOME = '' } = env;
  const bin = await findAgent(agent, undefined, PATH);
  const version = bin === undefined ? undefined : await versionOf(bin, { PATH, HOME });
  return version !== undefined && isOlder(version, OLDEST_CLAUDE) ? gate.oldClaude(version) : undefined;
}

/** The first of the node and the program that the hook runs with which isn't the current one. */
export function otherProgram({ command }: Manifest, now: string): string | undefined {
  const current = programsOf(now);
  return programsOf(command).find((path) => !current.includes(path));
}

/** The node and the program in a hook command, which come after variables. */
export function programsOf(command: string): readonly string[] {
  const words = wordsOf(command);
  const at = words.findIndex((word) => !/^\w+=/.test(word));
  return words.slice(at, at + 2);
}
