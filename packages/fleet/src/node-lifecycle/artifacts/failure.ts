import { fail } from '@fleet/contract'
import { CodedError, type Details } from '@fleet/kernel'
import type { StepFailure } from '@fleet/steps'
import { unitDetailsOf } from '#/managed-services/api.ts'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { endsRequest } from '#/perform-steps.ts'

/**
 * `node.footprint_failed`, of the web server `node.footprint_caddy_failed`, with the part of the Node that could not be applied, why,
 * and the addresses that did not answer (NODE-124). What ends the request stays what it is.
 */
export const artifactFailure = (
  node: NodeRecord,
  { step: artifact, cause }: Pick<StepFailure, 'step' | 'cause'>,
): CodedError =>
  cause instanceof CodedError && endsRequest(cause)
    ? cause
    : fail(artifact === 'caddy' ? 'node.footprint_caddy_failed' : 'node.footprint_failed', {
        ...(isPublished(cause) ? { message: `${cause.message} Nothing further was applied.` } : {}),
        details: {
          node: identityOf(node),
          artifact,
          error_code: codeOf(cause),
          ...namedIn(cause),
          ...unitDetailsOf(cause),
        },
        cause,
      })

const CARRIED = ['reason', 'stage', 'message', 'addresses'] as const

const namedIn = (cause: unknown): Details =>
  Object.fromEntries(
    CARRIED.flatMap((name) => {
      const value = cause instanceof CodedError ? cause.details?.[name] : undefined
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Where nothing answers, the message names the addresses that were tried. */
const isPublished = (cause: unknown): cause is CodedError =>
  cause instanceof CodedError && cause.details?.['addresses'] !== undefined
