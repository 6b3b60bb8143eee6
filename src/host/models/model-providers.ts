import type { LanguageModel } from 'ai';
import { defined, interpolate, variableNames, withVersion } from '#lib';
import { ModelFailed } from './model-errors.js';

/** An OpenAI-compatible provider in the config. `${NAME}` in its texts is replaced by variables. */
interface ConfiguredProvider {
  base_url: string;
  api_key?: string | undefined;
  free: boolean;
}

/** The key and address for calls. */
interface Access {
  apiKey?: string;
  baseURL?: string;
}

type Values = Readonly<Record<string, string | undefined>>;

/** A service with models. The libraries are loaded when the first model is asked, because `--help` must not wait. */
export interface ModelProvider {
  /** It costs nothing, so it may be asked without permission to spend money. */
  free: boolean;
  /** Variables that it uses from the user's shell. */
  variables: string[];
  /** The ones of these that contain its address. */
  addresses: string[];
  /** Groups of variables. At least one variable of each group must have a value. */
  needs: string[][];
  /** Returns its address, if one is set; null: the vendor's own address. */
  address(values: Values): string | null;
  /** The vendor's own address; null if there is none. */
  vendor: string | null;
  /** Returns the key for calls; null if it needs none, or if none has a value. */
  key(values: Values): string | null;
  connect(model: string, values: Values): Promise<LanguageModel>;
}

type Connect = (access: Access, model: string) => Promise<LanguageModel>;

/** The built-in providers. The key and the address are those of the first variable that has a value. */
const builtIn: Record<string, ModelProvider> = {
  anthropic: hosted(
    'https://api.anthropic.com',
    ['ANTHROPIC_API_KEY'],
    ['ANTHROPIC_BASE_URL'],
    '/v1',
    async (access, model) => (await import('@ai-sdk/anthropic')).createAnthropic(access)(model),
  ),
  openai: hosted('https://api.openai.com', ['OPENAI_API_KEY'], ['OPENAI_BASE_URL'], '/v1', async (access, model) =>
    (await import('@ai-sdk/openai')).createOpenAI(access)(model),
  ),
  google: hosted(
    'https://generativelanguage.googleapis.com',
    ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    ['GOOGLE_GENERATIVE_AI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL'],
    '/v1beta',
    async (access, model) => (await import('@ai-sdk/google')).createGoogleGenerativeAI(access)(model),
  ),
};

/** Returns the providers that a project can name: the built-in ones and those of its config, which take precedence. */
export const knownProviders = (configured: Record<string, ConfiguredProvider>): Map<string, ModelProvider> =>
  new Map([
    ...Object.entries(builtIn),
    ...Object.entries(configured).map(([name, settings]): [string, ModelProvider] => [
      name,
      compatible(name, settings),
    ]),
  ]);

/** Returns the variables that contain addresses of providers. */
export const addressVariables = (configured: Record<string, ConfiguredProvider>): Set<string> =>
  new Set([...knownProviders(configured).values()].flatMap(({ addresses }) => addresses));

/** Returns the required variables of a provider that have no value; the first name of each group. */
export const missingVariables = ({ needs }: ModelProvider, values: Values): string[] =>
  needs.flatMap((names) => (firstOf(names, values) === undefined ? names.slice(0, 1) : []));

function hosted(vendor: string, keys: string[], addresses: string[], version: string, connect: Connect): ModelProvider {
  return {
    vendor,
    free: false,
    variables: [...keys, ...addresses],
    addresses,
    needs: [keys],
    address: (values) => firstOf(addresses, values) ?? null,
    key: (values) => firstOf(keys, values) ?? null,
    connect: (model, values) => {
      const [apiKey, address] = [firstOf(keys, values), firstOf(addresses, values)];
      return connect(
        {
          ...defined({ apiKey }),
          ...(address === undefined ? {} : { baseURL: withVersion(checked(address, addresses), version) }),
        },
        model,
      );
    },
  };
}

function checked(address: string, from: string[]): string {
  if (/^https?:\/\//.test(address) && URL.canParse(address)) return address;
  throw new ModelFailed('refused', `${from.join(' or ')} is not an address like https://host/path`);
}

function compatible(name: string, { base_url, api_key, free }: ConfiguredProvider): ModelProvider {
  const variables = [base_url, api_key ?? ''].flatMap(variableNames);
  const fill = (text: string, values: Values): string => {
    const filled = interpolate(text, values);
    return filled.ok ? filled.text : '';
  };
  return {
    vendor: null,
    free,
    variables,
    addresses: variableNames(base_url),
    needs: variables.map((variable) => [variable]),
    address: (values) => fill(base_url, values),
    key: (values) => fill(api_key ?? '', values) || null,
    async connect(model, values) {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const apiKey = fill(api_key ?? '', values);
      return createOpenAICompatible({
        name,
        baseURL: checked(fill(base_url, values), [`providers.${name}.base_url`]),
        ...(apiKey === '' ? {} : { apiKey }),
        supportsStructuredOutputs: true,
      })(model);
    },
  };
}

/** An empty key counts as missing, because every service would refuse it. */
function firstOf(names: readonly string[], values: Values): string | undefined {
  return names.map((name) => values[name]).find((value) => value !== undefined && value !== '');
}
