import type { ToolDecision } from '@countersign/protocol';

/** A person's answer. The id and hash of the call are added when it is sent. */
export type Answer = Omit<ToolDecision, 'tool_call_id' | 'callHash'>;
