import { decideCall, readWorld, type FoundClient } from '@countersign/core';
import type { CallRecord } from '@countersign/core/ports';
import type { Action, ClientToolResult, NewToolResult, ToolDecision, ToolResultOutcome } from '@countersign/protocol';
import { checkInWorld } from '../app/check-access.js';
import { HttpProblem } from '../app/http-problem.js';
import type { Reply, RouteInput } from '../app/route.js';
import { streamEvents } from '../streams/stream-events.js';
import { confirmDecision } from '../confirmations/confirm-decision.js';
import { byOf } from '../people/by.js';
import { clientOf, isHiddenCall, NO_CALL, pageOrigin, readCallOf, signedBy, wantsStream } from './support.js';
import { problemTexts } from '../app/problem-texts.js';

type Accepted = Exclude<ToolResultOutcome, { kind: 'refused' }>;
type Input = RouteInput<{ readonly world: string }, unknown, NewToolResult>;

/** A decision is a signature, and approving with `always` also changes the policy. Answers and results of client tools only need `chat`. */
export function neededFor(body: unknown): readonly Action[] {
  const { decision, scope } = body as Partial<Pick<ToolDecision, 'decision' | 'scope'>>;
  if (decision === undefined) return ['chat'];
  return decision === 'approve' && scope === 'always' ? ['sign', 'admin'] : ['sign'];
}

/** Passes a decision, answer or result to the engine and returns the outcome (HTTP14). */
export async function sendToolResult(given: Input): Promise<Reply | Response> {
  const { context, params, c } = given;
  const { call, client, answer } = await prepareAnswer(given);
  if (!wantsStream(c) || call === undefined) {
    const { kind, invocationId, state } = await answer();
    return { status: 200, body: { kind, invocationId, state } };
  }
  return await streamEvents(c, {
    engine: context.engine,
    watch: context.auth.streams,
    worldId: params.world,
    chatId: call.chatId,
    untilSettled: true,
    act: answer,
    ...(client === undefined ? {} : { client }),
  });
}

/** The call that a decision, answer or result is for, and what passes it on. */
export async function prepareAnswer(given: Input): Promise<{
  call: CallRecord | undefined;
  client: FoundClient | undefined;
  /** Throws if it is refused. */
  answer: () => Promise<Accepted>;
}> {
  const { context, params, c } = given;
  const { engine } = context;
  const worldId = params.world;
  const client = await clientOf(c, context, worldId);
  const found = await readWorld(engine.runtime, worldId, (reader) => readCallOf(reader, given.body.tool_call_id));
  const isHidden = isHiddenCall(c, worldId, found);
  const call = isHidden ? undefined : found;
  const body = isHidden ? { ...given.body, tool_call_id: NO_CALL } : given.body;
  const input = { ...given, body };
  const isClientTool = call?.runBy === 'client' && call.worldId === worldId && !('decision' in body);
  const answer = async (): Promise<Accepted> => {
    // The answer reaches an agent with the login of somebody else (EXT1.27).
    if (call?.runBy === 'program' && !('decision' in body))
      await checkInWorld(context, c.var.access, worldId, ['sign']);
    const outcome = isClientTool ? await answerAsClient(input, client) : await answerAsPerson(input, client);
    if (outcome.kind !== 'refused') return outcome;
    const { status, detail, state } = outcome;
    throw new HttpProblem(status, detail, state === undefined ? {} : { state });
  };
  return { call, client, answer };
}

async function answerAsClient({ context, body }: Input, client: FoundClient | undefined): Promise<ToolResultOutcome> {
  if (client === undefined) {
    throw new HttpProblem(403, problemTexts.notYourCall);
  }
  const { tool_call_id } = body;
  const result: ClientToolResult = {
    tool_call_id,
    ...('content' in body && body.content !== undefined ? { content: body.content } : {}),
    ...('error' in body && body.error !== undefined ? { error: body.error } : {}),
  };
  return await context.engine.clients.answer(client.id, result);
}

async function answerAsPerson(
  { context, params, body, c }: Input,
  client: FoundClient | undefined,
): Promise<ToolResultOutcome> {
  const signer = signedBy(c, client);
  if ('decision' in body) {
    const { agentId, confirmation, ...decision } = body;
    const { runtime } = context.engine;
    if (confirmation === undefined) return await decideCall(runtime, params.world, agentId, decision, signer);
    const { tool_call_id: approval } = decision;
    const action = { kind: 'sign-call', world: params.world, approval, decision: 'approve' } as const;
    const asked = { action, confirmation, origin: pageOrigin(c, context) };
    const receipt = await confirmDecision(runtime.store, byOf(c), asked, decision);
    return await decideCall(runtime, params.world, agentId, decision, signer, receipt);
  }
  if ('error' in body || body.content === undefined) {
    throw new HttpProblem(422, problemTexts.noErrorHere, { field: 'error' });
  }
  const { agentId, ...answer }: { agentId?: string; tool_call_id: string; content: string } = {
    ...body,
    content: body.content,
  };
  return await decideCall(context.engine.runtime, params.world, agentId, answer, signer);
}
