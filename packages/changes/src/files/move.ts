import { link, lstat, rename } from 'node:fs/promises';

/** Unlike rename, link never replaces an existing file. Some disks don't support links. */
export async function linkOrRename(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS'].includes(String(codeOf(error)))) throw error;
    const there = await lstat(target).catch(() => undefined);
    if (there !== undefined) throw Object.assign(new Error(`${target} exists`), { code: 'EEXIST' });
    await rename(source, target);
  }
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}
