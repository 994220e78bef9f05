import type { ApprovalOption, AskReason, Reason, Subject, ToolDefinition, WorldMode } from '@countersign/protocol';
import type { Place, Policy } from '../policy/index.js';

/** Everything the gate knows. Whatever is not in here can't make it say yes. */
export interface GateInput {
  readonly call: {
    readonly tool: string;
    readonly arguments: { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string };
    readonly subjects: readonly Subject[];
    readonly place: Place;
    /** Whether the tool told its subjects, or they are its arguments. Absent: it told them. */
    readonly subjectsFrom?: 'tool' | 'arguments';
  };
  /** Undefined: nobody offers a tool of this name here. */
  readonly tool: GateTool | undefined;
  /** How the tool differs from what a person accepted, in words. Then nothing but a decision for this very call lets it run. */
  readonly changed?: string;
  readonly agent: { readonly tools: readonly string[]; readonly policy: Policy };
  readonly world: { readonly mode: WorldMode; readonly policy: Policy };
  /** From a file outside the reach of every world; they win over the rules of world and agent. Absent: there are none. */
  readonly admin?: Policy;
  /** Live ones of this agent, chat and tool. */
  readonly grants: readonly GateGrant[];
  /** A person approved this very call, and its hash was checked. */
  readonly decision: 'approved' | undefined;
  /** The call stays inside the sandbox and the working folder (A20). */
  readonly contained: boolean;
  /** The same call was cut off earlier in this chat and nobody knows what it did (S3). */
  readonly outcomeUnknown: boolean;
  /** Nobody can be asked, so a call that needs approval is refused (A13). */
  readonly unattended?: boolean;
}

/** What an untrusted tool says of itself (`readOnly`, `idempotent`, `approval`) does not count (A1). */
export interface GateTool {
  readonly definition: ToolDefinition;
  readonly trusted: boolean;
  /** It runs programs that no sandbox keeps from what rules deny (A21). */
  readonly unconfined?: boolean;
}

export interface GateGrant {
  readonly id: string;
  /** Absent: every call of the tool. */
  readonly pattern?: string;
  /** The ask rule it was given for. It answers no other. */
  readonly answeredRule?: string;
}

export type Gate =
  | {
      readonly kind: 'run';
      readonly because: 'decision' | 'grant' | 'rule' | 'pattern' | 'no-approval-needed' | 'contained';
      readonly grantId?: string;
      readonly rule?: string;
    }
  | {
      readonly kind: 'ask';
      readonly reason: AskReason;
      /** The ask rule that a session grant would answer. */
      readonly rule?: string;
      /** `deny` first; only what would take effect. */
      readonly options: ApprovalOption[];
      readonly proposedRule?: string;
    }
  | {
      readonly kind: 'refuse';
      /** `fail`: the call can't run at all, in words a model can use. `deny`: it could, and is not allowed to. */
      readonly how: 'fail' | 'deny';
      readonly reason: Reason;
      readonly rule?: string;
    };
