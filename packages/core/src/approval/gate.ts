import type { ApprovalOption, AskReason, Reason, Subject, ToolDefinition, WorldMode } from '@countersign/protocol';
import type { Place, Policy } from '../policy/index.js';

/** The complete input of the gate. Nothing else can make it allow a call. */
export interface GateInput {
  readonly call: {
    readonly tool: string;
    readonly arguments: { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string };
    readonly subjects: readonly Subject[];
    readonly place: Place;
    /** Whether the tool reported its subjects, or they are its arguments. Default: `tool`. */
    readonly subjectsFrom?: 'tool' | 'arguments';
  };
  /** Undefined if there is no tool with this name here. */
  readonly tool: GateTool | undefined;
  /** How the tool differs from what a person accepted, as text. Then only an approval of this call lets it run. */
  readonly changed?: string;
  readonly agent: { readonly tools: readonly string[]; readonly policy: Policy };
  readonly world: { readonly mode: WorldMode; readonly policy: Policy };
  /** The administrator's rules, from a file outside the reach of every world. They beat the rules of world and agent. */
  readonly admin?: Policy;
  /** Live grants of this agent, chat and tool. */
  readonly grants: readonly GateGrant[];
  /** A person approved exactly this call, and its hash was checked. */
  readonly decision: 'approved' | undefined;
  /** The call stays inside the sandbox and the working folder (A20). */
  readonly contained: boolean;
  /** The same call was interrupted earlier in this chat, and its outcome is unknown (S3). */
  readonly outcomeUnknown: boolean;
  /** Nobody can be asked, so calls that need approval are denied (A13). */
  readonly unattended?: boolean;
}

/** Claims of an untrusted tool (`readOnly`, `idempotent`, `approval`) don't count (A1). */
export interface GateTool {
  readonly definition: ToolDefinition;
  readonly trusted: boolean;
  /** It runs programs without a sandbox that could enforce path rules (A21). */
  readonly unconfined?: boolean;
}

export interface GateGrant {
  readonly id: string;
  /** If absent, the grant covers every call of the tool. */
  readonly pattern?: string;
  /** The ask rule that the grant was given for. It overrides no other. */
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
      /** The ask rule that a session grant would override. */
      readonly rule?: string;
      /** `deny` first, and only options that would take effect. */
      readonly options: ApprovalOption[];
      readonly proposedRule?: string;
    }
  | {
      readonly kind: 'refuse';
      /** `fail`: the call can't run at all, with a message for the model. `deny`: it could run but isn't allowed. */
      readonly how: 'fail' | 'deny';
      readonly reason: Reason;
      readonly rule?: string;
    };
