import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { mountApi, type MountedApi, type MountOptions } from '@countersign/server/mount';
import { engineOf } from './engines.js';
import type { Countersign } from './open-countersign.js';
import type { OpenedWorld } from './world/world.js';

export type { MountedApi, MountOptions };

const require = createRequire(import.meta.url);

/**
 * Serves the HTTP API for an open store, or only its approvals, in your own Hono, Express, Fastify or Node server. Throws if there is neither
 * `authorize` nor a `token`: nothing is served without authentication.
 */
export function mountCountersign(opened: Countersign | OpenedWorld, options: MountOptions): MountedApi {
  const engine = typeof opened === 'object' && opened !== null ? engineOf(opened) : undefined;
  if (engine === undefined) {
    throw new CountersignError('invalid', 'mountCountersign: pass what openCountersign or openWorld returned');
  }
  if (typeof options !== 'object' || options === null) {
    throw new CountersignError('invalid', 'mountCountersign: options: must be an object with authorize or a token');
  }
  const { version } = require('countersign/package.json') as { version: string };
  const webRoot = join(dirname(require.resolve('@countersign/web/package.json')), 'dist');
  return mountApi(engine, options, { version, webRoot });
}
