import type { Migration } from './ddl.js';
import { createTables } from './1-create-tables.js';
import { addSearch } from './2-add-search.js';
import { addMcpServers } from './3-add-mcp-servers.js';
import { addQuestions } from './5-add-questions.js';
import { addGrantKeys } from './6-add-grant-keys.js';
import { addProcesses } from './4-add-processes.js';
import { addPasses } from './7-add-passes.js';
import { addSandboxFacts } from './8-add-sandbox-facts.js';
import { addToolReviews } from './9-add-tool-reviews.js';
import { dropOpenCalls } from './10-drop-open-calls.js';
import { addQueueOrder } from './11-add-queue-order.js';
import { dropTurnRevisions } from './12-drop-turn-revisions.js';
import { addProviders } from './13-add-providers.js';
import { sealMcpValues } from './14-seal-mcp-values.js';
import { addPeople } from './15-add-people.js';
import { addAttachments } from './16-add-attachments.js';
import { storeMcpSignIns } from './17-store-mcp-sign-ins.js';
import { addWho } from './18-add-who.js';
import { addSignatures } from './19-add-signatures.js';
import { dropPasses } from './20-drop-passes.js';
import { addReviews } from './21-add-reviews.js';
import { addOidc } from './22-add-oidc.js';
import { addRehearsals } from './23-add-rehearsals.js';
import { addSessionOffers } from './24-add-session-offers.js';
import { addGrantFolders } from './25-add-grant-folders.js';

/** In order; a store at version n has run the first n. */
export const migrations: readonly Migration[] = [
  createTables,
  addQuestions,
  addProcesses,
  addSearch,
  addMcpServers,
  addGrantKeys,
  addPasses,
  addSandboxFacts,
  addToolReviews,
  dropOpenCalls,
  addQueueOrder,
  dropTurnRevisions,
  addProviders,
  sealMcpValues,
  addPeople,
  addAttachments,
  storeMcpSignIns,
  addWho,
  addSignatures,
  dropPasses,
  addReviews,
  addOidc,
  addRehearsals,
  addSessionOffers,
  addGrantFolders,
];
