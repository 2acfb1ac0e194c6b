import { fail } from '@fleet/contract'
import { linesOf, readAnswer } from '#/instances/commands/answer.ts'
import { examineAnswers, examineSource, MANIFEST_MAX_BYTES } from '#/instances/commands/examine-source.ts'
import { provisionAnswers, provisionEnvironment } from '#/instances/commands/provision-environment.ts'
import { detectProfile, type EntryKind, type SourceEvidence } from '#/instances/profile.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import type { SourceProfile } from '#/instances/record.ts'
import { applicationDirectory } from '#/instances/rules.ts'
import { nodeDetail, type Site } from '#/instances/site.ts'
import { profileRecord } from '#/instances/stored-profile.ts'
import { directoryProblem } from './directory-problem.ts'
import { placeOf } from './place.ts'

/** Tells the kind of the source, makes its first `.env` and ends in `active` (INS-049, INS-056). */
export async function profileSource(site: Site, row: InstanceRow): Promise<Partial<InstanceRow>> {
  const directory = applicationDirectory(row.root ?? site.project.root ?? '.')
  const profile = { applicationDirectory: directory, ...(await examine(site, row, directory)) }
  await provision(site, row, profile)
  return { status: 'active', profile: profileRecord(profile) }
}

async function examine(
  site: Site,
  row: InstanceRow,
  directory: string,
): Promise<Pick<SourceProfile, 'framework' | 'php'>> {
  // The manifest and the two short lines before it.
  const options = { maxOutputBytes: MANIFEST_MAX_BYTES + 1024 }
  const answer = readAnswer(await site.run(examineSource(placeOf(row), directory), options), examineAnswers)
  if (!answer)
    throw fail('instance.source_failed', { details: { ...nodeDetail(site.node), step: 'profile' } })
  if (answer.word === 'unsafe-directory') throw unsafeMetadata(site, 'application directory')
  if (answer.word !== 'examined') throw directoryProblem(site, answer.word)
  const finding = detectProfile(evidenceIn(linesOf(answer)))
  if ('profile' in finding) return finding.profile
  throw fail(finding.code, { details: { ...nodeDetail(site.node), file: finding.file } })
}

const evidenceIn = ([kinds = '', ...manifest]: readonly string[]): SourceEvidence => {
  const [artisan, entry, composer] = kinds.split(' ')
  return {
    artisan: entryKind(artisan),
    console: entryKind(entry),
    composer: entryKind(composer),
    manifest: manifest.join('\n'),
  }
}

// What the script cannot say counts as an entry of no known kind, which nothing reads.
const entryKind = (word: string | undefined): EntryKind =>
  word === 'absent' || word === 'file' || word === 'large' ? word : 'other'

async function provision(site: Site, row: InstanceRow, profile: SourceProfile): Promise<void> {
  const command = provisionEnvironment(placeOf(row), profile.applicationDirectory, profile.framework !== null)
  const answer = readAnswer(await site.run(command), provisionAnswers)
  if (!answer) throw environmentFailed(site)
  switch (answer.word) {
    case 'made':
    case 'kept':
      return
    case 'unsafe-directory':
      throw unsafeMetadata(site, 'application directory')
    case 'unsafe-example':
      throw unsafeMetadata(site, '.env.example')
    case 'failed':
      throw environmentFailed(site)
    default:
      throw directoryProblem(site, answer.word)
  }
}

const environmentFailed = (site: Site): Error =>
  fail('instance.source_failed', { details: { ...nodeDetail(site.node), step: 'environment' } })

const unsafeMetadata = (site: Site, file: string): Error =>
  fail('app-dev.source_metadata_unsafe', { details: { ...nodeDetail(site.node), file } })
