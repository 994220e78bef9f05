import { ClientError, readAll, type Client } from '@countersign/client';
import { isOtherFolders, type LocalAgent, nameFrom, type World } from '@countersign/protocol';
import { addRules } from '../settings/add-rules.js';
import { computerWords } from '../words/computer.js';

interface Wanted {
  readonly folder: string;
  readonly anyFolder: boolean;
  readonly reading: boolean;
}

/**
 * Gates an agent of this computer in a folder, or adds a folder to its gate: finds or creates the world, lets the agent's token propose there, and then
 * has its configuration written. Sent again after a failure, it uses the worlds that are there.
 */
export async function gateAgent(
  client: Client,
  agent: LocalAgent,
  { folder, anyFolder, reading }: Wanted,
): Promise<void> {
  const worlds = await readAll((page) => client.worlds(page));
  const { kind, id: me } = await client.me();
  const about = { name: agent.name, program: agent.id, ...(kind === 'person' ? { usedBy: me } : {}) };
  // The nearest one, as `gate here` finds it.
  const [here] = worlds
    .filter(({ workingDirectory: own = '' }) => own !== '' && (folder === own || folder.startsWith(`${own}/`)))
    .toSorted((one, other) => (other.workingDirectory?.length ?? 0) - (one.workingDirectory?.length ?? 0));
  const world =
    here ??
    (await client.createWorld({
      name: nameFrom(folder, 'project') || 'Project',
      workingDirectory: folder,
      mode: 'ask',
    }));
  const { tokenId } = agent;
  if (tokenId !== undefined && agent.state === 'gated') {
    await client.external.addWorld(world.id, { ...about, tokenId });
    await client.gateLocalAgent(agent.id, { tokenId, world: world.id });
  } else {
    const created = await client.external.createAgent(world.id, { ...about, tokenName: agent.name });
    try {
      const other = anyFolder ? await findOther(client, worlds) : undefined;
      if (other !== undefined) await client.external.addWorld(other, { ...about, tokenId: created.tokenId });
      const elsewhere = other === undefined ? {} : { elsewhere: other };
      const { token } = created;
      await client.gateLocalAgent(agent.id, { tokenId: created.tokenId, token, world: world.id, ...elsewhere });
    } catch (error) {
      await client.revokeToken(created.person, created.tokenId).catch((cause: unknown) => {
        if (!(cause instanceof ClientError)) throw cause;
      });
      throw error;
    }
  }
  if (!reading) return;
  const { rules } = await client.external.readingRules(world.id, agent.id);
  await addRules(client, world.id, rules);
}

async function findOther(client: Client, worlds: readonly World[]): Promise<string> {
  const known = worlds.find(isOtherFolders);
  return (known ?? (await client.createWorld({ name: computerWords.otherFolders, mode: 'ask' }))).id;
}
