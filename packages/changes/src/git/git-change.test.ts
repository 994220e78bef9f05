import { expect, it } from 'vitest';
import { describeGitChange, NO_TREE_PATHS } from './git-change.js';

it('[RUN22] lists up to 500 commits and refs of a run, and says how many it does not list', () => {
  const id = 'a'.repeat(40);
  const commits = Array.from({ length: 502 }, () => ({ id, author: 'Ada', message: 'm', files: 1 }));
  const refs = Array.from({ length: 503 }, (_, at) => ({ name: `refs/tags/${at}`, to: id }));
  const described = describeGitChange({ commits, refs, stays: [], paths: NO_TREE_PATHS });
  expect([described.commits.length, described.refs.length, described.unlisted]).toEqual([500, 500, 5]);
});
