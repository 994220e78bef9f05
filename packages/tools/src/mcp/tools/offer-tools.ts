import type { McpServerWithTools, OpenedToSandbox, Tool, ToolContext } from '@countersign/core/ports';
import type { CallSandbox } from '@countersign/protocol';
import type { jsonSchemaValidator } from '@modelcontextprotocol/client';
import { connectionDigest, mcpTool, type SeenTool } from './mcp-tool.js';

/** A server's sandbox, and whether the server runs unconfined (SAFE1). */
interface Held {
  sandbox: (opened: OpenedToSandbox) => CallSandbox;
  unconfined: boolean;
}

export interface OfferedTools {
  tools(): ReadonlyMap<string, Tool>;
  /**
   * Rebuilds the tools from the stored record. Unchanged tools stay the same object, so the tool that was checked is
   * the one that starts.
   */
  rebuild(record: McpServerWithTools, held: Held, checker: jsonSchemaValidator): void;
}

export type RunTool = (tool: SeenTool, args: Record<string, unknown>, context: ToolContext) => Promise<unknown>;

export function offerTools(run: RunTool): OfferedTools {
  let keys = new Map<string, string>();
  let tools: ReadonlyMap<string, Tool> = new Map();
  return {
    tools: () => tools,
    rebuild({ server: { definition }, tools: known }, held, checker) {
      const identity = connectionDigest(definition);
      const nextKeys = new Map<string, string>();
      const next = new Map<string, Tool>();
      for (const entry of definition.enabled ? known : []) {
        const { seen, seenDigest, acceptedDigest, name } = entry;
        if (seen === null || seenDigest === null) continue;
        const tool: SeenTool = { ...entry, seen, seenDigest };
        const key = [seenDigest, acceptedDigest, definition.trusted, identity, held.unconfined].join();
        const same = keys.get(name) === key ? tools.get(name) : undefined;
        nextKeys.set(name, key);
        next.set(
          name,
          same ??
            mcpTool({
              tool,
              server: definition,
              ...held,
              checker,
              run: (args, about) => run(tool, args, about),
            }),
        );
      }
      keys = nextKeys;
      tools = next;
    },
  };
}
