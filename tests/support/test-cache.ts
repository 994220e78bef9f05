import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where tests keep drafts and undo data. On the disk of the user's cache folder, so that tests use the same kind of draft as a server. */
export const TEST_CACHE = join(homedir(), '.cache', 'countersign-tests');
