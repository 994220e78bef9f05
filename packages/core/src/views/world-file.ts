import {
  CountersignError,
  EXTERNAL_PROVIDER,
  foldName,
  type ImportedWorld,
  isRule,
  parseInput,
  type Signer,
  slug,
  WORLD_FILE_VERSION,
  type WorldFile,
  worldFileSchema,
} from '@countersign/protocol';
import { hasMask } from '../masking/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { parseRule } from '../policy/index.js';
import { type AgentRecord, type StoreReader, UNKNOWN_AGENT } from '../ports/index.js';
import { refuseAcp } from '../worlds/agents.js';
import { checkSigners } from '../worlds/check-signers.js';
import { compileRules } from '../worlds/compile-rules.js';
import { freeId } from '../worlds/free-id.js';
import { insertMcpServer } from '../mcp/mcp-servers.js';
import { exportDefinition } from '../mcp/mcp-show.js';
import type { Runtime } from '../step/runtime.js';
import { readWorld, showAgentDefinition, toWorld } from '../worlds/show-world.js';
import { writeWorld } from '../worlds/worlds.js';

/** Exports a world without chats, grants or secrets, so that it can be recreated elsewhere (HTTP2). */
export async function exportWorld(runtime: Runtime, worldId: string): Promise<WorldFile> {
  return await readWorld(runtime, worldId, async (reader, snapshot) => {
    const { world, agents } = snapshot;
    const servers = await reader.mcpServers(worldId);
    const { mainAgent, roots: _roots, ...settings } = world.settings;
    return {
      countersign: WORLD_FILE_VERSION,
      name: world.name,
      ...settings,
      // By name, because the agent's id may differ after the import.
      ...(mainAgent === undefined ? {} : { mainAgent: snapshot.agentName(mainAgent) }),
      policy: [...world.policy],
      agents: agents.map(({ definition, makers }) => ({
        ...showAgentDefinition(definition),
        ...createdBy(snapshot, makers),
      })),
      mcpServers: servers.map(({ definition }) => exportDefinition(definition)),
    };
  });
}

/**
 * Creates a world from a file in one transaction. The file is untrusted: allow rules are only proposed, and `auto` mode and the working folder
 * are not applied.
 */
export async function importWorld(runtime: Runtime, input: unknown, signer: Signer): Promise<ImportedWorld> {
  const file = parseInput(worldFileSchema, input, 'file');
  refuseMisfits(file);
  await runtime.store.read((reader) => refuseSigners(runtime, reader, file));
  const { countersign: _, agents, mcpServers, policy, name, mainAgent, workingDirectory, ...settings } = file;
  const notes: string[] = [];
  if (settings.mode === 'auto') {
    settings.mode = 'ask';
    notes.push('The file sets the mode to auto. The world was imported in ask mode; change the mode if you want auto.');
  }
  if (workingDirectory !== undefined) {
    notes.push(
      `The file names ${JSON.stringify(workingDirectory)} as the working folder. Set it if agents should work there.`,
    );
  }
  if (mcpServers.length > 0) {
    notes.push(
      mcpServers.length === 1
        ? '1 MCP server is turned off and not trusted. Review it, fill in its variables, and turn it on.'
        : `${mcpServers.length} MCP servers are turned off and not trusted. Review each one, fill in its variables, and turn it on.`,
    );
  }
  const masked = agents.filter(({ systemPrompt }) => hasMask(systemPrompt)).map(({ name: agent }) => agent);
  if (masked.length > 0) {
    notes.push(`Secrets in the prompt of ${masked.join(', ')} were masked in the export. Enter them again.`);
  }
  for (const agent of agents) {
    if (agent.acp !== undefined) {
      agent.active = false;
      notes.push(
        `${agent.name} is turned off: it would run ${JSON.stringify(agent.acp.command)} on this server, outside any sandbox. Review the command, and turn the agent on.`,
      );
    }
    if (agent.provider === EXTERNAL_PROVIDER) {
      notes.push(`${agent.name} is an external agent. Create a token for it before its program can propose calls.`);
      continue;
    }
    if ((await runtime.providers.find(agent.provider)) !== undefined) continue;
    notes.push(
      `${agent.name} uses the provider "${agent.provider}", which is not set up here. Choose another provider for it.`,
    );
  }
  const allows = policy.filter((rule) => isAllow(rule));
  const kept = policy.filter((rule) => !isAllow(rule));
  if (allows.length > 0) {
    notes.push(
      allows.length === 1
        ? '1 allow rule has no effect until you add it to the policy.'
        : `${allows.length} allow rules have no effect until you add them to the policy.`,
    );
  }
  const ids = await chooseIds(agents);
  const made = agents.map(({ createdBy = [], ...definition }) => ({
    id: ids.get(definition.name) ?? '',
    definition,
    // An agent that isn't in the file counts as unknown: then no agent reviews calls of this one (SIGN3).
    makers: createdBy.map((name) => (name === UNKNOWN_AGENT ? name : (ids.get(name) ?? UNKNOWN_AGENT))),
  }));
  const main = made.find(({ definition }) => definition.name === mainAgent);
  const withMain = main === undefined ? settings : { ...settings, mainAgent: main.id };
  const created = { name, settings: withMain, policy: kept, proposed: allows };
  const world = await writeWorld(runtime, { world: created, agents: made, by: signer }, async (tx, id) => {
    for (const server of mcpServers) {
      const off = { ...server, enabled: false, trusted: false };
      await insertMcpServer(tx, id, off, { signer, secretBox: runtime.options.secretBox });
    }
  });
  for (const { name: server } of mcpServers) await runtime.mcp?.reload(world.id, server);
  return { ...toWorld(world), proposed: allows, notes };
}

/** Agents that were removed since are left out: no agent of the new world is one of them. */
function createdBy(snapshot: WorldSnapshot, makers: AgentRecord['makers']): { createdBy?: string[] } {
  if (makers.length === 0) return {};
  const names = makers.flatMap((id) => (id === UNKNOWN_AGENT ? [id] : (snapshot.agent(id)?.definition.name ?? [])));
  return { createdBy: names.length === 0 ? [UNKNOWN_AGENT] : names };
}

/** The ids of agents in a new world, by name. No id is the name of another agent. */
async function chooseIds(agents: WorldFile['agents']): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const { name } of agents) {
    const others = new Set(agents.flatMap((each) => (each.name === name ? [] : [foldName(each.name)])));
    const taken = new Set(ids.values());
    const isTaken = async (candidate: string): Promise<boolean> =>
      taken.has(candidate) || others.has(foldName(candidate));
    ids.set(name, await freeId(slug(name, 'agent'), isTaken));
  }
  return ids;
}

function isAllow(rule: string): boolean {
  if (!isRule(rule)) return false;
  const parsed = parseRule(rule);
  return !parsed.ok || parsed.rule.verb === 'allow';
}

/** Rejects rules about who must sign that nobody here can satisfy. */
async function refuseSigners(runtime: Runtime, reader: StoreReader, { policy, agents }: WorldFile): Promise<void> {
  const about = {
    tools: runtime.tools(''),
    agents: agents.map(({ createdBy: makers = [], ...definition }) => ({
      id: slug(definition.name, 'agent'),
      definition,
      makers,
    })),
  };
  await checkSigners(reader, '', { ...about, rules: policy, source: { field: 'policy', of: 'policy' } });
  for (const [index, { name, policy: rules }] of agents.entries()) {
    const source = { field: `agents.${index}.policy`, of: `policy of "${name}"` };
    await checkSigners(reader, '', { ...about, rules, source, agentId: slug(name, 'agent') });
  }
}

/** Checks what the schema can't: invalid rules and duplicate names. */
function refuseMisfits({ policy, agents, mcpServers, mainAgent }: WorldFile): void {
  compileRules(policy, { field: 'policy', of: 'policy' });
  for (const [index, agent] of agents.entries()) {
    refuseAcp(agent, { field: `agents.${index}.acp`, of: `file: agents[${index}]` });
    compileRules(agent.policy, { field: `agents.${index}.policy`, of: `policy of "${agent.name}"` });
    if (agents.findIndex((other) => foldName(other.name) === foldName(agent.name)) !== index) {
      const field = `agents.${index}.name`;
      throw new CountersignError('invalid', `file: agents[${index}].name: duplicate agent name "${agent.name}"`, {
        field,
      });
    }
  }
  for (const [index, { name }] of mcpServers.entries()) {
    if (mcpServers.findIndex((other) => other.name === name) === index) continue;
    const field = `mcpServers.${index}.name`;
    throw new CountersignError('invalid', `file: mcpServers[${index}].name: duplicate name "${name}"`, { field });
  }
  if (mainAgent === undefined || agents.some(({ name }) => name === mainAgent)) return;
  throw new CountersignError('invalid', `file: mainAgent: there is no agent "${mainAgent}" in the file`, {
    field: 'mainAgent',
  });
}
