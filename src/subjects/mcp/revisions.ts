import * as schemas from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { isJsonObject, type Json, ownValue } from '#lib';

/*
 * The messages of servers that clients accept, by revision of the protocol. The schemas of the SDK are those of
 * 2025-11-25, which only adds to the revisions before. Those of 2026-07-28 are derived from them; they leave out what
 * its clients do not look at.
 */

/** The messages of servers that the clients of a revision accept. */
export interface Revision {
  result(method: string, result: Json): z.ZodType;
  /** The schema of a notification; undefined if the revision has none of this method. */
  notification(method: string): z.ZodType | undefined;
  /** The schema of a request of the server; undefined if there is none; null if servers make no requests. */
  request: ((method: string) => z.ZodType | undefined) | null;
}

const NEWEST_WITH_REQUESTS = '2025-11-25';
const WITHOUT_REQUESTS = '2026-07-28';

/** True if results say of which type they are, and each request names its version, as since 2026-07-28. */
export const hasResultTypes = (version: string): boolean => version > NEWEST_WITH_REQUESTS;

/** Returns the revision that a version of the protocol names; null if its schemas are not known. */
export const createRevisions = (): ((version: string) => Revision | null) => {
  const [older, newer] = [createOlder(), createNewer()];
  return (version) => (version <= NEWEST_WITH_REQUESTS ? older : version === WITHOUT_REQUESTS ? newer : null);
};

/** The alternative of a union that has this method. */
function withMethod(union: { options: readonly z.ZodType[] }, method: string): z.ZodType | undefined {
  const options = union.options as readonly (z.ZodType & { shape: { method: z.ZodLiteral } })[];
  return options.find(({ shape }) => shape.method.value === method);
}

// The protocol requires the content; the schema of the SDK adds it.
const called = { content: z.array(schemas.ContentBlockSchema) };

function createOlder(): Revision {
  const results: Readonly<Record<string, z.ZodType>> = {
    initialize: schemas.InitializeResultSchema,
    'tools/list': schemas.ListToolsResultSchema,
    'tools/call': schemas.CallToolResultSchema.extend(called),
    'resources/list': schemas.ListResourcesResultSchema,
    'resources/templates/list': schemas.ListResourceTemplatesResultSchema,
    'resources/read': schemas.ReadResourceResultSchema,
    'prompts/list': schemas.ListPromptsResultSchema,
    'prompts/get': schemas.GetPromptResultSchema,
    'completion/complete': schemas.CompleteResultSchema,
    'tasks/get': schemas.GetTaskResultSchema,
    'tasks/list': schemas.ListTasksResultSchema,
    'tasks/cancel': schemas.CancelTaskResultSchema,
  };
  return {
    result: (method, result) =>
      method === 'tools/call' && isJsonObject(result) && isJsonObject(result['task'])
        ? schemas.CreateTaskResultSchema
        : (ownValue(results, method) ?? schemas.ResultSchema),
    notification: (method) => withMethod(schemas.ServerNotificationSchema, method),
    request: (method) => withMethod(schemas.ServerRequestSchema, method),
  };
}

function createNewer(): Revision {
  const open = { _meta: z.looseObject({}).optional() };
  const complete = { ...open, resultType: z.literal(['complete', 'input_required']) };
  const cached = { ...complete, ttlMs: z.int().min(0), cacheScope: z.enum(['public', 'private']) };
  const anySchema = { $schema: z.string().optional() };
  const Tool = schemas.ToolSchema.extend({
    inputSchema: z.looseObject({ ...anySchema, type: z.literal('object') }),
    outputSchema: z.looseObject(anySchema).optional(),
    execution: z.unknown().optional(),
  });
  const results: Readonly<Record<string, z.ZodType>> = {
    // Clients look at the versions, to find one that both know, and are lenient about the rest.
    'server/discover': schemas.ResultSchema.extend({
      ...open,
      supportedVersions: z.array(z.string()),
      capabilities: schemas.ServerCapabilitiesSchema.extend({ tasks: z.unknown().optional() }),
      instructions: z.string().optional(),
    }),
    'tools/list': schemas.ListToolsResultSchema.extend({ ...cached, tools: z.array(Tool) }),
    'tools/call': schemas.CallToolResultSchema.extend({
      ...complete,
      ...called,
      structuredContent: z.unknown().optional(),
    }),
    'resources/list': schemas.ListResourcesResultSchema.extend(cached),
    'resources/templates/list': schemas.ListResourceTemplatesResultSchema.extend(cached),
    'resources/read': schemas.ReadResourceResultSchema.extend(cached),
    'prompts/list': schemas.ListPromptsResultSchema.extend(cached),
    'prompts/get': schemas.GetPromptResultSchema.extend(complete),
    'completion/complete': schemas.CompleteResultSchema.extend(complete),
  };
  const Result = schemas.ResultSchema.extend(complete);
  const Elicitation = z.union([
    schemas.ElicitRequestFormParamsSchema,
    schemas.ElicitRequestURLParamsSchema.extend({ elicitationId: z.unknown().optional() }),
  ]);
  const InputRequired = Result.extend({
    inputRequests: z
      .record(
        z.string(),
        z.union([
          schemas.ElicitRequestSchema.extend({ params: Elicitation }),
          schemas.CreateMessageRequestSchema,
          schemas.ListRootsRequestSchema,
        ]),
      )
      .optional(),
    requestState: z.string().optional(),
  }).refine(
    ({ inputRequests = {}, requestState }) => requestState !== undefined || Object.keys(inputRequests).length > 0,
    { error: 'expected inputRequests or requestState with the type input_required' },
  );
  const { NotificationSchema, RequestIdSchema } = schemas;
  const notifications: Readonly<Record<string, z.ZodType>> = {
    'notifications/cancelled': schemas.CancelledNotificationSchema.extend({
      params: z.looseObject({ requestId: RequestIdSchema, reason: z.string().optional() }),
    }),
    'notifications/subscriptions/acknowledged': NotificationSchema.extend({
      params: z.looseObject({ notifications: z.looseObject({}) }),
    }),
  };
  return {
    result: (method, result) =>
      isJsonObject(result) && result['resultType'] === 'input_required'
        ? InputRequired
        : (ownValue(results, method) ?? Result),
    notification: (method) => ownValue(notifications, method) ?? withMethod(schemas.ServerNotificationSchema, method),
    request: null,
  };
}
