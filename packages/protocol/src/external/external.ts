import { z } from 'zod';
import { nameSchema } from '../text/names.js';
import { oneLine } from '../people/people.js';

/** The provider of an agent whose calls come from a program outside, such as Claude Code (A55). No model is ever called for it. */
export const EXTERNAL_PROVIDER = 'external';

/** The program that proposes calls, as in the names of its tools: `claude__Bash`. `mcp` and `app` name other tools. */
export const externalProgramSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 lowercase letters, digits or -, such as claude')
  .refine((program) => program !== 'mcp' && program !== 'app', 'mcp and app are reserved');

/** A session of the program. Each one has its own chat. */
const sessionSchema = oneLine(200);

/** Chosen by the program, and sent with everything that it asks or reports about the call. */
const claimSchema = z.string().min(1).max(200);

/** A call that a program outside wants to run itself. */
export const newExternalCallSchema = z.strictObject({
  /** The id of the external agent. Default: the agent that the token belongs to. */
  agent: z.string().min(1).max(200).exactOptional(),
  session: sessionSchema,
  /** Names the call within its session. Sending the same call with the same key again returns the same call. */
  key: z.string().min(1).max(200),
  program: externalProgramSchema,
  /** The program's own name of the tool, such as `Bash`. */
  tool: z.string().regex(/^[A-Za-z0-9_.-]{1,90}$/, 'must be 1 to 90 letters, digits, _, - or .'),
  arguments: z.record(z.string(), z.unknown()),
  /** The working folder of the program, for relative paths. */
  cwd: z.string().max(4096).regex(/^\//, 'must be an absolute path').exactOptional(),
  /** Whether the program reports how the call ended. Otherwise the call ends as soon as it is allowed. */
  reports: z.boolean().default(false),
  /**
   * `days`: the program ends and proposes the call again after the decision, as `claude --resume` does. Otherwise, a program that stops asking no
   * longer waits for the call.
   */
  waits: z.literal('days').exactOptional(),
  /** An id that only this process knows. Without it, no other process with the same credential gets the verdict. */
  claim: claimSchema.exactOptional(),
  /** How many seconds to wait for a decision before the response. */
  wait: z.number().int().min(0).max(50).default(0),
});
export type NewExternalCall = z.input<typeof newExternalCallSchema>;

/** The claim that the call was proposed with. */
export const externalClaimSchema = z.strictObject({ claim: claimSchema.exactOptional() });

export const externalWaitQuerySchema = externalClaimSchema.extend({
  /** How many seconds to wait for a decision before the response. */
  wait: z.coerce.number().int().min(0).max(50).default(0),
});

/**
 * `pending`: a person must decide. `allowed`: the call has started, and the program may run it with `arguments`. `denied`: it must not run.
 * `ended`: it was allowed, and has ended. Only `allowed` is a yes.
 */
const externalCallStateSchema = z.enum(['pending', 'allowed', 'denied', 'ended']);
export type ExternalCallState = z.infer<typeof externalCallStateSchema>;

export const externalCallSchema = z.object({
  id: z.string(),
  state: externalCallStateSchema,
  /** With `allowed`: the arguments to run, unmasked. */
  arguments: z.record(z.string(), z.unknown()).exactOptional(),
  /** With `allowed`: whether a person changed the arguments. */
  edited: z.boolean().exactOptional(),
  /** After a fetch: the folder to run it in, if the program named one. */
  cwd: z.string().exactOptional(),
  /** With `denied`: why. */
  reason: z.string().exactOptional(),
  /** With `pending`: where people decide. */
  approval: z.object({ id: z.string(), link: z.string() }).exactOptional(),
});
export type ExternalCall = z.infer<typeof externalCallSchema>;

/** How an allowed call ended. */
export const externalResultSchema = z
  .strictObject({
    content: z.string().max(1_000_000, 'can have at most 1,000,000 characters').exactOptional(),
    error: z.string().min(1).max(100_000, 'can have at most 100,000 characters').exactOptional(),
    /** The claim that the call was proposed with. */
    claim: claimSchema.exactOptional(),
  })
  .refine(({ content, error }) => (content === undefined) !== (error === undefined), 'send either content or error');
export type ExternalResult = z.infer<typeof externalResultSchema>;

export const endExternalSessionSchema = z.strictObject({ agent: z.string().min(1).max(200).exactOptional() });

/** Creates an external agent, or finds the one with this name, and creates a token for it. */
export const newExternalAgentSchema = z.strictObject({
  name: nameSchema,
  /** What the program is called in the names of its tools, or `mcp` for an MCP client, which uses the world's tools. */
  program: z.union([externalProgramSchema, z.literal('mcp')]),
  /** Names or globs of the tools that it may request. Default: those of the program. An existing agent keeps its list. */
  tools: z.array(z.string().min(1).max(128)).max(1000).exactOptional(),
  /** The name of the token, such as the machine. Default: the name of the agent. */
  tokenName: oneLine(100).exactOptional(),
  /** The id of the person who uses the program, and so requests its calls. If absent, nobody is named, and `by not requester` can't be met. */
  usedBy: z.string().min(1).max(200).exactOptional(),
});
export type NewExternalAgent = z.infer<typeof newExternalAgentSchema>;

/** The token can propose calls for this agent in this world, and nothing else. It is returned only here. */
export const createdExternalAgentSchema = z.object({
  agent: z.string(),
  created: z.boolean(),
  token: z.string(),
  /** To revoke the token: its id, and the person it belongs to. */
  tokenId: z.string(),
  person: z.string(),
});
export type CreatedExternalAgent = z.infer<typeof createdExternalAgentSchema>;

const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ['claude', 'Claude Code'],
  ['codex', 'Codex'],
  ['gemini', 'Gemini CLI'],
  ['opencode', 'opencode'],
]);

/** The name of a program as people know it. */
export function programName(program: string): string {
  return PROGRAMS.get(program) ?? program;
}

/** The name of a program's tool in rules and on cards. */
export function externalToolName(program: string, tool: string): string {
  return `${program}__${tool}`;
}
