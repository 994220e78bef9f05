import { isPlainRemote } from '@countersign/server/channel';
import { CommandError } from '../command-error.js';
import { errors } from '../words/errors.js';

/** Whether plain HTTP to another machine was allowed, for this command or in the environment. */
export function mayUseHttp(
  { allowHttp }: { allowHttp?: true },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return allowHttp === true || env['COUNTERSIGN_ALLOW_HTTP'] === '1';
}

/** The origin of a URL, without the path and the ticket of a copied start link. */
export function serverUrl(url: string, allowHttp: boolean): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new CommandError(errors.invalidUrl(url));
  }
  if (isPlainRemote(parsed) && !allowHttp) throw new CommandError(errors.plainHttp(parsed.origin));
  return parsed.origin;
}
