import type { Route } from '../app/route.js';
import { agentRoutes } from './agents.js';
import { approvalRoutes } from './approvals.js';
import { challengeRoutes } from './challenges.js';
import { delegationRoutes } from './delegations.js';
import { chatRoutes } from './chats.js';
import { eventRoutes } from './events.js';
import { externalRoutes } from './external.js';
import { mcpServerRoutes } from './mcp-servers.js';
import { meRoutes } from './me.js';
import { passkeyRoutes } from './passkeys.js';
import { peopleRoutes } from './people.js';
import { policyRoutes } from './policy.js';
import { providerRoutes } from './providers.js';
import { recordRoutes } from './records.js';
import { serverRoutes } from './server.js';
import { signInRoutes } from './sign-in.js';
import { worldRoutes } from './worlds.js';

/** All API routes (W3), in the order of the docs. */
export const routes: readonly Route[] = [
  ...serverRoutes,
  ...signInRoutes,
  ...meRoutes,
  ...challengeRoutes,
  ...delegationRoutes,
  ...peopleRoutes,
  ...passkeyRoutes,
  ...providerRoutes,
  ...worldRoutes,
  ...agentRoutes,
  ...chatRoutes,
  ...eventRoutes,
  ...approvalRoutes,
  ...externalRoutes,
  ...policyRoutes,
  ...mcpServerRoutes,
  ...recordRoutes,
];
