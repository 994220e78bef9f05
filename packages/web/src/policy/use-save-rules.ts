import { ClientError } from '@countersign/client';
import { isRule, type CoveredCall } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../data/connection.js';
import { type Saving, useSaving } from '../form/use-saving.js';
import { policyWords } from '../words/policy.js';

export interface SaveRules {
  saving: Saving;
  /** The waiting calls that the new rules would run: shown before the rules are saved (CALL5). */
  covered: readonly CoveredCall[] | undefined;
  /** The rules have changed since. */
  forget: () => void;
  /** True once they are saved. False if the calls must be shown first, or it failed, which is shown. */
  save: (lines: readonly string[]) => Promise<{ etag: string } | undefined>;
}

/** Saves rules that were made from the `stored` ones. */
export function useSaveRules(worldId: string, stored: readonly string[], etag: string): SaveRules {
  const client = useClient();
  const queries = useQueryClient();
  const saving = useSaving();
  const [covered, setCovered] = useState<{ key: string; calls: readonly CoveredCall[] }>();
  /** An invalid rule is reported on saving. */
  const findCovered = async (added: readonly string[]): Promise<readonly CoveredCall[]> => {
    if (added.length === 0) return [];
    const found = await client.policyMatches(worldId, { rule: added.join('\n') }).catch((error: unknown) => {
      if (error instanceof ClientError && error.status === 422) return { waiting: [] };
      throw error;
    });
    return found.waiting;
  };
  const save = async (lines: readonly string[]): Promise<{ etag: string } | undefined> => {
    const added = lines.filter((line) => isRule(line) && !stored.includes(line));
    let isShown = true;
    const isFound = await saving.load(async () => {
      const found = await findCovered(added);
      const next = { key: JSON.stringify([added, found]), calls: found };
      isShown = found.length === 0 || covered?.key === next.key;
      setCovered(isShown ? undefined : next);
    });
    if (!isFound || !isShown) return undefined;
    let saved: { etag: string } | undefined;
    await saving.run(async () => {
      const { value, etag: tag = '' } = await client.setPolicy(worldId, { rules: [...lines] }, { ifMatch: etag });
      saved = { etag: tag };
      queries.setQueriesData({ queryKey: ['policy', worldId] }, { value, etag: tag });
    }, policyWords.savedRules);
    for (const key of ['policy', 'rule-uses', 'suggested-rules'])
      await queries.invalidateQueries({ queryKey: [key, worldId] });
    return saved;
  };
  return { saving, covered: covered?.calls, forget: () => setCovered(undefined), save };
}
