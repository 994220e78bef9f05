import type { Hono } from 'hono';
import type { AppContext, AppRequest, Env } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { isArriving } from '../app/read-body.js';
import type { AgentGate } from './agent-gate.js';
import { answerRequest } from './answer-request.js';
import { createClientSessions } from './client-sessions.js';
import { findGate } from './find-gate.js';
import { createElicitations } from './sent-elicitations.js';
import { createWaitingClients } from './waiting-clients.js';

/** Serves the tools of a world to MCP clients at `/mcp/{world}` (EXT2). */
export function serveGateway(
  app: Hono<Env>,
  context: AppContext,
  record: (error: unknown, c: AppRequest) => Promise<void>,
): void {
  const sessions = createClientSessions();
  const waiting = createWaitingClients();
  const elicitations = createElicitations();
  app.all('/mcp/:world', context.auth.middleware, async (c) => {
    const isLate = isArriving(c);
    const found = await findGate(c, context, c.req.param('world'));
    // The SDK makes a response of the error, so it doesn't reach the error boundary.
    const recorded = async <T>(proposed: Promise<T>): Promise<T> =>
      await proposed.catch(async (error: unknown) => {
        await record(error, c);
        throw error;
      });
    const gate: AgentGate = {
      ...found,
      propose: (call) => recorded(found.propose(call)),
      permission: (call, stops) => recorded(found.permission(call, stops)),
    };
    context.externalLimiter?.request(c);
    switch (c.req.method) {
      case 'POST': {
        // Loaded lazily: most servers have no MCP clients, and loading the SDK takes longer than the rest of a start (LIMIT5).
        const sdk = await import('./sdk.js');
        return await answerRequest(c, { sdk, context, gate, isLate, sessions, waiting, elicitations });
      }
      case 'DELETE':
        // Nothing is stored for a session, so there is nothing to end.
        return new Response(null, { status: 204 });
      default: {
        const detail = problemTexts.wrongMethod(c.req.method, 'POST');
        throw new HttpProblem(405, detail, { headers: { Allow: 'POST, DELETE' } });
      }
    }
  });
}
