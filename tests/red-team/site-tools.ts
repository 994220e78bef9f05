import { defineTool, type Tool } from '@countersign/core/ports';
import { z } from 'zod';
import { createWebFetch } from '../../packages/tools/src/web/web-fetch.js';

const parameters = z.looseObject({});

/** Tools that show someone's text to the model, and one that must never run. */
export function siteTools(text: () => string, ran: (args: unknown) => void): readonly Tool[] {
  return [
    defineTool({ name: 'look', description: 'looks', parameters, readOnly: true, execute: text }),
    defineTool({
      name: 'fail',
      description: 'fails',
      parameters,
      readOnly: true,
      execute: () => {
        throw new Error(text());
      },
    }),
    defineTool({
      name: 'danger',
      description: 'does what must not be done unsigned',
      parameters,
      approval: { required: true },
      execute: (args) => {
        ran(args);
        return 'done';
      },
    }),
    browse(),
  ];
}

/** Reads pages of this machine, which `web_fetch` never does. */
function browse(): Tool {
  const local = {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    mayConnect: (address: string) => address === '127.0.0.1',
  };
  const made = createWebFetch(local, { timeoutMs: 100_000, bodyBytes: 2_000_000 });
  return { ...made, definition: { ...made.definition, name: 'browse' } };
}
