import { decideCall, showApproval } from '@countersign/core';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { readDenyCode } from './deny-code.js';
import { maySignNow } from './may-sign-now.js';
import type { PushTools } from './push-tools.js';
import { readSubscriptions } from './subscriptions.js';

/** Denies the call that a notification was about, with the code in it, like any other decision of its person. */
export async function denyFromNotice(tools: PushTools, code: string): Promise<void> {
  const { runtime, box, lifetimes } = tools;
  const denial = readDenyCode(box, code);
  if (denial === undefined) throw new HttpProblem(404, problemTexts.unknownDenial);
  const { working } = await runtime.store.read((reader) => readSubscriptions(reader, lifetimes));
  const subscription = working.find(({ id }) => id === denial.subscription);
  const may = subscription?.mayIn(denial.world);
  if (subscription === undefined || may?.has('read') !== true || !may.has('sign'))
    throw new HttpProblem(403, problemTexts.endedDenial);
  const { person, device } = subscription;
  const approval = await showApproval(runtime, denial.world, denial.approval);
  if (approval?.status !== 'pending' || approval.callHash !== denial.callHash)
    throw new HttpProblem(409, problemTexts.lateDenial);
  if (!maySignNow(approval, person.id)) throw new HttpProblem(403, problemTexts.endedDenial);
  const decision = { tool_call_id: denial.approval, decision: 'deny', callHash: denial.callHash } as const;
  const who = { kind: 'person', id: person.id, name: person.name } as const;
  const signer = { who, via: `notification on ${device}` };
  const outcome = await decideCall(runtime, denial.world, approval.agentId, decision, signer);
  if (outcome.kind === 'refused') {
    const { status, detail, state } = outcome;
    throw new HttpProblem(status, detail, state === undefined ? {} : { state });
  }
}
