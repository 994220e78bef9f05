import { describeReason } from '@countersign/protocol';
import { checkToolApproval, type Gate, type GateGrant, type GateInput } from '../approval/index.js';
import type { StepTransaction } from '../facts/step-transaction.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { NO_RULES } from '../policy/index.js';
import type { StepNeeds, Tool, ToolPlace } from '../ports/index.js';
import { describeDifference } from './mcp-difference.js';
import type { JudgedCall, ReadCall } from './read-call.js';

/** A grant expires when it hasn't been used for this long (A5). */
export const GRANT_LIFETIME_MS = 12 * 60 * 60 * 1000;

/** What a step must load to judge these calls. */
export function gateNeeds(calls: readonly JudgedCall[]): Required<Pick<StepNeeds, 'calls' | 'mcpTools' | 'asker'>> {
  const pinned = calls.filter(({ call }) => call.tool?.pin !== undefined);
  return { calls: calls.map(({ keys }) => keys), mcpTools: pinned.map(({ call }) => call.toolName), asker: true };
}

/** What the gate reads in its step. */
export type GateReads = Pick<StepTransaction, 'now' | 'grants' | 'outcomeUnknown' | 'mcpTool' | 'hasAsker'>;

/** Input for the gate that isn't stored. */
interface GateMore {
  decision?: 'approved' | undefined;
  /** A hypothetical grant, for showing what it would cover before a person gives it. */
  supposed?: GateGrant | undefined;
}

/** Passes a call through the gate (A2), with everything it needs from the caller's step. */
export function gateCall(
  tx: GateReads,
  snapshot: WorldSnapshot,
  { call, agentId, place, policyCall, keys }: JudgedCall,
  { decision, supposed }: GateMore = {},
): Gate {
  const grants = agentId === undefined ? [] : tx.grants(keys, tx.now() - GRANT_LIFETIME_MS);
  const changed = changeOf(tx, call.tool);
  return checkToolApproval({
    call: policyCall,
    // Trust applies only to the definition that a person accepted.
    tool: changed === undefined || call.tool === undefined ? call.tool : { ...call.tool, trusted: false },
    ...(changed === undefined ? {} : { changed }),
    agent: agentOf(snapshot, agentId),
    world: { mode: snapshot.world.settings.mode, policy: snapshot.policy },
    admin: snapshot.adminPolicy,
    grants: [
      ...grants.map((grant) => ({
        id: grant.id,
        ...(grant.pattern === null ? {} : { pattern: grant.pattern }),
        ...(grant.answeredRule === null ? {} : { answeredRule: grant.answeredRule }),
      })),
      ...(supposed === undefined ? [] : [supposed]),
    ],
    decision,
    contained: isContained(call, place) && place.grants?.anyHost !== true,
    outcomeUnknown: keys.chatId !== '' && tx.outcomeUnknown(keys),
    unattended: isUnattended(tx, snapshot),
  });
}

/** Compares a server's current tool definition with the accepted one (A1). */
function changeOf(tx: GateReads, tool: Tool | undefined): string | undefined {
  if (tool?.pin === undefined) return undefined;
  const known = tx.mcpTool(tool.definition.name);
  if (known === undefined) return 'nobody has accepted it yet';
  if (known.acceptedDigest === tool.pin) return undefined;
  return describeDifference(known) ?? 'it differs from the stored definition';
}

function agentOf(snapshot: WorldSnapshot, agentId: string | undefined): GateInput['agent'] {
  if (agentId === undefined) return { tools: ['*'], policy: NO_RULES };
  return { tools: snapshot.agent(agentId)?.definition.tools ?? [], policy: snapshot.agentPolicy(agentId) };
}

/** Claims of untrusted tools don't count (A1), nor a claim that throws. */
function isContained({ tool, arguments: args }: ReadCall, { workingDirectory }: ToolPlace): boolean {
  if (tool?.contained === undefined || !tool.trusted || !args.ok) return false;
  try {
    const contained: unknown = tool.contained(args.value, { workingDirectory });
    // Anything but `true`, such as a promise, is a no.
    return contained === true;
  } catch {
    return false;
  }
}

/** The reason for denying a call that needs approval when no client can ask a person. */
export const UNATTENDED = describeReason({ code: 'unattended' });

/** Whether to deny calls that need approval: the world says so, and no client that can ask a person is connected (A13). */
export function isUnattended(tx: Pick<StepTransaction, 'hasAsker'>, { world }: WorldSnapshot): boolean {
  return world.settings.unattended === 'deny' && !tx.hasAsker();
}
