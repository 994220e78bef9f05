import type { Tagged } from '@countersign/client';
import type { McpServer } from '@countersign/protocol';
import { useClient } from '../data/connection.js';
import { type Read, useRead } from '../data/use-read.js';

/** A dialog about one server. */
export interface ServerDialogProps {
  worldId: string;
  name: string;
  onClose: () => void;
}

/** One server for a dialog: read once, or polled every two seconds. */
export function useServer(worldId: string, name: string, how: 'once' | 'polled'): Read<Tagged<McpServer>> {
  const client = useClient();
  return useRead({
    key: ['server', how, worldId, name],
    read: (signal) => client.mcpServer(worldId, name, { signal }),
    ...(how === 'once' ? { once: true } : { everyMs: 2000 }),
    forget: true,
  });
}
