import { readAll } from '@countersign/client';
import type { ProviderStatus } from '@countersign/protocol';
import type { Command } from 'commander';
import type { Register } from './register.js';
import { showList } from './show-list.js';

/** `countersign providers`: whose models the server can use. Names only, never a key. */
export function addProviders(program: Command, register: Register): void {
  const command = program
    .command('providers')
    .description('Whose models this server can use, and where it found their keys. Never a key itself.')
    .addHelpText('after', '\nExample:\n  countersign providers --json');
  register(command, async (context) => {
    const client = await context.client();
    const columns = [
      { title: 'provider', of: ({ name }: ProviderStatus) => name },
      { title: 'can be used', of: ({ available }: ProviderStatus) => (available ? 'yes' : 'no') },
      { title: 'address', of: ({ address, problem }: ProviderStatus) => problem ?? address ?? '' },
      { title: 'key from', of: ({ source }: ProviderStatus) => source ?? '' },
      { title: 'models', of: ({ models }: ProviderStatus) => (models ?? []).join(', ') },
    ];
    showList(context, await readAll(() => client.providers()), columns, 'There is none.');
  });
}
