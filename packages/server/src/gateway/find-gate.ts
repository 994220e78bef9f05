import { awaitExternal, requesterOf, showAgent, showAgents, showTools } from '@countersign/core';
import { onAbort, type CallRecord } from '@countersign/core/ports';
import { EXTERNAL_PROVIDER, externalToolName } from '@countersign/protocol';
import { checkAccess } from '../app/check-access.js';
import type { AppContext, AppRequest } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { isLoopback } from '../auth/check-host.js';
import { followCredential, type FollowedCredential } from '../people/follow-credential.js';
import { callerOf, proposeFollowed, type FollowedCall } from '../people/propose-followed.js';
import { agentFor } from '../routes/external.js';
import { approvalLink } from '../routes/support.js';
import type { AgentGate, ClientCall } from './agent-gate.js';
import { gatewayTexts } from './gateway-texts.js';
import type { Permission } from './permission-prompt.js';

/** Claude Code can ask for permission to run its own tools. */
const CLAUDE = 'claude';
/** How long a list of tools waits for MCP servers to start. */
const LIST_WAIT_MS = 20_000;
/** How long one look at a permission waits for a decision. */
const LOOK_MS = 5_000;

/** The gate for the external agent of a request. Throws an `HttpProblem` if the credential may not propose calls for it. */
export async function findGate(c: AppRequest, context: AppContext, worldId: string): Promise<AgentGate> {
  const { runtime } = context.engine;
  await checkAccess({ needs: 'propose', params: ['world'] }, c, context, undefined);
  const agentId = agentFor(c, c.req.query('agent'));
  const { value: agent } = await showAgent(runtime, worldId, agentId);
  if (agent.provider !== EXTERNAL_PROVIDER || !agent.active)
    throw new HttpProblem(404, problemTexts.noExternalAgent(agentId));
  const program = agent.model;
  const title = `${agent.name} over MCP`;
  const { who } = c.var.signer;

  const follow = (id: string): FollowedCredential => followCredential(c, context, { worldId, id });

  async function isAllowed({ id, credential }: FollowedCall, stops: readonly AbortSignal[]): Promise<Permission> {
    const over = new AbortController();
    const all = [...stops, context.engine.closing, credential.signal];
    const ends = [() => credential.end(), ...all.map((signal) => onAbort(signal, () => over.abort()))];
    try {
      for (;;) {
        const asked = { worldId, id, agentId, caller: callerOf(c) };
        const claimed = await awaitExternal(runtime, asked, { waitMs: LOOK_MS, signal: over.signal });
        if (credential.hasEnded()) return { deny: gatewayTexts.revoked };
        switch (claimed.state) {
          case 'allowed':
            return { allow: claimed.arguments };
          case 'answered':
          case 'denied':
            return { deny: claimed.reason };
          case 'ended':
            return { deny: gatewayTexts.alreadyRun };
          case 'pending':
            if (over.signal.aborted) return { deny: gatewayTexts.notAsked };
        }
      }
    } finally {
      for (const end of ends) end();
    }
  }

  async function find(id: string): Promise<CallRecord | undefined> {
    const { call, turn } = await runtime.store.read(async (reader) => {
      const call = await reader.invocation(id);
      return { call, turn: call && (await reader.turn(call.turnId)) };
    });
    const isOurs = call?.worldId === worldId && call.agentId === agentId && requesterOf(turn)?.id === who.id;
    return isOurs && call.runBy === 'here' ? call : undefined;
  }

  return {
    worldId,
    agentId,
    client: `${agentId} ${who.kind} ${who.id}`,
    asksPermission: program === CLAUDE,
    tools: () => showTools(runtime, worldId, { patterns: agent.tools, waitMs: LIST_WAIT_MS }),
    async propose({ tool, ...call }) {
      const proposal = { ...call, agentId, program, title, toolName: tool, runs: { where: 'here' } } as const;
      return await proposeFollowed(c, context, worldId, proposal);
    },
    follow,
    isActive: async () => (await showAgents(runtime, worldId)).some(({ id, active }) => id === agentId && active),
    find,
    async findWaiting(tool, args) {
      const pending = await runtime.store.read((reader) => reader.approvals(worldId, { status: 'pending' }));
      const same = pending.filter((approval) => approval.agentId === agentId && approval.toolName === tool);
      const calls = await Promise.all(same.map(({ invocationId }) => find(invocationId)));
      return calls.flatMap((call) => (call?.arguments === args ? [call.id] : []));
    },
    async permission({ tool, ...call }: ClientCall, stops) {
      const runs = { where: 'program', reports: false } as const;
      const proposal = { ...call, agentId, program, title, toolName: externalToolName(program, tool), runs };
      const proposed = await proposeFollowed(c, context, worldId, proposal);
      return proposed === undefined ? { deny: gatewayTexts.revoked } : await isAllowed(proposed, stops);
    },
    hasPage:
      context.publicUrl !== undefined || (context.webRoot !== undefined && isLoopback(new URL(c.req.url).hostname)),
    link: ({ chatId, approvalId }: CallRecord) => approvalLink(c, context, { worldId, chatId, approvalId }),
  };
}
