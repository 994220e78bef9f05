import { z } from 'zod';
import { isLinkLocal } from './is-link-local.js';

/** The name of an MCP server (W3 `mcp-servers`). It is part of the names of its tools: `mcp__name__tool`. */
export const mcpServerNameSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,22}[a-z0-9])?$/,
    'must be 1 to 24 lowercase letters, digits and hyphens, and must not start or end with a hyphen',
  );
const mcpCommon = {
  name: mcpServerNameSchema,
  /** Tools from this server that declare themselves read-only run without approval (A1). */
  trusted: z.boolean().default(false),
  enabled: z.boolean().default(true),
};
/** Folders that a program may read (A46.5). */
const folders = z
  .array(
    z
      .string()
      .max(4096)
      .regex(/^(?:\/|~\/)(?!.*\0)/, 'must be an absolute path or start with ~/'),
  )
  .max(50);
/** A host name or a public IPv4 address, without a port. */
const hostName = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/, {
    error: 'must be a host name such as registry.npmjs.org, without https://, a port or a path',
  })
  .toLowerCase();
/** `true`: all public hosts. `hosts`: only these public hosts (A46.10). */
export const mcpNetworkSchema = z.union([z.boolean(), z.strictObject({ hosts: z.array(hostName).min(1).max(50) })]);
export type McpNetwork = z.output<typeof mcpNetworkSchema>;
/** Not a link-local address: cloud machines have their metadata service there. */
const serverUrl = z
  .url({ protocol: /^https?$/ })
  .max(4096)
  .refine((url) => !isLinkLocal(hostOf(url)), {
    error: 'must not be a link-local address: cloud machines have their metadata service there',
  });

/** As `fetch` reads it: `169%2e254.169.254` is an address too. */
function hostOf(url: string): string {
  const { data: read = '' } = z.url({ normalize: true }).safeParse(url);
  return /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)/.exec(read)?.[1] ?? '';
}
const variableName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
const variableValue = z
  .string()
  .max(20_000)
  .regex(/^[^\0]*$/, 'must not contain a NUL character');
const headerName = z
  .string()
  .max(200)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
// Line breaks could inject headers.
const headerValue = z
  .string()
  .max(20_000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must not contain line breaks or control characters');
export const newMcpServerSchema = z.discriminatedUnion('transport', [
  z.strictObject({
    ...mcpCommon,
    transport: z.literal('stdio'),
    command: z.string().min(1).max(4096),
    args: z.array(z.string().max(20_000)).max(1000).default([]),
    env: z.record(variableName, variableValue).default({}),
    /** What the server's sandbox can reach: nothing, all public hosts, or only the named ones (A46.10). */
    network: mcpNetworkSchema.default(false),
    /** Folders outside the working folder that the server may read, such as the one with its program (A46.5). */
    folders: folders.exactOptional(),
  }),
  z.strictObject({
    ...mcpCommon,
    transport: z.literal('http'),
    url: serverUrl,
    headers: z.record(headerName, headerValue).default({}),
    /** The server connects only to public addresses. Set if the URL wasn't chosen by an admin of the whole server (A21.7). */
    publicOnly: z.literal(true).exactOptional(),
  }),
]);
/** An MCP server to add. */
export type NewMcpServer = z.input<typeof newMcpServerSchema>;
export type McpServerDefinition = z.output<typeof newMcpServerSchema>;

/** Encrypted values in a stored definition (A46.3). If they are not text, they are damaged; they must not count as absent. */
export const storedMcpValuesSchema = z.string().catch('').optional();

/** A partial definition. `accept`: accept the current tool definitions. */
export const mcpServerChangeSchema = z.strictObject({
  command: z.string().min(1).max(4096).exactOptional(),
  args: z.array(z.string().max(20_000)).max(1000).exactOptional(),
  /** Replaces all variables. `null` keeps the value stored for a name, because stored values are never returned. */
  env: z.record(variableName, variableValue.nullable()).exactOptional(),
  network: mcpNetworkSchema.exactOptional(),
  folders: folders.exactOptional(),
  url: serverUrl.exactOptional(),
  headers: z.record(headerName, headerValue.nullable()).exactOptional(),
  trusted: z.boolean().exactOptional(),
  enabled: z.boolean().exactOptional(),
  accept: z.literal(true).exactOptional(),
});
export type McpServerChange = z.infer<typeof mcpServerChangeSchema>;

/** What a server lists besides tools. */
export const mcpContextSchema = z.object({
  prompts: z.array(
    z.object({
      name: z.string(),
      description: z.string().exactOptional(),
      arguments: z.array(
        z.object({ name: z.string(), description: z.string().exactOptional(), isRequired: z.boolean() }),
      ),
    }),
  ),
  resources: z.array(
    z.object({
      uri: z.string(),
      name: z.string(),
      description: z.string().exactOptional(),
      mimeType: z.string().exactOptional(),
    }),
  ),
});
export type McpContext = z.infer<typeof mcpContextSchema>;

/** A prompt by name, or a resource by URI. */
export const mcpContextRequestSchema = z.union([
  z.strictObject({
    prompt: z.string().min(1).max(500),
    arguments: z.record(z.string().max(500), z.string().max(20_000)).exactOptional(),
  }),
  z.strictObject({ uri: z.string().min(1).max(4096) }),
]);
export type McpContextRequest = z.infer<typeof mcpContextRequestSchema>;

/** Text from a server. Nobody has checked it. */
export const mcpContextTextSchema = z.object({ text: z.string() });

/** Starts a sign-in to a remote server (A46.7). */
export const mcpSignInRequestSchema = z.strictObject({
  /** The origin of the web app, such as `http://localhost:4747`. The browser returns there. */
  origin: z.url({ protocol: /^https?$/ }).max(300),
  /** A client that you registered, for an authorization server that doesn't register clients itself. */
  clientId: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, 'must not contain spaces or line breaks')
    .exactOptional(),
  clientSecret: z
    .string()
    .regex(/^[\x21-\x7e]{1,2000}$/, 'must not contain spaces or line breaks')
    .exactOptional(),
});
export type McpSignInRequest = Omit<z.infer<typeof mcpSignInRequestSchema>, 'origin'>;

export const mcpSignInStartSchema = z.discriminatedUnion('kind', [
  /** Open `url` in a browser. */
  z.object({ kind: z.literal('ready'), url: z.string(), issuer: z.string(), expiresAt: z.string() }),
  /** Send a client id. Register `redirectUrl` with the authorization server first. */
  z.object({ kind: z.literal('client-needed'), issuer: z.string(), redirectUrl: z.string() }),
]);
export type McpSignInStart = z.infer<typeof mcpSignInStartSchema>;

/** The parameters that an authorization server adds to the redirect URL. */
export const mcpSignInAnswerSchema = z.strictObject({
  state: z.string().min(1).max(2000),
  /** The last part of the redirect URL, which is different for each MCP server. */
  callback: z.string().min(1).max(100),
  code: z.string().min(1).max(8000).exactOptional(),
  iss: z.string().max(2000).exactOptional(),
  /** The error code if there is no code. */
  error: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .exactOptional(),
});
export type McpSignInAnswer = z.infer<typeof mcpSignInAnswerSchema>;

export const mcpSignedInSchema = z.object({ world: z.string(), server: z.string() });
