import { readerId, searchWorlds, writerName, type WorldHit } from '@countersign/client';
import type { SearchHit } from '@countersign/protocol';
import type { Command } from 'commander';
import { clientIn } from '../../find-things.js';
import { minuteText } from '../../text/clock-text.js';
import { readCount } from '../read-flags.js';
import type { Register } from '../register.js';
import { showList } from '../show-list.js';
import { withHelp, WORLD } from '../../words/help.js';
import { searchHelp as help } from '../../words/help-worlds.js';
import { results } from '../../words/results.js';

/** `countersign search`: full-text search of a world's messages. */
export function addSearch(program: Command, register: Register): void {
  const command = withHelp(program.command('search').argument('<words...>', help.words), help)
    .option('-w, --world <world>', WORLD)
    .option('--all', help.all)
    .option('--limit <n>', help.limit, '20');
  register<{ world?: string; all?: boolean; limit?: string }>(command, async (context, { args, options }) => {
    const limit = readCount(options.limit ?? '20', '--limit');
    if (options.all === true) {
      const client = await context.client();
      const { items } = await searchWorlds(client, args.join(' '), limit);
      const world = { title: 'world', of: ({ worldId }: WorldHit) => worldId };
      return showList(context, items, [world, ...columnsFor(await readerId(client))], results.noHits);
    }
    const { client, world } = await clientIn(context, options.world);
    const hits: SearchHit[] = [];
    let after: string | undefined;
    do {
      const page = await client.search(world, args.join(' '), {
        limit: limit - hits.length,
        ...(after === undefined ? {} : { after }),
      });
      hits.push(...page.items);
      after = page.next;
    } while (after !== undefined && hits.length < limit);
    showList(context, hits, columnsFor(await readerId(client)), results.noHits);
  });
}

function columnsFor(me: Awaited<ReturnType<typeof readerId>>) {
  return [
    { title: 'at', of: ({ createdAt }: SearchHit) => minuteText(createdAt) },
    { title: 'chat', of: ({ chatId }: SearchHit) => chatId },
    { title: 'from', of: ({ sender, who }: SearchHit) => writerName({ name: sender, who }, me) ?? sender },
    { title: 'message', of: ({ excerpt }: SearchHit) => excerpt, isProse: true as const },
  ];
}
