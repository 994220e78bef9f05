import type Anthropic from '@anthropic-ai/sdk';
import type { Content, GoogleGenAI } from '@google/genai';
import type OpenAI from 'openai';
import { WEATHER } from './wire.js';

/** An SDK's answer, in one form for all vendors. */
interface SdkAnswer {
  text: string;
  thinking: string;
  calls: { name: string; arguments: unknown }[];
  usage: { input: number; output: number };
}

/** A conversation through a vendor's own SDK, with its own types for messages. */
export interface SdkConversation {
  say(text: string): Promise<SdkAnswer>;
  /** Sends the results for the last answer's calls, in order. */
  results(...texts: string[]): Promise<SdkAnswer>;
  /** Continues on another server. */
  moveTo(url: string): void;
}

export interface SdkOptions {
  url: string;
  stream: boolean;
  model?: string;
  system?: string;
  timeoutMs?: number;
}

/** Collects all items from an asynchronous iterable. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const SYSTEM = 'You are Ada.';
const KEY = 'any-key';

export function anthropicConversation(options: SdkOptions, Sdk: typeof Anthropic): SdkConversation {
  const { url, stream, model = 'claude', system = SYSTEM, timeoutMs = 60_000 } = options;
  const connect = (baseURL: string) => new Sdk({ baseURL, apiKey: KEY, maxRetries: 0, timeout: timeoutMs });
  let client = connect(url);
  const messages: Anthropic.MessageParam[] = [];
  let callIds: string[] = [];
  const ask = async (content: Anthropic.MessageParam['content']): Promise<SdkAnswer> => {
    messages.push({ role: 'user', content });
    const tools = [{ name: WEATHER.name, input_schema: { type: 'object' as const } }];
    const body = { model, system, max_tokens: 1000, messages, tools };
    const message = stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
    messages.push({ role: 'assistant', content: message.content });
    const calls = message.content.filter((block) => block.type === 'tool_use');
    callIds = calls.map(({ id }) => id);
    if ((message.stop_reason === 'tool_use') !== calls.length > 0) throw new Error('wrong stop reason');
    return {
      text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      thinking: message.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      calls: calls.map(({ name, input }) => ({ name, arguments: input })),
      usage: { input: message.usage.input_tokens, output: message.usage.output_tokens },
    };
  };
  return {
    moveTo: (to) => {
      client = connect(to);
    },
    say: ask,
    results: (...texts) =>
      ask(texts.map((content, index) => ({ type: 'tool_result', tool_use_id: callIds[index] ?? '', content }))),
  };
}

export function chatConversation(options: SdkOptions, Sdk: typeof OpenAI): SdkConversation {
  const { url, stream, model = 'gpt-4o-mini', system = SYSTEM, timeoutMs = 60_000 } = options;
  const connect = (at: string) => new Sdk({ baseURL: `${at}/v1`, apiKey: KEY, maxRetries: 0, timeout: timeoutMs });
  let client = connect(url);
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: system }];
  let callIds: string[] = [];
  const ask = async (...added: OpenAI.ChatCompletionMessageParam[]): Promise<SdkAnswer> => {
    messages.push(...added);
    const body = { model, messages, tools: [{ type: 'function' as const, function: WEATHER }] };
    let streamed = '';
    const { choices, usage } = stream
      ? await client.chat.completions
          .stream({ ...body, stream_options: { include_usage: true } })
          .on('chunk', (chunk) => {
            streamed += reasoningOf(chunk.choices[0]?.delta);
          })
          .finalChatCompletion()
      : await client.chat.completions.create(body);
    const [choice] = choices;
    if (choice === undefined) throw new Error('no choice');
    messages.push(choice.message);
    const calls = (choice.message.tool_calls ?? []).filter((call) => call.type === 'function');
    callIds = calls.map(({ id }) => id);
    if ((choice.finish_reason === 'tool_calls') !== calls.length > 0) throw new Error('wrong finish reason');
    return {
      text: choice.message.content ?? '',
      // The SDK doesn't support this field, and keeps only its last chunk.
      thinking: stream ? streamed : reasoningOf(choice.message),
      calls: calls.map((call) => ({
        name: call.function.name,
        arguments: JSON.parse(call.function.arguments) as unknown,
      })),
      usage: { input: usage?.prompt_tokens ?? -1, output: usage?.completion_tokens ?? -1 },
    };
  };
  return {
    moveTo: (to) => {
      client = connect(to);
    },
    say: (content) => ask({ role: 'user', content }),
    results: (...texts) =>
      ask(...texts.map((content, index) => ({ role: 'tool' as const, tool_call_id: callIds[index] ?? '', content }))),
  };
}

function reasoningOf(message: object | undefined): string {
  const { reasoning_content: text } = (message ?? {}) as { reasoning_content?: string };
  return text ?? '';
}

export function responsesConversation(options: SdkOptions, Sdk: typeof OpenAI): SdkConversation {
  const { url, stream, model = 'gpt-5-mini', system = SYSTEM, timeoutMs = 60_000 } = options;
  const connect = (at: string) => new Sdk({ baseURL: `${at}/v1`, apiKey: KEY, maxRetries: 0, timeout: timeoutMs });
  let client = connect(url);
  const input: OpenAI.Responses.ResponseInput = [];
  let callIds: string[] = [];
  const ask = async (...added: OpenAI.Responses.ResponseInput): Promise<SdkAnswer> => {
    input.push(...added);
    const tool = { type: 'function' as const, strict: false, ...WEATHER };
    const body = { model, instructions: system, input, tools: [tool], store: false };
    const response = stream ? await client.responses.stream(body).finalResponse() : await client.responses.create(body);
    if (response.status !== 'completed') throw new Error(`the response is ${response.status}`);
    input.push(...(response.output as OpenAI.Responses.ResponseInput));
    const calls = response.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    callIds = calls.map(({ call_id }) => call_id);
    const thinking = response.output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []));
    return {
      text: response.output_text,
      thinking: thinking.map(({ text }) => text).join(''),
      calls: calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown })),
      usage: { input: response.usage?.input_tokens ?? -1, output: response.usage?.output_tokens ?? -1 },
    };
  };
  return {
    moveTo: (to) => {
      client = connect(to);
    },
    say: (content) => ask({ role: 'user', content }),
    results: (...texts) =>
      ask(
        ...texts.map((output, index) => ({
          type: 'function_call_output' as const,
          call_id: callIds[index] ?? '',
          output,
        })),
      ),
  };
}

export function googleConversation(options: SdkOptions, Sdk: typeof GoogleGenAI): SdkConversation {
  const { url, stream, model = 'gemini-2.5-flash', system = SYSTEM, timeoutMs = 60_000 } = options;
  const connect = (baseUrl: string) => new Sdk({ apiKey: KEY, httpOptions: { baseUrl, timeout: timeoutMs } });
  let client = connect(url);
  const contents: Content[] = [];
  let called: { id: string; name: string }[] = [];
  const ask = async (parts: Content['parts'] & object): Promise<SdkAnswer> => {
    contents.push({ role: 'user', parts });
    const declared = { name: WEATHER.name, parametersJsonSchema: WEATHER.parameters };
    const body = {
      model,
      contents,
      config: { systemInstruction: system, tools: [{ functionDeclarations: [declared] }] },
    };
    const responses = stream
      ? await collect(await client.models.generateContentStream(body))
      : [await client.models.generateContent(body)];
    const said = responses.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    if (String(responses.at(-1)?.candidates?.[0]?.finishReason) !== 'STOP') throw new Error('wrong finish reason');
    contents.push({ role: 'model', parts: said });
    const calls = said.flatMap(({ functionCall }) => functionCall ?? []);
    called = calls.map(({ id = '', name = '' }) => ({ id, name }));
    const usage = responses.at(-1)?.usageMetadata;
    return {
      text: said.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join(''),
      thinking: said.map((part) => (part.thought === true ? (part.text ?? '') : '')).join(''),
      calls: calls.map(({ name = '', args }) => ({ name, arguments: args })),
      usage: { input: usage?.promptTokenCount ?? -1, output: usage?.candidatesTokenCount ?? -1 },
    };
  };
  return {
    moveTo: (to) => {
      client = connect(to);
    },
    say: (text) => ask([{ text }]),
    results: (...texts) =>
      ask(texts.map((output, index) => ({ functionResponse: { ...called[index], response: { output } } }))),
  };
}
