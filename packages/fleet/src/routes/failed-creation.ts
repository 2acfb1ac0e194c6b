import { CodedError } from '@fleet/kernel'
import { codeOf, withDetails } from '#/error-details.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { findRoute } from '#/routes/queries.ts'

/**
 * The error of a creation. Nothing resumes one whose Route has become `failed`, so it names that Route, which is destroyed first
 * (RTE-055, RTE-058, decision 0373).
 */
export async function namingFailed(
  { store }: Pick<RoutesDeps, 'store'>,
  id: number,
  error: unknown,
): Promise<unknown> {
  const isFailed = error instanceof CodedError && (await findRoute(store.db, id))?.status === 'failed'
  return isFailed ? withDetails(error, { failed_route_id: id }, codeOf(error)) : error
}
