import { RESERVED_TOOL_PREFIX, toCause } from '@countersign/protocol';
import { agentMayAskFor, findPathRule, patternCovers, type Policies, type Weighing, weigh } from '../policy/index.js';
import { ask } from './ask.js';
import type { Gate, GateGrant, GateInput } from './gate.js';

/**
 * The only function that allows a call (A2). Pure; called when the model makes the call, and again in the transaction that starts it.
 * The order is part of the spec: each line may assume that none above it applied.
 */
export function checkToolApproval(input: GateInput): Gate {
  const gate = decide(input);
  if (gate.kind !== 'ask' || input.unattended !== true) return gate;
  return { kind: 'refuse', how: 'deny', reason: { code: 'unattended' } };
}

function decide(input: GateInput): Gate {
  const impossible = refuseImpossible(input);
  if (impossible) return impossible;

  const { call } = input;
  const weighing = weigh(policiesOf(input), call);
  const refused = refuseByMode(input) ?? refuseByRule(weighing);
  if (refused) return refused;

  if (input.decision === 'approved') return { kind: 'run', because: 'decision' };

  if (input.outcomeUnknown) return ask(input, weighing, { kind: 'outcome-unknown' });
  const each = call.subjects.find((subject) => subject.kind === 'dynamic' && subject.always === true);
  if (each?.kind === 'dynamic') return ask(input, weighing, { kind: 'each', cause: toCause(each.why) });
  if (weighing.closed !== undefined) return ask(input, weighing, { kind: 'closed', reason: weighing.closed });
  if (input.changed !== undefined) return ask(input, weighing, { kind: 'changed', difference: input.changed });
  // A command can reach a denied path through a symlink or script, and nothing hides the path here.
  const unenforced = input.tool?.unconfined === true ? findPathRule(policiesOf(input), call.tool) : undefined;
  if (unenforced !== undefined) return ask(input, weighing, { kind: 'unenforced', rule: unenforced });
  if (weighing.adminAsk !== undefined) {
    return ask(input, weighing, { kind: 'rule', rule: weighing.adminAsk, alone: false });
  }
  const { unanswered, answeredBy } = findAnswers(input.grants, weighing);
  const [question, ...more] = unanswered;
  if (question !== undefined) return ask(input, weighing, { kind: 'rule', rule: question, alone: more.length === 0 });

  const grant = answeredBy ?? findGrant(input.grants, weighing);
  if (grant) return { kind: 'run', because: 'grant', grantId: grant.id };
  if (weighing.allow !== undefined) return { kind: 'run', because: 'rule', rule: weighing.allow };

  return runWithoutApproval(input, weighing) ?? ask(input, weighing, { kind: 'default' });
}

function policiesOf({ admin, world, agent }: GateInput): Policies {
  return { ...(admin === undefined ? {} : { admin }), world: world.policy, agent: agent.policy };
}

/** Fails calls that can't run, without asking anyone (T11), and calls to reserved names (A10). */
function refuseImpossible({ call, tool, agent }: GateInput): Gate | undefined {
  // Folded: a fullwidth or upper-case `client.` is the same attack and must be audited as such.
  if (call.tool.normalize('NFKC').trim().toLowerCase().startsWith(RESERVED_TOOL_PREFIX)) {
    return fail(`${quoted(call.tool)} is reserved: tools can't ask for approval themselves. Call the tool you need.`);
  }
  // A definition under another name would be judged by one name and run under another.
  if (tool === undefined || tool.definition.name !== call.tool || !agentMayAskFor(agent.tools, call.tool)) {
    return fail(`There is no tool named ${quoted(call.tool)}. Use one of the tools you were given.`);
  }
  return call.arguments.ok ? undefined : fail(call.arguments.error);
}

function refuseByMode({ world, tool, call }: GateInput): Gate | undefined {
  if (world.mode !== 'read' || (tool?.trusted === true && tool.definition.readOnly === true)) return undefined;
  return {
    kind: 'refuse',
    how: 'deny',
    reason: { code: 'read-mode', tool: call.tool },
  };
}

function refuseByRule({ deny }: Weighing): Gate | undefined {
  return deny === undefined
    ? undefined
    : { kind: 'refuse', how: 'deny', reason: { code: 'deny-rule', rule: deny }, rule: deny };
}

/**
 * Finds a grant that covers the call, first one for the whole tool, which is cheap to check. Such a grant doesn't cover a call with a dynamic
 * part if any rule denies or asks about certain arguments of the tool, because the part might match that rule.
 */
function findGrant(grants: readonly GateGrant[], { unclear, prepared }: Weighing): GateGrant | undefined {
  const whole = unclear === undefined ? grants.find(({ pattern }) => pattern === undefined) : undefined;
  return whole ?? grants.find(({ pattern }) => pattern !== undefined && patternCovers(pattern, prepared));
}

/** The ask rules that no grant answers. Each rule needs its own grant; one that was given before the rule doesn't count. */
function findAnswers(
  grants: readonly GateGrant[],
  weighing: Weighing,
): { unanswered: readonly string[]; answeredBy: GateGrant | undefined } {
  let answeredBy: GateGrant | undefined;
  const unanswered = weighing.asks.filter((rule) => {
    const answer = findGrant(
      grants.filter(({ answeredRule }) => answeredRule === rule),
      weighing,
    );
    answeredBy ??= answer;
    return answer === undefined;
  });
  return { unanswered, answeredBy };
}

/** Calls that need no approval, after all rules and grants. */
function runWithoutApproval({ tool, world, contained }: GateInput, { unclear, prepared }: Weighing): Gate | undefined {
  // A deny or ask rule might match the dynamic part, which can't be decided in advance: `$(echo git) push` needs approval.
  if (unclear !== undefined) return undefined;
  if (tool?.trusted === true) {
    const { approval } = tool.definition;
    if (approval === undefined || !approval.required) return { kind: 'run', because: 'no-approval-needed' };
    if (approval.pattern !== undefined && patternCovers(approval.pattern, prepared))
      return { kind: 'run', because: 'pattern' };
  }
  return world.mode === 'auto' && contained ? { kind: 'run', because: 'contained' } : undefined;
}

function fail(problem: string): Gate {
  return { kind: 'refuse', how: 'fail', reason: { code: 'cannot-run', problem } };
}

/** The model chooses the name, so it is truncated and quoted. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
