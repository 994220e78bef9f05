import type { Finding, ServerAccess } from '../connection/server-access.js';
import { gate } from '../words/gate.js';
import { gateExpiry } from './find-refusal.js';
import { GATED_AGENTS } from './gated-agents.js';
import { soonExpiry } from './token-expiry.js';

/** Warns of tokens that expire within 14 days: those of gated agents, and the one in this environment. */
export async function tokenFindings(
  servers: ServerAccess,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const token = env['COUNTERSIGN_TOKEN'] ?? '';
  const url = env['COUNTERSIGN_URL'] ?? (await servers.find(home))?.url;
  const own = token === '' || url === undefined ? undefined : await soonExpiry({ url, token }, 'me');
  const findings: Finding[] =
    own === undefined ? [] : [{ what: gate.ownToken, state: 'warning', detail: gate.ownTokenExpires(own) }];
  for (const agent of GATED_AGENTS) {
    const day = await gateExpiry(home, agent);
    if (day !== undefined)
      findings.push({ what: gate.tokenOf(agent), state: 'warning', detail: gate.tokenExpires(day).trim() });
  }
  return findings;
}
