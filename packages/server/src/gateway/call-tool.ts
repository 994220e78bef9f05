import { createHash } from 'node:crypto';
import { canonicalJson } from '@countersign/core';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { FollowedCall } from '../people/propose-followed.js';
import type { ClientCall } from './agent-gate.js';
import type { Elicitation } from './elicit-approval.js';
import type { GatewayRequest } from './gateway-request.js';
import { gatewayTexts } from './gateway-texts.js';
import { holdCall } from './hold-call.js';
import { text, toToolResult } from './to-tool-result.js';

export interface About {
  request: GatewayRequest;
  /** Abort when the client cancels or disconnects. */
  stops: readonly AbortSignal[];
  tell: (message: string) => void;
  limitMs: number;
  /** How to show the person at the client a link to the approval. */
  elicitation: Elicitation;
}

const waitSchema = z.object({ call: z.string().min(1).max(200) });
/** Tells a client that names its calls that it should send the call again, because this server is stopping. */
const AGAIN = 'countersign/again';
const NO_ELICITATION: Elicitation = { how: 'none' };

/** Equal for calls with the same tool and arguments. Short, because calls whose client left are remembered. */
function sameCallOf(tool: string, argumentsText: string): string {
  return createHash('sha256').update(`${tool} ${argumentsText}`).digest('base64');
}

export async function callTool(
  { tool, arguments: args, key }: Pick<ClientCall, 'tool' | 'arguments' | 'key'>,
  about: About,
): Promise<CallToolResult | InputRequiredResult> {
  const { engine, gate, session, waiting } = about.request;
  const argumentsText = canonicalJson(args);
  const same = sameCallOf(tool, argumentsText);
  const proposing = `${gate.client} ${same}`;
  const isFirst = !waiting.isWatched(proposing);
  const unwatch = waiting.watch(proposing);
  try {
    const left = isFirst ? await findLeft() : undefined;
    const proposed =
      left === undefined
        ? await gate.propose({ session, key, tool, arguments: args })
        : { id: left, credential: gate.follow(left) };
    if (proposed === undefined) return failure(gatewayTexts.revoked);
    // A repeated call shows no second link: the client may have failed because of the first one.
    const elicitation = left === undefined ? about.elicitation : NO_ELICITATION;
    try {
      if (elicitation.how === 'answer') {
        const call = await engine.runtime.store.read((reader) => reader.invocation(proposed.id));
        if (call?.status === 'asked') {
          waiting.leave(gate.client, same, call.id);
          return elicitation.ask(call, gate.link(call));
        }
      }
      // Starts to watch the call before anyone else can look for it.
      const held = hold(proposed, { ...about, elicitation }, same);
      unwatch();
      return await held;
    } finally {
      proposed.credential.end();
    }
  } finally {
    unwatch();
  }

  /** The same call, if its client left before it got the result: models repeat calls that timed out. Parallel calls are different calls. */
  async function findLeft(): Promise<string | undefined> {
    const left = waiting.takeLeft(gate.client, same);
    if (left !== undefined) return left;
    return (await gate.findWaiting(tool, argumentsText)).find((each) => !waiting.isWatched(each));
  }
}

export async function waitFor(args: unknown, about: About): Promise<CallToolResult> {
  const { gate } = about.request;
  const given = waitSchema.safeParse(args);
  const call = given.success ? await gate.find(given.data.call) : undefined;
  if (call === undefined) return failure(gatewayTexts.unknownCall);
  const withoutLink = { ...about, elicitation: NO_ELICITATION };
  const credential = gate.follow(call.id);
  try {
    return await hold({ id: call.id, credential }, withoutLink, sameCallOf(call.toolName, call.arguments));
  } finally {
    credential.end();
  }
}

async function hold({ id, credential }: FollowedCall, about: About, same: string): Promise<CallToolResult> {
  const { request, stops, tell, limitMs, elicitation } = about;
  const { engine, gate, waiting } = request;
  const { store } = engine.runtime;
  const unwatch = waiting.watch(id);
  let link: string | undefined;
  let endElicitation: (() => Promise<void>) | undefined;
  try {
    const held = await holdCall({
      engine,
      call: { id, worldId: gate.worldId },
      stops: [...stops, credential.signal],
      limitMs,
      onState(state, call) {
        link = state === 'waiting' ? gate.link(call) : undefined;
        tell(link === undefined ? gatewayTexts.running(call.toolName) : gatewayTexts.waiting(call.toolName, link));
        if (link !== undefined && elicitation.how === 'request') endElicitation ??= elicitation.send(call, link);
        if (link === undefined) void endElicitation?.();
      },
      onOutput: tell,
    });
    if (held.kind === 'settled') await endElicitation?.();
    if (credential.hasEnded()) return failure(gatewayTexts.revoked);
    if (held.kind === 'settled' && !stops.some(({ aborted }) => aborted)) {
      waiting.deliver(gate.client, id);
      const { chatId } = held.call;
      const result = await toToolResult(
        held.result,
        async (file) => (await store.read((reader) => reader.attachment(chatId, file)))?.data,
      );
      if (result.isError !== true || (await gate.isActive())) return result;
      return { ...result, content: [...result.content, text(gatewayTexts.notActive)] };
    }
    waiting.leave(gate.client, same, id);
    const isStopping = engine.closing.aborted;
    return { content: [text(gatewayTexts.pending(id, link))], ...(isStopping ? { _meta: { [AGAIN]: true } } : {}) };
  } finally {
    unwatch();
  }
}

export function failure(said: string): CallToolResult {
  return { isError: true, content: [text(said)] };
}
