/** Pseudo-tools: rules for these names configure the sandbox. */
export const FOLDER_RULE = 'sandbox_folder';
export const NETWORK_RULE = 'sandbox_network';
export const SANDBOX_RULES: readonly string[] = [FOLDER_RULE, NETWORK_RULE];
