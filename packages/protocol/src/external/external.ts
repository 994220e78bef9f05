import { z } from 'zod';
import { newCallContextSchema } from '../calls/call-context.js';
import { api, field, text } from '../input/field.js';
import { nameSchema } from '../text/names.js';
import { oneLine } from '../people/people.js';

/** The provider of an agent whose calls come from a program outside, such as Claude Code (EXT1). No model is ever called for it. */
export const EXTERNAL_PROVIDER = 'external';

/** The program that proposes calls, as in the names of its tools: `claude__Bash`. `mcp` and `app` name other tools, and `run` is for runs. */
export const externalProgramSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 lowercase letters, digits or -, such as claude')
  .refine((program) => !['mcp', 'app', 'run'].includes(program), 'mcp, app and run are reserved');

/** A session of the program. Each one has its own chat. */
const sessionSchema = oneLine(200);

/** Chosen by the program, and sent with everything that it asks or reports about the call. */
const claimSchema = z.string().min(1).max(200);

/** A call that a program outside wants to run itself. */
export const newExternalCallSchema = z.strictObject({
  agent: field(
    z.string().min(1).max(200).exactOptional(),
    'Id of the agent. Default: the one that the token belongs to.',
  ),
  session: field(sessionSchema.clone(), "Names the program's session. Each session has its own chat."),
  key: field(
    z.string().min(1).max(200),
    'Names the call within its session. Sending the same call with the same key again returns the same call.',
  ),
  program: field(externalProgramSchema.clone(), 'Name of the program, such as claude.'),
  tool: field(
    z.string().regex(/^[A-Za-z0-9_.-]{1,90}$/, 'must be 1 to 90 letters, digits, _, - or .'),
    "The program's own name of the tool, such as `Bash`.",
  ),
  arguments: field(z.record(z.string(), z.unknown()), 'Arguments of the call.'),
  cwd: field(
    z.string().max(4096).regex(/^\//, 'must be an absolute path').exactOptional(),
    'Working folder of the program, for relative paths.',
  ),
  context: field(
    newCallContextSchema.exactOptional(),
    'What the program says about the session of the call. People see it as a claim, and nothing is decided by it.',
  ),
  reports: field(
    z.boolean().default(false),
    'Whether the program reports how the call ended. Otherwise the call ends as soon as it is allowed.',
  ),
  waits: field(
    z.literal('days').exactOptional(),
    'days: the program ends and proposes the call again after the decision. Otherwise, a program that stops asking no longer waits for the call.',
  ),
  claim: field(
    claimSchema.exactOptional(),
    'An id that only this process knows. Without it, no other process with the same credential gets the verdict.',
  ),
  wait: field(
    z.number().int().min(0).max(50).default(0),
    'How many seconds to wait for a decision before the response, at most 50.',
  ),
});
export type NewExternalCall = z.input<typeof newExternalCallSchema>;

/** The claim that the call was proposed with. */
export const externalClaimSchema = z.strictObject({
  claim: field(claimSchema.exactOptional(), 'The claim that the call was proposed with.'),
});

export const externalWaitQuerySchema = externalClaimSchema.extend({
  wait: field(
    z.coerce.number().int().min(0).max(50).default(0),
    'How many seconds to wait for a decision before the response.',
  ),
});

/**
 * `pending`: a person must decide. `allowed`: the call has started, and the program may run it with `arguments`. `answered`: a person answered what it
 * asks, in `reason`, so it must not run. `denied`: it must not run.
 * `ended`: it was allowed, and has ended. Only `allowed` is a yes.
 */
const externalCallStateSchema = z.enum(['pending', 'allowed', 'answered', 'denied', 'ended']);
export type ExternalCallState = z.infer<typeof externalCallStateSchema>;

export const externalCallSchema = z.object({
  id: text('Id of the call.'),
  state: field(
    externalCallStateSchema.clone(),
    'pending: a person must decide. allowed: the call has started, and the program may run it. answered: a person answered what it asks, so it must not run. denied: it must not run. ended: it was allowed, and has ended. Only allowed is a yes.',
  ),
  arguments: field(
    z.record(z.string(), z.unknown()).exactOptional(),
    'With `allowed`: the arguments to run, unmasked.',
  ),
  edited: field(z.boolean().exactOptional(), 'With `allowed`: whether a person changed the arguments.'),
  cwd: text('With `allowed`: the folder to run it in, if the program named one.').exactOptional(),
  reason: text('With `denied`: why. With `answered`: the answer, for the model.').exactOptional(),
  approval: field(
    z
      .object({ id: text('Id of the approval.'), link: text('Page of the web app where people decide.') })
      .exactOptional(),
    'With `pending`: where people decide.',
  ),
});
api.add(externalCallSchema, { id: 'ExternalCall' });
export type ExternalCall = z.infer<typeof externalCallSchema>;

/** How an allowed call ended. */
export const externalResultSchema = z
  .strictObject({
    content: field(
      z.string().max(1_000_000, 'can have at most 1,000,000 characters').exactOptional(),
      'What the call returned.',
    ),
    error: field(
      z.string().min(1).max(100_000, 'can have at most 100,000 characters').exactOptional(),
      'Why the call failed.',
    ),
    claim: field(claimSchema.exactOptional(), 'The claim that the call was proposed with.'),
  })
  .refine(({ content, error }) => (content === undefined) !== (error === undefined), 'send either content or error');
export type ExternalResult = z.infer<typeof externalResultSchema>;

export const endExternalSessionSchema = z.strictObject({
  agent: field(
    z.string().min(1).max(200).exactOptional(),
    'Id of the agent. Default: the one that the token belongs to.',
  ),
});

/** Creates an external agent, or finds the one with this name, and creates a token for it. */
export const newExternalAgentSchema = z.strictObject({
  name: field(nameSchema.clone(), 'Name of the agent.'),
  program: field(
    z.union([externalProgramSchema, z.literal('mcp')]),
    "What the program is called in the names of its tools, or `mcp` for an MCP client, which uses the world's tools.",
  ),
  tools: field(
    z.array(z.string().min(1).max(128)).max(1000).exactOptional(),
    'Names or globs of the tools that it may request. Default: those of the program. An existing agent keeps its list.',
  ),
  tokenName: field(oneLine(100).exactOptional(), 'Name of the token. Default: the name of the agent.'),
  usedBy: field(
    z.string().min(1).max(200).exactOptional(),
    'Id of the person who uses the program, and so requests its calls. Without it, nobody is named.',
  ),
  tokenId: field(
    z.string().min(1).max(200).exactOptional(),
    'Id of a token for the same program and person, which then proposes in this world, too. Without it, a token is created.',
  ),
});
export type NewExternalAgent = z.infer<typeof newExternalAgentSchema>;

export const addedExternalAgentSchema = z.object({
  agent: text('Id of the agent.'),
  created: field(z.boolean(), 'Whether the agent was created now.'),
  token: text('The token, if it was created now. Returned only here.').exactOptional(),
  tokenId: text('Id of the token, to revoke it.'),
  person: text('Id of the person that the token belongs to.'),
});
export type AddedExternalAgent = z.infer<typeof addedExternalAgentSchema>;

/** The token can propose calls for this agent in this world, and nothing else. It is returned only here. */
export const createdExternalAgentSchema = addedExternalAgentSchema.extend({ token: text('The token.') });
export type CreatedExternalAgent = z.infer<typeof createdExternalAgentSchema>;

export const readingQuerySchema = z.strictObject({
  program: field(externalProgramSchema.clone(), 'Name of the program, such as claude.'),
});

/** Rules with which a program reads in the world's folder without approval (GATE7.4). */
export const readingRulesSchema = z.object({
  rules: field(
    z.array(z.string()),
    'Allow rules that the world doesn’t have yet. Empty if nothing is known about the program.',
  ),
  leftOut: field(
    z.array(z.string()),
    'Rules for commands that are not offered, because the program may write without approval what these commands run.',
  ),
  because: text('The rule of the world that lets it write.').exactOptional(),
});
api.add(readingRulesSchema, { id: 'ReadingRules' });
export type ReadingRules = z.infer<typeof readingRulesSchema>;

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
