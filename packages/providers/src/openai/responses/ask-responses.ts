import type { GenerateRequest, LLMResponse } from '@countersign/core/ports';
import type OpenAI from 'openai';
import { isRecord } from '../../shared/records.js';
import { readResponse, readStream } from './read-answer.js';
import { toRequest, withoutSummary } from './to-request.js';

/** Calls the model through the responses API, which returns the thinking that chat completions withholds. */
export async function askResponses(
  client: OpenAI,
  request: GenerateRequest,
  name: string,
  signal: AbortSignal,
): Promise<LLMResponse> {
  const send = async (body: ReturnType<typeof toRequest>): Promise<LLMResponse> => {
    if (!request.stream)
      return readResponse(await client.responses.create({ ...body, stream: false }, { signal }), name);
    return readStream(await client.responses.create({ ...body, stream: true }, { signal }), request, name);
  };
  const body = toRequest(request);
  try {
    return await send(body);
  } catch (error) {
    if (!isRefusedSummary(error)) throw error;
    return await send(withoutSummary(body));
  }
}

/** OpenAI returns the text of the thinking only to verified organizations. */
function isRefusedSummary(error: unknown): boolean {
  return isRecord(error) && error['status'] === 400 && error['param'] === 'reasoning.summary';
}
