import { z } from 'zod';

/** MCP servers (W3 `mcp-servers`). Values of `env` and `headers` are write-only. */
export const mcpServerNameSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,22}[a-z0-9])?$/,
    'must be 1 to 24 lowercase letters, digits and hyphens, and must not start or end with a hyphen',
  );
const mcpCommon = {
  name: mcpServerNameSchema,
  /** Tools of this server that declare themselves read-only run without approval (A1). */
  trusted: z.boolean().default(false),
  enabled: z.boolean().default(true),
};
const plainRecord = z.record(z.string().min(1).max(200), z.string().max(20_000));
export const newMcpServerSchema = z.discriminatedUnion('transport', [
  z.strictObject({
    ...mcpCommon,
    transport: z.literal('stdio'),
    command: z.string().min(1).max(4096),
    args: z.array(z.string().max(20_000)).max(1000).default([]),
    env: plainRecord.default({}),
    /** Whether the server's sandbox has network access (A20). */
    network: z.boolean().default(false),
  }),
  z.strictObject({
    ...mcpCommon,
    transport: z.literal('http'),
    url: z.url({ protocol: /^https?$/ }).max(4096),
    headers: plainRecord.default({}),
  }),
]);
export type NewMcpServer = z.input<typeof newMcpServerSchema>;
export type McpServerDefinition = z.output<typeof newMcpServerSchema>;

/** A partial definition. `accept`: accept the current tool definitions. */
export const mcpServerChangeSchema = z.strictObject({
  command: z.string().min(1).max(4096).exactOptional(),
  args: z.array(z.string().max(20_000)).max(1000).exactOptional(),
  /** Replaces all variables. `null` keeps the stored value of a name, because stored values are never returned. */
  env: z.record(z.string().min(1).max(200), z.string().max(20_000).nullable()).exactOptional(),
  network: z.boolean().exactOptional(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(4096)
    .exactOptional(),
  headers: z.record(z.string().min(1).max(200), z.string().max(20_000).nullable()).exactOptional(),
  trusted: z.boolean().exactOptional(),
  enabled: z.boolean().exactOptional(),
  accept: z.literal(true).exactOptional(),
});
export type McpServerChange = z.infer<typeof mcpServerChangeSchema>;
