import { type ScanErrorCode, scanErrors } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { type Reading, SOURCE_FILES, type SourceFiles } from '@fleet/lockfiles'
import type { Call } from '#/call.ts'
import {
  type CollectedFile,
  type Collection,
  collectFiles,
  type FileProblem,
} from '#/dependencies/commands/collect-files.ts'
import { bothFailed, failed, type Outcome, type Outcomes } from '#/dependencies/outcome.ts'
import type { DependencyDeps } from '#/dependencies/deps.ts'
import { type ProjectReader, ReadingEnded } from '#/dependencies/reader/reader.ts'
import { type ProjectSource, sourceOf } from '#/dependencies/target.ts'
import type { InstanceRecord } from '#/instances/api.ts'

export interface ObserveDeps extends Pick<DependencyDeps, 'nodes' | 'releases'> {
  readonly reader: ProjectReader
}

/** Reads the files of an Instance in one round trip. Throws where the Node did not answer. */
export async function observe(
  { nodes, releases, reader }: ObserveDeps,
  call: Call,
  instance: InstanceRecord,
): Promise<Outcomes> {
  const source = await sourceOf(releases, instance)
  if (!source)
    return bothFailed('dependencies.source_unavailable', 'The production Instance has no selected release.')
  const session = nodes.sessions.overTunnel(call, instance.node).as(source.place.user)
  try {
    const collection = await session.ask(collectFiles, source.place)
    if (collection.isChanged) return bothFailed('dependencies.source_changed', CHANGED)
    return await readingsOf(reader, collection, source, call.signal)
  } catch (error) {
    if (error instanceof ReadingEnded)
      return bothFailed('dependencies.source_unavailable', 'The files took too long to read.')
    if (error instanceof CodedError && isScanCode(error.code)) return bothFailed(error.code, error.message)
    throw error
  }
}

const CHANGED = 'A file changed while it was read.'
const isScanCode = (code: string): code is ScanErrorCode => Object.hasOwn(scanErrors, code)

async function readingsOf(
  reader: ProjectReader,
  { files }: Collection,
  source: ProjectSource,
  signal: AbortSignal,
): Promise<Outcomes> {
  const read = await reader(sourceFiles(files), signal)
  const outcome = (ecosystem: 'composer' | 'npm', reading: Reading): Outcome =>
    problemIn(files, ecosystem) ?? outcomeOf(reading, source, files)
  return {
    composer: outcome('composer', read.composer),
    npm: outcome('npm', read.javascript),
  }
}

const MAX_BYTES = new Map(SOURCE_FILES.map(({ name, maxBytes }) => [name, maxBytes]))

/** The files as the readers take them. One that is too large is as long as its limit forbids: only its size matters. */
function sourceFiles(files: Collection['files']): SourceFiles {
  const given: Record<string, string | Uint8Array> = {}
  for (const [name, file] of files) {
    if (file.kind === 'content') given[name] = file.bytes
    if (file.kind === 'present') given[name] = ''
    if (file.kind === 'large') given[name] = new Uint8Array((MAX_BYTES.get(name) ?? 0) + 1)
  }
  return given
}

const PROBLEMS = {
  link: 'is a symbolic link',
  irregular: 'is not a regular file',
  foreign: 'belongs to another user',
  unreadable: 'cannot be read by its owner',
} as const satisfies Record<FileProblem, string>

const isProblem = (kind: CollectedFile['kind']): kind is FileProblem => Object.hasOwn(PROBLEMS, kind)

/** A file of the ecosystem that is no plain file of its owner fails it, whether it would be read or not (DEX-032). */
function problemIn(files: Collection['files'], ecosystem: 'composer' | 'npm'): Outcome | undefined {
  for (const { name } of SOURCE_FILES.filter((one) => one.ecosystem === ecosystem)) {
    const kind = files.get(name)?.kind
    if (kind !== undefined && isProblem(kind))
      return failed('dependencies.source_unavailable', `${name} ${PROBLEMS[kind]}`)
  }
  return undefined
}

function outcomeOf(
  reading: Reading,
  { place, reference }: ProjectSource,
  files: Collection['files'],
): Outcome {
  if (reading.status === 'failed') return failed(reading.code, reading.detail)
  const observed = { kind: 'observed', projectRoot: place.directory, reference } as const
  if (reading.status === 'absent') return { ...observed, hashes: {}, format: null, graph: undefined }
  const hashes = reading.files.flatMap((name) => {
    const file = files.get(name)
    return file?.kind === 'content' ? [[name, file.digest] as const] : []
  })
  return { ...observed, hashes: Object.fromEntries(hashes), format: reading.format, graph: reading.graph }
}
