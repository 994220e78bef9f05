import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { listenOn } from '../serve/listen-on.js';

const requestSchema = z.object({ messages: z.array(z.object({ role: z.string(), content: z.unknown() })) });
type ModelRequest = z.infer<typeof requestSchema>;
type Reply = string | readonly { name: string; arguments: Record<string, unknown> }[];

/** A server with an OpenAI-compatible API, for tests that run the server in another process. It doesn't stream. */
export async function startModel(reply: (messages: ModelRequest['messages']) => Reply): Promise<{
  env: Record<string, string>;
  server: Server;
}> {
  const server = createServer((request, response) => {
    json(request)
      .then((body) => {
        const said = reply(requestSchema.parse(body).messages);
        const calls = typeof said === 'string' ? [] : said;
        const message = {
          role: 'assistant',
          content: typeof said === 'string' ? said : null,
          ...(calls.length === 0 ? {} : { tool_calls: calls.map(toCall) }),
        };
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify({
            id: 'c',
            object: 'chat.completion',
            created: 1,
            model: 'm',
            choices: [{ index: 0, message, finish_reason: calls.length === 0 ? 'stop' : 'tool_calls' }],
            usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
          }),
        );
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const port = await listenOn(server, 0, '127.0.0.1');
  return { server, env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'not-a-key' } };
}

function toCall({ name, arguments: given }: Exclude<Reply, string>[number], index: number): unknown {
  return { id: `call_${index}`, type: 'function', function: { name, arguments: JSON.stringify(given) } };
}
