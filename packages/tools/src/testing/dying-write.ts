/** Writes a file again and again, for tests that kill it at any moment. Arguments: the working folder, and the folder for what is replaced. */
import { writeFile } from '../files/write-file.js';
import { tryTool } from './try-tool.js';

const [workingDirectory = '', folder = ''] = process.argv.slice(2);
const tool = writeFile({ lock: { folder } });
for (let round = 0; ; round += 1) {
  const content = String(round % 10).repeat(2_000_000);
  await tryTool(tool, { path: 'a/b/file', content }, { workingDirectory, invocationId: `call-${round}` });
  process.stdout.write('.');
}
