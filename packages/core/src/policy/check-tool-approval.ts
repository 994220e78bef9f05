import {
  type ApprovalOption,
  type AskReason,
  type Reason,
  type Subject,
  type ToolDefinition,
  type WorldMode,
  normalizeText,
  RESERVED_TOOL_PREFIX,
  toCause,
  type Cause,
  type Scope,
  type SessionOffer,
  type ToolApproval,
} from '@countersign/protocol';
import {
  type CallFolders,
  type PolicyCall,
  type Policy,
  agentMayAskFor,
  findPathRule,
  letsWriteWhatRuns,
  splitRules,
  patternCovers,
  type Policies,
  type SigningRule,
  type Weighing,
  weigh,
  findMissedByEffect,
  findMissedByStar,
  isNarrow,
  proposeRule,
  sessionPattern,
  groupsFor,
} from './index.js';
import type { EffectPaths } from '../ports/tools/tool.js';

/** Everything the gate considers. Nothing else can make it allow a call. */
export interface GateInput {
  readonly call: {
    readonly tool: string;
    readonly arguments: { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string };
    readonly subjects: readonly Subject[];
    readonly place: CallFolders;
    /** The real path of the folder that the call runs in, or `unknown`. */
    readonly folder: string;
    /** Where the subjects come from: reported by the tool, or its plain arguments. Default: `tool`. */
    readonly subjectsFrom?: 'tool' | 'arguments';
    /** What the call did when it was rehearsed. Absent if that is unknown (RULE10). */
    readonly effect?: EffectPaths;
    readonly standsFor?: NonNullable<PolicyCall['standsFor']>;
    /** Set if grants, modes and other rules than those about effects never let it run. */
    readonly onlyByEffect?: true;
  };
  /** Undefined if the world has no tool with this name. */
  readonly tool: GateTool | undefined;
  /** How the tool differs from its accepted definition, as text. If set, the call runs only with its own approval. */
  readonly changed?: string;
  readonly agent: { readonly tools: readonly string[]; readonly policy: Policy };
  readonly world: { readonly mode: WorldMode; readonly policy: Policy };
  /** The administrator's rules, from a file that no world can change. They override the rules of the world and the agent. */
  readonly admin?: Policy;
  /** Active grants for this agent, chat and tool. */
  readonly grants: readonly GateGrant[];
  /** `approved`: a person approved exactly this call, and its hash was checked. `edited`: a person changed it, and must see it before it can run. */
  readonly decision: 'approved' | 'edited' | undefined;
  /** Set if the call stays inside the sandbox and the working folder (RULE2). */
  readonly contained: boolean;
  /** Set if the same call was interrupted earlier in this chat and its outcome is unknown (STORE3). */
  readonly outcomeUnknown: boolean;
  /** Set if nobody can be asked; calls that need approval are then denied (CALL13). */
  readonly unattended?: boolean;
  /** Set if nobody is asked, as in a replay: what a card would offer takes longer than the verdict. */
  readonly verdictOnly?: true;
}

export interface GateTool {
  readonly definition: Pick<ToolDefinition, 'name'>;
  /** Absent for an untrusted tool (CALL1). */
  readonly claims?: Pick<ToolDefinition, 'readOnly' | 'approval'>;
  /** Set if the tool runs programs without a sandbox that could enforce path rules (SAFE1). */
  readonly unconfined?: boolean;
  /** Set for the tools of external programs. People don't choose whether to trust them, so a missing rule is the reason to ask. */
  readonly external?: boolean;
}

export interface GateGrant {
  readonly id: string;
  /** The folder of the call that the grant was given for. If absent, the world's. */
  readonly folder?: string;
  /** If absent, the grant covers every call to the tool. */
  readonly pattern?: string;
  /** The ask rule that the grant was given for. The grant overrides no other ask rule. */
  readonly answeredRule?: string;
}

export type Gate = Verdict & {
  /** What was judged, for a replay under other rules (RULE12). Absent if something other than the rules decided. */
  readonly judged?: GateInput;
};

type Verdict =
  | {
      readonly kind: 'run';
      readonly because: 'decision' | 'grant' | 'rule' | 'pattern' | 'no-approval-needed' | 'contained';
      readonly grantId?: string;
      readonly rule?: string;
      /** Rules about effects were considered, so only the rehearsed effect may be applied; the call must not run. */
      readonly byEffect?: true;
    }
  | {
      readonly kind: 'ask';
      readonly reason: AskReason;
      /** The ask rule that a session grant would override. */
      readonly rule?: string;
      /** Starts with `deny`, and contains only options that would take effect. */
      readonly options: ApprovalOption[];
      /** What `approve_session` can cover. Set if it is offered. */
      readonly session?: SessionOffer;
      readonly proposedRule?: string;
      /** The rules that say who must sign. Absent if none does. */
      readonly signing?: readonly SigningRule[];
    }
  | {
      readonly kind: 'refuse';
      /** `fail`: the call can't run at all, with a message for the model. `deny`: it could run but isn't allowed. */
      readonly how: 'fail' | 'deny';
      readonly reason: Reason;
      readonly rule?: string;
    };

/**
 * The only function that allows a call (CALL2). Pure; called when the model makes the call, and again in the transaction that starts it.
 * The order is part of the spec: each line may assume that none above it applied.
 */
export function checkToolApproval(input: GateInput): Verdict {
  const gate = decide(input);
  // The person who edited the call can be asked.
  if (gate.kind !== 'ask' || input.unattended !== true || input.decision === 'edited') return gate;
  return { kind: 'refuse', how: 'deny', reason: { code: 'unattended' } };
}

function decide(input: GateInput): Verdict {
  const impossible = refuseImpossible(input);
  if (impossible) return impossible;

  const { call } = input;
  const weighing = weigh(policiesOf(input), call);
  const refused = refuseByMode(input) ?? refuseByRule(weighing);
  if (refused) return refused;

  const byEffect = weighing.byEffect === true ? { byEffect: true as const } : {};
  if (input.decision === 'approved') return { kind: 'run', because: 'decision', ...byEffect };

  if (input.outcomeUnknown) return ask(input, weighing, { kind: 'outcome-unknown' });
  const each = call.subjects.find((subject) => subject.kind === 'dynamic' && subject.always === true);
  if (each?.kind === 'dynamic') return ask(input, weighing, { kind: 'each', cause: toCause(each.why) });
  if (weighing.closed !== undefined) return ask(input, weighing, { kind: 'closed', reason: weighing.closed });
  if (input.changed !== undefined) return ask(input, weighing, { kind: 'changed', difference: input.changed });
  // Without a sandbox, nothing hides a denied path: a command could reach it through a symlink or script.
  const unenforced = input.tool?.unconfined === true ? findUnenforced(input) : undefined;
  if (unenforced !== undefined) return ask(input, weighing, { kind: 'unenforced', rule: unenforced });
  // Grants and allow rules don't override a rule that says who must sign, or an administrator's.
  const mandatory = weighing.signing[0]?.rule ?? weighing.adminAsk;
  if (mandatory !== undefined) return ask(input, weighing, { kind: 'rule', rule: mandatory, alone: false });
  const { unknownEffect } = weighing;
  if (unknownEffect !== undefined) return ask(input, weighing, { kind: 'unknown-effect', rule: unknownEffect });
  const grants = grantsFor(input);
  const { unanswered, answeredBy } = findAnswers(grants, weighing);
  const [unmet, ...more] = unanswered;
  if (unmet !== undefined) return ask(input, weighing, { kind: 'rule', rule: unmet, alone: more.length === 0 });

  const allowed = findAllowance(input, weighing, answeredBy ?? findGrant(grants, weighing));
  if (allowed === undefined) return ask(input, weighing, { kind: 'default' });
  if (input.decision === 'edited') return ask(input, weighing, { kind: 'edited' });
  return { kind: 'run', ...allowed, ...byEffect };
}

function findAllowance(
  input: GateInput,
  weighing: Weighing,
  grant: GateGrant | undefined,
): Pick<Extract<Gate, { kind: 'run' }>, 'because' | 'grantId' | 'rule'> | undefined {
  const { onlyByEffect } = input.call;
  if (grant !== undefined && onlyByEffect !== true) return { because: 'grant', grantId: grant.id };
  if (weighing.allow !== undefined) return { because: 'rule', rule: weighing.allow };
  if (onlyByEffect === true) return undefined;
  const because = runsWithoutApproval(input, weighing);
  return because === undefined ? undefined : { because };
}

function findUnenforced(input: GateInput): string | undefined {
  const { call } = input;
  const own = findPathRule(policiesOf(input), call.tool);
  return own ?? (call.standsFor === undefined ? undefined : findPathRule(policiesOf(input), call.standsFor.tool));
}

function policiesOf({ admin, world, agent }: GateInput): Policies {
  return { ...(admin === undefined ? {} : { admin }), world: world.policy, agent: agent.policy };
}

/** Fails calls that can't run, without asking anyone (TURN11), and calls to reserved names (CALL10). */
function refuseImpossible({ call, tool, agent }: GateInput): Verdict | undefined {
  // Normalized: a fullwidth or uppercase `client.` is the same attack and must be audited as such.
  if (normalizeText(call.tool, 'NFKC').trim().toLowerCase().startsWith(RESERVED_TOOL_PREFIX)) {
    return fail(`${quoted(call.tool)} is reserved: tools can't ask for approval themselves. Call the tool you need.`);
  }
  // If the names differed, the rules would judge one tool and another would run.
  if (tool === undefined || tool.definition.name !== call.tool || !agentMayAskFor(agent.tools, call.tool)) {
    return fail(`There is no tool named ${quoted(call.tool)}. Use one of the tools you were given.`);
  }
  return call.arguments.ok ? undefined : fail(call.arguments.error);
}

function refuseByMode({ world, tool, call }: GateInput): Verdict | undefined {
  if (world.mode !== 'read' || tool?.claims?.readOnly === true) return undefined;
  return {
    kind: 'refuse',
    how: 'deny',
    reason: { code: 'read-mode', tool: call.tool },
  };
}

function refuseByRule({ deny }: Weighing): Verdict | undefined {
  return deny === undefined
    ? undefined
    : { kind: 'refuse', how: 'deny', reason: { code: 'deny-rule', rule: deny }, rule: deny };
}

/** Those given in the same folder (CALL5.9). Outside the sandbox, nothing limits what a call does, so a wider grant covers nothing (CALL5.8). */
function grantsFor({ call, grants, tool }: GateInput): readonly GateGrant[] {
  const here = grants.filter(({ folder = call.place.workingDirectory }) => folder === call.folder);
  return isOutside(tool) ? here.filter(({ pattern }) => pattern !== undefined && isNarrow(pattern)) : here;
}

/** Whether calls of this tool run without a sandbox, here or in another program. */
export function isOutside(tool: Pick<GateTool, 'external' | 'unconfined'> | undefined): boolean {
  return tool?.external === true || tool?.unconfined === true;
}

/**
 * Finds a grant that covers the call. Grants for the whole tool come first because they are cheap to check. They don't cover a call with a
 * dynamic part if any rule denies or asks about certain arguments of the tool, because the part might match that rule.
 */
function findGrant(grants: readonly GateGrant[], { unclear, prepared }: Weighing): GateGrant | undefined {
  const whole = unclear === undefined ? grants.find(({ pattern }) => pattern === undefined) : undefined;
  return whole ?? grants.find(({ pattern }) => pattern !== undefined && patternCovers(pattern, prepared));
}

/** Finds the ask rules that no grant overrides. Each rule needs its own grant, given after the rule was written. */
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

/** Why a call needs no approval, once all rules and grants have been checked. Undefined if it does. */
function runsWithoutApproval(
  { tool, world, contained }: GateInput,
  { unclear, prepared }: Weighing,
): 'no-approval-needed' | 'pattern' | 'contained' | undefined {
  // A deny or ask rule might match the dynamic part: `$(echo git) push` needs approval.
  if (unclear !== undefined) return undefined;
  if (tool?.claims !== undefined) {
    const { approval } = tool.claims;
    if (approval === undefined || !approval.required) return 'no-approval-needed';
    if (approval.pattern !== undefined && patternCovers(approval.pattern, prepared)) return 'pattern';
  }
  return world.mode === 'auto' && contained ? 'contained' : undefined;
}

function fail(problem: string): Verdict {
  return { kind: 'refuse', how: 'fail', reason: { code: 'cannot-run', problem } };
}

/** Truncates and quotes the name, because the model chose it. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

/** Why the gate asks for approval. `alone`: this is the only ask rule not overridden by a grant. */
type WhyAsked =
  | { readonly kind: 'outcome-unknown' }
  /** A rule or grant covers the call, but a person edited it and hasn't seen it yet (CALL7.4). */
  | { readonly kind: 'edited' }
  /** Rules and grants don't help: each of these calls needs its own approval (RULE2). */
  | { readonly kind: 'each'; readonly cause: Cause }
  | { readonly kind: 'closed'; readonly reason: string }
  /** The tool's definition differs from the accepted one (CALL1). */
  | { readonly kind: 'changed'; readonly difference: string }
  /** The call runs without a sandbox, so nothing enforces this rule's path (SAFE1). */
  | { readonly kind: 'unenforced'; readonly rule: string }
  /** A deny or ask rule is about the effect, and the call wasn't rehearsed (RULE10). */
  | { readonly kind: 'unknown-effect'; readonly rule: string }
  | { readonly kind: 'rule'; readonly rule: string; readonly alone: boolean }
  | { readonly kind: 'default' };

const SCOPES: readonly { readonly option: ApprovalOption; readonly scope: Scope }[] = [
  { option: 'approve_once', scope: 'once' },
  { option: 'approve_session', scope: 'session' },
  { option: 'approve_always', scope: 'always' },
];

/** Asks for approval, and offers only options that would take effect (CALL2). */
function ask(input: GateInput, weighing: Weighing, asked: WhyAsked): Verdict {
  if (input.verdictOnly === true) return { kind: 'ask', reason: reasonOf(input, weighing, asked), options: ['deny'] };
  const { call, tool, world, admin } = input;
  const limits = tool?.claims?.approval;
  const effective = new Set<ApprovalOption>(['approve_once']);
  const offer = sessionTakesEffect(weighing, asked) ? offerSession(input) : undefined;
  if (offer !== undefined) effective.add('approve_session');
  // With an ask rule or an unknown outcome, an allow rule would change nothing, so none is proposed.
  const there = [world.policy, ...(admin === undefined ? [] : [admin])];
  const always =
    asked.kind === 'default' && isOffered('approve_always', 'always', limits) ? proposeRule(call, there) : undefined;
  // It could then write what a command runs outside the sandbox, both without approval.
  const isUnsafe = always !== undefined && tool?.external === true && letsWriteWhatRuns(splitRules(always), there);
  const proposed = isUnsafe ? undefined : always;
  if (proposed !== undefined) effective.add('approve_always');

  const approvals = SCOPES.filter(({ option, scope }) => effective.has(option) && isOffered(option, scope, limits));
  return {
    kind: 'ask',
    reason: reasonOf(input, weighing, asked),
    // `deny` is always offered, and always first: no default approves (CALL15).
    options: ['deny', ...approvals.map(({ option }) => option)],
    ...(offer === undefined || !approvals.some(({ scope }) => scope === 'session') ? {} : { session: offer }),
    ...(asked.kind === 'rule' ? { rule: asked.rule } : {}),
    ...(proposed === undefined ? {} : { proposedRule: proposed }),
    ...(weighing.signing.length === 0 ? {} : { signing: weighing.signing }),
  };
}

/** Undefined if no grant would cover this call. */
function offerSession({ call, tool }: GateInput): SessionOffer | undefined {
  const pattern = sessionPattern(call);
  const any = !isOutside(tool);
  if (pattern === undefined && !any) return undefined;
  const folder = call.folder === call.place.workingDirectory ? {} : { folder: call.folder };
  return { any, ...(pattern === undefined ? {} : { pattern }), ...folder };
}

/** Whether a session grant would let the same call run next time. */
function sessionTakesEffect({ unclear }: Weighing, asked: WhyAsked): boolean {
  switch (asked.kind) {
    case 'outcome-unknown':
    case 'edited':
    case 'each':
    case 'closed':
    case 'changed':
    case 'unenforced':
    case 'unknown-effect':
      return false;
    case 'rule':
      return asked.alone && unclear === undefined;
    case 'default':
      return unclear === undefined;
  }
}

function isOffered(option: ApprovalOption, scope: Scope, limits: ToolApproval | undefined): boolean {
  const rank = (scope: Scope): number => SCOPES.findIndex((entry) => entry.scope === scope);
  if (limits?.options && !limits.options.includes(option)) return false;
  return limits?.scope === undefined || rank(scope) <= rank(limits.scope);
}

function reasonOf(input: GateInput, { prepared }: Weighing, asked: WhyAsked): AskReason {
  const { call, tool, world, admin, contained } = input;
  switch (asked.kind) {
    case 'outcome-unknown':
    case 'edited':
      return { code: asked.kind };
    case 'each':
      return { code: 'every-call', cause: asked.cause };
    case 'closed':
      return { code: 'policy-unreadable', problem: asked.reason };
    case 'changed':
      return { code: 'tool-changed', tool: call.tool, difference: asked.difference };
    case 'unenforced':
      return { code: 'rule-without-sandbox', rule: asked.rule };
    case 'unknown-effect':
      return { code: 'effect-unknown', rule: asked.rule };
    case 'rule':
      return { code: 'ask-rule', rule: asked.rule };
    case 'default': {
      const allowing = [...groupsFor(admin?.allow, call.tool), ...groupsFor(world.policy.allow, call.tool)];
      const missedEffect = findMissedByEffect(allowing, prepared);
      if (missedEffect !== undefined && tool?.claims !== undefined) {
        return { code: prepared.effect === undefined ? 'effect-unknown' : 'effect-exceeds', rule: missedEffect };
      }
      const dynamic = call.subjects.find((subject) => subject.kind === 'dynamic');
      if (dynamic !== undefined) {
        return { code: dynamic.told === true ? 'not-coverable' : 'unpredictable', cause: toCause(dynamic.why) };
      }
      if (tool?.claims === undefined && tool?.external !== true) return { code: 'untrusted-tool', tool: call.tool };
      const missed = findMissedByStar(allowing, prepared);
      if (missed !== undefined) {
        return { code: missed.why === 'no-sandbox' ? 'star-without-sandbox' : 'star', rule: missed.rule };
      }
      return { code: world.mode === 'auto' && !contained ? 'leaves-sandbox' : 'no-rule' };
    }
  }
}
