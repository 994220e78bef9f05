import { findSandbox } from '../sandbox/find-sandbox.js';
import { runDrafts } from '../run/kept/run-drafts.js';

// Applies a run whose call is bound, for tests that kill it.
const [hide = '', id = '', callId = '', effectHash = ''] = process.argv.slice(2);
const drafts = runDrafts(await findSandbox(), [hide]);
if ('refused' in drafts) throw new Error(drafts.refused);
process.stdout.write('ready\n');
await drafts.kept.apply(id, callId, { effectHash, rules: {} });
process.stdout.write('done\n');
