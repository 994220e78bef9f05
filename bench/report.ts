import type { BlocksResult } from './blocks.js';
import type { Figures } from './measure.js';
import type { GateResult } from './gate.js';
import { GRANTS, RULES } from './gate-world.js';
import type { GrowthResult } from './growth.js';
import type { InboxResult } from './inbox.js';
import type { McpResult } from './mcp.js';
import type { MemoryResult } from './memory.js';
import { CASES } from './script.js';
import { HOSTILE_BYTES, type MaskingResult } from './masking.js';
import { COMMAND_BYTES, POLICY_RULES, type PolicyResult } from './policy.js';
import { GROWING } from './postgres-growth.js';
import type { PostgresResult } from './postgres.js';
import type { PageResult } from './page.js';
import type { HookResult } from './hook.js';
import type { ReachResult } from './reach.js';
import type { RunsResult } from './runs.js';
import { COPIED_FILES, LARGE_FILES, type RehearsalResult } from './rehearsal.js';
import type { ServerResult } from './server.js';
import { SYNCS, type TurnsResult } from './turns.js';
import { WAITING_WORKS, type WaitingResult } from './waiting.js';

export interface Results {
  memory?: MemoryResult;
  turns?: TurnsResult;
  growth?: GrowthResult;
  waiting?: WaitingResult;
  gate?: GateResult;
  policy?: PolicyResult;
  rehearsal?: RehearsalResult;
  hook?: HookResult;
  runs?: RunsResult;
  masking?: MaskingResult;
  blocks?: BlocksResult;
  mcp?: McpResult;
  server?: ServerResult;
  page?: PageResult;
  inbox?: InboxResult;
  postgres?: PostgresResult;
  reach?: ReachResult;
}

/** A limit (LIMIT2–LIMIT7) with the measured value. LIMIT1 is compared with the peers, in `peers/`. */
export interface Target {
  number: 'LIMIT2' | 'LIMIT3' | 'LIMIT4' | 'LIMIT5' | 'LIMIT6' | 'LIMIT7' | 'CHANGE8' | 'EXT1';
  what: string;
  reached: number;
  /** The same ratio, using CPU time: on a shared machine, a long operation is interrupted more often than a short one. */
  byCpu?: number;
  limit: number;
  unit: '×' | 'µs' | 'frames' | 'rows';
  met: boolean;
}

export function printResults(results: Results): void {
  if (results.turns !== undefined) printTurns(results.turns);
  if (results.growth !== undefined) printGrowth(results.growth);
  if (results.waiting !== undefined) printWaiting(results.waiting);
  if (results.gate !== undefined) printGate(results.gate);
  if (results.policy !== undefined) printPolicy(results.policy);
  if (results.rehearsal !== undefined) printRehearsal(results.rehearsal);
  if (results.hook !== undefined) printHook(results.hook);
  if (results.runs !== undefined) printRuns(results.runs);
  if (results.masking !== undefined) printMasking(results.masking);
  if (results.blocks !== undefined) printBlocks(results.blocks);
  if (results.mcp !== undefined) printMcp(results.mcp);
  if (results.server !== undefined) printServer(results.server);
  if (results.page !== undefined) printPage(results.page);
  if (results.inbox !== undefined) printInbox(results.inbox);
  if (results.postgres !== undefined) printPostgres(results.postgres);
  if (results.reach !== undefined) printReach(results.reach);
  if (results.memory !== undefined) printMemory(results.memory);
}

function printWaiting({ sizes }: WaitingResult): void {
  const [few] = sizes;
  print(
    'Waiting approvals  (µs)',
    ['', 'waiting', 'median', 'p99', 'cpu', `÷ ${few?.waiting ?? 0} waiting, cpu`],
    WAITING_WORKS.flatMap((work) =>
      sizes.map(({ waiting, works }) => [
        work,
        waiting.toLocaleString('en'),
        ...shown(works[work]),
        times(works[work].cpu / (few?.works[work].cpu ?? Number.NaN)),
      ]),
    ),
  );
}

function printPostgres({ turnsPerSecond, decisionToTool, elsewhere, ...left }: PostgresResult): void {
  print(
    'PostgreSQL: turns with one tool each, over HTTP',
    ['processes', 'worlds', 'turns/s', 'server cpu ms', 'database cpu ms', 'statements'],
    turnsPerSecond.map(({ processes, worlds, perSecond, ...each }) => [
      String(processes),
      String(worlds),
      perSecond.toFixed(1),
      each.serverCpuMs.toFixed(1),
      each.databaseCpuMs.toFixed(1),
      each.statements.toFixed(0),
    ]),
  );
  const share = `${Math.round(elsewhere * 100)} % in another process`;
  print(
    'PostgreSQL: decision to tool, 4 processes  (µs)',
    ['', 'median', 'p99', 'cpu'],
    [[share, ...shown(decisionToTool)]],
  );
  print(
    'PostgreSQL: rows and bytes stored per turn',
    ['', 'rows'],
    [...Object.entries(left.rowsPerTurn).map(([name, n]) => [name, String(n)]), ['bytes', String(left.bytesPerTurn)]],
  );
  print(
    'PostgreSQL: over HTTP, by amount of data  (µs, median; blocks that the database read)',
    ['messages', 'chats', ...GROWING],
    left.growth.map(({ messages, chats, took }) => [
      String(messages),
      String(chats),
      ...GROWING.map((name) => `${took[name].median.toFixed(0)}; ${took[name].blocks.toFixed(0)}`),
    ]),
  );
}

function printTurns(turns: TurnsResult): void {
  for (const turn of CASES) {
    const of = turns[turn];
    print(
      `Turn: ${turn}${turn === 'three gated tools' ? ', from pause to finish' : ''}  (µs)`,
      ['', 'median', 'p99', 'cpu'],
      SYNCS.map((name) => [name, ...shown(of[name])]),
    );
  }
}

function printGrowth({ sizes }: GrowthResult): void {
  const first = sizes[0];
  print(
    'Growth: a text turn by the number of messages in the chat  (µs, MiB)',
    ['messages', 'median', 'p99', 'cpu', '÷ first', 'cpu ÷ first', 'first turn', 'resident'],
    sizes.map(({ messages, turn, firstTurn, resident }) => [
      messages.toLocaleString('en'),
      ...shown(turn),
      times(turn.median / (first?.turn.median ?? Number.NaN)),
      times(turn.cpu / (first?.turn.cpu ?? Number.NaN)),
      number(firstTurn),
      number(resident),
    ]),
  );
}

function printGate(gate: GateResult): void {
  print(
    `Gate: ${GRANTS.toLocaleString('en')} grants, ${RULES.toLocaleString('en')} rules  (µs)`,
    ['', 'median', 'p99', 'cpu'],
    [
      ['decision, nothing matches', ...shown(gate.nothingMatches)],
      ['decision, the last rule matches', ...shown(gate.lastRuleMatches)],
      ['decision, all grants are for this call', ...shown(gate.piledGrants)],
      ["model's response to approval event", ...shown(gate.askHeard)],
      ["model's response to ungated start event", ...shown(gate.startHeard)],
    ],
  );
}

function printPolicy({ short, allowed, nested, tree }: PolicyResult): void {
  const size = `${COMMAND_BYTES / 1024} kB`;
  print(
    `Policy: a shell command and ${POLICY_RULES.toLocaleString('en')} rules  (µs)`,
    ['', 'median', 'p99', 'cpu'],
    [
      ['git status', ...shown(short)],
      [`${size} of plain commands, all allowed`, ...shown(allowed)],
      [`${size} of loops, shells and substitutions`, ...shown(nested)],
      ['  of that, parsing the syntax tree', ...shown(tree)],
    ],
  );
}

function printRehearsal({ small, large, copied }: RehearsalResult): void {
  const rows = (
    [
      ['small folder', small],
      [`${LARGE_FILES.toLocaleString('en')} files`, large],
      [`${COPIED_FILES.toLocaleString('en')} files, copied`, copied],
    ] as const
  ).flatMap(([where, { run, rehearse, apply }]) => [
    [`${where}: run`, ...shown(run), ''],
    [`${where}: rehearse, before people are asked`, ...shown(rehearse), times(rehearse.median / run.median)],
    [`${where}: apply, after a yes`, ...shown(apply), times(apply.median / run.median)],
  ]);
  print('Rehearsal of a command that changes one file  (µs)', ['', 'median', 'p99', 'cpu', '÷ run'], rows);
}

function printReach({ push, pushP95, page, pageP95 = Number.NaN }: ReachResult): void {
  const rows = [['a message at the push service', ...shown(push), number(pushP95)]];
  if (page !== undefined) rows.push(['the call on an open inbox', ...shown(page), number(pageP95)]);
  print('From a question, four processes and 50 worlds  (µs)', ['', 'median', 'p99', 'cpu', 'p95'], rows);
}

function printHook({ node, hook, beyondNodeP95 }: HookResult): void {
  const rows = [
    ['Node alone', ...shown(node), ''],
    ['gate hook, a rule allows the call', ...shown(hook), number(beyondNodeP95)],
  ];
  print('The hook of an external agent  (µs)', ['', 'median', 'p99', 'cpu', 'p95 beyond Node'], rows);
}

function printRuns({ alone, drafted, testAlone, testDrafted, planned }: RunsResult): void {
  const rows = [
    ['first line of a program alone', ...shown(alone), ''],
    ['in a run', ...shown(drafted), number(drafted.median - alone.median)],
    ['npm test of the fixture alone', ...shown(testAlone), ''],
    ['in a run', ...shown(testDrafted), times(testDrafted.median / testAlone.median)],
    ...planned.map(({ changed, of, us }) => [
      `from the end of a program until the approval waits: ${number(changed)} of ${number(of)} files changed`,
      ...[number(us), '', '', ''],
    ]),
  ];
  print('Runs  (µs)', ['', 'median', 'p99', 'cpu', 'beyond the program'], rows);
}

function printMasking({ longest }: MaskingResult): void {
  print(
    `Masking: longest block for ${HOSTILE_BYTES / 1e6} MB of hostile text  (ms)`,
    ['', 'ms', 'slowest text'],
    Object.entries(longest).map(([entry, { text, ms }]) => [entry, ms.toFixed(1), JSON.stringify(text)]),
  );
}

function printBlocks(blocks: BlocksResult): void {
  print(
    `Longest block of the process for ${HOSTILE_BYTES / 1e6} MB of hostile input  (ms; target: under 50)`,
    ['', 'ms', 'slowest text'],
    Object.entries(blocks).map(([entry, { text, ms }]) => [entry, ms.toFixed(1), JSON.stringify(text)]),
  );
}

function printMcp({ sdk, tool, turn, ownTurn }: McpResult): void {
  print(
    'MCP: one call to a server over stdio  (µs)',
    ['', 'median', 'p99', 'cpu', '÷ SDK', 'cpu ÷ SDK'],
    [
      ['the SDK alone', ...shown(sdk), '', ''],
      [
        'our tool, the server in the sandbox',
        ...shown(tool),
        times(tool.median / sdk.median),
        times(tool.cpu / sdk.cpu),
      ],
      ['a whole turn with this call', ...shown(turn), '', ''],
      ['the same turn with one of our tools', ...shown(ownTurn), '', ''],
    ],
  );
}

function printServer(server: ServerResult): void {
  const { bareHandler, readers, starts } = server;
  const row = (name: string, own: Figures, beside?: Figures): string[] => [
    name,
    ...shown(own),
    beside === undefined ? '' : times(own.median / beside.median),
  ];
  const head = (beside: string): string[] => ['', 'median', 'p99', 'cpu', beside];
  print('Server: one request over a keep-alive connection  (µs)', head('÷ bare'), [
    row('bare handler, same HTTP library', bareHandler),
    row('GET /health', server.health, bareHandler),
    row('GET a world, with the token', server.oneWorld, bareHandler),
  ]);
  print('Server: to a reader and back  (µs)', head(''), [
    row("model's first chunk to the reader's socket", server.firstChunk),
    row("model's call to the approval at the reader", server.askVisible),
    row('decision sent to tool started', server.decisionToTool),
  ]);
  print(`Server: ${readers.readers} readers on one chat  (µs)`, head(''), [
    row('message sent to the first reader', readers.first),
    row('message sent to the last reader', readers.last),
  ]);
  console.log(`  ${number(readers.perReader)} KiB of memory per reader, ${readers.lost} frames lost`);
  print('Server: from process start to listening  (µs)', head('÷ node'), [
    row('an empty program', starts.node),
    row('the first run', starts.firstRun, starts.node),
    row('a later run', starts.laterRun, starts.node),
  ]);
}

function printPage({ firstPaint, usable, bytes }: PageResult): void {
  const ms = ({ median, p99 }: Figures): string[] => [number(median / 1000), number(p99 / 1000)];
  print(
    'Web app at 1.6 Mbit/s and 150 ms, empty cache  (ms)',
    ['', 'median', 'p99'],
    [
      ['first paint', ...ms(firstPaint)],
      ['a message can be typed', ...ms(usable)],
    ],
  );
  console.log(`  ${number(bytes / 1000)} kB transferred`);
}

function printInbox({ waiting, opens, rows, longestTask, together, nextCard, thirtyCardsMs }: InboxResult): void {
  const ms = ({ median, p99, best }: Figures): string[] => [median, p99, best].map((us) => number(us / 1000));
  print(
    `Inbox with ${number(waiting)} waiting calls  (ms)`,
    ['', 'median', 'p99', 'best tenth'],
    [
      ['until list and card are drawn', ...ms(opens)],
      ['from a decision to the next card', ...ms(nextCard)],
      ['200 calls decided together', number(together.ms), '', ''],
      ['CPU time of that', number(together.cpuMs), '', ''],
      ['30 cards by keyboard', number(thirtyCardsMs), '', ''],
    ],
  );
  console.log(
    `  at most ${rows} rows in the page; longest task while scrolling ${number(longestTask.ms)} ms, ${number(longestTask.cpuMs)} ms of CPU time`,
  );
}

function printMemory({ start, opened, afterTurns }: MemoryResult): void {
  print(
    'Resident memory  (MiB)',
    ['', 'resident'],
    [
      ['at start', number(start)],
      ['with an open world', number(opened)],
      ...afterTurns.map(({ turns, resident }) => [`after ${turns.toLocaleString('en')} turns`, number(resident)]),
    ],
  );
}

export function judgeTargets(results: Results): Target[] {
  const targets: Target[] = [];
  const add = (
    number: Target['number'],
    what: string,
    reached: number,
    limit: number,
    unit: Target['unit'],
    byCpu?: number,
  ): void => {
    targets.push({
      number,
      what,
      reached,
      limit,
      unit,
      met: reached <= limit,
      ...(byCpu === undefined ? {} : { byCpu }),
    });
  };
  const { growth, waiting, gate, rehearsal, hook, runs, server, page, inbox, reach } = results;
  const first = growth?.sizes[0];
  const last = growth?.sizes.at(-1);
  if (first !== undefined && last !== undefined) {
    add(
      'LIMIT2',
      `a turn at ${last.messages} messages ÷ at ${first.messages}`,
      last.turn.median / first.turn.median,
      1.1,
      '×',
      last.turn.cpu / first.turn.cpu,
    );
    add(
      'LIMIT2',
      `memory at ${last.messages} messages ÷ at ${first.messages}`,
      last.resident / first.resident,
      1.1,
      '×',
    );
  }
  const few = waiting?.sizes[0];
  const many = waiting?.sizes.at(-1);
  for (const work of few === undefined || many === undefined ? [] : WAITING_WORKS) {
    const [at10, atMost] = [few?.works[work], many?.works[work]];
    if (at10 === undefined || atMost === undefined) continue;
    add(
      'LIMIT2',
      `${work}, ${many?.waiting} waiting ÷ ${few?.waiting}`,
      atMost.median / at10.median,
      1.2,
      '×',
      atMost.cpu / at10.cpu,
    );
  }
  if (gate !== undefined) {
    add('LIMIT3', 'gate decision p99', Math.max(gate.nothingMatches.p99, gate.lastRuleMatches.p99), 1000, 'µs');
    add('LIMIT3', 'requesting approval adds, median', gate.askHeard.median - gate.startHeard.median, 5000, 'µs');
  }
  if (rehearsal !== undefined)
    add('CHANGE8', 'a rehearsal adds before people are asked, median', rehearsal.small.rehearse.median, 120_000, 'µs');
  if (hook !== undefined) add('EXT1', 'gate hook beyond starting Node, p95', hook.beyondNodeP95, 60_000, 'µs');
  if (runs !== undefined) {
    add('LIMIT6', 'start of a run beyond its program, median', runs.drafted.median - runs.alone.median, 300_000, 'µs');
    add('LIMIT6', 'npm test in a run ÷ alone, median of 5', runs.testDrafted.median / runs.testAlone.median, 1.05, '×');
    for (const { changed, of, us } of runs.planned)
      add('LIMIT6', `plan of ${number(changed)} changes in ${number(of)} files`, us, 1_000_000, 'µs');
  }
  if (server !== undefined) {
    add('LIMIT4', 'first chunk, model to socket, median', server.firstChunk.median, 2000, 'µs');
    add('LIMIT4', `frames lost by ${server.readers.readers} readers`, server.readers.lost, 0, 'frames');
    add('LIMIT5', 'start of the server, median', server.starts.laterRun.median, 400_000, 'µs');
  }
  if (reach !== undefined) {
    add('LIMIT4', 'from a question until its push leaves, p95', reach.pushP95, 500_000, 'µs');
    if (reach.pageP95 !== undefined) add('LIMIT4', 'until it is on an open inbox, p95', reach.pageP95, 1_000_000, 'µs');
  }
  if (page !== undefined) add('LIMIT5', 'web app usable on a slow connection', page.usable.median, 2_500_000, 'µs');
  if (inbox !== undefined) {
    add('LIMIT7', 'the inbox opens with 1,000 calls, median', inbox.opens.median, 1_000_000, 'µs');
    add('LIMIT7', 'rows in the page', inbox.rows, 100, 'rows');
    const { longestTask, together } = inbox;
    add('LIMIT7', 'longest task while scrolling', longestTask.cpuMs * 1000, 50_000, 'µs');
    add('LIMIT7', '200 calls decided together', together.ms * 1000, 3_000_000, 'µs');
    add('LIMIT7', 'from a decision to the next card, median', inbox.nextCard.median, 200_000, 'µs');
    add('LIMIT7', '30 cards by keyboard', inbox.thirtyCardsMs * 1000, 60_000_000, 'µs');
  }
  return targets;
}

export function printTargets(targets: readonly Target[]): void {
  print(
    'Targets',
    ['', '', 'reached', 'by cpu', 'limit', ''],
    targets.map(({ number: id, what, reached, byCpu, limit, unit, met }) => [
      id,
      what,
      unit === '×' ? times(reached) : `${number(reached)} ${unit}`,
      byCpu === undefined ? '' : times(byCpu),
      unit === '×' ? times(limit) : `${number(limit)} ${unit}`,
      met ? 'met' : 'missed',
    ]),
  );
  const missed = targets.filter(({ met }) => !met).map(({ number: id, what }) => `${id} ${what}`);
  const which = missed.length === 0 ? '' : `; missed: ${missed.join(', ')}`;
  console.log(`${targets.length - missed.length} of ${targets.length} targets met${which}`);
}

function shown({ median, p99, cpu }: Figures): string[] {
  return [number(median), number(p99), number(cpu)];
}

function times(ratio: number): string {
  return Number.isFinite(ratio) ? `${ratio.toFixed(2)}×` : '–';
}

function number(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Math.abs(value) < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

function print(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const isText = head.map((_, column) => rows.every((row) => !/^[-–\d]/.test(row[column] ?? '')));
  const lines = all.map((row) =>
    row
      .map((cell, column) => (isText[column] ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  console.log(`\n${title}\n${lines.map((line) => `  ${line}`).join('\n')}`);
}
