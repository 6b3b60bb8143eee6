import type { Client } from '@temporalio/client';
import type { Payload, ProtoFailure } from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';

// For values that the client returns undecoded, which may be encrypted.

/** The values of payloads; none without payloads. */
export const valuesOf = ({ options }: Client, payloads: readonly Payload[] | null | undefined): Promise<unknown[]> =>
  decodeArrayFromPayloads(options.loadedDataConverter, [...(payloads ?? [])]);

/** The message of a failure; null without a failure. */
export const failureMessage = async (
  { options }: Client,
  failure: ProtoFailure | null | undefined,
): Promise<string | null> =>
  (await decodeOptionalFailureToOptionalError(options.loadedDataConverter, failure))?.message ?? null;
