import { CountersignError } from '@countersign/protocol';
import { DRAFT_LIMITS, type DraftLimits } from '@countersign/tools';

const NAME = 'COUNTERSIGN_DRAFT_MB';

/** The limits on what one command may write (CHANGE3). */
export function readDraftLimits(env: NodeJS.ProcessEnv): DraftLimits {
  const given = env[NAME] ?? '';
  if (given === '') return DRAFT_LIMITS;
  const megabytes = /^\d{1,9}$/.test(given) ? Number(given) : 0;
  if (megabytes > 0) return { ...DRAFT_LIMITS, bytes: megabytes * 1024 ** 2 };
  const detail = `${NAME} must be a whole number above 0: the number of MiB that one command may write.`;
  throw new CountersignError('invalid', detail, { field: NAME });
}
