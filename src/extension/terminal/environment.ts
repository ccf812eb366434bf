/** Set in a command's environment to find what it spawned; commands within commands add theirs. */
export const commandMarkVariable = "ARBOR_COMMANDS";

/** Makers and hosts of models: what they call a key, token or secret is not a command's business. */
const providerNames =
  "AI_GATEWAY|AI21|ALEPH_ALPHA|ANTHROPIC|ANYSCALE|AWS_BEARER|AZURE_(?:AI|API|OPENAI)|BEDROCK|CEREBRAS|CLAUDE|CODEX|COHERE|CO_API|COPILOT|DASHSCOPE|DEEPINFRA|DEEPSEEK|FIREWORKS|GEMINI|GITHUB_COPILOT|GOOGLE_(?:AI|API|GENAI|GENERATIVE_AI)|GROK|GROQ|HF|HUGGING_?FACE(?:HUB)?|LITELLM|LLM|MISTRAL|MOONSHOT|NEBIUS|NOVITA|NVIDIA|OLLAMA|OPENAI|OPENROUTER|PERPLEXITY|PPLX|REPLICATE|SAMBANOVA|TOGETHER(?:AI)?|VERTEX|VOYAGE|WATSONX|XAI|ZAI|ZHIPU(?:AI)?";
const providerKey = new RegExp(
  `^(?:[A-Z0-9]+_)*(?:${providerNames})_(?:[A-Z0-9]+_)*(?:API_?KEY|KEYS?|TOKENS?|SECRET|CREDENTIALS?)(?:_[A-Z0-9]+)*$`,
);
const plainKey = /^(?:API_?KEY|CO_API_KEY|GOOGLE_API_KEY)$/;
/** Whatever its variable is called, such a value is a key for a model. */
const keyValue = /^(?:sk-(?:ant|or|proj|svcacct)-|gsk_|xai-|pplx-|hf_[A-Za-z0-9]{20})/;

/** The editor's own, which would make programs take themselves for a part of it. */
const editorVariable = /^(?:ELECTRON_|VSCODE_)/i;
/** Files that a shell would read before the command. */
const startUpFiles = new Set(["BASH_ENV", "ENV", "ZDOTDIR", "PROMPT_COMMAND"]);

/** There is no terminal: nothing waits for a key press, nothing draws. */
const withoutTerminal = { TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

/**
 * The environment a command gets: the editor's, without provider keys and without what the editor set for itself.
 * `keyNames` are further variables that hold keys, as the settings name them. This keeps keys from programs that would
 * use or print them; one that goes looking can still read the editor's own environment where the system lets it.
 */
export function commandEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  { mark, keyNames }: { mark: string; keyNames: readonly string[] },
): Record<string, string> {
  // Windows does not tell apart how a name is written.
  const named = new Set(keyNames.map((name) => name.toUpperCase()));
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || named.has(name.toUpperCase()) || startUpFiles.has(name)) continue;
    if (editorVariable.test(name) || isProviderKey(name, value) || isExportedFunction(name)) continue;
    environment[name] = value;
  }
  const outer = base[commandMarkVariable];
  const marks = outer === undefined ? mark : `${outer} ${mark}`;
  return { ...environment, ...withoutTerminal, [commandMarkVariable]: marks };
}

function isProviderKey(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  return providerKey.test(upper) || plainKey.test(upper) || keyValue.test(value.trim());
}

/** A function that bash takes over from its environment could stand in for any program of the shown command. */
function isExportedFunction(name: string): boolean {
  return name.startsWith("BASH_FUNC_");
}
