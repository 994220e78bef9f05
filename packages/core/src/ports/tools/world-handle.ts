/**
 * What a tool may do in its call's world, always as the agent that made the call (CALL17). Once the call has ended or was stopped, every method rejects
 * and writes nothing.
 */
export interface WorldHandle {
  /** Sends a message to the call's chat, or to another chat in its world. Addressed agents answer, within the usual limits. */
  sendMessage: (message: { content: string; chatId?: string }) => Promise<{ messageId: string; answeredBy: string[] }>;
  /** Creates an agent with the model and rules of its creator. Its tools must be on the creator's list. */
  createAgent: (agent: {
    name: string;
    systemPrompt: string;
    tools: readonly string[];
  }) => Promise<{ agentId: string }>;
}
