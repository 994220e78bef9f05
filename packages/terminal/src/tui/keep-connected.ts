import { resolve } from 'node:path';
import type { CommandContext } from '../context.js';
import type { Controller } from './controller.js';

const LOOK_MS = 1000;
/** So long a server that has gone is waited for, before this command brings its own. */
const PATIENCE = 15;

/** Follows the server of a home to where it runs now: one that is started again has another port. Gives the function that ends it. */
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
    // An address was named: that one is meant, and waited for.
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
      // Said by the banner already; the next look may find more.
      .catch(() => undefined)
      .finally(() => {
        isBusy = false;
      });
  }, LOOK_MS);
  return () => clearInterval(timer);
}
