// One contender in its own process. Executes commands from its parent and reports the time; nothing else runs in the meantime.
const [which] = process.argv.slice(2);
const rss = () => process.memoryUsage.rss() / 2 ** 20;
const base = rss();
const startedAt = process.hrtime.bigint();
const { CONTENDERS } = await import('./contenders.mjs');
const contender = await CONTENDERS[which]();
const importMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
const { ANSWER, ran } = await import('./script.mjs');

let subject;
let chats = [];
let work;
let turns = 0;
/** The meter's values at the end of the last turn. */
let known;

/** CPU time and tool runs so far: in this process, or in the server that the subject uses. */
async function meter() {
  if (subject.meter !== undefined) return await subject.meter();
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, ran: ran.count };
}

/** One turn in one chat without other load. Times in microseconds; `cpu` is CPU time from the pause to the end. */
async function once() {
  turns += 1;
  // Nothing has run since the last turn, and reading the meter of another process sends it a message that it has to answer.
  const first = known ?? (await meter());
  const start = process.hrtime.bigint();
  await subject.pause();
  const paused = process.hrtime.bigint() - start;
  const middle = work.gated ? await meter() : first;
  const resumed = process.hrtime.bigint();
  const text = await subject.finish();
  const finish = process.hrtime.bigint() - resumed;
  const last = await meter();
  known = subject.meter === undefined ? undefined : last;
  check(middle.ran - first.ran, last.ran - first.ran, work.tools, text);
  return { pause: Number(paused) / 1000, finish: Number(finish) / 1000, cpu: last.cpu - middle.cpu };
}

function check(early, count, wanted, text) {
  if (early === 0 && count === wanted && text === ANSWER) return;
  throw new Error(`${contender.name}: ${early} ran before, ${count} of ${wanted} after: ${JSON.stringify(text)}`);
}

/** The same turns in all chats concurrently. Measures whole turns: while one chat waits, another works. */
async function together(count) {
  let left = count;
  const times = [];
  const endWatch = watchLoop();
  const before = await meter();
  const startedAt = performance.now();
  await Promise.all(
    chats.map(async (chat) => {
      for (; left > 0;) {
        left -= 1;
        const at = performance.now();
        await chat.pause();
        check(0, work.tools, work.tools, await chat.finish());
        times.push((performance.now() - at) * 1000);
      }
    }),
  );
  const ms = performance.now() - startedAt;
  const after = await meter();
  turns += count;
  known = undefined;
  check(0, after.ran - before.ran, count * work.tools, ANSWER);
  return { times, ms, cpu: (after.cpu - before.cpu) / count, ...endWatch() };
}

/** How long the event loop was blocked. Node's own histogram has no entry if no timer fires before the end. */
function watchLoop() {
  const gaps = [];
  let last = performance.now();
  const note = () => {
    const now = performance.now();
    gaps.push(Math.max(0, now - last - 1));
    last = now;
  };
  const timer = setInterval(note, 1);
  return () => {
    clearInterval(timer);
    note();
    gaps.sort((a, b) => a - b);
    return { blockedMs: gaps[Math.floor(gaps.length * 0.99)], longestMs: gaps.at(-1) };
  };
}

async function obey(order) {
  switch (order.do) {
    case 'hello':
      return { name: contender.name, packageName: contender.packageName, importMs, rss: rss() - base };
    case 'prepare': {
      await subject?.close?.();
      ({ work } = order);
      subject = await contender.subject(work);
      chats = [subject];
      while (chats.length < (work.chats ?? 1)) chats.push(await subject.another());
      turns = 0;
      known = undefined;
      for (let i = 0; i < order.warmUp; i += 1) await once();
      return {};
    }
    case 'run': {
      const times = [];
      const until = performance.now() + order.ms;
      while (times.length < order.times && (times.length < 3 || performance.now() < until)) times.push(await once());
      return { times };
    }
    case 'together':
      return await together(order.times);
    case 'rest': {
      globalThis.gc?.();
      const used = { rss: (await subject.memory?.()) ?? rss(), paused: subject.bytes?.() };
      await subject.close?.();
      const persisted = subject.persisted?.();
      subject = undefined;
      return { ...used, ...(persisted === undefined ? {} : { persisted: persisted / turns }) };
    }
    case 'experiment':
      return { result: await contender.experiments[order.name]?.(order.with) };
    case 'end':
      await subject?.close?.();
      return {};
  }
  throw new Error(`unknown command "${order.do}"`);
}

async function answer(order) {
  try {
    process.send({ ok: true, ...(await obey(order)) });
    if (order.do === 'end') process.disconnect();
  } catch (error) {
    process.send({ ok: false, error: String(error?.stack ?? error) });
  }
}

process.on('message', (order) => void answer(order));
process.send({ ok: true });
