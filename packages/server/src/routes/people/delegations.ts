import { delegationSchema, listOf, newDelegationSchema } from '@countersign/protocol';
import { route } from '../../app/route.js';
import { HttpProblem } from '../../app/http-problem.js';
import { problemTexts } from '../../app/problem-texts.js';
import { byOf, type By } from '../../people/by.js';
import { addDelegation, endDelegation, listDelegations } from '../../people/manage-delegations.js';
import { changingSigners } from './people.js';
import { pageOrigin } from '../support.js';

const tag = 'people';

export const delegationRoutes = [
  route({
    method: 'get',
    path: '/me/delegations',
    scope: 'web-app',
    needs: 'read',
    tag,
    summary: 'List who can sign for you, and for whom you can sign',
    description: 'Delegations that you gave or got, without those that have ended.',
    answers: { 200: { description: 'Delegations', schema: listOf(delegationSchema) } },
    async handle({ context, c }) {
      const { person } = c.var.access;
      if (person === undefined) return { status: 200, body: { items: [] } };
      return { status: 200, body: { items: await listDelegations(context.engine.runtime.store, person.id, byOf(c)) } };
    },
  }),
  route({
    method: 'post',
    path: '/me/delegations',
    scope: 'web-app',
    needs: 'account',
    tag,
    summary: 'Let another person sign calls for you',
    description:
      'Where a rule names you or a group of yours, their signature counts as yours, for at most 90 days. They need a role that may sign calls. If you have a trusted passkey, send a `confirmation` of this request (409 without one).',
    body: newDelegationSchema,
    answers: { 201: { description: 'The delegation', schema: delegationSchema } },
    async handle({ context, body, c }) {
      const asked = { by: byOf(c), origin: pageOrigin(c, context) };
      const adding = addDelegation(context.engine.runtime.store, body, asked);
      return { status: 201, body: await changingSigners(context, adding) };
    },
  }),
  route({
    method: 'delete',
    path: '/me/delegations/{delegation}',
    scope: 'web-app',
    needs: 'read',
    tag,
    summary: 'End one of your delegations',
    description: 'Signatures that were given for you stop counting on calls that have not started.',
    answers: { 204: { description: 'Delegation ended' } },
    async handle({ context, params, c }) {
      const by = byOf(c);
      await changingSigners(context, endDelegation(context.engine.runtime.store, idOf(by), params.delegation, by));
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/people/{person}/delegations',
    scope: 'own-server',
    needs: 'read',
    tag,
    summary: 'List who can sign for a person, and for whom they can sign',
    description: 'For the person and for admins.',
    answers: { 200: { description: 'Delegations', schema: listOf(delegationSchema) } },
    handle: async ({ context, params, c }) => ({
      status: 200,
      body: { items: await listDelegations(context.engine.runtime.store, params.person, byOf(c)) },
    }),
  }),
  route({
    method: 'delete',
    path: '/people/{person}/delegations/{delegation}',
    scope: 'own-server',
    needs: 'read',
    tag,
    summary: "End one of a person's delegations",
    description: 'For the person and for admins.',
    answers: { 204: { description: 'Delegation ended' } },
    async handle({ context, params, c }) {
      const { store } = context.engine.runtime;
      await changingSigners(context, endDelegation(store, params.person, params.delegation, byOf(c)));
      return { status: 204 };
    },
  }),
];

function idOf({ access }: By): string {
  if (access.person === undefined) throw new HttpProblem(403, problemTexts.nobodysRight);
  return access.person.id;
}
