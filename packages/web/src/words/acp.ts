/** The settings of an agent that is another program, spoken to over ACP. */
export const acpWords = {
  provider: 'another program (ACP)',
  unsandboxed:
    "The program runs as the server's user, outside Countersign's sandbox. Only the calls that it asks about can be approved. If the server has no bubblewrap, the program can also read Countersign's own files, with its tokens.",
  command: 'Command',
  commandExample: 'gemini',
  argumentsHint: 'One per line, such as --acp. The program must speak the Agent Client Protocol.',
  program: 'Name in its tools',
  programHint: "Rules name its tools after it: gemini__execute. Default: the program's file name.",
  mode: 'Mode',
  modeHint: 'Default: the one in which the program asks most. Modes without questions are refused.',
  env: 'Environment variables',
  envExample: 'GEMINI_API_KEY',
  envHint: 'Names of variables of the server that the program gets. Not their values.',
} as const;
