import { matchesGlob, toolGlob } from './patterns/glob.js';

/** Whether a tool is on an agent's list. Names are compared exactly, so a look-alike name is not on the list. */
export function agentMayAskFor(tools: readonly string[], toolName: string): boolean {
  return tools.some((entry) => matchesGlob(toolGlob(entry), toolName));
}
