import { basename } from 'node:path';
import { createClient, readAll } from '@countersign/client';
import { acpProgram, type AcpSettings, type Agent } from '@countersign/protocol';
import { channelFetch } from '@countersign/server/channel';
import { describeFailure } from '../../../describe-failure.js';
import type { Finding, ServerAccess } from '../../../connection/server-access.js';
import { drill as texts } from '../../../words/gate.js';
import { acpKey, drillProblem } from '../check-drilled.js';
import { DRILL_AGENTS, type DrillAgent } from '../drilled-agents.js';
import { findAcpProgram, versionOf } from '../find-agent.js';
import { readDrills, type RememberedDrill } from '../remembered.js';
import { ACP_AGENTS } from './acp-agents.js';

type Env = Readonly<Record<string, string | undefined>>;

/** What `doctor` says about the ACP agents of a running server: whether they are installed, start, and were drilled. */
export async function acpFindings(servers: ServerAccess, home: string, env: Env): Promise<Finding[]> {
  let used: readonly UsedAgent[];
  try {
    used = await usedAgents(servers, home, env);
  } catch (error) {
    return [{ what: texts.acpAgents, state: 'warning', detail: texts.acpNotListed(describeFailure(error).message) }];
  }
  const drills = used.length === 0 ? {} : await readDrills(home);
  const findings: Finding[] = [];
  // One after another: each starts a program.
  for (const agent of used) findings.push(await checkAgent(servers, agent, { home, env, drills }));
  return findings;
}

interface UsedAgent {
  readonly name: string;
  readonly world: string;
  readonly acp: AcpSettings;
}

/** The active ACP agents, once for each way in which a program is started. */
async function usedAgents(servers: ServerAccess, home: string, env: Env): Promise<readonly UsedAgent[]> {
  const running = await servers.find(home);
  if (running === undefined) return [];
  const given = env['COUNTERSIGN_TOKEN'] ?? '';
  const token = given === '' ? ((await servers.readToken(home)) ?? '') : given;
  const client = createClient({ url: running.url, token, fetch: channelFetch(token) });
  const used = new Map<string, UsedAgent>();
  for (const { id: world } of await readAll((page) => client.worlds(page))) {
    for (const { name, acp, active } of await readAll<Agent>((page) => client.agents(world, page))) {
      const key = JSON.stringify(acp);
      if (acp !== undefined && active && !used.has(key)) used.set(key, { name, world, acp });
    }
  }
  return [...used.values()];
}

async function checkAgent(
  servers: ServerAccess,
  { name, world, acp }: UsedAgent,
  { home, env, drills }: { home: string; env: Env; drills: Partial<Record<string, RememberedDrill>> },
): Promise<Finding> {
  const what = texts.acpWhat(name);
  const warn = (detail: string, advice: string): Finding => ({ what, state: 'warning', detail, advice });
  const [program = ''] = acp.command;
  const path = env['PATH'] ?? '';
  const bin = await findAcpProgram(program, path);
  if (bin === undefined) return warn(texts.acpNotInstalled(program, world), texts.acpInstall);
  const problem = await servers.tryAcpAgent(acp, home);
  if (problem !== undefined) return warn(texts.acpFails(world, problem), texts.acpInstall);
  const known = drillOf(acp);
  const version = known === undefined ? undefined : await versionOf(bin, { PATH: path, HOME: env['HOME'] ?? '' });
  if (known === undefined || version === undefined) return warn(texts.acpUnknown(world), texts.acpUnknownAdvice);
  const open = drillProblem(version, drills[acpKey(known)]);
  if (open !== undefined) return warn(texts.acpStarts(world, open), texts.runAcpDrill(known));
  return { what, state: 'fine', detail: texts.acpFine(version, world) };
}

/** The drill for the program, unless it is started in some other way. */
export function drillOf(acp: AcpSettings): DrillAgent | undefined {
  const known = DRILL_AGENTS.find((agent) => agent === acpProgram(acp));
  return known !== undefined && basename(acp.command[0] ?? '') === ACP_AGENTS[known].program ? known : undefined;
}
