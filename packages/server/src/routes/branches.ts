import { branchChat, listBranches } from '@countersign/core';
import { chatSchema, listOf, newBranchSchema } from '@countersign/protocol';
import { route } from '../app/route.js';
import { AS_CLIENT, signerOf } from './support.js';

const tag = 'chats';

export const branchRoutes = [
  route({
    method: 'get',
    path: '/worlds/{world}/chats/{chat}/branches',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'List the branches of a chat',
    description: 'The chat that they all come from first, then all branches, oldest first.',
    answers: { 200: { description: 'Chats', schema: listOf(chatSchema) } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: { items: await listBranches(context.engine.runtime, params.world, params.chat) },
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/chats/{chat}/branches',
    scope: 'world',
    needs: 'chat',
    tag,
    summary: 'Start a branch of a chat',
    description:
      'A branch is a chat that begins with the messages of this one. From a message of a person, it starts before the message and sends it again, or `content` in its place; the chat that is left is stopped. From an answer, it starts after it. Approvals, grants and waiting calls stay behind. 409 if something before the message is not finished.',
    headers: AS_CLIENT,
    body: newBranchSchema,
    answers: { 201: { description: 'The branch', schema: chatSchema } },
    async handle({ context, params, body, c }) {
      const signer = await signerOf(c, context, params.world);
      return { status: 201, body: await branchChat(context.engine.runtime, params.world, params.chat, body, signer) };
    },
  }),
];
