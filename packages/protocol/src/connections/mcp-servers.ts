import { z } from 'zod';
import { api, field, text } from '../input/field.js';
import { isLinkLocal } from './is-link-local.js';

/** The name of an MCP server (HTTP2 `mcp-servers`). It is part of the names of its tools: `mcp__name__tool`. */
export const mcpServerNameSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,22}[a-z0-9])?$/,
    'must be 1 to 24 lowercase letters, digits and hyphens, and must not start or end with a hyphen',
  );
const mcpCommon = {
  name: field(mcpServerNameSchema.clone(), 'Name of the MCP server.'),
  trusted: field(
    z.boolean().default(false),
    'Whether its read-only declarations are trusted. Read-only tools of a trusted server run without approval.',
  ),
  enabled: field(z.boolean().default(true), 'Whether the server is enabled.'),
};
/** Folders that a program may read (MCP1.3). */
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
/** `true`: all public hosts. `hosts`: only these public hosts (MCP3). */
export const mcpNetworkSchema = z.union([
  z.boolean(),
  z.strictObject({ hosts: field(z.array(hostName).min(1).max(50), 'Hosts it may connect to.') }),
]);
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
    transport: field(z.literal('stdio'), 'stdio: a program. http: a URL.'),
    command: field(z.string().min(1).max(4096), 'Program to run.'),
    args: field(z.array(z.string().max(20_000)).max(1000).default([]), 'Arguments of the command.'),
    env: field(
      z.record(variableName, variableValue).default({}),
      'Environment variables of the program. Responses contain only their names.',
    ),
    network: field(
      mcpNetworkSchema.default(false),
      "What the server's sandbox can reach: nothing, all public hosts, or only the named ones.",
    ),
    folders: field(folders.exactOptional(), 'Folders outside the working folder that the program may read.'),
  }),
  z.strictObject({
    ...mcpCommon,
    transport: field(z.literal('http'), 'stdio: a program. http: a URL.'),
    url: field(serverUrl.clone(), 'URL of the server.'),
    headers: field(
      z.record(headerName, headerValue).default({}),
      'HTTP headers sent to the server. Responses contain only their names.',
    ),
    publicOnly: field(
      z.literal(true).exactOptional(),
      "The server connects only to public addresses. Set if the URL wasn't chosen by an admin of the whole server.",
    ),
  }),
]);
/** An MCP server to add. */
export type NewMcpServer = z.input<typeof newMcpServerSchema>;
export type McpServerDefinition = z.output<typeof newMcpServerSchema>;

/** Encrypted values in a stored definition (MCP2). If they are not text, they are damaged; they must not count as absent. */
export const storedMcpValuesSchema = z.string().catch('').optional();

/** A partial definition. `accept`: accept the current tool definitions. */
export const mcpServerChangeSchema = z.strictObject({
  command: field(z.string().min(1).max(4096).exactOptional(), 'Program to run.'),
  args: field(z.array(z.string().max(20_000)).max(1000).exactOptional(), 'Arguments of the command.'),
  env: field(
    z.record(variableName, variableValue.nullable()).exactOptional(),
    'Replaces all variables. `null` keeps the value stored for a name, because stored values are never returned.',
  ),
  network: field(
    mcpNetworkSchema.exactOptional(),
    "What the server's sandbox can reach: nothing, all public hosts, or only the named ones.",
  ),
  folders: field(folders.exactOptional(), 'Folders outside the working folder that the program may read.'),
  url: field(serverUrl.exactOptional(), 'URL of the server.'),
  headers: field(
    z.record(headerName, headerValue.nullable()).exactOptional(),
    'HTTP headers sent to the server. Responses contain only their names.',
  ),
  trusted: field(
    z.boolean().exactOptional(),
    'Whether its read-only declarations are trusted. Read-only tools of a trusted server run without approval.',
  ),
  enabled: field(z.boolean().exactOptional(), 'Whether the server is enabled.'),
  accept: field(z.literal(true).exactOptional(), "Set to true to accept the server's current tool definitions."),
});
export type McpServerChange = z.infer<typeof mcpServerChangeSchema>;

/** What a server lists besides tools. */
export const mcpContextSchema = z.object({
  prompts: field(
    z.array(
      z.object({
        name: text('Name of the prompt.'),
        description: text('What the prompt is for.').exactOptional(),
        arguments: field(
          z.array(
            z.object({
              name: text('Name of the argument.'),
              description: text('What the argument is for.').exactOptional(),
              isRequired: field(z.boolean(), 'Whether a value is needed.'),
            }),
          ),
          'Arguments of the prompt.',
        ),
      }),
    ),
    'Prompts that the server offers.',
  ),
  resources: field(
    z.array(
      z.object({
        uri: text('URI of the resource.'),
        name: text('Name of the resource.'),
        description: text('What the resource is for.').exactOptional(),
        mimeType: text('Media type.').exactOptional(),
      }),
    ),
    'Resources that the server offers.',
  ),
});
export type McpContext = z.infer<typeof mcpContextSchema>;

/** A prompt by name, or a resource by URI. */
export const mcpContextRequestSchema = z.union([
  z.strictObject({
    prompt: field(z.string().min(1).max(500), 'Name of the prompt.'),
    arguments: field(z.record(z.string().max(500), z.string().max(20_000)).exactOptional(), 'Arguments of the prompt.'),
  }),
  z.strictObject({ uri: field(z.string().min(1).max(4096), 'URI of the resource.') }),
]);
export type McpContextRequest = z.infer<typeof mcpContextRequestSchema>;

/** Text from a server. Nobody has checked it. */
export const mcpContextTextSchema = z.object({ text: text('Text of the prompt or resource.') });

/** Starts a sign-in to a remote server (MCP4). */
export const mcpSignInRequestSchema = z.strictObject({
  origin: field(
    z.url({ protocol: /^https?$/ }).max(300),
    'Origin of this server as seen by the browser. The browser returns there.',
  ),
  clientId: field(
    z
      .string()
      .regex(/^[\x21-\x7e]{1,500}$/, 'must not contain spaces or line breaks')
      .exactOptional(),
    "A client that you registered, for an authorization server that doesn't register clients itself.",
  ),
  clientSecret: field(
    z
      .string()
      .regex(/^[\x21-\x7e]{1,2000}$/, 'must not contain spaces or line breaks')
      .exactOptional(),
    'Secret of that client, if it has one. Stored encrypted and never returned.',
  ),
});
export type McpSignInRequest = Omit<z.infer<typeof mcpSignInRequestSchema>, 'origin'>;

export const mcpSignInStartSchema = z.discriminatedUnion('kind', [
  /** Open `url` in a browser. */
  z.object({
    kind: field(z.literal('ready'), 'ready: open the URL. client-needed: send a client ID.'),
    url: text('Sign-in page to open in a browser.'),
    issuer: text('Issuer of the authorization server.'),
    expiresAt: text('When the URL stops working.'),
  }),
  /** Send a client id. Register `redirectUrl` with the authorization server first. */
  z.object({
    kind: field(z.literal('client-needed'), 'ready: open the URL. client-needed: send a client ID.'),
    issuer: text('Issuer of the authorization server.'),
    redirectUrl: text('Register a client with this redirect URL.'),
  }),
]);
api.add(mcpSignInStartSchema, { id: 'McpSignInStart' });
export type McpSignInStart = z.infer<typeof mcpSignInStartSchema>;

/** The parameters that an authorization server adds to the redirect URL. */
export const mcpSignInAnswerSchema = z.strictObject({
  state: field(z.string().min(1).max(2000), 'The state, as the authorization server sent it.'),
  callback: field(z.string().min(1).max(100), 'Last part of the redirect URL.'),
  code: field(z.string().min(1).max(8000).exactOptional(), 'Authorization code. Absent if the sign-in was refused.'),
  iss: field(z.string().max(2000).exactOptional(), 'Issuer, if the authorization server sent it.'),
  error: field(
    z
      .string()
      .regex(/^[\w.-]{1,100}$/)
      .exactOptional(),
    'The error code if there is no code.',
  ),
});
export type McpSignInAnswer = z.infer<typeof mcpSignInAnswerSchema>;

export const mcpSignedInSchema = z.object({ world: text('Id of the world.'), server: text('Name of the MCP server.') });
api.add(mcpSignedInSchema, { id: 'McpSignedIn' });
