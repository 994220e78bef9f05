import { applyPlan } from '../apply/apply-plan.js';
import { planLayer } from '../plan/plan-layer.js';

// Applies the draft in `upper`, in which the folder `again` was removed and recreated, for tests that kill it.
const [root = '', upper = '', workingDirectory = ''] = process.argv.slice(2);
const { plan } = await planLayer({
  upper,
  workingDirectory,
  since: { ns: BigInt(Date.now() + 60_000) * 1_000_000n, steadyNs: { before: 0n, after: 0n } },
  stillSeen: (paths) => Promise.resolve(paths.map((path) => !path.startsWith('again/'))),
  wasRemoved: () => false,
  keepRemoved: false,
});
await applyPlan({ plan, workingDirectory, upper, root });
