import { emptyChat, emptyWorld, reduceChat, reduceWorld, type ChatState, type WorldState } from '@countersign/client';
import { agentSchema, worldSchema, type Agent, type Approval, type Message } from '@countersign/protocol';
import { frameOf } from '../tui/layout/frame.js';
import { cardOf, planOf, transcriptOf, type Plan } from '../tui/layout/plan.js';
import type { Scene } from '../tui/layout/scene.js';
import { textOf } from '../text/spans.js';
import { nothingMeasured } from '../tui/transcript/transcript-blocks.js';
import { initialUi, type Facts } from '../tui/ui-state.js';

const AT = '2026-11-15T08:00:00.000Z';
export const NOW = Date.parse(AT) + 60_000;

const agents: readonly Agent[] = ['Scout', 'Mason'].map((name) =>
  agentSchema.parse({ id: name.toLowerCase(), name, provider: 'scripted', model: 'any' }),
);

export function approvalOf(number: number, more: Partial<Approval> = {}): Approval {
  return {
    approvalId: `approval_${number}`,
    toolCallId: `call_${number}`,
    turnId: 'turn_1',
    agentId: 'mason',
    agentName: 'Mason',
    chatId: 'chat_1',
    toolName: 'shell_cmd',
    arguments: { command: `rm scratch-${number}.tmp` },
    message: '',
    options: ['deny', 'approve_once', 'approve_session', 'approve_always'],
    callHash: `hash ${number}`,
    status: 'pending',
    requestedAt: new Date(Date.parse(AT) + number).toISOString(),
    workingDirectory: '/home/ada/notes',
    sandbox: { kind: 'bubblewrap', network: 'none', hosts: [], readable: [] },
    reason: { code: 'no-rule' },
    why: 'no rule allows this call',
    session: { pattern: 'rm ./**', any: true },
    proposedRule: `allow shell_cmd(rm scratch-${number}.tmp)`,
    ...more,
  };
}

export function messageOf(number: number, more: Partial<Message> = {}): Message {
  return {
    messageId: `msg_${String(number).padStart(6, '0')}`,
    chatId: 'chat_1',
    role: 'user',
    sender: 'human',
    content: `message number ${number}`,
    createdAt: AT,
    ...more,
  };
}

export function worldOf(approvals: readonly Approval[]): WorldState {
  return reduceWorld(emptyWorld('harbour'), {
    type: 'loaded',
    position: 1,
    world: worldSchema.parse({ id: 'harbour', name: 'Harbour' }),
    agents,
    chats: [{ id: 'chat_1', title: 'Tidy the notes', status: 'idle', createdAt: AT }],
    approvals: { items: [...approvals] },
  });
}

export function chatOf(messages: readonly Message[], approvals: readonly Approval[] = []): ChatState {
  return reduceChat(emptyChat('harbour', 'chat_1'), {
    type: 'loaded',
    position: 1,
    chat: { id: 'chat_1', title: 'Tidy the notes', status: approvals.length > 0 ? 'waiting' : 'idle', createdAt: AT },
    messages: { items: [...messages] },
    approvals,
    agents,
  });
}

export function sceneOf(more: Partial<Scene> = {}): Scene {
  return {
    ui: initialUi('chat_1'),
    world: worldOf([]),
    chat: chatOf([]),
    size: { columns: 80, rows: 24 },
    now: NOW,
    suggestions: [],
    measured: nothingMeasured(),
    me: undefined,
    ...more,
  };
}

export function factsOf(scene: Scene, plan: Plan = planOf(scene)): Facts {
  return {
    world: scene.world,
    chat: scene.chat,
    now: scene.now,
    hasSide: plan.areas.side > 0,
    suggestions: scene.suggestions,
    hasEditor: false,
    card: cardOf(plan),
    help: plan.help,
    review: plan.review,
    undo: plan.undo,
    transcript: transcriptOf(plan),
  };
}

/** The screen as text. */
export function drawn(scene: Scene): string[] {
  return frameOf(scene, planOf(scene)).map(textOf);
}
