import type { ToolDefinition } from '@countersign/protocol';
import { registerTool, type RegisteredTool, type Tool } from '../ports/index.js';

/** A registered tool that accepts any object and does nothing. */
export function knownTool(definition: ToolDefinition, more: Partial<Tool> = {}): RegisteredTool {
  return registerTool({
    definition,
    trusted: true,
    validate: (value) => ({ ok: true, value }),
    execute: () => Promise.resolve(),
    ...more,
  });
}
