import { isShellScript } from '@countersign/protocol';

export type McpConnection =
  | { transport: 'stdio'; command: string; args: string[]; env: Record<string, string> }
  | { transport: 'http'; url: string; headers: Record<string, string> };

const NAME = /(?:key|token|secret|password|passwd|credential|[-_]pat)$/i;
const VENDOR_KEY = /^(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza)[\w-]{10,}$/;
/** `postgres://user:password@host` */
const URL_PASSWORD = /^([a-z][a-z\d+.-]*:\/\/[^\s/:@]*:)([^\s/@]+)(@[^]*)$/i;
const HEADER = /^((?:[\w-]*-)?(?:authorization|key|token|secret)):(\s*(?:(?:bearer|basic|token)\s+)?)(\S+)$/i;

/** Stores a value under a free name and returns that name. */
type Keep = (wanted: string, value: string) => string;

/**
 * Moves likely secrets from the arguments or the URL to the variables or headers, which are encrypted, and leaves `${NAME}` in their place
 * (MCP2.2). A value that isn't a secret may be moved too: the server gets it all the same. `names`: what was moved.
 */
export function liftSecrets<Connection extends McpConnection>(
  connection: Connection,
): { connection: Connection; names: string[] } {
  const isProgram = connection.transport === 'stdio';
  const values = { ...(isProgram ? connection.env : connection.headers) };
  const names: string[] = [];
  const keep: Keep = (wanted, value) => {
    const name = keepValue(values, wanted, value);
    if (!names.includes(name)) names.push(name);
    return name;
  };
  const lifted = isProgram
    ? { ...connection, args: liftArguments(connection.command, connection.args, keep), env: values }
    : { ...connection, url: liftUrl(connection.url, keep), headers: values };
  return { connection: lifted, names };
}

/** Stores a value as `API_KEY`, or as `API_KEY_2` if that is taken by another value. Returns the name. */
export function keepValue(values: Record<string, string>, wanted: string, value: string): string {
  const base = wanted
    .replace(/^\W+/, '')
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)|^$/, 'SECRET_')
    .toUpperCase();
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}_${number}`;
    // The names of headers are case-insensitive.
    const taken = Object.keys(values).find((other) => other.toUpperCase() === name);
    if (taken === undefined) values[name] = value;
    if (taken === undefined || (taken === name && values[name] === value)) return name;
  }
}

function liftArguments(command: string, args: readonly string[], keep: Keep): string[] {
  if (isShellScript(command, args)) return [...args];
  return args.map((arg, index) => {
    if (arg.includes('${')) return arg;
    const option = args[index - 1] ?? '';
    if (/^--?[A-Za-z]/.test(option) && NAME.test(option) && !arg.startsWith('-')) return placeholder(keep(option, arg));
    const [, name = '', assigned = ''] = /^([\w-]+)=([^]+)$/.exec(arg) ?? [];
    if (NAME.test(name)) return `${name}=${placeholder(keep(name, assigned))}`;
    const [, header = '', scheme = '', credential = ''] = HEADER.exec(arg) ?? [];
    if (header !== '') return `${header}:${scheme}${placeholder(keep(header, credential))}`;
    const [, before = '', password = '', after = ''] = URL_PASSWORD.exec(arg) ?? [];
    if (before !== '') return `${before}${placeholder(keep('PASSWORD', password))}${after}`;
    return VENDOR_KEY.test(arg) ? placeholder(keep('API_KEY', arg)) : arg;
  });
}

function liftUrl(url: string, keep: Keep): string {
  const [, origin = '', path = '', query = ''] = /^(https?:\/\/[^/?#\\]+)([^?#]*)([^]*)$/i.exec(url) ?? [];
  if (origin === '') return url;
  const segments = path.split('/').map((segment) => {
    const isKey = /^[\w-]{24,}$/.test(segment) && /\d/.test(segment) && /[A-Za-z]/.test(segment);
    return isKey ? placeholder(keep('URL_KEY', segment)) : segment;
  });
  const parameters = query.replace(/([?&])([^=&#]+)=([^&#]+)/g, (whole, mark: string, name: string, value: string) => {
    if (value.includes('${') || !(NAME.test(name) || VENDOR_KEY.test(value))) return whole;
    return `${mark}${name}=${placeholder(keep(name, decode(value)))}`;
  });
  return `${origin}${segments.join('/')}${parameters}`;
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value;
  }
}

function placeholder(name: string): string {
  return `\${${name}}`;
}
