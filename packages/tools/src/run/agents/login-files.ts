import type { Vendor } from '../model/types.js';
import type { JsonObject, LoginFile } from './types.js';

const only = (content: JsonObject, fields: readonly string[]): JsonObject | undefined => {
  const found = fields.filter((field) => content[field] !== undefined && content[field] !== null);
  return found.length === 0 ? undefined : Object.fromEntries(found.map((field) => [field, content[field]]));
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** It may also hold the logins of MCP servers, which stay outside. */
const claude: LoginFile = {
  path: '.claude/.credentials.json',
  loginIn: (content) => only(content, ['claudeAiOauth']),
  keysIn: () => ({}),
  // Its tokens say nothing about their account.
  accountIn: () => undefined,
};

const codex: LoginFile = {
  path: '.codex/auth.json',
  loginIn: (content) =>
    isObject(content['tokens']) ? only(content, ['auth_mode', 'tokens', 'last_refresh']) : undefined,
  keysIn: (content) => {
    const key = textOf(content['OPENAI_API_KEY']);
    return key === undefined ? {} : { openai: key };
  },
  accountIn: ({ tokens }) => (isObject(tokens) ? textOf(tokens['account_id']) : undefined),
};

const gemini: LoginFile = {
  path: '.gemini/oauth_creds.json',
  loginIn: (content) =>
    only(content, ['access_token', 'refresh_token', 'scope', 'token_type', 'id_token', 'expiry_date']),
  keysIn: () => ({}),
  accountIn: (login) => subjectOf(textOf(login['id_token'])),
};

const OPENCODE_VENDORS: Readonly<Record<string, Vendor>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'gemini',
};

/** One entry per provider. Keys of other vendors stay outside, too. */
const opencode: LoginFile = {
  path: '.local/share/opencode/auth.json',
  loginIn: (content) =>
    only(
      content,
      Object.keys(content).filter((name) => isObject(content[name]) && content[name]['type'] === 'oauth'),
    ),
  keysIn: (content) =>
    Object.fromEntries(
      Object.entries(OPENCODE_VENDORS).flatMap(([name, vendor]) => {
        const entry = content[name];
        const key = isObject(entry) && entry['type'] === 'api' ? textOf(entry['key']) : undefined;
        return key === undefined ? [] : [[vendor, key]];
      }),
    ),
  accountIn: (login) => {
    const accounts = Object.values(login).map((entry) => (isObject(entry) ? textOf(entry['accountId']) : undefined));
    return accounts.every((account) => account !== undefined) ? accounts.join() : undefined;
  },
};

export const LOGIN_FILES = { claude, codex, gemini, opencode };

/** The account in a token, which is only compared: nothing checks its signature. */
function subjectOf(token: string | undefined): string | undefined {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString());
    return isObject(payload) ? textOf(payload['sub']) : undefined;
  } catch {
    return undefined;
  }
}
