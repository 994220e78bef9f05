import {
  createWorld,
  deleteWorld,
  exportWorld,
  importWorld,
  showWorld,
  showWorlds,
  toWorld,
  updateWorld,
  worldVersion,
  type May,
} from '@countersign/core';
import {
  confirmedWorldSchema,
  importedWorldSchema,
  listOf,
  listQuerySchema,
  removalSchema,
  worldChangeSchema,
  worldFileSchema,
  worldSchema,
  type World,
} from '@countersign/protocol';
import type { AppContext } from '../app/context.js';
import { route } from '../app/route.js';
import { safeguardsOf } from '../confirmations/confirm-change.js';
import { actionsOf } from '../people/access.js';
import { etag, IF_MATCH, ifMatch, pageOf } from './support.js';

const tag = 'worlds';

/** The world with the folder in which its calls run. */
function withFolder<W extends World>({ ownFolder }: Pick<AppContext, 'ownFolder'>, world: W): W {
  const folder = world.workingDirectory ?? ownFolder?.(world.id);
  return folder === undefined ? world : { ...world, folder };
}

/** Says why no world may use a folder (SAFE1.1). Others than server admins don't learn which folders exist (SAFE2). */
function checkFolders(
  { checkFolder }: AppContext,
  { workingDirectory, roots }: Readonly<Record<string, unknown>>,
  { may }: { may: May },
): void {
  if (!may('admin')) return;
  if (typeof workingDirectory === 'string') checkFolder?.(workingDirectory);
  for (const root of Array.isArray(roots) ? roots : []) if (typeof root === 'string') checkFolder?.(root, 'roots');
}

export const worldRoutes = [
  route({
    method: 'get',
    path: '/worlds',
    scope: 'world',
    needs: 'account',
    tag,
    summary: 'List worlds, oldest first',
    description: 'Only those that you may read.',
    query: listQuerySchema,
    answers: { 200: { description: 'Worlds', schema: listOf(worldSchema) } },
    async handle({ context, query, c }) {
      const worlds = await showWorlds(context.engine.runtime);
      const readable = worlds.filter(({ id }) => actionsOf(c.var.access, id).has('read'));
      return {
        status: 200,
        body: pageOf(
          readable.map((world) => withFolder(context, world)),
          ({ id }) => id,
          query,
        ),
      };
    },
  }),
  route({
    method: 'post',
    path: '/worlds',
    scope: 'world',
    needs: 'admin',
    tag,
    summary: 'Create a world',
    description:
      'Its id is derived from its name. A `workingDirectory` that a world with a rule `with passkey` works in needs a `confirmation`.',
    body: confirmedWorldSchema,
    answers: { 201: { description: 'The world', schema: worldSchema } },
    async handle({ context, body, sent, c }) {
      const { confirmation: _, ...wanted } = body;
      const safeguards = await safeguardsOf({ c, context, sent });
      checkFolders(context, wanted, safeguards);
      const world = await createWorld(context.engine.runtime, wanted, c.var.signer, safeguards);
      return { status: 201, body: withFolder(context, toWorld(world)), headers: etag(worldVersion(world)) };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/import',
    scope: 'world',
    needs: 'admin',
    tag,
    summary: 'Import a world from a YAML file',
    description:
      'An import grants nothing: MCP servers are off, allow rules are only proposed (listed in the policy of the world), and mode `auto` and the working folder are not imported.',
    body: worldFileSchema,
    bodyKind: 'yaml',
    answers: { 201: { description: 'The world, and what was not imported', schema: importedWorldSchema } },
    handle: async ({ context, body, c }) => ({
      status: 201,
      body: withFolder(context, await importWorld(context.engine.runtime, body, c.var.signer)),
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Get a world',
    description: 'To miss no event, open the event stream after `lastEventId`.',
    answers: { 200: { description: 'The world', schema: worldSchema } },
    async handle({ context, params }) {
      const { value, version } = await showWorld(context.engine.runtime, params.world);
      return { status: 200, body: withFolder(context, value), headers: etag(version) };
    },
  }),
  route({
    method: 'patch',
    path: '/worlds/{world}',
    scope: 'world',
    needs: 'admin',
    tag,
    summary: 'Update a world',
    description:
      'Omitted fields stay unchanged. Null clears an optional field. Another folder, or a mode that runs more without approval, needs a `confirmation` while a rule `with passkey` applies.',
    headers: IF_MATCH,
    body: worldChangeSchema,
    answers: { 200: { description: 'The updated world', schema: worldSchema } },
    async handle({ context, params, body, sent, c }) {
      const { confirmation: _, ...change } = body;
      const { runtime } = context.engine;
      const safeguards = await safeguardsOf({ c, context, sent });
      checkFolders(context, change, safeguards);
      const { value, version } = await updateWorld(runtime, params.world, change, c.var.signer, {
        expected: ifMatch(c),
        ...safeguards,
      });
      return { status: 200, body: withFolder(context, value), headers: etag(version) };
    },
  }),
  route({
    method: 'delete',
    path: '/worlds/{world}',
    scope: 'world',
    needs: 'admin',
    tag,
    summary: 'Delete a world and everything in it',
    description:
      'Running calls are stopped first. The audit log is kept, and the id is never reused. A world with a rule `with passkey` needs a `confirmation`.',
    headers: IF_MATCH,
    body: removalSchema,
    bodyOptional: true,
    answers: { 204: { description: 'World deleted' } },
    async handle({ context, params, sent, c }) {
      await deleteWorld(context.engine.runtime, params.world, c.var.signer, {
        expected: ifMatch(c),
        ...(await safeguardsOf({ c, context, sent })),
      });
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/export',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Export a world as a YAML file',
    description: 'Settings, policy, agents and MCP servers. No chats, grants or secrets.',
    answers: { 200: { description: 'The file', type: 'application/yaml' } },
    async handle({ context, params }) {
      const { stringify } = await import('yaml');
      const file = await exportWorld(context.engine.runtime, params.world);
      return {
        status: 200,
        body: stringify(file, { aliasDuplicateObjects: false }),
        headers: {
          'Content-Type': 'application/yaml',
          'Content-Disposition': `attachment; filename="world.yaml"`,
        },
      };
    },
  }),
];
