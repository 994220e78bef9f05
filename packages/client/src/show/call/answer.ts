import type { PasskeyConfirmation, ToolDecision } from '@countersign/protocol';

/** A person's answer. The id and hash of the call are added when it is sent. */
export type Answer = Omit<ToolDecision, 'tool_call_id' | 'callHash'> & {
  /** A signature on this decision, if a rule requires a passkey (SIGN2). */
  confirmation?: PasskeyConfirmation;
};
