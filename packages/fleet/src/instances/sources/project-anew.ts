import { fail } from '@fleet/contract'
import { type CheckoutSession, nodeDetail } from '#/instances/checkout-session.ts'
import { ignoreEnvironment } from '#/instances/commands/ignore-environment.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { applicationDirectory } from '#/instances/rules.ts'
import { directoryProblem, stepFailed } from '#/instances/steps/directory-problem.ts'
import { effectiveRootOf, placeOf } from '#/instances/steps/place.ts'
import { examined, profileSource } from '#/instances/steps/profile-source.ts'
import { profileRecord } from '#/instances/stored-profile.ts'

/** See `ProjectCheckouts.projectAnew`. Git ignores the next `.env` before there is one. */
export async function projectAnew(
  { queries, routes }: Pick<InstanceDeps, 'queries' | 'routes'>,
  checkout: CheckoutSession,
  row: InstanceRow,
  { isStored }: { readonly isStored: boolean },
): Promise<void> {
  const directory = applicationDirectory(effectiveRootOf(checkout, row))
  const request = { ...placeOf(row), applicationDirectory: directory }
  const { word } = await checkout.session.ask(ignoreEnvironment, request, {
    broken: stepFailed('environment'),
  })
  if (word === 'failed')
    throw fail('instance.source_failed', {
      details: { ...nodeDetail(checkout.session), step: 'environment' },
    })
  if (word !== 'ignored') throw directoryProblem(checkout, word)
  const profile = isStored
    ? profileRecord(await examined(checkout, row))
    : await profileSource(checkout, row, await urlOf(routes, row))
  await queries.update(row.id, { profile })
}

async function urlOf(routes: InstanceDeps['routes'], row: InstanceRow): Promise<string | undefined> {
  const domain = (await routes.own([row.id])).get(row.id)?.domain
  return domain === undefined ? undefined : `https://${domain}`
}
