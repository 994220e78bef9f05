import { realpath } from 'node:fs/promises';
import { showWorld } from '@countersign/core';
import { CountersignError, listOf, localAgentSchema, localGateSchema } from '@countersign/protocol';
import type { AppContext } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { route } from '../app/route.js';
import type { LocalAgents } from '../local-agents/local-agents.js';
import { byOf } from '../people/by.js';
import { findCredential, isUsable } from '../people/credentials.js';
import { revokeToken } from '../people/manage-tokens.js';

const tag = 'external agents';
const scope = 'own-server';
/** It changes what programs do that run as the server's user, and can read credentials (SAFE2.2). */
const needs = ['admin', 'sign'] as const;

export const localAgentRoutes = [
  route({
    method: 'get',
    path: '/local-agents',
    scope,
    needs,
    tag,
    summary: 'List coding agents on the computer of the server',
    description: 'Those of the user that runs the server. 404 if the server doesn’t manage them.',
    answers: { 200: { description: 'Agents', schema: listOf(localAgentSchema) } },
    handle: async ({ context }) => ({ status: 200, body: { items: await localAgentsOf(context).list() } }),
  }),
  route({
    method: 'put',
    path: '/local-agents/{agent}/gate',
    scope,
    needs,
    tag,
    summary: 'Gate a coding agent on the computer of the server',
    description:
      'Writes the agent’s own configuration, like `countersign gate install` and `gate here`. The worlds must be those of the token (`POST /worlds/{world}/external/agents`), and the first one must work in a folder.',
    body: localGateSchema,
    answers: { 204: { description: 'Gated' } },
    async handle({ context, params, body, c }) {
      const agents = localAgentsOf(context);
      const { store } = context.engine.runtime;
      const noToken = new CountersignError('not-found', `There is no token "${body.tokenId}" of this agent.`);
      const found = await store.read(async (reader) => {
        const credential = await reader.credential(body.tokenId);
        return credential !== undefined && isUsable(credential, reader.now()) ? credential : undefined;
      });
      const external = found?.credential.data.external;
      if (found === undefined || external?.program !== params.agent) throw noToken;
      if (body.token !== undefined) {
        const lookup = await findCredential(store, 'token', body.token.replace(/^cs_/, ''));
        if (lookup.kind !== 'found' || lookup.found.credential.id !== body.tokenId) throw noToken;
      }
      const placeOf = (world: string): { world: string; agent: string } => {
        const place = [external, ...(external.also ?? [])].find(({ worldId }) => worldId === world);
        if (place === undefined) throw new HttpProblem(404, problemTexts.noWorld(world));
        return { world, agent: place.agentId };
      };
      const place = placeOf(body.world);
      const { value } = await showWorld(context.engine.runtime, body.world);
      if (value.workingDirectory === undefined)
        throw new CountersignError('invalid', 'world: works in no folder of yours', { field: 'world' });
      const folder = await realpath(value.workingDirectory);
      const { id: person } = found.person;
      const replaced = await agents.gate(params.agent, {
        tokenId: body.tokenId,
        ...(body.token === undefined ? {} : { token: body.token }),
        person,
        ...(external.isPersonal === true ? { usedBy: person } : {}),
        place: { ...place, folder },
        ...(body.elsewhere === undefined ? {} : { elsewhere: placeOf(body.elsewhere) }),
      });
      // Only hooks that wait use it. If it is gone already, that is fine.
      if (replaced !== undefined && replaced.tokenId !== body.tokenId)
        await revokeToken(store, replaced.person, replaced.tokenId, byOf(c)).catch(() => undefined);
      return { status: 204 };
    },
  }),
];

function localAgentsOf({ localAgents }: Pick<AppContext, 'localAgents'>): LocalAgents {
  if (localAgents === undefined) throw new CountersignError('not-found', problemTexts.noLocalAgents);
  return localAgents;
}
