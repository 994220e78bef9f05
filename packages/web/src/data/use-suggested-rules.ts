import type { RuleSuggestion } from '@countersign/protocol';
import { useClient } from './connection.js';
import { useMay } from './me.js';
import { type Read, useRead } from './use-read.js';

/** Rules that would have saved questions, which only admins may see. `about`: read again for each. */
export function useSuggestedRules(worldId: string, about = '', enabled = true): Read<readonly RuleSuggestion[]> {
  const client = useClient();
  const isAdmin = useMay('admin', worldId);
  return useRead({
    key: ['suggested-rules', worldId, about],
    read: async (signal) => (await client.suggestRules(worldId, { signal })).items,
    once: true,
    enabled: enabled && isAdmin,
  });
}
