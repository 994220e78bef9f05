import type { NewMcpServer } from '@countersign/protocol';

type AddedMcpServers<Added> =
  | { ok: true; added: Added[] }
  | { ok: false; added: Added[]; failed: string; error: unknown };

/** Adds servers one by one and stops at the first failure. Never rejects: those added before it stay, and people must learn which. */
export async function addMcpServers<Added>(
  servers: readonly NewMcpServer[],
  add: (server: NewMcpServer) => Promise<Added>,
): Promise<AddedMcpServers<Added>> {
  const added: Added[] = [];
  for (const server of servers) {
    try {
      added.push(await add(server));
    } catch (error) {
      return { ok: false, added, failed: server.name, error };
    }
  }
  return { ok: true, added };
}
