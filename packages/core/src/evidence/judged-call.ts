import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ToolApproval } from '@countersign/protocol';
import { openOriginal, sealOriginal } from '../facts/seal-original.js';
import { checkToolApproval, type Gate, type GateInput } from '../policy/check-tool-approval.js';
import { agentMayAskFor, type Policies, type Policy } from '../policy/index.js';
import type { CallRecord } from '../ports/index.js';

/** What the gate judged, without the rules: enough to judge the call again under others. Stored as JSON. */
interface JudgedCall extends Pick<
  GateInput,
  'call' | 'changed' | 'grants' | 'contained' | 'outcomeUnknown' | 'unattended'
> {
  readonly tool: JudgedTool | null;
  readonly mayAsk: boolean;
  readonly mode: GateInput['world']['mode'];
  /** A person edited it, and must see it before it can run (CALL7.4). */
  readonly edited?: true;
  /** Digests of the rules that judged it. */
  readonly rules: { readonly world: string; readonly others: string };
}

interface JudgedTool {
  readonly name: string;
  /** Absent for an untrusted tool. */
  readonly claims?: { readonly readOnly?: boolean; readonly approval?: Omit<ToolApproval, 'message'> };
  readonly unconfined?: boolean;
  readonly external?: boolean;
}

/** Longer texts are compressed: most are lists of paths. */
const SHORT = 2048;
/** The most that is kept of one call, before compression. A step that writes it blocks other writers. */
const MOST = 4 * 1024 * 1024;
/** The most that is kept after it, because audit records are read in pages. */
const MOST_SEALED = 512 * 1024;

/** Sealed for its audit record. Undefined if it is too large, or can't be stored as JSON; a replay then says that the call can't be judged. */
export function sealJudged(
  hashKey: Uint8Array,
  call: Pick<CallRecord, 'worldId' | 'id'>,
  input: GateInput | undefined,
): { judged?: string } {
  if (input === undefined) return {};
  const text = toText(input);
  if (text === undefined || text.length > MOST) return {};
  const packed = text.length > SHORT ? `z${deflateRawSync(text, { level: 3 }).toString('base64')}` : text;
  return packed.length > MOST_SEALED ? {} : { judged: sealOriginal(hashKey, keyOf(call), packed) };
}

/** The stored text. Undefined if it was sealed with another key, for another call, or was changed. */
export function openJudged(
  hashKey: Uint8Array,
  call: Pick<CallRecord, 'worldId' | 'id'>,
  sealed: string,
): string | undefined {
  const packed = openOriginal(hashKey, keyOf(call), sealed);
  if (packed?.startsWith('z') !== true) return packed;
  return inflateRawSync(Buffer.from(packed.slice(1), 'base64'), { maxOutputLength: MOST * 3 }).toString('utf8');
}

/** Judges a stored call again, with the same gate, under these rules. `sameRules`: they are those that judged it. `proposes`: also find what a card would offer. */
export function judgeAgain(
  text: string,
  policies: Required<Policies>,
  { proposes = false } = {},
): { gate: Gate; sameRules: 'all' | 'others' | 'none' } {
  // Sealed by us, so nobody else wrote it.
  const { tool, mayAsk, mode, edited, rules, ...rest } = JSON.parse(text) as JudgedCall;
  const { admin, world, agent } = policies;
  const { claims } = tool ?? {};
  const judged: GateInput = {
    ...rest,
    tool:
      tool === null
        ? undefined
        : {
            definition: { name: tool.name },
            ...(claims === undefined ? {} : { claims }),
            ...(tool.unconfined === true ? { unconfined: true } : {}),
            ...(tool.external === true ? { external: true } : {}),
          },
    agent: { tools: mayAsk ? ['*'] : [], policy: agent },
    world: { mode, policy: world },
    admin,
    decision: edited === true ? 'edited' : undefined,
    ...(proposes ? {} : { verdictOnly: true }),
  };
  const gate: Gate = { ...checkToolApproval(judged), judged };
  const isSame = rules.others === digestOf(admin, agent);
  return { gate, sameRules: !isSame ? 'none' : rules.world === digestOf(world) ? 'all' : 'others' };
}

/** Not the call of `sealOriginal`: one text must not be readable in the place of the other. */
function keyOf({ worldId, id }: Pick<CallRecord, 'worldId' | 'id'>): Pick<CallRecord, 'worldId' | 'id'> {
  return { worldId, id: `judged ${id}` };
}

function toText({
  call,
  tool,
  changed,
  agent,
  world,
  admin,
  grants,
  contained,
  outcomeUnknown,
  unattended,
  decision,
}: GateInput): string | undefined {
  const { readOnly, approval } = tool?.claims ?? {};
  const { message: _, ...asked } = approval ?? { required: true };
  const judged: JudgedCall = {
    call,
    ...(changed === undefined ? {} : { changed }),
    grants,
    contained,
    outcomeUnknown,
    ...(unattended === undefined ? {} : { unattended }),
    tool:
      tool === undefined
        ? null
        : {
            name: tool.definition.name,
            ...(tool.claims === undefined
              ? {}
              : {
                  claims: {
                    ...(readOnly === undefined ? {} : { readOnly }),
                    ...(approval === undefined ? {} : { approval: asked }),
                  },
                }),
            ...(tool.unconfined === true ? { unconfined: true } : {}),
            ...(tool.external === true ? { external: true } : {}),
          },
    mayAsk: agentMayAskFor(agent.tools, call.tool),
    mode: world.mode,
    ...(decision === 'edited' ? { edited: true } : {}),
    rules: { world: digestOf(world.policy), others: digestOf(admin, agent.policy) },
  };
  try {
    return JSON.stringify(judged);
  } catch {
    // An argument such as a BigInt.
    return undefined;
  }
}

const digests = new WeakMap<Policy, string>();

/** The same text for the same rules. */
export function digestOf(...policies: readonly (Policy | undefined)[]): string {
  return policies.map((policy) => (policy === undefined ? '' : digestOfOne(policy))).join(' ');
}

/** Cached, because a policy can have thousands of rules. */
function digestOfOne(policy: Policy): string {
  const known = digests.get(policy);
  if (known !== undefined) return known;
  const text = [...policy.lines, policy.closed ?? ''].join('\n');
  const made = createHash('sha256').update(text).digest('base64url').slice(0, 16);
  digests.set(policy, made);
  return made;
}
