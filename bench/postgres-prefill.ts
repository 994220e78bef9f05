import { query } from './postgres-query.js';

/**
 * Fills a world with other people's chats, events, ended turns, decided approvals and search words. The database generates them, because
 * sending a million messages over the network would take minutes.
 */
export async function prefill(url: string, worldId: string, messages: number, chats: number): Promise<void> {
  if (messages === 0) return;
  const each = messages / chats;
  const statements: [text: string, values: unknown[]][] = [
    [
      `insert into chats (id, world_id, title, titled, status, last_seq, human_seq, branches, created_at)
       select 'chat_old_' || c, $1, 'An old chat', 1, 'idle', $3::int, $3::int, 0, 1000 from generate_series(1, $2::int) c`,
      [worldId, chats, each],
    ],
    [
      `insert into messages (id, world_id, chat_id, seq, role, sender, speaker, content, addressees, created_at)
       select 'msg_old_' || c || '_' || m, $1, 'chat_old_' || c, m, 'user', 'human', 'human',
         'Something that was said a while ago in conversation ' || c || ', as long as things are that people say.', '[]', 1000
       from generate_series(1, $2::int) c, generate_series(1, $3::int) m`,
      [worldId, chats, each],
    ],
    [
      `insert into events (world_id, id, chat_id, event, message_id, at)
       select $1, row_number() over () + (select event_seq from worlds where id = $1), chat_id, 'message', id, 1000
       from messages where id like 'msg_old_%'`,
      [worldId],
    ],
    ['update worlds set event_seq = event_seq + $2::bigint where id = $1', [worldId, messages]],
    // One turn and one approval per ten messages, all of them finished.
    [
      `insert into turns (id, world_id, chat_id, agent_id, trigger_id, trigger_seq, state, outcome, iteration, epoch,
         interruptions, begun_seq, input_tokens, output_tokens, created_at, ended_at)
       select 'turn_old_' || c || '_' || m, $1, 'chat_old_' || c, 'clerk', 'msg_old_' || c || '_' || m, m, 'ended', 'answered',
         2, 1, 0, m, 10, 10, 1000, 1000
       from generate_series(1, $2::int) c, generate_series(1, $3::int, 10) m`,
      [worldId, chats, each],
    ],
    [
      `insert into approvals (id, world_id, chat_id, agent_id, invocation_id, message_id, tool_name, call_hash, message, options,
         why, working_directory, sandbox, preview_truncated, applies, status, decision, scope, requested_at, decided_at)
       select 'approval_old_' || c || '_' || m, $1, 'chat_old_' || c, 'clerk', 'call_old_' || c || '_' || m,
         'msg_old_' || c || '_' || m, 'stamp', 'hash', 'May it stamp?', '[]', 'it asks', '/', 'none', 0, 'call', 'approved', 'approve',
         'once',
         1000, 1000
       from generate_series(1, $2::int) c, generate_series(1, $3::int, 10) m`,
      [worldId, chats, each],
    ],
    [
      `insert into search_documents (message_id, chat_id, world_id)
       select id, chat_id, world_id from messages where id like 'msg_old_%'`,
      [],
    ],
    [
      `insert into search_words (ordinal, words)
       select d.ordinal, array_to_tsvector(string_to_array(
         'something that was said a while ago in conversation as long things are people say ' ||
         substr(d.chat_id, 10) || ' letter' || (d.ordinal % 1000), ' '))
       from search_documents d`,
      [],
    ],
    [
      `insert into searched (world_id, upto) select id, event_seq from worlds where id = $1
       on conflict (world_id) do update set upto = excluded.upto`,
      [worldId],
    ],
    ['vacuum analyze', []],
  ];
  for (const [text, values] of statements) await query(url, text, values);
}
