import { isObject } from '../agents/login-files.js';
import type { JsonObject } from '../agents/types.js';
import { Refusal } from './check-head.js';
import type { Vendor } from './types.js';

/** Deeper bodies are refused: following them could exhaust the stack. */
const MAX_DEPTH = 200;

/** A key whose value the vendor fetches, such as `image_url`, `fileUri` or `server_url`. Not `curl`. */
const CAMEL_KEY = /[a-z](Ur[li]|UR[LI])s?$/;
const SNAKE_KEY = /(^|_)(ur[li]s?|connector_?id)$/i;

/** Parts of a request that make the vendor use something of its own: connectors, stored prompts, containers, search. */
const FORBIDDEN: Readonly<Record<Vendor, readonly string[]>> = {
  anthropic: ['mcp_servers', 'container'],
  openai: ['web_search_options', 'prompt', 'plugins'],
  gemini: ['cachedcontent', 'cached_content'],
};

/** Models that search without being asked to. */
const SEARCHING_MODEL = /search|deep-research|:online$/i;

/** Tools that run in the agent. Any other could be one that the vendor runs. */
const OWN_TOOLS: Readonly<Record<Exclude<Vendor, 'gemini'>, RegExp>> = {
  anthropic: /^(custom|(bash|text_editor|computer|memory)_\d{8}|tool_search_tool_(regex|bm25)(_\d{8})?)$/,
  openai: /^(function|custom|local_shell|apply_patch|namespace|tool_search|computer|computer_use_preview)$/,
};

/** Throws a refusal if the request makes the vendor fetch an address (RUN10). */
export function checkBody(vendor: Vendor, body: JsonObject): void {
  // Some servers don't mind the case of a key.
  const forbidden = Object.keys(body).find((key) => FORBIDDEN[vendor].includes(key.toLowerCase()) && isSet(body[key]));
  if (forbidden !== undefined) throw new Refusal(403, `a body with "${forbidden}"`);
  const { model } = body;
  if (typeof model === 'string' && SEARCHING_MODEL.test(model)) throw new Refusal(403, 'a model that searches the web');
  walk(vendor, body, 0);
}

function walk(vendor: Vendor, value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw new Refusal(400, 'a body that is too deep');
  if (Array.isArray(value)) {
    for (const one of value) walk(vendor, one, depth + 1);
  } else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      if (isOpaque(vendor, value, key)) continue;
      if (key.toLowerCase() === 'tools') checkTools(vendor, child, depth);
      else if (isAddressKey(key) && typeof child !== 'object' && isSet(child) && !isInline(child))
        throw new Refusal(403, `a body with an address ("${key}")`);
      else if (isAddressKey(key) && Array.isArray(child) && child.some((one) => typeof one === 'string'))
        throw new Refusal(403, `a body with addresses ("${key}")`);
      else walk(vendor, child, depth + 1);
    }
  }
}

function checkTools(vendor: Vendor, tools: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw new Refusal(400, 'tools that are too deep');
  for (const tool of Array.isArray(tools) ? (tools as unknown[]) : [tools]) {
    if (!isObject(tool)) {
      if (isSet(tool)) throw new Refusal(400, 'a tool that is not an object');
      continue;
    }
    const other = otherTool(vendor, tool);
    if (other !== undefined) throw new Refusal(403, `a tool of the vendor (${other})`);
    if (tool['tools'] !== undefined) checkTools(vendor, tool['tools'], depth + 1);
  }
}

/** The name of a tool that may be the vendor's. */
function otherTool(vendor: Vendor, tool: JsonObject): string | undefined {
  if (vendor === 'gemini') {
    return Object.keys(tool).find((key) => !['functionDeclarations', 'function_declarations'].includes(key));
  }
  const { type = 'custom' } = tool;
  const name = typeof type === 'string' ? type : 'unknown';
  // It can also run in a container of the vendor.
  if (vendor === 'openai' && name === 'shell' && isLocal(tool['environment'])) return undefined;
  return OWN_TOOLS[vendor].test(name) ? undefined : name;
}

function isLocal(environment: unknown): boolean {
  return isObject(environment) && environment['type'] === 'local';
}

/** What the agent's own tools got, and schemas: text for the model, which the vendor doesn't follow. */
function isOpaque(vendor: Vendor, { type, name }: JsonObject, key: string): boolean {
  switch (vendor) {
    case 'anthropic':
      return (key === 'input' && type === 'tool_use') || (key === 'schema' && type === 'json_schema');
    case 'openai':
      return (key === 'schema' || key === 'json_schema') && type === 'json_schema';
    case 'gemini':
      return GEMINI_OPAQUE.test(key) || (key === 'response' && name !== undefined);
  }
}

const GEMINI_OPAQUE = /^(functionCall|function_call|response(Json)?Schema|response_(json_)?schema)$/;

function isAddressKey(key: string): boolean {
  return CAMEL_KEY.test(key) || SNAKE_KEY.test(key);
}

function isInline(value: unknown): boolean {
  return typeof value === 'string' && /^data:/i.test(value);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}
