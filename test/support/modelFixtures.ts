/** Lists of models as the providers' documentation describes them. */

const supported = { supported: true };
const unsupported = { supported: false };

export const anthropicPage = {
  data: [
    {
      type: "model",
      id: "claude-opus-5-5",
      display_name: "Claude Opus 5.5",
      created_at: "2026-09-01T00:00:00Z",
      lifecycle: "active",
      deprecated_at: null,
      retires_at: null,
      max_input_tokens: 2_000_000,
      max_tokens: 256_000,
      capabilities: {
        batch: supported,
        image_input: supported,
        pdf_input: supported,
        thinking: {
          supported: true,
          types: { adaptive: supported, between_tools: supported, disabled: supported, enabled: unsupported },
        },
        effort: { supported: true, low: supported, medium: supported, high: supported, max: supported, xhigh: null },
      },
    },
    {
      type: "model",
      id: "claude-haiku-4-5-20251001",
      display_name: "Claude Haiku 4.5",
      created_at: "2025-10-01T00:00:00Z",
      lifecycle: "deprecated",
      retires_at: "2027-01-31T00:00:00Z",
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      capabilities: {
        image_input: supported,
        thinking: { supported: true, types: { adaptive: unsupported, disabled: supported, enabled: supported } },
        effort: { supported: false, low: unsupported, medium: unsupported, high: unsupported },
      },
    },
    {
      type: "model",
      id: "claude-plain",
      display_name: "Claude Plain",
      max_input_tokens: null,
      max_tokens: null,
      capabilities: null,
    },
  ],
  first_id: "claude-opus-5-5",
  last_id: "claude-plain",
  has_more: false,
};

export const openrouterList = {
  data: [
    {
      id: "vendor/thinker",
      canonical_slug: "vendor/thinker",
      name: "Vendor: Thinker",
      created: 1_760_000_000,
      context_length: 400_000,
      architecture: { modality: "text+image->text", input_modalities: ["text", "image"], output_modalities: ["text"] },
      pricing: {
        prompt: "0.000003",
        completion: "0.000015",
        request: "0",
        image: "0.0048",
        input_cache_read: "0.0000003",
        input_cache_write: "0.00000375",
      },
      top_provider: { context_length: 200_000, max_completion_tokens: 64_000, is_moderated: false },
      per_request_limits: null,
      supported_parameters: ["tools", "tool_choice", "reasoning", "max_tokens"],
      reasoning: { mandatory: false, supported_efforts: ["high", "medium", "low"] },
      expiration_date: "2027-03-01",
    },
    {
      id: "vendor/plain:free",
      name: "Vendor: Plain (free)",
      context_length: 32_768,
      architecture: { input_modalities: ["text"], output_modalities: ["text"] },
      pricing: { prompt: "0", completion: "0" },
      top_provider: { context_length: null, max_completion_tokens: null, is_moderated: false },
      supported_parameters: ["temperature"],
    },
    {
      id: "openrouter/auto",
      name: "Auto Router",
      context_length: 2_000_000,
      architecture: { input_modalities: ["text"], output_modalities: ["text"] },
      pricing: { prompt: "-1", completion: "-1" },
      top_provider: { context_length: null, max_completion_tokens: null },
      supported_parameters: [],
    },
    {
      id: "vendor/banded",
      name: "Vendor: Banded",
      context_length: 1_000_000,
      pricing: {
        prompt: "0.000001",
        completion: "0.000002",
        overrides: [{ min_prompt_tokens: 200_000, prompt: "0.000002" }],
      },
    },
    {
      id: "vendor/painter",
      name: "Vendor: Painter",
      architecture: { input_modalities: ["text"], output_modalities: ["image"] },
      pricing: { prompt: "0", completion: "0" },
    },
  ],
};

export const openaiList = {
  object: "list",
  data: [
    { id: "gpt-6-astra", object: "model", created: 1_790_000_000, owned_by: "openai" },
    { id: "gpt-unheard-of", object: "model", created: 1_790_000_000, owned_by: "openai" },
    { id: "text-embedding-3-small", object: "model", created: 1_700_000_000, owned_by: "openai" },
    { id: "whisper-1", object: "model", created: 1_700_000_000, owned_by: "openai" },
    { id: "gpt-image-2", object: "model", created: 1_700_000_000, owned_by: "openai" },
  ],
};

export const vllmList = {
  object: "list",
  data: [{ id: "Qwen/Qwen3-32B", object: "model", owned_by: "vllm", root: "Qwen/Qwen3-32B", max_model_len: 40_960 }],
};

export const ollama = {
  tags: { models: [{ name: "qwen3:8b" }, { name: "llava:7b" }, { name: "nomic-embed-text:latest" }] },
  ps: { models: [{ name: "qwen3:8b", model: "qwen3:8b", context_length: 16_384 }] },
  show: {
    "qwen3:8b": {
      parameters: "temperature 0.6",
      model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
      capabilities: ["completion", "tools", "thinking"],
    },
    "llava:7b": {
      parameters: 'stop "USER:"\nnum_ctx 8192\n',
      model_info: { "general.architecture": "llama", "llama.context_length": 32_768 },
      capabilities: ["completion", "vision"],
    },
    "nomic-embed-text:latest": {
      model_info: { "general.architecture": "nomic-bert", "nomic-bert.context_length": 2_048 },
      capabilities: ["embedding"],
    },
  },
};

export const studioList = {
  object: "list",
  data: [
    { id: "qwen2-vl-7b", object: "model", type: "vlm", state: "not-loaded", max_context_length: 32_768 },
    {
      id: "llama-3.1-8b",
      object: "model",
      type: "llm",
      state: "loaded",
      max_context_length: 131_072,
      loaded_context_length: 4_096,
      capabilities: ["tool_use"],
    },
    { id: "text-embedding-nomic", object: "model", type: "embeddings", max_context_length: 2_048 },
  ],
};

export const llama = {
  models: {
    object: "list",
    data: [{ id: "unsloth/Qwen3.6-35B", object: "model", owned_by: "llamacpp", meta: { n_ctx_train: 262_144 } }],
  },
  props: {
    default_generation_settings: { n_ctx: 65_536 },
    total_slots: 4,
    modalities: { vision: true, audio: false },
    build_info: "b8681",
  },
};
