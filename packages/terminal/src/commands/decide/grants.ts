import { inFolderText, nameOf, readAll } from '@countersign/client';
import type { Grant } from '@countersign/protocol';
import type { Command } from 'commander';
import { findThing, findWorlds } from '../../find-things.js';
import { minuteText } from '../../text/clock-text.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';
import { withHelp, WORLD_OR_ALL } from '../../words/help.js';
import { grantsHelp as help } from '../../words/help-decide.js';
import { results } from '../../words/results.js';

/** `countersign grants` (TERM3, CALL14). */
export function addGrants(program: Command, register: Register): void {
  const grants = program.command('grants').description(help.about);
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', WORLD_OR_ALL);
  register<{ world?: string }>(
    withHelp(inWorld(grants.command('list', { isDefault: true })), help.list),
    async (context, { options }) => {
      const client = await context.client();
      const all: (Grant & { world: string })[] = [];
      for (const { id: world } of await findWorlds(client, options.world)) {
        const listed = await readAll((page) => client.grants(world, page));
        all.push(...listed.map((grant) => ({ ...grant, world })));
      }
      const columns = [
        { title: 'id', of: ({ grantId }: Grant) => grantId },
        { title: 'world', of: ({ world }: { world: string }) => world },
        { title: 'agent', of: ({ agentId }: Grant) => agentId },
        {
          title: 'allows',
          of: ({ toolName, pattern, folder }: Grant) =>
            (pattern === undefined ? toolName : `${toolName}(${pattern})`) + inFolderText(folder),
        },
        { title: 'by', of: ({ grantedBy }: Grant) => nameOf(grantedBy) },
        { title: 'last used', of: ({ lastUsedAt }: Grant) => minuteText(lastUsedAt) },
      ];
      showList(context, all, columns, results.noGrants);
    },
  );
  register<{ world?: string }>(
    withHelp(inWorld(grants.command('remove').alias('revoke').argument('<grant>')), help.remove),
    async (context, { args, options }) => {
      const client = await context.client();
      const worlds = await findWorlds(client, options.world);
      const all: { id: string; world: string }[] = [];
      for (const { id: world } of worlds) {
        const listed = await readAll((page) => client.grants(world, page));
        all.push(...listed.map(({ grantId }) => ({ id: grantId, world })));
      }
      const { id, world } = findThing(all, args[0] ?? '', { what: 'grant' });
      await client.revoke(world, id);
      showDone(context, results.grantRevoked(id), { removed: id });
    },
  );
}
