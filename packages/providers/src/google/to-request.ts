import type { GenerateRequest, ModelMessage, ModelTool, ModelToolCall, SettingProblem } from '@countersign/core/ports';
import type { ModelSettings, Thinking } from '@countersign/protocol';
import type {
  Content,
  FunctionDeclaration,
  GenerateContentConfig,
  Part,
  ThinkingConfig,
  ThinkingLevel,
} from '@google/genai';
import { argumentsObject } from '../shared/arguments.js';
import { isRecord } from '../shared/records.js';
import { replay, type Piece } from '../shared/replay.js';
import { thinkingLevel, thinkingTokens } from '../shared/settings.js';
import { BEGINNING_LEFT_OUT, NOTHING_SAID, withAuthor, systemText, type WithImages } from '../shared/spoken.js';
import { wireCalls, wireName, type WireCalls } from '../shared/wire-calls.js';

/** Gemini 3 rejects calls without a signature. It accepts this value for calls made by another model. */
const SIGNATURE_OF_OTHERS = 'skip_thought_signature_validator';

/** Settings that Gemini's API doesn't have or rejects. */
export function checkSettings(
  model: string,
  { thinking, parallelToolCalls }: ModelSettings,
): SettingProblem | undefined {
  if (parallelToolCalls === false)
    return { field: 'parallelToolCalls', detail: 'Gemini has no setting for parallel tool calls. Remove it.' };
  if (thinking === 'off' && (isNewer(model) || model.includes('2.5-pro')))
    return { field: 'thinking', detail: `${model} can't turn thinking off. Use low.` };
  if (typeof thinking === 'number' && isNewer(model))
    return {
      field: 'thinking',
      detail: `${model} doesn't accept a token budget for thinking. Use low, medium or high.`,
    };
  return undefined;
}

export function toRequest(request: GenerateRequest): {
  model: string;
  contents: Content[];
  config: GenerateContentConfig;
} {
  const { model, temperature, topP, maxTokens, tools, thinking } = request;
  const system = systemText(request.messages);
  return {
    model,
    contents: toContents(request.messages, isNewer(model)),
    config: {
      ...(system === '' ? {} : { systemInstruction: system }),
      ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map(toDeclaration) }] }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      // Thinking tokens count as part of the answer.
      ...(maxTokens === undefined
        ? {}
        : { maxOutputTokens: maxTokens + (thinking === undefined ? 0 : thinkingTokens(thinking)) }),
      ...(thinking === undefined ? {} : { thinkingConfig: thinkingOf(model, thinking) }),
    },
  };
}

/** Whether the model is Gemini 3 or later. */
function isNewer(model: string): boolean {
  return /gemini-(?:[3-9]|\d\d)/.test(model);
}

/** Newer models take a level, older ones a token budget. */
function thinkingOf(model: string, thinking: Thinking): ThinkingConfig {
  if (thinking === 'off') return { thinkingBudget: 0 };
  const shown = { includeThoughts: true };
  if (!isNewer(model)) return { ...shown, thinkingBudget: thinkingTokens(thinking) };
  return { ...shown, thinkingLevel: thinkingLevel(thinking).toUpperCase() as ThinkingLevel };
}

function toDeclaration({ name, description, parameters }: ModelTool): FunctionDeclaration {
  const { $schema: _, ...schema } = parameters;
  return { name, description, parametersJsonSchema: { type: 'object', ...schema } };
}

/** All calls in an answer must be in one content, and all their results in the next one; otherwise, Google rejects the request. */
function toContents(messages: readonly ModelMessage[], signed: boolean): Content[] {
  const wire = wireCalls(messages);
  const out: { role: 'user' | 'model'; parts: Part[]; holds: ModelMessage['role'] }[] = [];
  const add = (role: 'user' | 'model', holds: ModelMessage['role'], parts: Part[]): void => {
    if (parts.length === 0) return;
    if (out.length === 0 && role === 'model') {
      out.push({ role: 'user', holds: 'user', parts: [{ text: BEGINNING_LEFT_OUT }] });
    }
    const last = out.at(-1);
    if (last?.holds === holds) last.parts.push(...parts);
    else out.push({ role, parts, holds });
  };
  // Older models accept images only next to the results.
  const images: Part[] = [];
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case 'system':
        break;
      case 'user': {
        const said = withAuthor(message);
        add('user', 'user', [{ text: said === '' ? NOTHING_SAID : said }, ...imageParts(message)]);
        break;
      }
      case 'assistant':
        add('model', 'assistant', toParts(message, wire, signed));
        break;
      case 'tool':
        add('user', 'tool', [toResult(message, wire, signed)]);
        if (!signed) images.push(...imageParts(message));
        if (messages[index + 1]?.role !== 'tool') add('user', 'tool', images.splice(0));
    }
  }
  return out.map(({ role, parts }) => ({ role, parts }));
}

function toResult(message: Extract<ModelMessage, { role: 'tool' }>, wire: WireCalls, newer: boolean): Part {
  const id = wire.resultId(message);
  const name = wire.nameOf(message.tool_call_id);
  const parts = newer ? imageParts(message) : [];
  const response = { output: message.content };
  return { functionResponse: { id, name, response, ...(parts.length === 0 ? {} : { parts }) } };
}

function imageParts({ images = [] }: WithImages) {
  return images.map(({ mimeType, data }) => ({ inlineData: { mimeType, data } }));
}

function toParts(message: Extract<ModelMessage, { role: 'assistant' }>, wire: WireCalls, signed: boolean): Part[] {
  const pieces = replay(message.providerState, message.content, message.tool_calls ?? []);
  const parts = pieces.flatMap((piece) => toPart(piece, wire));
  const first = parts.find((part) => part.functionCall !== undefined);
  if (signed && first !== undefined && !parts.some(isSignedCall)) first.thoughtSignature = SIGNATURE_OF_OTHERS;
  return parts;
}

function isSignedCall({ functionCall, thoughtSignature }: Part): boolean {
  return functionCall !== undefined && thoughtSignature !== undefined;
}

function toPart(piece: Piece, wire: WireCalls): Part[] {
  switch (piece.kind) {
    case 'text':
      return piece.text === '' ? [] : [{ text: piece.text, ...signatureOf(piece.sealed) }];
    case 'call':
      return [{ functionCall: toCall(piece.call, wire), ...signatureOf(piece.sealed) }];
    case 'sealed': {
      const { sealed } = piece;
      if (!isRecord(sealed) || typeof sealed['text'] !== 'string') return [];
      const thought = sealed['thought'] === true ? { thought: true } : {};
      return [{ text: sealed['text'], ...thought, ...signatureOf(sealed) }];
    }
  }
}

function toCall(call: ModelToolCall, wire: WireCalls) {
  const { name, arguments: args } = call.function;
  return { id: wire.idOf(call), name: wireName(name), args: argumentsObject(args) };
}

function signatureOf(sealed: unknown): { thoughtSignature?: string } {
  if (!isRecord(sealed) || typeof sealed['thoughtSignature'] !== 'string') return {};
  return { thoughtSignature: sealed['thoughtSignature'] };
}
