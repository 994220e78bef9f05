import type Anthropic from '@anthropic-ai/sdk';
import type { GenerateRequest, ModelMessage, ModelTool, SettingProblem } from '@countersign/core/ports';
import type { ModelSettings, Thinking } from '@countersign/protocol';
import { argumentsObject } from '../shared/arguments.js';
import { isRecord } from '../shared/records.js';
import { replay } from '../shared/replay.js';
import { thinkingLevel, thinkingTokens } from '../shared/settings.js';
import {
  BEGINNING_LEFT_OUT,
  isBlank,
  NOTHING_SAID,
  withAuthor,
  systemText,
  type WithImages,
} from '../shared/spoken.js';
import { wireCalls, wireName, type WireCalls } from '../shared/wire-calls.js';

type Body = Omit<Anthropic.MessageCreateParamsNonStreaming, 'stream'>;
type Block = Anthropic.ContentBlockParam;
type ToolResultContent = NonNullable<Anthropic.ToolResultBlockParam['content']>;

/** Settings that Anthropic's API rejects. */
export function checkSettings(model: string, settings: ModelSettings): SettingProblem | undefined {
  const { temperature, topP, thinking = 'off' } = settings;
  if (thinking !== 'off' && temperature !== undefined)
    return {
      field: 'temperature',
      detail: "Anthropic doesn't accept a temperature together with thinking. Remove one of them.",
    };
  if (thinking !== 'off' && topP !== undefined)
    return { field: 'topP', detail: "Anthropic doesn't accept top-p together with thinking. Remove one of them." };
  if (temperature !== undefined && topP !== undefined)
    return { field: 'topP', detail: 'Anthropic accepts a temperature or top-p, not both. Remove one of them.' };
  if (temperature !== undefined && temperature > 1)
    return { field: 'temperature', detail: 'Anthropic accepts a temperature from 0 to 1.' };
  if (typeof thinking !== 'number') return undefined;
  if (!takesBudget(model))
    return {
      field: 'thinking',
      detail: `${model} doesn't accept a token budget for thinking. Use low, medium or high.`,
    };
  return thinking < 1024
    ? { field: 'thinking', detail: 'Anthropic needs a thinking budget of at least 1024 tokens.' }
    : undefined;
}

export function toRequest(request: GenerateRequest): Body {
  const { model, temperature, topP, maxTokens, thinking } = request;
  const system = systemText(request.messages);
  const thinks = thinking !== undefined && thinking !== 'off';
  return {
    model,
    // Thinking tokens count as part of the answer.
    max_tokens: (maxTokens ?? answerTokens(model)) + (thinks ? thinkingTokens(thinking) : 0),
    ...(isBlank(system) ? {} : { system }),
    messages: toMessages(request.messages),
    ...toTools(request),
    ...(thinking === undefined ? {} : thinkingOf(model, thinking)),
    // Models reject a temperature together with thinking.
    ...(thinks || temperature === undefined ? {} : { temperature }),
    ...(thinks || topP === undefined ? {} : { top_p: topP }),
  };
}

/** Models up to 4.5 take a token budget; later ones take an effort level and reject a budget. */
function takesBudget(model: string): boolean {
  return /claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[015])?(?:-\d{8}|$))/.test(model);
}

function thinkingOf(model: string, thinking: Thinking): Pick<Body, 'thinking' | 'output_config'> {
  // Models that take a budget think only if they get one.
  if (thinking === 'off') return takesBudget(model) ? {} : { thinking: { type: 'disabled' } };
  if (takesBudget(model)) return { thinking: { type: 'enabled', budget_tokens: thinkingTokens(thinking) } };
  // Some models omit the text of their thinking unless it is requested.
  return { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: thinkingLevel(thinking) } };
}

/** The default token limit, because Anthropic requires a limit. The first Claude 3 models reject higher limits. */
function answerTokens(model: string): number {
  return /claude-(?:2|instant|3-(?:opus|sonnet|haiku))/.test(model) ? 4_096 : 8_192;
}

/** Anthropic rejects a conversation with calls but no tools, so declare the tools that were called. */
function toTools({ tools, messages, parallelToolCalls = true }: GenerateRequest): Pick<Body, 'tools' | 'tool_choice'> {
  if (tools.length > 0) {
    const one = { tool_choice: { type: 'auto' as const, disable_parallel_tool_use: true } };
    return { tools: tools.map(toTool), ...(parallelToolCalls ? {} : one) };
  }
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []));
  const names = [...new Set(calls.map((call) => wireName(call.function.name)))];
  if (names.length === 0) return {};
  return {
    tools: names.map((name) => toTool({ name, description: 'Not available now.', parameters: {} })),
    tool_choice: { type: 'none' },
  };
}

function toTool({ name, description, parameters }: ModelTool): Anthropic.Tool {
  return { name, description, input_schema: { ...parameters, type: 'object' } };
}

/** User and assistant messages must alternate, so consecutive user messages and the results from one tool turn are merged. */
function toMessages(messages: readonly ModelMessage[]): Anthropic.MessageParam[] {
  const wire = wireCalls(messages);
  const out: { role: 'user' | 'assistant'; content: Block[] }[] = [];
  const add = (role: 'user' | 'assistant', blocks: Block[]): void => {
    if (blocks.length === 0) return;
    if (out.length === 0 && role === 'assistant') out.push({ role: 'user', content: [text(BEGINNING_LEFT_OUT)] });
    const last = out.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else out.push({ role, content: blocks });
  };
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        break;
      case 'user': {
        const said = withAuthor(message);
        add('user', [text(isBlank(said) ? NOTHING_SAID : said), ...imageBlocks(message)]);
        break;
      }
      case 'assistant':
        add('assistant', toBlocks(message, wire));
        break;
      case 'tool':
        add('user', [{ type: 'tool_result', tool_use_id: wire.resultId(message), content: toContent(message) }]);
    }
  }
  return out;
}

function toContent({ content, images = [] }: Extract<ModelMessage, { role: 'tool' }>): ToolResultContent {
  return images.length === 0 ? content : [{ type: 'text', text: content }, ...imageBlocks({ images })];
}

function imageBlocks({ images = [] }: WithImages): Anthropic.ImageBlockParam[] {
  return images.map(({ mimeType, data }) => ({
    type: 'image',
    source: { type: 'base64', media_type: mimeType, data },
  }));
}

function text(words: string): Block {
  return { type: 'text', text: words };
}

function toBlocks(message: Extract<ModelMessage, { role: 'assistant' }>, wire: WireCalls): Block[] {
  return replay(message.providerState, message.content, message.tool_calls ?? []).flatMap((piece): Block[] => {
    switch (piece.kind) {
      case 'text':
        // Anthropic rejects whitespace-only texts.
        return isBlank(piece.text) ? [] : [text(piece.text)];
      case 'call': {
        const { name, arguments: args } = piece.call.function;
        return [{ type: 'tool_use', id: wire.idOf(piece.call), name: wireName(name), input: argumentsObject(args) }];
      }
      case 'sealed':
        return isThinking(piece.sealed) ? [piece.sealed] : [];
    }
  });
}

function isThinking(block: unknown): block is Anthropic.ThinkingBlockParam | Anthropic.RedactedThinkingBlockParam {
  if (!isRecord(block)) return false;
  if (block['type'] === 'redacted_thinking') return typeof block['data'] === 'string';
  return (
    block['type'] === 'thinking' && typeof block['thinking'] === 'string' && typeof block['signature'] === 'string'
  );
}
