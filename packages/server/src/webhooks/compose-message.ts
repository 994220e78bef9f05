import { type Runtime, showApproval, showChat, toWorldEvent } from '@countersign/core';
import type { DeliveryRecord } from '@countersign/core/ports';
import { CountersignError, readWho, type Approval, type WebhookEvent } from '@countersign/protocol';
import { describeCall, pathOfCall, shorten, shortName } from '../push/compose-notice.js';
import { webhookTexts as texts } from './webhook-texts.js';

/** What a webhook says. It can be shown to anyone who may read the world, and nothing in it decides anything. */
export interface Message {
  type: WebhookEvent;
  /** When it happened. */
  timestamp: string;
  data: {
    world: { id: string; name: string };
    chat: string;
    /** One line for people. */
    title: string;
    /** The call as on its card, or the error; shortened. */
    text: string;
    /** The page in the web app. */
    url: string;
    approval?: { id: string; status: Approval['status'] };
    call?: { id: string; tool: string; agent: string };
  };
}

/** Reads what a message is about, as it is now, masked like the card. Undefined if it was deleted. */
export async function composeMessage(
  runtime: Runtime,
  delivery: DeliveryRecord,
  { origin, overdueMinutes }: { origin: string; overdueMinutes: number },
): Promise<Message | undefined> {
  const { type, worldId, subject } = delivery;
  const { world, event, approval } = await runtime.store.read(async (reader) => ({
    world: await reader.world(worldId),
    event: (await reader.events(worldId, { after: delivery.eventId - 1, limit: 1 })).at(0),
    approval: await reader.approval(subject),
  }));
  if (world === undefined || event?.id !== delivery.eventId) return undefined;
  const worldName = shortName(world.name);
  const of = (chat: string, data: Omit<Message['data'], 'world' | 'chat' | 'url'>): Message => ({
    type,
    timestamp: new Date(event.at).toISOString(),
    data: {
      world: { id: world.id, name: worldName },
      chat,
      ...data,
      url: `${origin}${pathOfCall(world.id, chat, data.approval?.id)}`,
    },
  });
  switch (type) {
    case 'approval.requested':
    case 'approval.overdue':
    case 'approval.decided':
    case 'approval.expired': {
      const shown = await showApproval(runtime, worldId, subject);
      if (shown === undefined) return undefined;
      const { chatId, toolCallId, status, question } = shown;
      const tool = shortName(shown.toolName);
      const asked = describeCall(world.name, shown);
      const by = approval?.decidedBy ?? null;
      const decider = by === null ? '' : shortName(readWho(by).name);
      const isAnswer = question !== undefined && status === 'approved';
      const how = status === 'denied' ? texts.denied : isAnswer ? texts.answered : texts.approved;
      const titles = {
        'approval.requested': asked.title,
        'approval.overdue': texts.overdue(asked.title, overdueMinutes),
        'approval.expired': texts.expired(worldName, tool),
        'approval.decided':
          status === 'superseded' ? texts.superseded(worldName, tool) : texts.decided(worldName, tool, how, decider),
      };
      return of(chatId, {
        title: titles[type],
        text: asked.body,
        approval: { id: subject, status },
        call: { id: toolCallId, tool, agent: shortName(shown.agentName) },
      });
    }
    case 'call.failed': {
      const shown = toWorldEvent(event);
      if (shown.event !== 'tool' || shown.data.type !== 'TOOL_EXECUTION_FAILED') return undefined;
      const { tool_name, agent_name, error } = shown.data;
      const call = { id: subject, tool: shortName(tool_name), agent: shortName(agent_name) };
      const title = texts.failed(worldName, call.agent, call.tool);
      return of(event.chatId ?? '', { title, text: shorten(error), call });
    }
    case 'chat.idle': {
      const chat = await showChat(runtime, worldId, subject).catch(ignoreDeleted);
      return chat === undefined
        ? undefined
        : of(subject, { title: texts.idle(worldName, shortName(chat.title)), text: '' });
    }
  }
}

function ignoreDeleted(error: unknown): undefined {
  if (error instanceof CountersignError && error.code === 'not-found') return undefined;
  throw error;
}
