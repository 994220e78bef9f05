import { announceSigners, findStuckRules } from '@countersign/core';
import {
  confirmedTokenSchema,
  createdTokenSchema,
  groupChangeSchema,
  groupNameSchema,
  groupSchema,
  invitationSchema,
  listOf,
  listQuerySchema,
  newInvitationSchema,
  newPersonSchema,
  openSessionSchema,
  personChangeSchema,
  personSchema,
  stuckRuleSchema,
  stuckRulesQuerySchema,
  tokenSchema,
} from '@countersign/protocol';
import type { AppContext } from '../../app/context.js';
import { HttpProblem } from '../../app/http-problem.js';
import { problemTexts } from '../../app/problem-texts.js';
import { route } from '../../app/route.js';
import { safeguardsOf } from '../../confirmations/confirm-change.js';
import { byOf } from '../../people/by.js';
import { listGroups, putGroup, readGroup, removeGroup } from '../../people/manage-groups.js';
import { addPerson, changePerson, listPeople, readPerson, removePerson, toPerson } from '../../people/manage-people.js';
import { endSessions, listSessionsOf } from '../../people/manage-sessions.js';
import { createToken, invitePerson, listTokens, revokeToken } from '../../people/manage-tokens.js';
import { linkOrigin, pageOf } from '../support.js';

const tag = 'people';
const scope = 'own-server';

/** Runs a change of who can sign, then tells open screens. */
export async function changingSigners<T>(context: AppContext, work: Promise<T>): Promise<T> {
  const value = await changing(context, work);
  await announceSigners(context.engine.runtime);
  return value;
}

/** Runs a change, then ends the streams of those who lost their access. */
export async function changing<T>({ auth }: AppContext, work: Promise<T>): Promise<T> {
  const value = await work;
  await auth.streams?.check();
  return value;
}

export const peopleRoutes = [
  route({
    method: 'get',
    path: '/people',
    scope,
    needs: 'read',
    tag,
    summary: 'List people',
    description:
      'Active people. Admins also see disabled people. Email address and status are shown only to admins and to the person.',
    query: listQuerySchema,
    answers: { 200: { description: 'People', schema: listOf(personSchema) } },
    async handle({ context, query, c }) {
      const people = await listPeople(context.engine.runtime.store, c.var.access);
      return { status: 200, body: pageOf(people, ({ id }) => id, query) };
    },
  }),
  route({
    method: 'post',
    path: '/people',
    scope,
    needs: 'admin',
    tag,
    summary: 'Add a person',
    description: 'Invite the person afterwards. The `id` is a slug of the name. Only an owner can add an owner.',
    body: newPersonSchema,
    answers: { 201: { description: 'The person', schema: personSchema } },
    async handle({ context, body, c }) {
      const person = await changingSigners(context, addPerson(context.engine.runtime.store, body, byOf(c)));
      return { status: 201, body: toPerson(person, c.var.access) };
    },
  }),
  route({
    method: 'get',
    path: '/people/{person}',
    scope,
    needs: 'read',
    tag,
    summary: 'Get a person',
    description: 'Also returns people who were removed, because the audit log refers to them.',
    answers: { 200: { description: 'The person', schema: personSchema } },
    async handle({ context, params, c }) {
      const person = await readPerson(context.engine.runtime.store, params.person);
      return { status: 200, body: toPerson(person, c.var.access) };
    },
  }),
  route({
    method: 'patch',
    path: '/people/{person}',
    scope,
    needs: 'admin',
    tag,
    summary: "Change a person's name, address, roles or status",
    description:
      "Fields that are left out stay as they are. `status: disabled` ends the person's sessions, tokens and invitations at once. 409 for the last owner and for your own account.",
    body: personChangeSchema,
    answers: { 200: { description: 'The person', schema: personSchema } },
    async handle({ context, params, body, c }) {
      const { store } = context.engine.runtime;
      const person = await changingSigners(context, changePerson(store, params.person, body, byOf(c)));
      return { status: 200, body: toPerson(person, c.var.access) };
    },
  }),
  route({
    method: 'delete',
    path: '/people/{person}',
    scope,
    needs: 'admin',
    tag,
    summary: 'Remove a person',
    description: 'Ends all sessions and tokens. Signatures stay in the audit log, and the id is never reused.',
    answers: { 204: { description: 'Person removed' } },
    async handle({ context, params, c }) {
      await changingSigners(context, removePerson(context.engine.runtime.store, params.person, byOf(c)));
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/people/{person}/invitations',
    scope,
    needs: 'admin',
    tag,
    summary: 'Create a link that signs a person in',
    description:
      'It works once, for a week, and replaces earlier invitations of the person. `scopes` is present if it only lets someone read and chat, because the person has a session, a passkey or a token of their own. A browser session may need a recent sign-in or a `confirmation` (409 otherwise).',
    body: newInvitationSchema,
    bodyOptional: true,
    answers: { 201: { description: 'The link', schema: invitationSchema } },
    async handle({ context, params, sent, c }) {
      const { isConfirmed } = await safeguardsOf({ c, context, sent });
      const { store } = context.engine.runtime;
      const { invitation, expiresAt, ...rest } = await invitePerson(store, params.person, byOf(c), isConfirmed);
      const open = `${linkOrigin(c, context)}/#invitation=${invitation}`;
      return { status: 201, body: { open, expiresAt: new Date(expiresAt).toISOString(), ...rest } };
    },
  }),
  route({
    method: 'get',
    path: '/people/{person}/sessions',
    scope,
    needs: 'read',
    tag,
    summary: "List a person's browser sessions",
    description: 'For the person and for admins.',
    answers: { 200: { description: 'Sessions', schema: listOf(openSessionSchema) } },
    handle: async ({ context, params, c }) => ({
      status: 200,
      body: { items: await listSessionsOf(context.engine.runtime.store, params.person, byOf(c)) },
    }),
  }),
  route({
    method: 'delete',
    path: '/people/{person}/sessions',
    scope,
    needs: 'read',
    tag,
    summary: "End all of a person's browser sessions",
    description: 'For the person and for admins. The session that sends the request stays open.',
    answers: { 204: { description: 'Sessions ended' } },
    async handle({ context, params, c }) {
      await changing(context, endSessions(context.engine.runtime.store, byOf(c), { personId: params.person }));
      return { status: 204 };
    },
  }),
  route({
    method: 'delete',
    path: '/people/{person}/sessions/{session}',
    scope,
    needs: 'read',
    tag,
    summary: "End one of a person's browser sessions",
    description: 'For the person and for admins.',
    answers: { 204: { description: 'Session ended' } },
    async handle({ context, params, c }) {
      const which = { personId: params.person, session: params.session };
      await changing(context, endSessions(context.engine.runtime.store, byOf(c), which));
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/people/{person}/tokens',
    scope,
    needs: 'account',
    tag,
    summary: "List a person's tokens",
    description: 'For the person and for admins. Secrets are never returned.',
    answers: { 200: { description: 'Tokens', schema: listOf(tokenSchema) } },
    handle: async ({ context, params, c }) => ({
      status: 200,
      body: { items: await listTokens(context.engine.runtime.store, params.person, byOf(c)) },
    }),
  }),
  route({
    method: 'post',
    path: '/people/{person}/tokens',
    scope,
    needs: 'account',
    tag,
    summary: 'Create a personal token',
    description:
      "The `token` is returned only here. It can never do more than you or the person may do. Expires after 90 days unless `expiresAt` says otherwise. A token without the scope admin can't create tokens, and a browser session may need a recent sign-in or a `confirmation` (409 otherwise).",
    body: confirmedTokenSchema,
    answers: { 201: { description: 'The token', schema: createdTokenSchema } },
    async handle({ context, params, body, sent, c }) {
      const { confirmation: _, ...given } = body;
      const { isConfirmed } = await safeguardsOf({ c, context, sent });
      const { store } = context.engine.runtime;
      return { status: 201, body: await createToken(store, params.person, given, byOf(c), { isConfirmed }) };
    },
  }),
  route({
    method: 'delete',
    path: '/people/{person}/tokens/{token}',
    scope,
    needs: 'read',
    tag,
    summary: 'Revoke a personal token',
    description: 'Also ends the sessions that were opened with it.',
    answers: { 204: { description: 'Token revoked' } },
    async handle({ context, params, c }) {
      const { store } = context.engine.runtime;
      await changing(context, revokeToken(store, params.person, params.token, byOf(c)));
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/stuck-rules',
    scope,
    needs: 'admin',
    tag,
    summary: 'List rules about signers that nobody can satisfy',
    description:
      'Calls under these rules wait until someone changes the rule, the group or the people. With `without`, a person id: the rules that nobody could satisfy anymore if this person were disabled or removed.',
    query: stuckRulesQuerySchema,
    answers: { 200: { description: 'Rules', schema: listOf(stuckRuleSchema) } },
    async handle({ context, query: { without } }) {
      const { runtime } = context.engine;
      if (without !== undefined) await readPerson(runtime.store, without);
      return { status: 200, body: { items: await findStuckRules(runtime, without) } };
    },
  }),
  route({
    method: 'get',
    path: '/groups',
    scope,
    needs: 'read',
    tag,
    summary: 'List groups of people',
    answers: { 200: { description: 'Groups', schema: listOf(groupSchema) } },
    handle: async ({ context }) => ({
      status: 200,
      body: { items: await listGroups(context.engine.runtime.store) },
    }),
  }),
  route({
    method: 'get',
    path: '/groups/{group}',
    scope,
    needs: 'read',
    tag,
    summary: 'Get a group',
    answers: { 200: { description: 'The group', schema: groupSchema } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: await readGroup(context.engine.runtime.store, params.group),
    }),
  }),
  route({
    method: 'put',
    path: '/groups/{group}',
    scope,
    needs: 'admin',
    tag,
    summary: 'Create or replace a group',
    description: '`people` are ids. Rules refer to the group as `@name`.',
    body: groupChangeSchema,
    answers: { 200: { description: 'The group', schema: groupSchema } },
    async handle({ context, params, body, c }) {
      const { data: name, error } = groupNameSchema.safeParse(params.group);
      if (name === undefined) {
        throw new HttpProblem(422, problemTexts.badGroupName(error?.issues[0]?.message ?? ''), { field: 'group' });
      }
      return {
        status: 200,
        body: await changingSigners(context, putGroup(context.engine.runtime.store, name, body, byOf(c))),
      };
    },
  }),
  route({
    method: 'delete',
    path: '/groups/{group}',
    scope,
    needs: 'admin',
    tag,
    summary: 'Remove a group',
    answers: { 204: { description: 'Group removed' } },
    async handle({ context, params, c }) {
      await changingSigners(context, removeGroup(context.engine.runtime.store, params.group, byOf(c)));
      return { status: 204 };
    },
  }),
];
