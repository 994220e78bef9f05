import {
  CLIENT_HEADER,
  listOf,
  listQuerySchema,
  newProviderSchema,
  providerChangeSchema,
  providerModelsSchema,
  providerStatusSchema,
  providerTestRequestSchema,
  providerTestSchema,
  removeProviderQuerySchema,
} from '@countersign/protocol';
import type { AppContext, AppRequest } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { route } from '../app/route.js';
import type { ProviderRegistry } from '../providers/create-registry.js';
import { pageOf } from './support.js';

const tag = 'providers';

/** Programs that mount the API configure their providers in code, and omit these routes. */
function registryOf({ providers }: AppContext): ProviderRegistry {
  if (providers === undefined) throw new HttpProblem(404, problemTexts.noProviders);
  return providers;
}

export const providerRoutes = [
  route({
    method: 'get',
    path: '/providers',
    scope: 'web-app',
    needs: 'read',
    tag,
    summary: 'List model providers',
    description: 'Added providers first, then those from the environment and the demo. Keys are never returned.',
    query: listQuerySchema,
    answers: { 200: { description: 'Providers', schema: listOf(providerStatusSchema) } },
    handle: async ({ context, query }) => ({
      status: 200,
      body: pageOf(await registryOf(context).list(), ({ id }) => id, query),
    }),
  }),
  route({
    method: 'post',
    path: '/providers',
    scope: 'own-server',
    needs: 'admin',
    tag,
    summary: 'Add a model provider',
    description:
      'Agents can use it immediately. Its `id` is a slug of its name. `baseUrl` is required for azure and openai-compatible. The key is encrypted and never returned.',
    body: newProviderSchema,
    answers: { 201: { description: 'The provider', schema: providerStatusSchema } },
    async handle({ context, body, c }) {
      refuseClients(c);
      return { status: 201, body: await registryOf(context).add(context.engine.runtime, body, c.var.signer) };
    },
  }),
  route({
    method: 'patch',
    path: '/providers/{provider}',
    scope: 'own-server',
    needs: 'admin',
    tag,
    summary: 'Update an added provider',
    description:
      'Omitted fields stay unchanged. `baseUrl: null` resets it, and `apiKey: null` removes the key. If the kind or the host changes, send the key again. The id never changes.',
    body: providerChangeSchema,
    answers: { 200: { description: 'The updated provider', schema: providerStatusSchema } },
    async handle({ context, params, body, c }) {
      refuseClients(c);
      const { runtime } = context.engine;
      return { status: 200, body: await registryOf(context).change(runtime, params.provider, body, c.var.signer) };
    },
  }),
  route({
    method: 'delete',
    path: '/providers/{provider}',
    scope: 'own-server',
    needs: 'admin',
    tag,
    summary: 'Remove an added provider and its key',
    description:
      '409 with the names of the agents that use it. With `force=true`, it is removed anyway and their turns fail.',
    query: removeProviderQuerySchema,
    answers: { 204: { description: 'Provider removed' } },
    async handle({ context, params, query, c }) {
      refuseClients(c);
      const isForced = query.force === 'true';
      await registryOf(context).remove(context.engine.runtime, params.provider, isForced, c.var.signer);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/providers/{provider}/test',
    scope: 'own-server',
    needs: 'admin',
    tag,
    summary: 'Test a provider with a real request',
    description:
      'With a `model`, asks it for a short answer. Without one, asks for the list of models. A failure is a result too: `code` and `detail` say what is wrong.',
    body: providerTestRequestSchema,
    bodyOptional: true,
    answers: { 200: { description: 'Result of the test', schema: providerTestSchema } },
    async handle({ context, params, body, c }) {
      refuseClients(c);
      return { status: 200, body: await registryOf(context).test(params.provider, body.model) };
    },
  }),
  route({
    method: 'get',
    path: '/providers/{provider}/models',
    scope: 'web-app',
    needs: 'read',
    tag,
    summary: 'List the models of a provider',
    description:
      "At most 1,000, with context size and prices if the provider reports them. If the list can't be read, `items` is empty and `problem` says why.",
    answers: { 200: { description: 'Models', schema: providerModelsSchema } },
    handle: async ({ context, params }) => ({ status: 200, body: await registryOf(context).models(params.provider) }),
  }),
];

/** A program that registered as a client in one world must not change providers that all worlds use. */
function refuseClients(c: AppRequest): void {
  if (c.req.header(CLIENT_HEADER) !== undefined) throw new HttpProblem(403, problemTexts.notForClients);
}
