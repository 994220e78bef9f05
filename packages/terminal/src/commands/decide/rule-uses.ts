import { nameOf } from '@countersign/client';
import type { RuleUse } from '@countersign/protocol';
import type { Command } from 'commander';
import { clientIn } from '../../find-things.js';
import { withHelp, WORLD } from '../../words/help.js';
import { usesHelp } from '../../words/replay.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { showList } from '../show-list.js';

/** `countersign policy uses` (RULE14). */
export function addUses(policy: Command, register: Register): void {
  register<{ world?: string }>(
    withHelp(policy.command('uses').option('-w, --world <world>', WORLD), usesHelp),
    async (context, { options }) => {
      const { client, world: id } = await clientIn(context, options.world);
      const columns = [
        { title: 'rule', of: ({ rule }: RuleUse) => rule },
        { title: 'used', of: ({ used }: RuleUse) => String(used) },
        { title: 'last', of: ({ lastAt }: RuleUse) => lastAt ?? '' },
        { title: 'added by', of: ({ added }: RuleUse) => (added === undefined ? '' : nameOf(added.who)) },
        { title: 'added', of: ({ added }: RuleUse) => added?.at ?? '' },
      ];
      showList(context, (await client.ruleUses(id)).items, columns, results.noRules(id));
    },
  );
}
