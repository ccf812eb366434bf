import type { Traffic } from "./traffic.ts";

/** What a provider needs beside the model: whom to ask, as whom, and how patiently. */
export interface ProviderConfig {
  apiKey?: string;
  /** As the SDKs take it: OpenAI's with `/v1`, Anthropic's without. */
  baseUrl?: string;
  headers?: Record<string, string>;
  fetch?: typeof fetch;
  /** Milliseconds without a single byte, from the request on, after which a request counts as lost. Default 120,000. */
  idleTimeoutMs?: number;
  /** Attempts after the first one, as long as nothing of an answer has arrived. Default 5. */
  maxRetries?: number;
  /** Makes those who ask the same provider wait together. Default: each for itself. */
  traffic?: Traffic;
}
