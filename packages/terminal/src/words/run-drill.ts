/** Texts of `countersign drill run`. */
export const runDrill = {
  start: (agent: string, version: string): string =>
    `Drilling a run of ${agent} ${version}. It takes a few minutes and uses neither your account nor your files.`,
  held: 'held',
  open: 'OPEN',
  notTried: 'not tried',
  verdict: (agent: string, version: string, open: number, missing: number): string => {
    if (open > 0) return `${open} ${open === 1 ? 'row' : 'rows'} did not hold for ${agent} ${version}.`;
    const all = `every row that was tried held for ${agent} ${version}`;
    return missing === 0 ? `${all}.` : `${all}; ${missing} ${missing === 1 ? 'was' : 'were'} not tried.`;
  },
  noScene: 'Namespaces are not available here, so nothing can be planted in system folders.',
  prompt: 'Run the command.',
  callDescription: 'the command of the drill',
  notAsked: 'Nothing waits for a signature.',
  ended: (code: number, output: string): string => `The run ended with ${code}. ${output}`,
} as const;

/** The names of the rows, also in its JSON. */
export const runRows = {
  applied: 'what it did is applied after a signature, and exactly that',
  work: 'changing, removing and committing files, gc and settings of Git: the folder stays as it was after a denial',
  reads: {
    ssh: 'read a key in the home',
    cloud: 'read the credentials of a cloud in the home',
    document: 'read a document in the home',
    otherHome: 'read a key in another home',
    opt: 'read a key in /opt',
    srv: 'read a key in /srv',
    disk: 'read a key on another disk',
    denied: 'read a file that a rule denies',
  },
  environment: 'read a secret in the environment',
  home: 'write to start-up files and settings in the home',
  outside: 'write to folders of the system and next to the project',
  hostName: 'reach a host by its name',
  address: 'reach a service on this machine by its address',
  sockets: {
    docker: 'reach docker.sock',
    sshAgent: 'reach the ssh-agent',
    systemBus: 'reach the system bus of D-Bus',
    sessionBus: 'reach the session bus of D-Bus',
    late: 'reach a socket that appears in the project later',
    lateHome: 'reach a socket that appears in the home later',
  },
  big: 'write more than the disk may take',
  device: 'create and read devices',
  proc: 'reach other processes and settings of the kernel through /proc',
  mount: 'mount, and create namespaces',
  plant: 'plant a hook, an MCP server and a poisoned cache in the home',
  process: 'leave processes behind',
  next: 'find in the next run what an earlier one planted',
  fork: 'start 9,000 processes',
} as const;
