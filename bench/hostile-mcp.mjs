// An MCP server over stdio whose only tool returns 5 MB of the requested text. Built-in modules only.
import { createInterface } from 'node:readline';

const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  switch (method) {
    case 'initialize':
      answer(id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'hostile', version: '1' },
      });
      break;
    case 'tools/list':
      answer(id, { tools: [{ name: 'flood', inputSchema: { type: 'object' } }] });
      break;
    case 'tools/call': {
      const { unit, count } = params.arguments;
      answer(id, { content: [{ type: 'text', text: unit.repeat(count) }] });
      break;
    }
    default:
      answer(id, {});
  }
});
