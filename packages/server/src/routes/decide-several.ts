import type { DecisionResult, NewDecisions } from '@countersign/protocol';
import { checkInWorld } from '../app/check-access.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import type { Reply, RouteInput } from '../app/route.js';
import { toProblem } from '../app/to-problem.js';
import { prepareAnswer } from './send-tool-result.js';
import { refuseClients } from './support.js';

/** Decides several calls, each as if it was sent alone: a refused one doesn't stop the others. */
export async function decideSeveral(given: RouteInput<unknown, unknown, NewDecisions>): Promise<Reply> {
  const { context, c, body } = given;
  refuseClients(c);
  const { access } = c.var;
  const { engine, auth } = context;
  let hasEnded = false;
  const unwatch = auth.streams?.add(access, undefined, () => (hasEnded = true)) ?? (() => undefined);
  const items: DecisionResult[] = [];
  const refusals: unknown[] = [];
  try {
    for (const { worldId, ...decision } of body.decisions) {
      const { tool_call_id } = decision;
      try {
        // The person may lose their rights between two decisions.
        if ((await auth.streams?.check()) === false || hasEnded) throw new HttpProblem(403, problemTexts.rightsChanged);
        await checkInWorld(context, access, worldId, ['sign']);
        const { answer } = await prepareAnswer({ ...given, params: { world: worldId }, body: decision });
        const { kind, state } = await answer();
        items.push({ worldId, tool_call_id, status: 200, kind, state });
      } catch (error) {
        const { status, detail, state } = toProblem(error).problem;
        if (status === 500) engine.runtime.report(error, 'One of several decisions failed');
        refusals.push(error);
        items.push({ worldId, tool_call_id, status, detail, ...(state === undefined ? {} : { state }) });
      }
    }
  } finally {
    unwatch();
  }
  return { status: 200, body: { items }, refusals };
}
