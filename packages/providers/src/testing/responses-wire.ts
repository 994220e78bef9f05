import { compatibleWith } from '../openai/openai.js';
import { responsesWire as writer } from '../scripted-model/responses-wire.js';
import type { WireReply } from '../scripted-model/wire.js';
import { openaiWire } from './openai-wire.js';
import { STREAMING, WEATHER, WHOLE, type Reply, type Wire } from './wire.js';

const { model } = openaiWire;
const HEAD = { id: '1', created: 1_730_000_000, model, body: {} };
const THOUGHT = 'The user wants the weather.';
/** Events without text. Sending them would hide a broken stream. */
const QUIET = /^event: response\.(?:created|in_progress|output_item\.added|content_part\.added)\n/;

/** In OpenAI's format: the reasoning has a summary and is encrypted. */
function toReply({ sealed, usage = { input: 1, output: 1 }, ...reply }: Reply): WireReply {
  return { ...reply, usage, ...(sealed === undefined ? {} : { thinking: THOUGHT, signature: sealed }) };
}

function frame(event: { type: string; [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

const empty = { id: 'resp_1', object: 'response', status: 'completed', error: null, output: [], usage: null };
const call = (call_id: string, args: string) => ({
  type: 'function_call',
  call_id,
  name: 'weather',
  arguments: args,
});
const result = (call_id: string, output: string) => ({ type: 'function_call_output', call_id, output });

export const responsesWire: Wire = {
  ...openaiWire,
  vendor: 'OpenAI responses',
  connect: (url, apiKey) =>
    compatibleWith({ name: 'openai', baseURL: `${url}/v1`, apiKey }, { dialect: 'openai', responses: 'always' }),
  textArguments: [STREAMING, WHOLE],
  path: () => '/v1/responses',
  whole: (reply) => writer.whole(toReply(reply), HEAD),
  frames: (reply) => writer.frames(toReply(reply), HEAD).filter((event) => !QUIET.test(event)),
  empty: { whole: empty, frames: [frame({ type: 'response.completed', response: empty })] },
  midStreamError: frame({ type: 'error', code: 'server_error', message: 'The server had an error', param: null }),
  conversation: {
    model,
    store: false,
    include: ['reasoning.encrypted_content'],
    temperature: 0.5,
    max_output_tokens: 100,
    input: [
      { role: 'system', content: 'You are Ada.' },
      { role: 'user', content: 'What is the weather in Paris and Bern?' },
      { role: 'user', content: 'Bob: and hurry' },
      { role: 'assistant', content: 'I will look.' },
      call('theirs_1', '{"city":"Paris"}'),
      call('theirs_2', '{"city":"Bern"}'),
      result('theirs_1', 'sun'),
      result('theirs_2', 'rain'),
      call('call_ours3', '{"unparsable":"{\\"city\\": broken"}'),
      result('call_ours3', 'not valid JSON'),
    ],
    tools: [{ type: 'function', ...WEATHER, strict: false }],
  },
  withImage: [
    {
      type: 'function_call_output',
      call_id: 'theirs_1',
      output: [
        { type: 'input_text', text: 'sun' },
        { type: 'input_image', image_url: 'data:image/png;base64,aW1hZ2U=', detail: 'auto' },
      ],
    },
  ],
  sealedBack: (body, sealed) => {
    const { input } = body as { input: { type?: string; encrypted_content?: string }[] };
    const at = input.findIndex(({ type }) => type === 'reasoning');
    return input[at]?.encrypted_content === sealed && input[at + 1] !== undefined;
  },
};
