import { z } from 'zod';
import { api, field } from '../input/field.js';
import { newMcpServerSchema } from '../connections/mcp-servers.js';
import { newAgentSchema } from './agents.js';
import { newWorldSchema, worldSchema } from './worlds.js';

/** The version of the file format. Other versions are rejected. */
export const WORLD_FILE_VERSION = 1;

const fileAgentSchema = newAgentSchema.extend({
  createdBy: field(
    z.array(z.string().min(1).max(64)).max(1000).exactOptional(),
    'Names of the agents that created it, directly or through others. Absent if a person did.',
  ),
});

/** A world as a single file (HTTP2 `export`, `import`): settings, rules, agents and MCP servers. No chats, grants or secrets. */
export const worldFileSchema = newWorldSchema.omit({ roots: true }).extend({
  countersign: field(
    z.literal(WORLD_FILE_VERSION, `only files of version ${WORLD_FILE_VERSION} are supported`),
    'Version of the file format.',
  ),
  mainAgent: field(
    z.string().min(1).max(64).exactOptional(),
    'The name of one of the agents below, because ids are assigned on import.',
  ),
  agents: field(z.array(fileAgentSchema).max(1000).default([]), 'Agents of the world.'),
  mcpServers: field(
    z.array(newMcpServerSchema).max(100).default([]),
    'MCP servers of the world. Imported ones are always disabled and untrusted.',
  ),
});
export type WorldFile = z.infer<typeof worldFileSchema>;

/** The result of an import. An import grants nothing: permissions are only proposed, or left out with a note. */
export const importedWorldSchema = worldSchema.extend({
  proposed: field(z.array(z.string()), 'Allow rules from an import that have no effect until a person accepts them.'),
  notes: field(z.array(z.string()), 'What was not imported, and why.'),
});
api.add(importedWorldSchema, { id: 'ImportedWorld' });
export type ImportedWorld = z.infer<typeof importedWorldSchema>;
