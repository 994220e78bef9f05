import { z } from 'zod';
import { newMcpServerSchema } from '../connections/mcp-servers.js';
import { newAgentSchema, newWorldSchema, worldSchema } from './worlds.js';

/** The version of the file format. Other versions are rejected. */
export const WORLD_FILE_VERSION = 1;

const fileAgentSchema = newAgentSchema.extend({
  /** The names of the agents that created it, directly or through others. Absent if a person did. */
  createdBy: z.array(z.string().min(1).max(64)).max(1000).exactOptional(),
});

/** A world as a single file (W3 `export`, `import`): settings, rules, agents and MCP servers. No chats, grants or secrets. */
export const worldFileSchema = newWorldSchema.omit({ roots: true }).extend({
  countersign: z.literal(WORLD_FILE_VERSION, `only files of version ${WORLD_FILE_VERSION} are supported`),
  /** The name of one of the agents below, because ids are assigned on import. */
  mainAgent: z.string().min(1).max(64).exactOptional(),
  agents: z.array(fileAgentSchema).max(1000).default([]),
  /** Values of variables and headers are empty. Imported servers are always disabled and untrusted. */
  mcpServers: z.array(newMcpServerSchema).max(100).default([]),
});
export type WorldFile = z.infer<typeof worldFileSchema>;

/** The result of an import. An import grants nothing: permissions are only proposed, or left out with a note. */
export const importedWorldSchema = worldSchema.extend({
  /** Allow rules from the file. They have no effect until a person adds them to the policy. */
  proposed: z.array(z.string()),
  /** What was not imported, and what to do about it. */
  notes: z.array(z.string()),
});
export type ImportedWorld = z.infer<typeof importedWorldSchema>;
