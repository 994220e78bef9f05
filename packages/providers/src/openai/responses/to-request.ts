import type { GenerateRequest, ModelMessage, ModelTool } from '@countersign/core/ports';
import type OpenAI from 'openai';
import { argumentsText } from '../../shared/arguments.js';
import { isRecord } from '../../shared/records.js';
import { replay, type Piece } from '../../shared/replay.js';
import { thinkingLevel, thinkingTokens } from '../../shared/settings.js';
import { withAuthor, type WithImages } from '../../shared/spoken.js';
import { wireCalls, wireName, type WireCalls } from '../../shared/wire-calls.js';

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>;
type Item = OpenAI.Responses.ResponseInputItem;

/** A request to the responses API. Nothing is stored at OpenAI; the reasoning is returned encrypted instead. */
export function toRequest(request: GenerateRequest): Body {
  const { model, temperature, topP, maxTokens, tools, thinking, parallelToolCalls } = request;
  return {
    model,
    input: toInput(request.messages),
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    // Thinking tokens count as part of the answer.
    ...(maxTokens === undefined
      ? {}
      : { max_output_tokens: maxTokens + (thinking === undefined ? 0 : thinkingTokens(thinking)) }),
    ...(parallelToolCalls === undefined || tools.length === 0 ? {} : { parallel_tool_calls: parallelToolCalls }),
    ...(thinking === undefined || thinking === 'off'
      ? {}
      : { reasoning: { effort: thinkingLevel(thinking), summary: 'auto' } }),
  };
}

/** The same request without the text of the thinking, which OpenAI returns only to verified organizations. */
export function withoutSummary({ reasoning, ...body }: Body): Body {
  const { summary: _, ...rest } = reasoning ?? {};
  return { ...body, reasoning: rest };
}

function toTool({ name, description, parameters }: ModelTool): OpenAI.Responses.FunctionTool {
  return { type: 'function', name, description, parameters: { type: 'object', ...parameters }, strict: false };
}

type Content = string | (OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage)[];

function withImages(text: string, { images = [] }: WithImages): Content {
  if (images.length === 0) return text;
  return [
    { type: 'input_text', text },
    ...images.map(({ mimeType, data }) => ({
      type: 'input_image' as const,
      image_url: `data:${mimeType};base64,${data}`,
      detail: 'auto' as const,
    })),
  ];
}

function toInput(messages: readonly ModelMessage[]): Item[] {
  const wire = wireCalls(messages);
  return messages.flatMap((message): Item[] => {
    switch (message.role) {
      case 'system':
        return [{ role: 'system', content: message.content }];
      case 'user':
        return [{ role: 'user', content: withImages(withAuthor(message), message) }];
      case 'assistant':
        return toItems(replay(message.providerState, message.content, message.tool_calls ?? []), wire);
      case 'tool':
        return [
          {
            type: 'function_call_output',
            call_id: wire.resultId(message),
            output: withImages(message.content, message),
          },
        ];
    }
  });
}

function toItems(pieces: readonly Piece[], wire: WireCalls): Item[] {
  const items = pieces.flatMap((piece) => toItem(piece, wire));
  // OpenAI rejects reasoning that isn't followed by another item.
  while (items.at(-1)?.type === 'reasoning') items.pop();
  return items;
}

function toItem(piece: Piece, wire: WireCalls): Item[] {
  switch (piece.kind) {
    case 'text':
      return piece.text === '' ? [] : [{ role: 'assistant', content: piece.text }];
    case 'call': {
      const { name, arguments: args } = piece.call.function;
      return [
        {
          type: 'function_call',
          call_id: wire.idOf(piece.call),
          name: wireName(name),
          arguments: argumentsText(args),
        },
      ];
    }
    case 'sealed':
      return toReasoning(piece.sealed);
  }
}

/** The encrypted reasoning, unchanged. */
function toReasoning(sealed: unknown): Item[] {
  return isReasoning(sealed) ? [sealed] : [];
}

function isReasoning(sealed: unknown): sealed is OpenAI.Responses.ResponseReasoningItem {
  return (
    isRecord(sealed) &&
    sealed['type'] === 'reasoning' &&
    typeof sealed['id'] === 'string' &&
    Array.isArray(sealed['summary']) &&
    typeof sealed['encrypted_content'] === 'string'
  );
}
