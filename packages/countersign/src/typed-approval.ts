import type { Tool, TypedTool } from '@countersign/core/ports';
import type { Approval } from '@countersign/protocol';

/** The name of a tool from an MCP server or a client. Tools added with `addTool` are treated like these. */
export type OtherToolName = `mcp__${string}` | `app__${string}`;

type Call<T> = T extends TypedTool<infer Name, infer Arguments> ? { toolName: Name; arguments: Arguments } : never;

/**
 * An approval for one of these tools: comparing `toolName` with a name narrows the type of `arguments`. Masked values (SAFE6) are text, whatever
 * their type. If TypeScript doesn't know the name of each tool, it is a plain `Approval`.
 */
export type ApprovalOf<T extends Tool> = string extends T['definition']['name']
  ? Approval
  : Omit<Approval, 'toolName' | 'arguments'> & (Call<T> | { toolName: OtherToolName; arguments: unknown });
