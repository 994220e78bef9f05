/**
 * OpenAI itself, or compatible servers, which accept less. Mistral accepts only ids of nine characters; OpenRouter forwards token budgets for
 * thinking.
 */
export type Dialect = 'openai' | 'compatible' | 'mistral' | 'openrouter';
