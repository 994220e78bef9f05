import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import {
  addAgent,
  awaitExternal,
  endExternalSession,
  fetchExternal,
  findExternal,
  reportExternal,
  reportSession,
  showAgents,
  showReading,
  type ClaimRequest,
} from '@countersign/core';
import {
  addedExternalAgentSchema,
  confirmedExternalAgentSchema,
  CountersignError,
  endExternalSessionSchema,
  EXTERNAL_PROVIDER,
  externalCallSchema,
  externalClaimSchema,
  externalResultSchema,
  externalToolName,
  externalWaitQuerySchema,
  foldName,
  newExternalCallSchema,
  programName,
  readingQuerySchema,
  readingRulesSchema,
  sessionAnswerSchema,
  sessionContextSchema,
  type ExternalCall,
} from '@countersign/protocol';
import type { AppContext, AppRequest } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { route } from '../app/route.js';
import { safeguardsOf } from '../confirmations/confirm-change.js';
import { ensureOwner } from '../people/ensure-owner.js';
import { followCredential, type FollowedCredential } from '../people/follow-credential.js';
import { createToken, extendToken, findExtendable, refuseToken } from '../people/manage-tokens.js';
import { callerOf, proposeFollowed } from '../people/propose-followed.js';
import { byOf } from '../people/by.js';
import { approvalLink } from './support.js';

const tag = 'external agents';
const scope = 'own-server';

/** The agent that a request is about. A token of an agent may name no other one. */
export function agentFor(c: AppRequest, named: string | undefined): string {
  const own = c.var.access.external?.agentId;
  if (own !== undefined && named !== undefined && named !== own)
    throw new HttpProblem(404, problemTexts.noExternalAgent(named), { field: 'agent' });
  const agent = own ?? named;
  if (agent === undefined) throw new CountersignError('invalid', 'agent: is required', { field: 'agent' });
  return agent;
}

/** The program may be on another machine, whose folders this server can't resolve. */
async function foldersOf(cwd: string | undefined): Promise<{ cwd?: string; realCwd?: string }> {
  if (cwd === undefined) return {};
  const real = await realpath(cwd).catch(() => cwd);
  return { cwd, ...(real === cwd ? {} : { realCwd: real }) };
}

/** "Claude Code in ~/project". */
function titleOf(program: string, cwd: string | undefined): string {
  const home = homedir();
  const shown = cwd === home || cwd?.startsWith(`${home}/`) === true ? `~${cwd.slice(home.length)}` : cwd;
  const title = shown === undefined ? programName(program) : `${programName(program)} in ${shown}`;
  return title.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD').slice(0, 200);
}

/** Claims the call, and waits for a decision while it is pending. */
async function answer(
  c: AppRequest,
  context: AppContext,
  asked: ClaimRequest,
  { waitSeconds, credential }: { waitSeconds: number; credential: FollowedCredential },
): Promise<ExternalCall> {
  const { worldId, id } = asked;
  const { runtime, closing } = context.engine;
  const over = new AbortController();
  const stop = (): void => over.abort();
  const response = c.env.outgoing;
  credential.signal.addEventListener('abort', stop);
  closing.addEventListener('abort', stop);
  response?.once('close', stop);
  try {
    const waiting = { waitMs: waitSeconds * 1000, signal: over.signal };
    const { state, ...verdict } = await awaitExternal(runtime, asked, waiting);
    if (credential.hasEnded()) throw new HttpProblem(401, problemTexts.wrongToken);
    if (!('approvalId' in verdict)) return { id, state, ...verdict };
    if (verdict.approvalId === undefined) return { id, state };
    const { chatId } = (await findExternal(runtime, asked)).call;
    const { approvalId } = verdict;
    return { id, state, approval: { id: approvalId, link: approvalLink(c, context, { worldId, chatId, approvalId }) } };
  } finally {
    credential.end();
    closing.removeEventListener('abort', stop);
    response?.off('close', stop);
  }
}

function askedCall(
  c: AppRequest,
  { world, call }: { world: string; call: string },
  claim: string | undefined,
): ClaimRequest {
  return { worldId: world, id: call, agentId: c.var.access.external?.agentId, caller: callerOf(c, claim) };
}

export const externalRoutes = [
  route({
    method: 'post',
    path: '/worlds/{world}/external/calls',
    scope,
    needs: 'propose',
    tag,
    summary: 'Propose a call that an external program wants to run',
    description:
      'The call passes through the same gate as the calls of other agents. The program may run it only if the state is `allowed`. Sending the same call with the same `key` again returns the same call; another call with that key gets 409.',
    body: newExternalCallSchema,
    answers: { 201: { description: 'The call', schema: externalCallSchema } },
    async handle({ context, params, body, c }) {
      const { session, key, program, tool, cwd, context: said, reports, waits, wait, claim } = body;
      const proposal = {
        agentId: agentFor(c, body.agent),
        session,
        key,
        program,
        toolName: externalToolName(program, tool),
        arguments: body.arguments,
        title: titleOf(program, cwd),
        runs: {
          where: 'program',
          reports,
          ...(await foldersOf(cwd)),
          ...(waits === undefined ? {} : { waits }),
          ...(said === undefined ? {} : { context: said }),
        },
      } as const;
      const proposed = await proposeFollowed(c, context, params.world, proposal, claim);
      if (proposed === undefined) throw new HttpProblem(401, problemTexts.wrongToken);
      const { id, credential } = proposed;
      const asked = askedCall(c, { world: params.world, call: id }, claim);
      return { status: 201, body: await answer(c, context, asked, { waitSeconds: wait, credential }) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/external/calls/{call}',
    scope,
    needs: 'propose',
    tag,
    summary: 'Get the verdict on a proposed call',
    description:
      'With `wait`, responds as soon as the call is decided, or after that time. `allowed` is returned only after the start of the call is stored.',
    query: externalWaitQuerySchema,
    answers: { 200: { description: 'The call', schema: externalCallSchema } },
    async handle({ context, params, query, c }) {
      const { runtime } = context.engine;
      const asked = askedCall(c, params, query.claim);
      // Before the credential is followed: its end denies the call, which may be another caller's.
      await findExternal(runtime, asked);
      const credential = followCredential(c, context, asked);
      return { status: 200, body: await answer(c, context, asked, { waitSeconds: query.wait, credential }) };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/external/calls/{call}/fetch',
    scope,
    needs: 'propose',
    tag,
    summary: 'Fetch an allowed call in the process that runs it',
    description:
      'For a program that runs its calls in another process than the one that asked. Only the first request gets the call: the fetch is stored before the response. 409 if the call is not running, or was fetched before.',
    body: externalClaimSchema,
    bodyOptional: true,
    answers: { 200: { description: 'The call', schema: externalCallSchema } },
    async handle({ context, params, body, c }) {
      const asked = askedCall(c, params, body.claim);
      return { status: 200, body: { id: asked.id, ...(await fetchExternal(context.engine.runtime, asked)) } };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/external/calls/{call}/result',
    scope,
    needs: 'propose',
    tag,
    summary: 'Report how an allowed call ended',
    description:
      'Reporting the same result again changes nothing. 409 if the call has ended otherwise or was not allowed.',
    body: externalResultSchema,
    answers: { 204: { description: 'Result recorded' } },
    async handle({ context, params, body, c }) {
      const { claim, ...result } = body;
      await reportExternal(context.engine.runtime, askedCall(c, params, claim), result);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/external/sessions/{session}/context',
    scope,
    needs: 'propose',
    tag,
    summary: 'Report what a session of an external program does, and get what a person told its agent',
    description:
      'The chat of the session shows `context` as a claim of the program; without a chat, nothing is stored. Returns the sentence that waits for the session, once: it is stored that this `delivery` got it before the response. 409 if the session was started with another credential or claim.',
    body: sessionContextSchema,
    answers: { 200: { description: 'What waits for the session', schema: sessionAnswerSchema } },
    async handle({ context, params, body, c }) {
      const { agent, claim, ...report } = body;
      const agentId = agentFor(c, agent);
      // What a program says is stored, so there is a limit as for its calls.
      if (report.context !== undefined) context.externalLimiter?.call(c, params.world, agentId);
      const about = { agentId, session: params.session, ...report };
      const sentence = await reportSession(context.engine.runtime, params.world, about, callerOf(c, claim));
      return { status: 200, body: sentence === undefined ? {} : { sentence } };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/external/sessions/{session}/end',
    scope,
    needs: 'propose',
    tag,
    summary: 'End a session of an external program',
    description:
      'Calls that were allowed and not reported end as not reported. Calls that wait for a decision keep waiting, because the session may be resumed.',
    body: endExternalSessionSchema,
    bodyOptional: true,
    answers: { 204: { description: 'Session ended' } },
    async handle({ context, params, body, c }) {
      const about = { agentId: agentFor(c, body.agent), session: params.session };
      await endExternalSession(context.engine.runtime, params.world, about, c.var.signer);
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/external/reading-rules',
    scope,
    needs: 'admin',
    tag,
    summary: 'Suggest rules with which a program reads without approval',
    description:
      'Allow rules for its tools that read in the world’s folder or have no effect outside the program, and for exact commands of Git that only read. The commands are left out if another rule lets a program outside the sandbox write without approval. Nothing is added.',
    query: readingQuerySchema,
    answers: { 200: { description: 'Rules', schema: readingRulesSchema } },
    handle: async ({ context, params, query }) => ({
      status: 200,
      body: await showReading(context.engine.runtime, params.world, query.program),
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/external/agents',
    scope,
    needs: 'admin',
    tag,
    summary: 'Create an external agent and a token for it',
    description:
      'Finds the external agent with this name, or creates it. The token can propose the calls of this agent and nothing else, and is returned only here. It expires 90 days after its last use. With `tokenId`, no token is created: that one may then propose in this world, too. A browser session may need a recent sign-in or a `confirmation` (409 otherwise).',
    body: confirmedExternalAgentSchema,
    answers: { 201: { description: 'The agent and its token', schema: addedExternalAgentSchema } },
    async handle({ context, params, body, sent, c }) {
      const { runtime } = context.engine;
      const { isConfirmed } = await safeguardsOf({ c, context, sent });
      const { name, program, tools = program === 'mcp' ? [] : [externalToolName(program, '*')] } = body;
      const found = (await showAgents(runtime, params.world)).find((agent) => foldName(agent.name) === foldName(name));
      if (found !== undefined && found.provider !== EXTERNAL_PROVIDER) {
        throw new CountersignError('conflict', `name: "${name}" is an agent with a model. Choose another name`, {
          field: 'name',
        });
      }
      if (found !== undefined && found.model !== program) {
        throw new CountersignError('conflict', `name: "${name}" is an agent for ${found.model}. Choose another name`, {
          field: 'name',
        });
      }
      const { usedBy, tokenId: known } = body;
      const person = usedBy ?? (c.var.access.person ?? (await ensureOwner(runtime.store))).id;
      const wanted = { name: body.tokenName ?? name, scopes: ['propose' as const] };
      const used = usedBy === undefined ? {} : { isPersonal: true as const };
      // Before the agent is added: a refused request changes nothing.
      await runtime.store.read(async (reader) => {
        await refuseToken(reader, person, wanted, byOf(c), isConfirmed);
        if (known !== undefined) await findExtendable(reader, person, known, { program, ...used });
      });
      const definition = { name, provider: EXTERNAL_PROVIDER, model: program, tools };
      const agent = found ?? (await addAgent(runtime, params.world, definition, c.var.signer));
      const external = { worldId: params.world, agentId: agent.id, program, ...used };
      const made = { agent: agent.id, created: found === undefined, person };
      if (known !== undefined) {
        await extendToken(runtime.store, person, known, byOf(c), { isConfirmed, external });
        return { status: 201, body: { ...made, tokenId: known } };
      }
      const { token, id: tokenId } = await createToken(runtime.store, person, wanted, byOf(c), {
        isConfirmed,
        external,
      });
      return { status: 201, body: { ...made, token, tokenId } };
    },
  }),
];
