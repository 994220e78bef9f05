import { invocations, type Cells } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type InvocationRow = Cells<typeof invocations>;

export type InvocationStatements = typeof invocationStatements;

const select = `select ${invocations.names.join(', ')} from invocations`;
type Call = { chatId: string; toolName: string; arguments: string };
// Must match the condition of the partial index.
const unknownCall = 'outcome_unknown = 1 and chat_id = :chatId and tool_name = :toolName and arguments = :arguments';

export const invocationStatements = {
  invocation: prepared<{ id: string }, InvocationRow>(`${select} where id = :id`),
  invocations: prepared<{ turnId: string; iteration: number }, InvocationRow>(
    `${select} where turn_id = :turnId and iteration = :iteration order by position`,
  ),
  outcomeUnknown: prepared<Call, [id: string]>(`select id from invocations where ${unknownCall} limit 1`),
  anyUnknown: prepared<{ chatId: string }, [id: string]>(
    'select id from invocations where outcome_unknown = 1 and chat_id = :chatId limit 1',
  ),
  insertInvocation: insertInto(invocations),
  clearOutcomeUnknown: prepared<Call>(`update invocations set outcome_unknown = 0 where ${unknownCall}`),
};
