import type { Subject } from '@countersign/protocol';
import type { findMisfit } from '../policy/index.js';
import type { RegisteredTool } from '../ports/index.js';

/** The tool, as far as rules can be checked against it. */
export function knownTool(tool: RegisteredTool | undefined): Parameters<typeof findMisfit>[1] {
  if (tool === undefined) return undefined;
  const { name, parameters } = tool.definition;
  if (tool.subjects === undefined) return { name, parameters };
  const touches = (args: Record<string, unknown>): readonly Subject[] => {
    const checked = tool.validate(args);
    return checked.ok ? (tool.subjects?.(checked.value, { workingDirectory: '/' }) ?? []) : [];
  };
  return { name, parameters, touches };
}
