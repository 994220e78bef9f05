import type { ToolDecision } from '@countersign/protocol';

/** What a person answers; which call it signs is added where it is sent. */
export type Answer = Omit<ToolDecision, 'tool_call_id' | 'callHash'>;
