import { fail } from '@fleet/contract'
import type { ProfileRecord } from '@fleet/store'
import { examineSource } from '#/instances/commands/examine-source.ts'
import { provisionEnvironment } from '#/instances/commands/provision-environment.ts'
import { detectProfile } from '#/instances/profile.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import type { SourceProfile } from '#/instances/record.ts'
import { applicationDirectory } from '#/instances/rules.ts'
import { nodeDetail, type CheckoutSession } from '#/instances/checkout-session.ts'
import { profileRecord } from '#/instances/stored-profile.ts'
import { directoryProblem, stepFailed } from './directory-problem.ts'
import { effectiveRootOf, placeOf } from './place.ts'

/** Determines the kind of the source and creates its first `.env` (INS-049, INS-056). */
export async function profileSource(
  checkout: CheckoutSession,
  row: InstanceRow,
  url: string | undefined,
): Promise<ProfileRecord> {
  const profile = await examined(checkout, row)
  await provision(checkout, row, profile, url)
  return profileRecord(profile)
}

/** Determines the kind of the source and changes nothing (PRJ-020). */
export async function examined(checkout: CheckoutSession, row: InstanceRow): Promise<SourceProfile> {
  const directory = applicationDirectory(effectiveRootOf(checkout, row))
  return { applicationDirectory: directory, ...(await examine(checkout, row, directory)) }
}

async function examine(
  checkout: CheckoutSession,
  row: InstanceRow,
  directory: string,
): Promise<Pick<SourceProfile, 'framework' | 'php'>> {
  const request = { ...placeOf(row), applicationDirectory: directory }
  const answer = await checkout.session.ask(examineSource, request, { broken: stepFailed('profile') })
  if (answer.word === 'unsafe-directory') throw unsafeMetadata(checkout, 'application directory')
  if (answer.word !== 'examined') throw directoryProblem(checkout, answer.word)
  const finding = detectProfile(answer.evidence)
  if ('profile' in finding) return finding.profile
  throw fail(finding.code, { details: { ...nodeDetail(checkout.session), file: finding.file } })
}

async function provision(
  checkout: CheckoutSession,
  row: InstanceRow,
  profile: SourceProfile,
  url: string | undefined,
): Promise<void> {
  const { applicationDirectory: directory, framework } = profile
  const request = {
    ...placeOf(row),
    applicationDirectory: directory,
    emptyWithout: framework !== null,
    url: framework === 'laravel' ? url : undefined,
  }
  const broken = stepFailed('environment')
  const { word } = await checkout.session.ask(provisionEnvironment, request, { broken })
  switch (word) {
    case 'made':
    case 'kept':
      return
    case 'unsafe-directory':
      throw unsafeMetadata(checkout, 'application directory')
    case 'unsafe-example':
      throw unsafeMetadata(checkout, '.env.example')
    case 'failed':
      throw fail(
        request.url === undefined ? 'instance.source_failed' : 'app-dev.laravel_url_configuration_failed',
        { details: { ...nodeDetail(checkout.session), step: 'environment' } },
      )
    default:
      throw directoryProblem(checkout, word)
  }
}

const unsafeMetadata = (checkout: CheckoutSession, file: string): Error =>
  fail('app-dev.source_metadata_unsafe', { details: { ...nodeDetail(checkout.session), file } })
