/**
 * What a tool may do to the world its call runs in, always as the agent that made the call (A22). Rejects once the call has ended or
 * was stopped, and then nothing was written.
 */
export interface WorldHandle {
  /** Says something in the call's chat, or in another one of its world. Those it addresses answer, within the same limits as ever. */
  sendMessage: (message: { content: string; chatId?: string }) => Promise<{ messageId: string; answeredBy: string[] }>;
  /** Adds an agent with the model and under the rules of its maker, and with tools of its maker's list only. */
  createAgent: (agent: {
    name: string;
    systemPrompt: string;
    tools: readonly string[];
  }) => Promise<{ agentId: string }>;
}
