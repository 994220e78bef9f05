import type { Route } from '../app/route.js';
import { agentRoutes } from './agents.js';
import { approvalRoutes } from './approvals.js';
import { challengeRoutes } from './people/challenges.js';
import { batchRoutes } from './batches.js';
import { delegationRoutes } from './people/delegations.js';
import { branchRoutes } from './branches.js';
import { chatRoutes } from './chats.js';
import { eventRoutes } from './events.js';
import { externalRoutes } from './external.js';
import { localAgentRoutes } from './local-agents.js';
import { mcpServerRoutes } from './mcp-servers.js';
import { meRoutes } from './people/me.js';
import { passkeyRoutes } from './people/passkeys.js';
import { peopleRoutes } from './people/people.js';
import { policyRoutes } from './policy.js';
import { providerRoutes } from './providers.js';
import { pushRoutes } from './people/push.js';
import { recordRoutes } from './records.js';
import { runRoutes } from './runs.js';
import { scheduleRoutes } from './schedules.js';
import { serverRoutes } from './server.js';
import { signInRoutes } from './people/sign-in.js';
import { webhookRoutes } from './webhooks.js';
import { worldRoutes } from './worlds.js';

/** All API routes (HTTP2), in the order of the docs. */
export const routes: readonly Route[] = [
  ...serverRoutes,
  ...signInRoutes,
  ...meRoutes,
  ...challengeRoutes,
  ...delegationRoutes,
  ...pushRoutes,
  ...peopleRoutes,
  ...passkeyRoutes,
  ...providerRoutes,
  ...webhookRoutes,
  ...worldRoutes,
  ...agentRoutes,
  ...chatRoutes,
  ...branchRoutes,
  ...scheduleRoutes,
  ...eventRoutes,
  ...approvalRoutes,
  ...batchRoutes,
  ...externalRoutes,
  ...localAgentRoutes,
  ...runRoutes,
  ...policyRoutes,
  ...mcpServerRoutes,
  ...recordRoutes,
];
