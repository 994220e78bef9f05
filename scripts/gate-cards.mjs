import { fileURLToPath } from 'node:url';
import { setTimeout } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const LIMIT_MS = 60_000;

/**
 * Makes one call wait per coding agent of docs/guide/gate.md, each connected as the guide says, and takes a picture of each card.
 *
 * @param {{
 *   server: import('@countersign/client').Client,
 *   url: string,
 *   folder: string,
 *   shoot: (chatPath: string, name: string) => Promise<void>,
 * }} about `folder` is the world's.
 */
export async function gateCards({ server, url, folder, shoot }) {
  // Claude Code and Gemini CLI: what their hooks send.
  for (const { program, name, tool, args } of [
    { program: 'claude', name: 'Claude Code', tool: 'Bash', args: { command: "sed -i 's/Ada/Grace/' notes/crew.md" } },
    {
      program: 'gemini',
      name: 'Gemini CLI',
      tool: 'run_shell_command',
      args: { command: 'cp notes/crew.md notes/crew-2027.md' },
    },
  ]) {
    const { agent } = await server.external.createAgent('harbour', { name, program });
    const call = { agent, session: 'pictures', key: 'one', program, tool, arguments: args, cwd: folder };
    await server.external.propose('harbour', call);
    await shoot(await chatOf(agent), program);
  }

  // Codex is an MCP client, so its call runs in the sandbox and is rehearsed.
  const mcp = { name: 'Codex', program: 'mcp', tools: ['shell_cmd'] };
  const { agent: codex, token } = await server.external.createAgent('harbour', mcp);
  const client = new Client({ name: 'codex', version: '0' });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/harbour`), { requestInit }));
  const removal = { name: 'shell_cmd', arguments: { command: 'rm notes/*-log.md' } };
  const answer = client.callTool(removal, { timeout: LIMIT_MS, onprogress: () => undefined });
  const ended = answer.then(
    (result) => new Error(`Codex's call ended without an approval: ${JSON.stringify(result)}`),
    (/** @type {unknown} */ cause) => new Error("Codex's call failed", { cause }),
  );
  const waiting = await Promise.race([chatOf(codex), ended]);
  if (waiting instanceof Error) throw waiting;
  await shoot(waiting, 'codex');
  await client.close();

  // opencode speaks ACP. This program asks as opencode does.
  const asking = fileURLToPath(new URL('../packages/tools/dist/testing/acp-agent.js', import.meta.url));
  const acp = { command: [process.execPath, asking], program: 'opencode' };
  const agent = { name: 'opencode', provider: 'acp', model: 'opencode', acp };
  const { id: opencode } = await server.createAgent('harbour', agent);
  const { id: chat } = await server.createChat('harbour');
  const ask = {
    toolCallId: '1',
    title: 'bash',
    kind: 'execute',
    rawInput: { command: "echo '- Dan, pilot' >> notes/crew.md" },
  };
  const content = `@opencode\n${JSON.stringify([{ ask: [ask] }])}`;
  await server.send('harbour', chat, { content });
  await shoot(await chatOf(opencode), 'opencode');

  /** @param {string} agentId */
  async function chatOf(agentId) {
    for (const end = Date.now() + LIMIT_MS; Date.now() < end; await setTimeout(100)) {
      const { items } = await server.approvals('harbour');
      const found = items.find((each) => each.agentId === agentId);
      if (found !== undefined) return `/w/harbour/c/${found.chatId}`;
    }
    throw new Error(`No call of ${agentId} waits after ${LIMIT_MS / 1000} s`);
  }
}
