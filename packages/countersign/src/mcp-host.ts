import type { Clock, McpHostFactory, Store } from '@countersign/core/ports';
import { findSandbox, mcpServers } from '@countersign/tools';
import { realFolder } from './options/place-finder.js';

/** Runs MCP servers in the sandbox that this system supports. The store's own files are always hidden from them (SAFE1). */
export async function mcpHost(store: Store, clock: Clock): Promise<McpHostFactory> {
  return mcpServers({ sandbox: await findSandbox(), clock, writable: () => workFolders(store) });
}

/** The working folders of all worlds. Excludes folders that no longer exist, which can't be written to. */
async function workFolders(store: Store): Promise<string[]> {
  const worlds = await store.read((reader) => reader.worlds());
  return worlds.flatMap(({ settings }) => {
    try {
      return [realFolder(settings.workingDirectory ?? process.cwd())];
    } catch {
      return [];
    }
  });
}
