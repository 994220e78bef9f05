import { ClientError, editedWhyText, type ApprovalView, type Client } from '@countersign/client';

/** The gate's reason for an edited call. Undefined if it can't be checked. */
export async function whyEdited(
  { client, world }: { readonly client: Client; readonly world: string },
  { agentId, toolName }: Pick<ApprovalView, 'agentId' | 'toolName'>,
  args: Record<string, unknown>,
): Promise<string | undefined> {
  try {
    return editedWhyText(await client.checkPolicy(world, { agentId, tool: toolName, arguments: args }));
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return undefined;
  }
}
