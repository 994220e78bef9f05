import type { ToolDecision } from '@countersign/protocol';

/** A decision without the id, which comes from the approval. */
export type Decision = Omit<ToolDecision, 'tool_call_id'>;
