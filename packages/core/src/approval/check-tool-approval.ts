import { RESERVED_TOOL_PREFIX, toCause } from '@countersign/protocol';
import { agentMayAskFor, findPathRule, patternCovers, type Policies, type Weighing, weigh } from '../policy/index.js';
import { ask } from './ask.js';
import type { Gate, GateGrant, GateInput } from './gate.js';

/**
 * The only place that says yes (A2). Pure; asked when the model calls and again in the transaction that starts the
 * call. The order is the contract: each line may assume that none above it applied.
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
  // By a link or a script a command comes to what a rule denies, and here nothing hides it.
  const unkept = input.tool?.unconfined === true ? findPathRule(policiesOf(input), call.tool) : undefined;
  if (unkept !== undefined) return ask(input, weighing, { kind: 'unkept', rule: unkept });
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

/** Nobody is asked about a call that can't run (T11), and no model reaches a name of ours (A10). */
function refuseImpossible({ call, tool, agent }: GateInput): Gate | undefined {
  // Folded: a fullwidth or upper-case `client.` is an attempt at the same thing and belongs in the audit as such.
  if (call.tool.normalize('NFKC').trim().toLowerCase().startsWith(RESERVED_TOOL_PREFIX)) {
    return fail(`${quoted(call.tool)} is reserved: tools can't ask for approval themselves. Call the tool you need.`);
  }
  // A definition under another name would be judged by one name and run by another.
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
 * A grant that covers this call. One for the whole tool comes first: it costs nothing to check.
 * A call with a dynamic part is not covered by it while some rule denies or asks about certain arguments of this tool:
 * nobody can tell that the part is not just that.
 */
function findGrant(grants: readonly GateGrant[], { unclear, prepared }: Weighing): GateGrant | undefined {
  const whole = unclear === undefined ? grants.find(({ pattern }) => pattern === undefined) : undefined;
  return whole ?? grants.find(({ pattern }) => pattern !== undefined && patternCovers(pattern, prepared));
}

/** Which ask rules no grant was given for. Every one needs its own answer; a grant given before the rule doesn't answer it. */
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

/** What needs no question, after every rule and grant had its say. */
function runWithoutApproval({ tool, world, contained }: GateInput, { unclear, prepared }: Weighing): Gate | undefined {
  // A rule denies or asks about certain arguments, and nobody can tell whether these are they: `$(echo git) push` is asked.
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

/** A model chooses the name: it is cut, and nothing in it can break out of the sentence. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
