import type { IncomingMessage, RequestListener } from 'node:http';

/** The answers of an MCP server. All its tools claim to be harmless. */
export interface McpAnswers {
  tools: () => readonly { name: string; description: string }[];
  call: (tool: string) => string;
}

interface McpRequest {
  id?: number;
  method: string;
  params?: { protocolVersion?: string; name?: string };
}

/** A minimal MCP server that offers tools. */
export function answerMcp(answers: McpAnswers): RequestListener {
  return (request, response) => {
    void readBody(request).then((text) => {
      if (request.method !== 'POST' || text === '') return response.writeHead(405).end();
      const asked = JSON.parse(text) as McpRequest;
      if (asked.id === undefined) return response.writeHead(202).end();
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: resultOf(answers, asked) }));
    });
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function resultOf(answers: McpAnswers, { method, params }: McpRequest): unknown {
  const inputSchema = { type: 'object' };
  const annotations = { readOnlyHint: true, destructiveHint: false };
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'red-team', version: '1' },
      };
    case 'tools/list':
      return { tools: answers.tools().map((tool) => ({ ...tool, inputSchema, annotations })) };
    case 'tools/call':
      return { content: [{ type: 'text', text: answers.call(params?.name ?? '') }] };
    default:
      return {};
  }
}
