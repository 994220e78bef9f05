import { z } from 'zod';
import { newMcpServerSchema } from './mcp-servers.js';
import { newAgentSchema, newWorldSchema, worldSchema } from './worlds.js';

/** The version of the file below. One that is not known is refused in words. */
export const WORLD_FILE_VERSION = 1;

/** A world as one file (W3 `export`, `import`): its settings, rules, agents and MCP servers. No chats, no grants, no secrets. */
export const worldFileSchema = newWorldSchema.extend({
  countersign: z.literal(WORLD_FILE_VERSION, `this version reads files of version ${WORLD_FILE_VERSION}`),
  /** The name of one of the agents below: ids are given when the file is imported. */
  mainAgent: z.string().min(1).max(64).exactOptional(),
  agents: z.array(newAgentSchema).max(1000).default([]),
  /** Values of variables and headers are empty. Whatever it says, each is off and untrusted once it is imported. */
  mcpServers: z.array(newMcpServerSchema).max(100).default([]),
});
export type WorldFile = z.infer<typeof worldFileSchema>;

/** What an import made. It is inert: what would give power is only proposed, or left out and said. */
export const importedWorldSchema = worldSchema.extend({
  /** Rules of the file that would allow something. They count once a person puts them into the policy. */
  proposed: z.array(z.string()),
  /** What of the file was not taken over, and what to do about it. */
  notes: z.array(z.string()),
});
export type ImportedWorld = z.infer<typeof importedWorldSchema>;
