import type { Plan, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { titleOf } from './read-permission.js';

const MARKS: Readonly<Record<string, string>> = { completed: '[x]', in_progress: '[~]', pending: '[ ]' };

/** The agent's plan, for people. */
export function planText({ entries }: Pick<Plan, 'entries'>): string {
  const lines = entries.map(({ content, status }) => `${MARKS[status] ?? '[ ]'} ${content}`);
  return `\nPlan:\n${lines.join('\n')}\n`;
}

/** A call that the agent ran by itself, for people. */
export function aloneText(call: ToolCallUpdate): string {
  return `\n${titleOf(call)} (${call.status === 'failed' ? 'failed, ' : ''}without asking)\n`;
}

/** A call that the agent ran after a no, for people. */
export function refusedText(call: ToolCallUpdate): string {
  return `\n${titleOf(call)} (reported as completed, although it was not allowed)\n`;
}
