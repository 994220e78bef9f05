import { policiesOf, type WorldSnapshot } from '../memory/world-snapshot.js';
import { protectPaths, withholdPaths, type PolicyCall } from '../policy/index.js';
import type { ToolContext } from '../ports/index.js';

/** What the rules withhold and protect from a call while it runs, or while it is rehearsed. */
export function rulesAbout(
  snapshot: WorldSnapshot,
  agentId: string,
  call: PolicyCall,
): { withheld: ToolContext['withheld']; protectedPaths: () => ToolContext['protectedPaths'] } {
  const policies = policiesOf(snapshot, agentId);
  return {
    withheld: withholdPaths(policies, call),
    // Lazy: most tools start no program.
    protectedPaths: () => protectPaths(policies, call),
  };
}
