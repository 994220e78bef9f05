import type { AgentDefinition } from '@countersign/protocol';
import type {
  AgentRecord,
  MessageRecord,
  ModelMessage,
  ModelTool,
  Provider,
  StoreReader,
  RegisteredTool,
  TurnRecord,
} from '../ports/index.js';
import { agentMayAskFor } from '../policy/index.js';
import { REVIEW_CALL } from '../turn/ids.js';
import type { AgentMemory } from './agent-memory.js';
import { sizeOf, toModelMessages, type ViewFor } from './model-messages.js';
import { REVIEW_INSTRUCTIONS } from './review-request.js';
import { LEFT_OUT, systemMessage } from './system-message.js';
import type { WorldSnapshot } from './world-snapshot.js';

/** A conservative default for models with an unknown context window. */
const DEFAULT_CONTEXT_TOKENS = 32_000;
/** Tokens reserved for the answer if the agent sets no limit. */
const DEFAULT_ANSWER_TOKENS = 4_000;
/** At most this share of the window is reserved for the answer: otherwise, a small window would have no room for the conversation. */
const MOST_FOR_ANSWER = 0.25;
/** Low on purpose: overestimating tokens only drops a message, underestimating them fails the call. */
const CHARACTERS_PER_TOKEN = 3;
const NOTHING = { messages: [], leftOut: false } as const;
const SHRUNK = '{"note":"this result was left out because the conversation is too long"}';

export interface PreparedView {
  messages: ModelMessage[];
  tools: ModelTool[];
  /** The message that this turn answers. */
  trigger: MessageRecord | undefined;
  /** The context window in tokens, if older messages didn't fit into it. */
  exceeded: number | undefined;
}

/**
 * Builds the view for one turn (WORLD14, WORLD15): a new system message, past exchanges that fit, then this turn with its calls and results. Undefined if
 * part of it isn't cached and there is no reader.
 */
export async function prepareMessagesForLLM(
  reader: StoreReader | undefined,
  memory: AgentMemory,
  snapshot: WorldSnapshot,
  agent: AgentRecord,
  turn: TurnRecord,
  context: { provider: Provider; tools: Iterable<RegisteredTool>; missing?: readonly string[] },
): Promise<PreparedView | undefined> {
  const { model } = agent.definition;
  const view: ViewFor = {
    provider: context.provider.name,
    model,
    takesImages: context.provider.takesImages?.(model) === true,
    version: snapshot.world.rev,
    speakerName: (message) => speakerName(message, snapshot),
  };
  const isReview = turn.review !== null;
  const tools = [...context.tools].filter(({ definition: { name }, byServer }) =>
    isReview
      ? name === REVIEW_CALL
      : name !== REVIEW_CALL && byServer !== true && agentMayAskFor(agent.definition.tools, name),
  );
  const others = isReview ? [] : snapshot.agents.filter((other) => other.id !== agent.id && other.definition.active);
  const { window, budget } = budgetOf(context.provider, agent.definition, tools);

  const known = memory.current(reader, turn);
  if (known === undefined) return undefined;
  const { trigger, own: said } = known instanceof Promise ? await known : known;
  const own = toModelMessages(trigger, said, view);
  const notes = isReview ? [REVIEW_INSTRUCTIONS] : (context.missing ?? []);
  const prompt = systemMessage(agent, others, tools, notes);
  const fixed = prompt.length + LEFT_OUT.length;
  const current = shrinkToBudget(own, Math.max(0, budget - fixed));
  const left = Math.max(0, budget - fixed - current.reduce((sum, message) => sum + sizeOf(message), 0));
  // A reviewer sees only the call: otherwise, the agents that it judges could instruct it in an earlier turn (SIGN3).
  const ended = isReview ? NOTHING : memory.past(reader, turn, view, left);
  if (ended === undefined) return undefined;
  const past = ended instanceof Promise ? await ended : ended;
  const content = past.leftOut ? prompt + LEFT_OUT : prompt;
  const system: readonly ModelMessage[] = [{ role: 'system', content }];

  return {
    trigger,
    exceeded: past.leftOut ? window : undefined,
    messages: system.concat(past.messages, current),
    tools: tools.map(({ definition }) => ({
      name: definition.name,
      description: definition.description,
      parameters: definition.parameters,
    })),
  };
}

/** The context window in tokens, and how many characters of messages fit into it. */
function budgetOf(
  provider: Provider,
  agent: AgentDefinition,
  tools: readonly RegisteredTool[],
): { window: number; budget: number } {
  const { model, maxTokens, contextTokens } = agent;
  const window = contextTokens ?? provider.contextTokens?.(model) ?? DEFAULT_CONTEXT_TOKENS;
  const schemas = tools.reduce((sum, tool) => sum + schemaSize(tool), 0);
  const answer = Math.min(maxTokens ?? DEFAULT_ANSWER_TOKENS, Math.floor(window * MOST_FOR_ANSWER));
  return { window, budget: Math.max(0, (window - answer) * CHARACTERS_PER_TOKEN - schemas) };
}

const schemaSizes = new WeakMap<RegisteredTool, number>();

function schemaSize(tool: RegisteredTool): number {
  const known = schemaSizes.get(tool);
  if (known !== undefined) return known;
  const size = tool.definition.description.length + JSON.stringify(tool.definition.parameters).length;
  schemaSizes.set(tool, size);
  return size;
}

/** If the turn alone is too big, its oldest results lose their images, and then become a note (WORLD15). Calls stay, so that pairs stay complete. */
function shrinkToBudget(messages: readonly ModelMessage[], budget: number): ModelMessage[] {
  let size = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  const apply = (message: ModelMessage, shrink: (result: ToolMessage) => ToolMessage): ModelMessage => {
    if (size <= budget || message.role !== 'tool') return message;
    const shrunk = shrink(message);
    const saved = sizeOf(message) - sizeOf(shrunk);
    if (saved <= 0) return message;
    size -= saved;
    return shrunk;
  };
  return messages
    .map((message) => apply(message, withoutImages))
    .map((message) => apply(message, (result) => ({ ...withoutImages(result), content: SHRUNK })));
}

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;

function withoutImages(result: ToolMessage): ToolMessage {
  const { attachments: _, ...rest } = result;
  return rest;
}

/** Other speakers become `user` messages with a name (WORLD14). The default sender `human` has none. */
function speakerName(message: MessageRecord, snapshot: WorldSnapshot): string | undefined {
  if (message.speaker === 'agent') return snapshot.agentName(message.sender);
  return message.sender === 'human' ? undefined : message.sender;
}
