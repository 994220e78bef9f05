/** Something to measure. `before` isn't measured and prepares what `run` needs. */
export interface Subject {
  readonly name: string;
  before?(): Promise<void>;
  run(): Promise<void> | void;
  /** Waits for work that continues after `run`, so that it isn't attributed to the next subject. */
  after?(): Promise<void>;
}

/** Microseconds per operation. */
export interface Figures {
  median: number;
  p99: number;
  /** The smallest median among the ten parts of the run: the speed without other load. */
  best: number;
  /** CPU time (user and system) of all threads, which other load on the machine doesn't affect. */
  cpu: number;
  count: number;
}

export interface Plan {
  /** Operations to run per subject before measuring. */
  warmUp: number;
  rounds: number;
  /** Consecutive operations per subject in each round. */
  perRound: number;
}

/** Alternates between the subjects, so that other load on the machine affects all of them equally. Each round starts with a different subject. */
export async function measure(subjects: readonly Subject[], plan: Plan): Promise<Map<string, Figures>> {
  for (const subject of subjects) {
    for (let i = 0; i < plan.warmUp; i += 1) await runOnce(subject);
  }
  const taken = new Map(subjects.map(({ name }) => [name, { times: [] as number[], cpu: 0 }]));
  for (let round = 0; round < plan.rounds; round += 1) {
    const shift = round % subjects.length;
    for (const subject of [...subjects.slice(shift), ...subjects.slice(0, shift)]) {
      const sum = taken.get(subject.name);
      for (let i = 0; i < plan.perRound; i += 1) {
        const { wall, cpu } = await runOnce(subject);
        sum?.times.push(wall);
        if (sum !== undefined) sum.cpu += cpu;
      }
    }
  }
  return new Map([...taken].map(([name, { times, cpu }]) => [name, summarize(times, cpu)]));
}

async function runOnce(subject: Subject): Promise<{ wall: number; cpu: number }> {
  await subject.before?.();
  const used = process.cpuUsage();
  const start = process.hrtime.bigint();
  // Awaited only if there is something to wait for: an extra promise would slow down synchronous subjects.
  const pending = subject.run();
  if (pending !== undefined) await pending;
  const wall = Number(process.hrtime.bigint() - start) / 1000;
  const { user, system } = process.cpuUsage(used);
  await subject.after?.();
  return { wall, cpu: user + system };
}

export function summarize(times: readonly number[], cpu = Number.NaN): Figures {
  const tenth = Math.ceil(times.length / 10);
  const parts = Array.from({ length: 10 }, (_, i) => times.slice(i * tenth, (i + 1) * tenth)).filter(
    (part) => part.length > 0,
  );
  return {
    median: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    best: Math.min(...parts.map((part) => quantile(part, 0.5))),
    cpu: cpu / times.length,
    count: times.length,
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
