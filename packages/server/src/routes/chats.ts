import {
  addAttachment,
  changeChat,
  createChat,
  deleteChat,
  pageChats,
  pageMessages,
  publishMessage,
  readAttachment,
  showChat,
  stopChat,
  tellSession,
  toChat,
  turnTimeline,
} from '@countersign/core';
import {
  acceptedMessageSchema,
  bothWaysQuerySchema,
  chatChangeSchema,
  chatSchema,
  exportQuerySchema,
  listOf,
  messageAttachmentSchema,
  messageListSchema,
  newAttachmentSchema,
  newChatSchema,
  newMessageSchema,
  newSentenceSchema,
  timelineSchema,
} from '@countersign/protocol';
import { route } from '../app/route.js';
import { streamEvents } from '../streams/stream-events.js';
import { exportChat } from './exports/export-chat.js';
import { sendAttachment } from './send-attachment.js';
import { AS_CLIENT, clientOf, PAGE, signerOf, wantsStream } from './support.js';

const tag = 'chats';

export const chatRoutes = [
  route({
    method: 'get',
    path: '/worlds/{world}/chats',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'List the chats of a world, oldest first',
    description: '`before=end` returns the newest page.',
    query: bothWaysQuerySchema,
    answers: { 200: { description: 'Chats', schema: listOf(chatSchema) } },
    handle: async ({ context, params, query }) => ({
      status: 200,
      body: await pageChats(context.engine.runtime, params.world, { limit: PAGE, ...query }),
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/chats',
    scope: 'world',
    needs: 'chat',
    tag,
    summary: 'Create a chat',
    body: newChatSchema,
    bodyOptional: true,
    answers: { 201: { description: 'The chat', schema: chatSchema } },
    handle: async ({ context, params, body }) => ({
      status: 201,
      body: toChat(await createChat(context.engine.runtime, params.world, body.title)),
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/chats/{chat}',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Get a chat',
    description: 'To miss no event, open the event stream after `lastEventId`.',
    answers: { 200: { description: 'The chat', schema: chatSchema } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: await showChat(context.engine.runtime, params.world, params.chat),
    }),
  }),
  route({
    method: 'patch',
    path: '/worlds/{world}/chats/{chat}',
    scope: 'world',
    needs: 'chat',
    tag,
    summary: 'Rename a chat, pin it or archive it',
    body: chatChangeSchema,
    answers: { 200: { description: 'The updated chat', schema: chatSchema } },
    handle: async ({ context, params, body }) => ({
      status: 200,
      body: await changeChat(context.engine.runtime, params.world, params.chat, body),
    }),
  }),
  route({
    method: 'delete',
    path: '/worlds/{world}/chats/{chat}',
    scope: 'world',
    needs: 'chat',
    tag,
    summary: 'Delete a chat',
    description: 'Running calls are stopped first.',
    answers: { 204: { description: 'Chat deleted' } },
    async handle({ context, params, c }) {
      const signer = await signerOf(c, context, params.world);
      await deleteChat(context.engine.runtime, params.world, params.chat, signer);
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/chats/{chat}/messages',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'List the messages of a chat',
    description:
      'Oldest first, in both directions. `before=end` returns the newest page; to go further back, send its `next` as `before`. `after` and `before` also take the id of a message.',
    query: bothWaysQuerySchema,
    answers: { 200: { description: 'Messages', schema: messageListSchema } },
    handle: async ({ context, params, query }) => ({
      status: 200,
      body: await pageMessages(context.engine.runtime, params.world, params.chat, { limit: PAGE, ...query }),
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/chats/{chat}/messages',
    scope: 'world',
    needs: 'chat',
    tag,
    summary: 'Send a message',
    description:
      'With `Accept: text/event-stream`, events stream until the chat is idle or waits for a person. Sending the same `clientMessageId` again does not send a second message.',
    headers: { ...AS_CLIENT, Accept: '`text/event-stream` to receive the events that follow' },
    body: newMessageSchema,
    answers: {
      202: { description: 'Message stored; agents will answer', schema: acceptedMessageSchema },
      200: { description: 'The events that follow', type: 'text/event-stream' },
    },
    async handle({ context, params, body, c }) {
      const { engine } = context;
      const { world: worldId, chat: chatId } = params;
      const client = await clientOf(c, context, worldId);
      const message = { ...body, worldId, chatId, speaker: 'human', who: c.var.signer.who } as const;
      if (!wantsStream(c)) return { status: 202, body: await publishMessage(engine.runtime, message) };
      return await streamEvents(c, {
        engine,
        watch: context.auth.streams,
        worldId,
        chatId,
        untilSettled: true,
        act: () => publishMessage(engine.runtime, message),
        ...(client === undefined ? {} : { client }),
      });
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/chats/{chat}/attachments',
    scope: 'world',
    needs: 'chat',
    tag,
    summary: 'Attach a file to a chat, for a message',
    description:
      'A PNG, JPEG, GIF or WebP picture of at most 3 MB, or a text file in UTF-8 of at most 100 kB; the content decides which. Name its `id` in a message.',
    body: newAttachmentSchema,
    answers: { 201: { description: 'The attachment', schema: messageAttachmentSchema } },
    handle: async ({ context, params, body }) => ({
      status: 201,
      body: await addAttachment(context.engine.runtime, params.world, params.chat, body),
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/chats/{chat}/attachments/{attachment}',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Get a file that a tool returned or a person attached',
    description:
      'PNG, JPEG, GIF and WebP images have their own type. Any other file is an `application/octet-stream` to download: its content is untrusted.',
    answers: {
      200: [
        { description: 'An image', type: 'image/*' },
        { description: 'Any other file', type: 'application/octet-stream' },
      ],
    },
    handle: async ({ context, params }) =>
      sendAttachment(await readAttachment(context.engine.runtime, params.world, params.chat, params.attachment)),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/chats/{chat}/export',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Export a chat',
    description:
      'The messages and calls that exist now, masked as everywhere. In Markdown, what people and agents wrote is quoted, without HTML and images.',
    query: exportQuerySchema,
    answers: {
      200: [
        { description: 'Markdown', type: 'text/markdown' },
        { description: '`{ chat, messages }`', type: 'application/json' },
      ],
    },
    handle: async ({ context: { engine, log }, params, query: { format } }) =>
      await exportChat(engine.runtime, params.world, params.chat, { format, log }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/chats/{chat}/stop',
    scope: 'world',
    needs: 'chat',
    tag,
    summary: 'Stop a chat',
    description: 'Stops model and tool calls, denies pending approvals, and leaves the chat idle.',
    headers: AS_CLIENT,
    answers: { 204: { description: 'Chat stopped' } },
    async handle({ context, params, c }) {
      const signer = await signerOf(c, context, params.world);
      await stopChat(context.engine.runtime, params.world, params.chat, signer);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/chats/{chat}/sentence',
    scope: 'world',
    needs: 'sign',
    tag,
    summary: 'Tell the agent of a gated session something',
    description:
      'The next hook of the session that can pass it on gets the sentence, once. 409 if the chat belongs to no gated session, or if another sentence still waits.',
    headers: AS_CLIENT,
    body: newSentenceSchema,
    answers: { 204: { description: 'Sentence stored' } },
    async handle({ context, params, body, c }) {
      const signer = await signerOf(c, context, params.world);
      await tellSession(context.engine.runtime, params.world, params.chat, body.text, signer);
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/chats/{chat}/turns/{turn}/timeline',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Get the timeline of a turn',
    description: '`turn` is the id of a turn, or the id of one of its tool turns, which events contain.',
    answers: { 200: { description: 'Model calls, tool calls and waits', schema: timelineSchema } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: await turnTimeline(context.engine.runtime, params.world, params.chat, params.turn),
    }),
  }),
];
