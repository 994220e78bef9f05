import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startJournal, undoUnfinished } from './journal.js';
import { discardFolder } from './apply-change.js';
import { makeCallFolder } from './call-folders.js';
import { sweepFolders } from './sweep-folders.js';
import { folderIdOf, type FolderPlan, type Step } from '../plan/plan.js';

describe.skipIf(process.platform !== 'linux')('[CHANGE2.1] the journal of a draft', () => {
  let top: string;
  let real: string;
  let drafts: string;
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'journal-'));
    [real, drafts] = [join(top, 'real'), join(top, 'drafts')];
    mkdirSync(real);
    mkdirSync(drafts, { mode: 0o700 });
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  const step: Step = { id: 0, name: 'new', kind: 'add' };
  const planOf = (folder: string): FolderPlan => {
    const was = folderIdOf(lstatSync(folder, { bigint: true }));
    return { path: '', was, mode: was.mode, inner: [], steps: [step] };
  };

  it('gives copies names that nobody can guess, and undoing removes only these', async () => {
    const root = join(top, 'root');
    mkdirSync(root);
    const journal = await startJournal(root, real, planOf(real));
    const [first, second] = [journal.copyAt(join(real, 'new'), step), journal.copyAt(join(real, 'new'), step)];
    expect(basename(first)).toMatch(/^\.countersign-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(first).not.toBe(second);
    journal.close();
    // Names that a program could have guessed: of the step, the process, or another draft.
    for (const name of ['.countersign-0', `.countersign-${process.pid}`, `.countersign-${crypto.randomUUID()}`])
      symlinkSync(top, join(real, name));
    const planted = readdirSync(real);
    mkdirSync(second);
    writeFileSync(join(second, 'file'), '');
    await undoUnfinished(root);
    expect(readdirSync(real)).toEqual(planted);
    expect(existsSync(join(root, 'journal.json'))).toBe(false);
  });

  it('stays with its draft when that is discarded before it was applied completely', async () => {
    const root = await makeCallFolder(drafts);
    const journal = await startJournal(root, real, planOf(real));
    journal.close();
    await discardFolder(root);
    expect(readdirSync(root)).toEqual(expect.arrayContaining(['before', 'journal.json', 'steps']));
    // One that can't be read is kept too: it may describe the only copy of the old files.
    writeFileSync(join(root, 'journal.json'), '{');
    await discardFolder(root);
    expect(existsSync(root)).toBe(true);
    rmSync(join(root, 'journal.json'));
    await discardFolder(root);
    expect(existsSync(root)).toBe(false);
  });

  it('is swept only in drafts of this host', async () => {
    const uuid = crypto.randomUUID();
    const dead = 4_194_303;
    const ours = `draft-${hostname()}-${dead}-${uuid}`;
    const others = [
      // A host whose name starts with ours, such as web and web-2.
      `draft-${hostname()}-2-${dead}-${uuid}`,
      `draft-other-${dead}-${uuid}`,
      `draft-${hostname()}-${dead}`,
      `draft-${hostname()}-${dead}-`,
      `draft-${hostname()}-${dead}-${uuid}.kept`,
      `draft-${hostname()}-x${dead}-${uuid}`,
    ];
    for (const name of [ours, ...others]) mkdirSync(join(drafts, name));
    await sweepFolders({ folder: drafts, flock: 'flock' });
    expect(readdirSync(drafts).toSorted()).toEqual(others.toSorted());
  });
});
