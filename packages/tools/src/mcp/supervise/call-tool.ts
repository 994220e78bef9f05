import { ToolFailure, errorMessage, type ToolContext } from '@countersign/core/ports';
import type { Connection } from '../connect-server.js';
import type { SeenTool } from '../tools/mcp-tool.js';
import type { Parts } from './parts.js';

/** A server's view of the disk is fixed when it starts. If the rules or the files they name have changed, the server is restarted. */
export async function reach({ keeper, view }: Parts, workingDirectory: string): Promise<Connection> {
  if (keeper.current() !== undefined && (await view.isOutdated(workingDirectory))) await keeper.stop();
  return await keeper.get(workingDirectory);
}

/** Checks the call once more before it is sent: rules and tools may have changed since the approval. */
export async function callTool(
  parts: Parts,
  tool: SeenTool,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<unknown> {
  const { name, current, view, keeper } = parts;
  parts.refuseIfOff();
  const connection = await reach(parts, context.workingDirectory).catch((error: unknown) => {
    throw new ToolFailure(`the MCP server "${name}" is not running, so nothing ran: ${errorMessage(error)}`);
  });
  context.signal.throwIfAborted();
  await parts.relisted();
  context.signal.throwIfAborted();
  // The server may have restarted with rules that are newer than the approval.
  if (!view.isFor(context.sandboxGrants))
    throw new ToolFailure(`rules just changed what the MCP server "${name}" can reach. Nothing ran. Call it again.`);
  // The tool may have changed after the gate checked the call.
  if (!current.isUnchanged(tool))
    throw new ToolFailure(
      `the MCP server "${name}" just changed this tool. Nothing ran. Check its definition and call it again.`,
    );
  const result = await connection.call(tool.seen.name, args, context);
  keeper.proven();
  return result;
}
