import { appendFileSync } from 'node:fs';
import { runScenario } from './crash-scenario.js';

const [file = '', diary = '', last = ''] = process.argv.slice(2);
const dieAt = Number(last);
let count = 0;

await runScenario({
  file,
  diary,
  probe(moment) {
    count += 1;
    if (count === 1) process.send?.('started');
    if (dieAt === 0) appendFileSync(diary, `moment ${moment}\n`);
    // No handler and no exit code, as if the kernel had killed the process to free memory.
    if (count === dieAt) process.kill(process.pid, 'SIGKILL');
  },
});
