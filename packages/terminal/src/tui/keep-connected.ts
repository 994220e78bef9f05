import { resolve } from 'node:path';
import type { CommandContext } from '../context.js';
import type { Controller } from './controller.js';

const LOOK_MS = 1000;
/** How long to wait for a server before this command starts its own. */
const PATIENCE = 15;

/** Follows the server of a home folder across restarts, which change its port. Returns the function that stops it. */
export function keepConnected(context: CommandContext, controller: Controller): () => void {
  const { servers, options } = context;
  let looks = 0;
  let isBusy = false;

  async function look(): Promise<void> {
    const home =
      options.home === undefined || options.home === '' ? await servers.defaultHome() : resolve(options.home);
    const running = await servers.find(home);
    if (running?.url === controller.client().url) {
      controller.retryNow();
      return;
    }
    if (running === undefined && looks < PATIENCE) return;
    const client = await context.reconnect();
    // A URL was given: wait for that server.
    if (client !== undefined && client.url !== controller.client().url) {
      controller.moveTo(client);
      await client.registerClient(controller.worldId, { label: 'terminal', approvals: true });
    }
    looks = 0;
  }

  const timer = setInterval(() => {
    if (!controller.isAway()) looks = 0;
    if (!controller.isAway() || isBusy || options.url !== undefined) return;
    looks += 1;
    isBusy = true;
    look()
      // The banner shows it already; retry later.
      .catch(() => undefined)
      .finally(() => {
        isBusy = false;
      });
  }, LOOK_MS);
  return () => clearInterval(timer);
}
