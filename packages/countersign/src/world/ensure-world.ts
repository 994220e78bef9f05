import {
  addAgent,
  addMcpServer,
  createWorld,
  removeMcpServer,
  updateAgent,
  updateMcpServer,
  updateWorld,
  type Engine,
} from '@countersign/core';
import type { WorldRecord } from '@countersign/core/ports';
import { newMcpServerSchema, type NewAgent, type NewMcpServer } from '@countersign/protocol';
import type { CountersignOptions, WorldOptions } from '../options/options.js';
import { PROGRAM, TRUSTED } from '../signer.js';

interface Defaults extends Pick<CountersignOptions, 'policy' | 'mcp'> {
  /** The defaults apply once: an open world may have declared its own servers. */
  isOpen(worldId: string): boolean;
}

/** Finds or creates a world, and updates it to match what the program declares. Nothing else in it changes. */
export async function ensureWorld(
  engine: Engine,
  name: string,
  wanted: WorldOptions,
  defaults: Defaults,
): Promise<WorldRecord> {
  const { runtime } = engine;
  const worlds = await runtime.store.read((reader) => reader.worlds());
  const known = worlds.find((world) => world.name === name || world.id === name);
  const shared = known !== undefined && defaults.isOpen(known.id) ? [] : (defaults.mcp ?? []);
  const { policy = defaults.policy, mcp = shared, agents = [], mainAgent, ...settings } = wanted;
  if (known !== undefined && Object.keys(settings).length > 0)
    await updateWorld(runtime, known.id, settings, PROGRAM, TRUSTED);
  const rules = policy === undefined ? {} : { policy };
  const world = known ?? (await createWorld(runtime, { name, ...settings, ...rules }, PROGRAM, TRUSTED));
  for (const agent of agents) await ensureAgent(engine, world.id, agent);
  for (const server of mcp) await ensureServer(engine, world.id, server);
  // Set this after the agents exist.
  if (mainAgent !== undefined) await updateWorld(runtime, world.id, { mainAgent }, PROGRAM);
  return world;
}

/** Adds or updates an agent, so that a program can declare its agents and be run again. */
async function ensureAgent({ runtime }: Engine, worldId: string, agent: NewAgent): Promise<void> {
  const agents = await runtime.store.read((reader) => reader.agents(worldId));
  const known = agents.find(({ definition }) => definition.name === agent.name);
  if (known === undefined) await addAgent(runtime, worldId, agent, PROGRAM, TRUSTED);
  else await updateAgent(runtime, worldId, known.id, agent, PROGRAM, TRUSTED);
}

/** `trusted` and `enabled` change only if the program sets them: people can change them too. */
async function ensureServer({ runtime }: Engine, worldId: string, server: NewMcpServer): Promise<void> {
  const { name, transport, trusted, enabled, ...connection } = newMcpServerSchema.parse(server);
  const known = await runtime.store.read((reader) => reader.mcpServer(worldId, name));
  if (known?.definition.transport === transport) {
    const switches = {
      ...(server.trusted === undefined ? {} : { trusted }),
      ...(server.enabled === undefined ? {} : { enabled }),
    };
    await updateMcpServer(runtime, worldId, name, { ...connection, ...switches }, PROGRAM, TRUSTED);
    return;
  }
  // A server's transport can't be changed, and the new server must not inherit the old one's grants.
  if (known !== undefined) await removeMcpServer(runtime, worldId, name, PROGRAM);
  await addMcpServer(runtime, worldId, server, PROGRAM, TRUSTED);
}
