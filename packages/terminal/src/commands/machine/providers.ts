import { readAll } from '@countersign/client';
import type { ProviderStatus } from '@countersign/protocol';
import type { Command } from 'commander';
import type { Register } from '../register.js';
import { showList } from '../show-list.js';
import { withHelp } from '../../words/help.js';
import { providersHelp } from '../../words/help-server.js';
import { results } from '../../words/results.js';

/** `countersign providers`: which models the server can use. Never prints a key. */
export function addProviders(program: Command, register: Register): void {
  const command = withHelp(program.command('providers'), providersHelp);
  register(command, async (context) => {
    const client = await context.client();
    const columns = [
      { title: 'provider', of: ({ name }: ProviderStatus) => name },
      { title: 'state', of: stateOf },
      { title: 'address', of: ({ address, problem }: ProviderStatus) => problem ?? address ?? '' },
      { title: 'key from', of: ({ source }: ProviderStatus) => source ?? '' },
      { title: 'models', of: ({ models }: ProviderStatus) => (models ?? []).join(', ') },
    ];
    showList(context, await readAll(() => client.providers()), columns, results.noProviders);
  });
}

/** Only reports the configuration; `doctor` tests the endpoints. */
function stateOf({ available, problem }: ProviderStatus): string {
  if (available) return 'configured';
  return problem === undefined ? 'no key' : 'not available';
}
