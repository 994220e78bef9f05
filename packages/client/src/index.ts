export type { CallOptions, ChangeOptions, Client, List, PageQuery, Tagged, ToolResultAnswer } from './client.js';
export type { EventsOptions, StreamItem } from './events.js';
export { rowAt, sliceRows } from './rows.js';
export type { Rows } from './rows.js';
export type {
  ApprovalView,
  ChatState,
  ChatSummary,
  Connection,
  Decision,
  Invocation,
  InvocationStatus,
  LiveStream,
  Loading,
  Notice,
  OutputTail,
  Speaker,
  TranscriptMessage,
  WorldState,
} from './state.js';
export type { ChatStore, Store, WorldStore } from './store.js';
export { get, has, values } from './table.js';
export type { Table } from './table.js';
