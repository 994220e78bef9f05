import { matchesGlob, toolGlob } from './patterns/glob.js';

/** Whether a tool is on an agent's list. Names are compared exactly: what only looks like a listed name is not on it. */
export function agentMayAskFor(tools: readonly string[], toolName: string): boolean {
  return tools.some((entry) => matchesGlob(toolGlob(entry), toolName));
}
