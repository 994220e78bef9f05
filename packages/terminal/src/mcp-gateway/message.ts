import { z } from 'zod';

/** Names a call, so that the server recognizes it when it is sent again (EXT2.6). */
const KEY = 'countersign/key';
/** Marks an answer that the server gave because it is stopping. The call is then sent again. */
const AGAIN = 'countersign/again';
const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';

const idSchema = z.union([z.string(), z.number()]);
const requestSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: idSchema,
  method: z.string(),
  params: z.looseObject({ _meta: z.looseObject({}).optional() }).optional(),
});
const cancelledSchema = z.looseObject({
  method: z.literal('notifications/cancelled'),
  params: z.looseObject({ requestId: idSchema }),
});
const answerSchema = z.union([
  z.looseObject({ id: idSchema, result: z.looseObject({ _meta: z.looseObject({}).optional() }) }),
  z.looseObject({ id: idSchema, error: z.unknown() }),
]);
const initializedSchema = z.looseObject({ result: z.looseObject({ protocolVersion: z.string() }) });

export type RequestId = z.infer<typeof idSchema>;
export type McpRequest = z.infer<typeof requestSchema>;

/** Undefined if the message isn't a request that gets an answer. */
export function readRequest(message: unknown): McpRequest | undefined {
  return requestSchema.safeParse(message).data;
}

/** The request that a message cancels. */
export function cancelledBy(message: unknown): RequestId | undefined {
  return cancelledSchema.safeParse(message).data?.params.requestId;
}

/** Gives a call a key, unless it has one. */
export function withKey(request: McpRequest, key: string): McpRequest {
  if (request.method !== 'tools/call') return request;
  const { params = {} } = request;
  return { ...request, params: { ...params, _meta: { [KEY]: key, ...params._meta } } };
}

/** Whether a message answers a request. `again`: only because the server is stopping. */
export function answerTo(message: unknown, id: RequestId): 'no' | 'yes' | 'again' {
  const answer = answerSchema.safeParse(message).data;
  if (answer === undefined || answer.id !== id) return 'no';
  const { result } = answer;
  const meta = answerSchema.options[0].shape.result.safeParse(result).data?._meta;
  return meta?.[AGAIN] === true ? 'again' : 'yes';
}

/** The version that an answer to `initialize` names. */
export function versionIn(message: unknown): string | undefined {
  return initializedSchema.safeParse(message).data?.result.protocolVersion;
}

const HEADER_TEXT = /^[\x21-\x7e]{1,200}$/;

/** The headers that HTTP servers expect in addition to the message. */
export function headersOf(message: unknown, version: string | undefined): Record<string, string> {
  const request = readRequest(message);
  const named: unknown = request?.params?._meta?.[PROTOCOL_VERSION];
  const used = typeof named === 'string' ? named : version;
  const name: unknown = request?.method === 'tools/call' ? request.params?.['name'] : undefined;
  const headers = { 'mcp-protocol-version': used, 'mcp-method': request?.method, 'mcp-name': name };
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && HEADER_TEXT.test(entry[1]),
    ),
  );
}
